// The page for review: one suspicion at a time, keyboard first.

import * as api from "./api.js";
import { choose, headOptions, labelOptions } from "./chooser.js";
import { isTree } from "./conllu.js";
import { isolated } from "./direction.js";
import { by, counted, html, percent } from "./dom.js";
import { listenToDrags } from "./dragging.js";
import { isForOthers, isUndo, wordAt } from "./keys.js";
import { complain, say } from "./messages.js";
import { difference, plain } from "./sentence.js";
import { drawTree, focusWord, reveal } from "./tree.js";

const TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split(" ");

let shown = null; // the finding as it came
let now = null; // the annotation as it is edited: words, heads, labels
let history = []; // earlier states of it
let selected = 1;
let last = Promise.resolve(); // what is being done
let labels = new Set();

const kind = () => by("kind").value || null;
const copy = (one) => ({ words: one.words.map((word) => ({ ...word })), heads: [...one.heads], labels: [...one.labels] });

/** The words whose annotation is not what it was. */
function changed() {
  if (!shown) return new Set();
  const found = difference(shown, now);
  now.words.forEach((word, i) => {
    if (["upos", "xpos", "feats"].some((name) => word[name] !== shown.words[i][name])) found.add(i + 1);
  });
  return found;
}

// ---- From finding to finding

function take(found) {
  if (found.index === null) {
    shown = null;
    by("tree-card").hidden = true;
    by("finished").hidden = false;
    document.body.dataset.shown = "";
    return;
  }
  shown = { ...found, heads: found.heads.map((head) => head ?? 0) };
  now = copy(shown);
  history = [];
  selected = found.finding.word;
  for (const label of [...shown.labels, ...shown.finding.labels]) labels.add(label);
  by("finished").hidden = true;
  by("tree-card").hidden = false;
  by("scroller").scrollLeft = by("other").scrollLeft = 0;
  document.body.dataset.shown = String(found.index);
  show();
}

/** Do one thing after the other: a key pressed while the server answers is not lost. */
function doing(work) {
  last = last.then(async () => {
    complain(null);
    await work();
  }).catch((error) => complain(plain(error.message)));
  return last;
}

const next = async (after = -1) => {
  take(await api.nextFinding(after, kind()));
  showStatus(await api.reviewStatus());
  showList((await api.findings(kind())).findings);
};

function decide(verdict) {
  return doing(async () => {
    if (!shown) return;
    const request = { index: shown.index, verdict };
    if (verdict === "correct") {
      const column = (name) => now.words.map((word) => word[name]);
      request.correction = {
        heads: now.heads, labels: now.labels,
        upos: column("upos"), xpos: column("xpos"), feats: column("feats"),
      };
    }
    const { index } = shown;
    showStatus(await api.decide(request));
    await next(index);
    say({ accept: "the annotation is right", correct: "corrected", acknowledge: "an exception", skip: "skipped" }[verdict]);
  });
}

const enter = () => decide(changed().size ? "correct" : "accept");

function undo() {
  if (history.length) {
    now = history.pop();
    show();
    return;
  }
  doing(async () => {
    const found = await api.undoDecision();
    if (found.index === null) say("nothing to undo");
    else take(found);
    showStatus(await api.reviewStatus());
    showList((await api.findings(kind())).findings);
  });
}

// ---- Changes

/** Change the annotation; what is no tree is not taken. */
function edit(change) {
  const before = copy(now);
  change(now);
  if (!isTree(now.heads)) {
    now = before;
    complain("No tree: this head would close a circle.");
    return;
  }
  history.push(before);
  complain(null);
  show();
}

const setHead = (m, head) => edit((one) => {
  one.heads[m - 1] = head;
  if (head === 0) one.labels[m - 1] = "root";
});

/** Take the alternative; words in whose way it would close a circle follow the models' tree. */
function takeAlternative() {
  const { finding } = shown;
  const { alternative, word } = finding;
  edit((one) => {
    const { head, label, upos, xpos, feats } = alternative;
    one.heads[word - 1] = head;
    one.labels[word - 1] = label;
    Object.assign(one.words[word - 1], { upos, xpos, feats });
    for (let step = 0; step < one.heads.length && !isTree(one.heads); step += 1) {
      let at = one.heads[word - 1];
      while (at && (one.heads[at - 1] === finding.heads[at - 1])) {
        at = one.heads[at - 1];
        if (at === word) break;
      }
      if (!at || at === word) break;
      one.heads[at - 1] = finding.heads[at - 1];
      one.labels[at - 1] = finding.labels[at - 1];
    }
  });
  const others = [...changed()].filter((m) => m !== word).length;
  say(others ? `the alternative, with ${counted(others, "other arc")}` : "the alternative: Enter saves it");
}

const name = (m) => `${m} ${isolated(now.words[m - 1].form)}`;

async function chooseHead(m) {
  const head = await choose({ title: `Head of ${name(m)}: number or word`, options: headOptions(now.words, m) });
  if (head === null) show();
  else setHead(m, head);
}

async function chooseLabel(m) {
  const likely = [{ label: shown.finding.labels[m - 1] ?? "dep" }];
  const label = await choose({ title: `Relation of ${name(m)}`, options: labelOptions([...labels].sort(), likely), free: true });
  if (label === null) show();
  else edit((one) => { one.labels[m - 1] = label.replace(/\s+/g, ""); });
}

async function chooseTag(m) {
  const tag = await choose({ title: `Tag of ${name(m)}`, options: labelOptions(TAGS), free: true });
  if (tag === null) show();
  else edit((one) => { one.words[m - 1].upos = tag.replace(/\s+/g, ""); });
}

function select(m) {
  if (m === selected) return;
  selected = m;
  show();
}

function key(event) {
  if (isForOthers(event)) return;
  if (isUndo(event)) {
    event.preventDefault();
    undo();
    return;
  }
  if (!shown) return;
  const m = selected;
  const to = wordAt(event, m, now.heads, by("scroller").dir === "rtl");
  const does = {
    enter, t: takeAlternative, e: () => decide("acknowledge"), k: () => decide("skip"),
    h: () => chooseHead(m), l: () => chooseLabel(m), g: () => chooseTag(m),
  }[event.key.toLowerCase()];
  if (to !== undefined) {
    if (to >= 1 && to <= now.heads.length) select(to);
  } else if (does) {
    does();
  } else {
    return;
  }
  event.preventDefault();
}

// ---- What is shown

function draw(place, view, on) {
  const left = place.scrollLeft;
  const picture = drawTree({ chances: null, alternatives: null, changed: new Set(), ...view }, on);
  place.dir = picture.classList.contains("from-right") ? "rtl" : "ltr";
  place.replaceChildren(picture);
  place.scrollLeft = left;
  reveal(place, view.at);
  return picture;
}

function show() {
  const { finding } = shown;
  const disputed = new Set([finding.word]);
  const edited = changed();
  const picture = draw(by("scroller"), { ...now, pinned: edited, selected, disputed, at: selected }, { select, pin() {}, key() {} });
  focusWord(picture, selected);
  const suggested = finding.heads.length === now.heads.length;
  by("other").hidden = !suggested;
  if (suggested) {
    const { heads, labels: relations } = finding;
    const other = draw(by("other"), { words: now.words, heads, labels: relations, pinned: new Set(), selected: null, disputed, at: finding.word },
      { select() {}, pin() {}, key() {} });
    other.querySelectorAll("[tabindex]").forEach((one) => one.setAttribute("tabindex", "-1"));
  }
  by("which-tree").textContent = edited.size ? `Annotation, ${counted(edited.size, "word")} changed` : "Annotation";
  by("sentence-text").textContent = shown.text;
  by("accept").firstChild.textContent = edited.size ? "Save the correction " : "Annotation is right ";
  by("place").textContent = `${finding.sent_id}, word ${finding.word}: ${percent(finding.score)} suspicious`;
  const head = now.heads[selected - 1];
  by("inspector").replaceChildren(html("p", { class: "arc-said" },
    html("strong", {}, isolated(now.words[selected - 1].form)), ` ${now.words[selected - 1].upos}, `,
    head ? `${now.labels[selected - 1]} of ` : "the ", html("strong", {}, head ? isolated(now.words[head - 1].form) : "root")));
  showReasons(finding);
}

function showReasons(finding) {
  const word = (value, column) => (column === "head"
    ? (value === "0" ? "root" : `${value} ${isolated(now.words[Number(value) - 1]?.form ?? "")}`) : value);
  const reasons = [
    ...finding.doubts.map((one) => html("p", { class: "why" },
      `${one.column} ${word(one.annotated, one.column)} has ${percent(one.probability)}, `,
      html("strong", {}, word(one.alternative, one.column)), ` has ${percent(one.alternative_probability)}.`)),
    ...finding.rules.map((one) => html("p", { class: "why" }, `${one.message} `,
      /^https?:/.test(one.address) ? html("a", { href: one.address, target: "_blank", rel: "noreferrer" }, one.name) : `(${one.name})`)),
    ...finding.variations.map((one) => html("p", { class: "why" },
      `${one.words.map(isolated).join(" … ")}: ${one.annotated} here (${one.here_count}), `,
      html("strong", {}, one.elsewhere), ` elsewhere (${one.elsewhere_count}): ${one.places.slice(0, 3).join(", ")}`)),
  ];
  by("finding").replaceChildren(
    html("ul", { class: "tags" }, ...finding.kinds.map((one) => html("li", {}, one))), ...reasons);
}

function showStatus(status) {
  by("model").textContent = `${status.decided} of ${counted(status.total, "finding")} decided`;
  by("progress").firstElementChild.style.inlineSize = `${100 * status.decided / Math.max(1, status.total)}%`;
  by("progress").setAttribute("aria-valuenow", String(status.decided));
  by("progress").setAttribute("aria-valuemax", String(status.total));
  by("undo").disabled = !status.can_undo && !history.length;
  const chosen = by("kind").value;
  by("kind").replaceChildren(html("option", { value: "" }, "all"), ...Object.entries(status.kinds).map(([one, { open }]) =>
    html("option", { value: one, selected: one === chosen }, `${one} (${open})`)));
  by("files").replaceChildren(...status.files.map((file) =>
    html("a", { href: `review.conllu?file=${encodeURIComponent(file)}`, download: file }, file)));
  if (status.problem) complain(status.problem);
}

function showList(findings) {
  by("list").replaceChildren(...findings.slice(0, 12).map((one) => html("li", {},
    html("button", {
      type: "button", class: "tree-choice", "aria-pressed": String(one.index === shown?.index),
      onclick: () => doing(async () => take(await api.showFinding(one.index))),
    }, html("span", { class: "rank" }, percent(one.score)),
      html("span", { class: "what" }, isolated(one.form), " ", html("span", { class: "hint" }, one.kinds.join(", ")))))));
}

function start() {
  by("accept").addEventListener("click", enter);
  by("take").addEventListener("click", takeAlternative);
  by("acknowledge").addEventListener("click", () => decide("acknowledge"));
  by("skip").addEventListener("click", () => decide("skip"));
  by("undo").addEventListener("click", undo);
  by("kind").addEventListener("change", () => { by("kind").blur(); doing(() => next()); });
  document.addEventListener("keydown", key);
  listenToDrags(by("scroller"), setHead);
  doing(() => next()).then(() => { document.body.dataset.ready = "yes"; });
}

start();
