// The page: what is asked, what is shown, and what happens when something is clicked.

import * as api from "./api.js";
import { showBar, showConstraints } from "./bar.js";
import { isolated } from "./direction.js";
import { by, counted, html } from "./dom.js";
import { giveConllu, giveSvg } from "./download.js";
import { EXAMPLES } from "./examples.js";
import { showInspector } from "./inspector.js";
import { keep, kept } from "./keeping.js";
import { complain, say } from "./messages.js";
import { showOthers } from "./others.js";
import { showProof } from "./plot.js";
import { rulesEditor } from "./rules.js";
import { difference, newStates, plain, questionOf, requestOf, treeOf, viewOf } from "./sentence.js";
import { drawTree, focusWord, reveal } from "./tree.js";

const TREES = 5;

let model = null;
let sentences = []; // one state per sentence: see newStates
let current = 0;
let editor = null;
let pending = null; // aborts the requests under way

const state = () => sentences[current];

// ---- What is asked

/** Ask again for the current sentence; `undo` puts things back if there is no such tree. */
async function refresh(undo = () => {}) {
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  const one = state();
  const busy = setTimeout(() => by("tree-card").setAttribute("aria-busy", "true"), 120);
  try {
    const before = treeOf(one);
    const question = questionOf(one, editor.text());
    one.stale = true;
    const [answer] = (await api.parse(question, signal)).sentences;
    const after = answer.trees[0];
    const changed = difference(before, after);
    Object.assign(one, {
      answer, changed, rank: 1, more: null, note: null, saved: false, stale: false,
      ruled: Boolean(question.rules),
    });
    complain(null);
    editor.clear();
    show();
    say(one.changed.size ? `${counted(one.changed.size, "arc")} changed` : "no arc changed");
    askMore(one, signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    undo();
    one.stale = false;
    if (error.line) editor.fail(error);
    else complain(error.kind === "infeasible" ? `No such tree: ${plain(error.message)}` : error.message);
    show();
  } finally {
    clearTimeout(busy);
    by("tree-card").setAttribute("aria-busy", "false");
  }
}

/** Ask for what takes longer: other trees, and how the solver got there. */
async function askMore(one, signal) {
  const question = questionOf(one, one.ruled ? editor.text() : "");
  try {
    const asked = { ...question, k: TREES, trace: true };
    const [more] = (await api.parse(asked, signal)).sentences;
    one.more = more;
    one.note = null;
  } catch (error) {
    if (error.name === "AbortError") return;
    one.note = error.message;
  }
  if (one === state()) showPanels();
}

async function parseInput() {
  const text = by("input").value.trim();
  if (!text) {
    complain("There is nothing to parse yet. Write a sentence first.");
    by("input").focus();
    return;
  }
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  const button = by("parse");
  button.disabled = true;
  button.textContent = "Parsing…";
  try {
    const answer = await api.parse({ ...requestOf(text, model), marginals: true }, signal);
    keep("parsed", text);
    complain(null);
    sentences = newStates(answer.sentences);
    current = 0;
    listSentences();
    by("empty").hidden = true;
    by("found").hidden = false;
    if (editor.text().trim()) {
      show();
      await refresh();
    } else {
      show();
      askMore(state(), signal);
    }
  } catch (error) {
    if (error.name !== "AbortError") complain(plain(error.message));
  } finally {
    button.disabled = false;
    button.textContent = "Parse";
  }
}

// ---- What is shown

function show({ focus = false } = {}) {
  const one = state();
  const view = viewOf(one);
  const scroller = by("scroller");
  const hadFocus = focus || scroller.contains(document.activeElement);
  const button = by("inspector").contains(document.activeElement) ? document.activeElement.id : null;
  const left = scroller.scrollLeft;
  const picture = drawTree(view, actions);
  scroller.dir = picture.classList.contains("from-right") ? "rtl" : "ltr"; // where it begins
  scroller.replaceChildren(picture);
  scroller.scrollLeft = left;
  if (hadFocus && one.selected) focusWord(picture, one.selected);
  if (one.selected) reveal(scroller, one.selected);
  showInspector(by("inspector"), view, model, inspectorActions);
  if (button !== null) (by(button) ?? by("pin"))?.focus(); // its like, in place of the old one
  showBar(one, model);
  showConstraints(one, change);
  showPanels();
}

function showPanels() {
  const one = state();
  const trees = one.more && one.note === null ? one.more.trees : null;
  showOthers(by("others"), { words: one.answer.words, trees, rank: one.rank, note: one.note }, (rank) => {
    const before = treeOf(one);
    one.rank = rank;
    one.changed = difference(before, treeOf(one));
    one.saved = false;
    show();
    by("others").querySelector(`[aria-pressed="true"]`)?.focus();
  });
  const note = one.note && !one.more ? "There is nothing to show." : null;
  const free = one.ruled ? " The plot is of the tree without rules." : "";
  showProof(by("proof"), one.more?.trace ?? null, one.answer.trees[0].certificate, note, free);
}

function listSentences() {
  by("sentences").hidden = sentences.length < 2;
  by("which").replaceChildren(...sentences.map((one, i) =>
    html("option", { value: i }, `${i + 1} of ${sentences.length}: ${isolated(one.answer.text)}`)));
}

function go(to) {
  current = Math.max(0, Math.min(sentences.length - 1, to));
  by("which").value = String(current);
  by("previous").disabled = current === 0;
  by("next").disabled = current === sentences.length - 1;
  by("scroller").scrollLeft = 0;
  show();
  if (state().stale || Boolean(editor.text().trim()) !== state().ruled) {
    refresh();
  } else if (!state().more) {
    pending?.abort();
    pending = new AbortController();
    askMore(state(), pending.signal);
  }
}

// ---- What is done

/** Change pins and forbidden arcs, remember how it was, and ask again. */
function change(edit) {
  const one = state();
  const before = { pins: new Map(one.pins), forbidden: [...one.forbidden] };
  one.history.push(before);
  edit(one);
  refresh(() => {
    one.history.pop();
    Object.assign(one, before);
  });
}

const inspectorActions = {
  pin(m, head, label) {
    change((one) => {
      one.pins.set(m, { head, label: label ?? null });
      one.forbidden = one.forbidden.filter(([h, w]) => h !== head || w !== m);
    });
  },
  unpin(m) {
    change((one) => one.pins.delete(m));
  },
  forbid(m, head) {
    change((one) => {
      one.pins.delete(m);
      one.forbidden.push([head, m]);
    });
  },
};

const actions = {
  select(m) {
    const one = state();
    if (one.selected === m) return;
    one.selected = m;
    show({ focus: true });
  },
  pin: (m, head) => inspectorActions.pin(m, head),
  key(event, m) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const one = state();
    const { heads } = treeOf(one);
    const on = by("scroller").dir === "rtl" ? -1 : 1;
    const to = {
      ArrowLeft: m - on, ArrowRight: m + on, Home: 1, End: heads.length,
      ArrowUp: heads[m - 1], ArrowDown: heads.indexOf(m) + 1,
    }[event.key];
    if (to !== undefined) {
      if (to >= 1 && to <= heads.length) actions.select(to);
    } else if (event.key === "p" || event.key === "P") {
      if (one.pins.has(m)) inspectorActions.unpin(m);
      else inspectorActions.pin(m, heads[m - 1]);
    } else if (event.key === "x" || event.key === "X" || event.key === "Delete") {
      inspectorActions.forbid(m, heads[m - 1]);
    } else if (event.key === "Enter" || event.key === " ") {
      by("inspector").querySelector("button")?.focus();
    } else {
      return;
    }
    event.preventDefault();
  },
};

async function saveTree() {
  const one = state();
  const button = by("save");
  const tree = treeOf(one);
  button.disabled = true;
  try {
    const counts = await api.save(tree.conllu);
    one.saved = treeOf(one) === tree; // it may have changed since
    say(`saved: ${countsText(counts)}`);
    complain(counts.problem && `The tree is saved, but not yet in ${counts.file}. ${counts.problem}`);
    showCounts(counts);
    if (one === state()) showBar(one, model);
  } catch (error) {
    complain(`Not saved. ${error.message}`);
  } finally {
    button.disabled = false;
  }
}

function countsText({ in_file, waiting, file }) {
  const more = waiting ? `, ${counted(waiting, "tree")} in its journal` : "";
  return `${counted(in_file, "sentence")} in ${file}${more}`;
}

function showCounts(counts) {
  by("counts").textContent = counts.in_file + counts.waiting ? countsText(counts) : "";
}

/** Others may save to the same file: ask for what it has now. */
async function askCounts() {
  try {
    showCounts(await api.countSaved());
  } catch {
    // The next save will tell.
  }
}

function undo() {
  const one = state();
  const before = one.history.pop();
  if (!before) return;
  Object.assign(one, before);
  refresh();
}

function describe() {
  const kind = model.kind === "pipeline" ? "reads text" : "reads tagged words";
  by("model").textContent = `${model.name}, ${kind}`;
  by("model").title = `parts: ${model.parts.join(", ")}; ${model.labels.length} relations`;
  by("input-label").textContent = model.text ? "Text" : "Words with tags";
  by("input").placeholder = model.text ? "I saw the man with a telescope." : "Birds/NOUN sing/VERB ./PUNCT";
  by("input-hint").textContent = model.text ? "Text, or CoNLL-U." : "word/TAG, one sentence per line, or CoNLL-U.";
  const examples = EXAMPLES[model.text ? "text" : "tagged"];
  by("examples").replaceChildren(html("span", { class: "hint" }, "Examples:"), ...Object.entries(examples).map(([name, text]) =>
    html("button", { type: "button", class: "link", onclick: () => { by("input").value = text; keep("text", text); grow(); parseInput(); } }, name)));
}

function grow() {
  const area = by("input");
  area.style.blockSize = "auto";
  area.style.blockSize = `${Math.min(area.scrollHeight + 2, 240)}px`;
}

async function start() {
  by("ask").addEventListener("submit", (event) => { event.preventDefault(); parseInput(); });
  by("input").addEventListener("input", () => { grow(); keep("text", by("input").value); });
  by("input").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) parseInput();
  });
  by("undo").addEventListener("click", undo);
  by("reset").addEventListener("click", () => change((one) => { one.pins = new Map(); one.forbidden = []; }));
  by("get-conllu").addEventListener("click", () => giveConllu(treeOf(state()).conllu));
  by("get-svg").addEventListener("click", () => giveSvg(by("scroller").querySelector("svg")));
  by("save").addEventListener("click", saveTree);
  by("previous").addEventListener("click", () => go(current - 1));
  by("next").addEventListener("click", () => go(current + 1));
  by("which").addEventListener("change", (event) => go(Number(event.target.value)));
  try {
    model = await api.getModel();
  } catch (error) {
    by("model").textContent = "no model";
    complain(error.message);
    return;
  }
  describe();
  by("annotate-link").hidden = !model.queue;
  editor = rulesEditor(by("rules"), model, kept("rules"), (text) => {
    keep("rules", text);
    if (sentences.length) refresh();
  });
  if (model.annotate) {
    await askCounts();
    document.addEventListener("visibilitychange", () => document.hidden || askCounts());
  }
  by("input").value ||= kept("text"); // what was written before the page was loaded again
  grow();
  document.body.dataset.ready = "yes";
  const text = by("input").value.trim();
  if (text && kept("parsed") === text) parseInput();
}

start();
