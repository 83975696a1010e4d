// One sentence on the page: what was answered, what is pinned and forbidden, what is shown.

const SENT_ID = /^#[ \t]*sent_id[ \t]*=[ \t]*(.*?)[ \t]*$/m;

/** Sentences as they come from the server, with nothing pinned, each under a name of its own. */
export function newStates(answers) {
  const taken = new Set();
  for (const { trees } of answers) {
    const given = nameOf(trees[0].conllu);
    const name = given && !taken.has(given) ? given : newName();
    taken.add(name);
    for (const tree of trees) tree.conllu = named(tree.conllu, name);
  }
  return answers.map(newState);
}

/** The name of a sentence; its number in a text that it was cut from is none. */
function nameOf(conllu) {
  const given = SENT_ID.exec(conllu)?.[1];
  return given && /^\d+$/.test(given) && conllu.includes("TokenRange=") ? null : given;
}

// Names are made here and not by the server: a tree that is sent once more, because no answer came,
// is then known to be the same.
function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return `saved-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function named(conllu, name) {
  const line = `# sent_id = ${name}`;
  return SENT_ID.test(conllu) ? conllu.replace(SENT_ID, () => line) : `${line}\n${conllu}`;
}

/** A sentence as it comes from the server, with nothing pinned. */
export function newState(answer) {
  return {
    answer,
    base: answer.trees[0].conllu,
    free: answer.alternatives, // before anything was pinned
    pins: new Map(), // word: its head, and its label or null
    forbidden: [],
    history: [],
    rank: 1,
    selected: null,
    changed: new Set(),
    more: null, // other trees and the trace, once they have come
    note: null, // why there are none
    ruled: false,
    stale: false, // the answer is not to what is pinned now
    saved: false,
  };
}

/** The tree that is shown. */
export function treeOf(one) {
  return one.rank === 1 ? one.answer.trees[0] : one.more.trees[one.rank - 1];
}

/** What to ask the server for a sentence as it stands. */
export function questionOf(one, rules) {
  const require = [...one.pins].map(([m, { head, label }]) => (label ? [head, m, label] : [head, m]));
  const question = { conllu: one.base, require, forbid: one.forbidden, marginals: true };
  if (rules.trim()) question.rules = rules;
  return question;
}

/** What to ask the server for the text in the field. */
export function requestOf(text, model) {
  if (/^\s*(#.*\n)*\d+\t/.test(text)) return { conllu: text.endsWith("\n") ? text : `${text}\n` };
  return model.text ? { text } : { tagged: text };
}

/** What the picture and the inspector show. */
export function viewOf(one) {
  const tree = treeOf(one);
  const pinned = (i) => one.pins.has(i + 1);
  return {
    words: one.answer.words,
    heads: tree.heads,
    labels: tree.labels,
    // Probabilities know nothing of rules, beside which a pin is one; but a pin is certain.
    chances: tree.head_probabilities.map((p, i) => (pinned(i) ? 1 : p)),
    // A pinned word has no heads left to choose from; those it had are what one wants to see.
    alternatives: one.answer.alternatives.map((own, i) =>
      pinned(i) ? { heads: one.free[i].heads, labels: own.labels } : own),
    pinned: new Set(one.pins.keys()),
    selected: one.selected,
    changed: one.changed,
  };
}

/** The words whose arcs differ between two trees. */
export function difference(before, after) {
  return new Set(after.heads.map((_, i) => i + 1).filter((m) =>
    after.heads[m - 1] !== before.heads[m - 1] || after.labels[m - 1] !== before.labels[m - 1]));
}

/** A message without file and line, which mean nothing on the page. */
export function plain(message) {
  return message.replace(/^(sentence )?(conllu|<text>):\d+( \([^)]*\))?: /, "");
}
