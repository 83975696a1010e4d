// The page for annotation: one sentence of the queue at a time, keyboard first.

import * as api from "./api.js";
import { choose, headOptions, labelOptions } from "./chooser.js";
import { withTree } from "./conllu.js";
import { isolated } from "./direction.js";
import { by, counted, html, percent } from "./dom.js";
import { listenToDrags } from "./dragging.js";
import { showInspector } from "./inspector.js";
import { isForOthers, isUndo, wordAt } from "./keys.js";
import { complain, say } from "./messages.js";
import { difference, newState, plain, questionOf, treeOf, viewOf } from "./sentence.js";
import { alternativesOf, drawTree, focusWord, reveal } from "./tree.js";

const SURE = 0.98;
const EVERY_MS = 4000;

let annotator = "";
let labels = []; // all that are offered
let known = new Set(); // those that the parser knows
let offer = null; // name and value of the sentence
let one = null; // its state: see newState
let pending = null;
let busy = false;

// ---- The sentence

/** The chance of a word's arc and relation together. */
const chanceOf = (m) => {
  const tree = treeOf(one);
  return tree.head_probabilities[m - 1] * tree.label_probabilities[m - 1];
};
const isSure = (m) => chanceOf(m) >= SURE;
const isOpen = (m) => !one.pins.has(m) && !isSure(m);
const count = () => one.answer.words.length;

/** The relations as they are shown: those that the parser does not know come from the pins. */
function labelsNow() {
  return treeOf(one).labels.map((label, i) => one.pins.get(i + 1)?.label ?? label);
}

function question() {
  const asked = questionOf(one, "");
  asked.require = asked.require.map(([head, m, label]) => (known.has(label) ? [head, m, label] : [head, m]));
  return asked;
}

async function next() {
  busy = true;
  by("tree-card").setAttribute("aria-busy", "true");
  try {
    const found = await api.nextInQueue(annotator);
    complain(null);
    if (found.name === null) {
      one = offer = null;
      document.body.dataset.shown = "";
      by("tree-card").hidden = true;
      by("finished").hidden = false;
      return;
    }
    offer = found;
    one = newState(found.sentence);
    known = new Set([...known, ...found.sentence.trees[0].labels]);
    one.selected = firstOpen(1) ?? 1;
    by("finished").hidden = true;
    by("tree-card").hidden = false;
    by("scroller").scrollLeft = 0;
    document.body.dataset.shown = offer.name;
    show({ focus: true });
  } catch (error) {
    complain(plain(error.message));
  } finally {
    busy = false;
    by("tree-card").setAttribute("aria-busy", "false");
  }
}

/** Ask the parser again under what is pinned; `undo` puts things back if there is no such tree. */
async function refresh(undoIt) {
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  const state = one;
  try {
    const before = treeOf(state);
    const [answer] = (await api.parse(question(), signal)).sentences;
    state.changed = difference(before, answer.trees[0]);
    state.answer = answer;
    complain(null);
    say(state.changed.size ? `${counted(state.changed.size, "arc")} changed` : "no other arc changed");
  } catch (error) {
    if (error.name === "AbortError") return;
    undoIt();
    complain(error.kind === "infeasible" ? `No such tree: ${plain(error.message)}` : plain(error.message));
  }
  if (state === one) show({ focus: true });
}

/** Change pins and forbidden arcs, remember how it was, and ask again. */
function change(edit) {
  const before = { pins: new Map(one.pins), forbidden: [...one.forbidden] };
  one.history.push(before);
  edit();
  return refresh(() => {
    one.history.pop();
    Object.assign(one, before);
  });
}

/** Pin an arc; older pins that would close a circle with it, or be a second root, are let go. */
function setArc(m, head, label) {
  one.forbidden = one.forbidden.filter(([h, w]) => h !== head || w !== m);
  if (head === 0) {
    for (const [word, pin] of one.pins) if (pin.head === 0 && word !== m) one.pins.delete(word);
  }
  const seen = [];
  let at = head;
  while (at && at !== m && one.pins.has(at) && seen.length <= count()) {
    seen.push(at);
    at = one.pins.get(at).head;
  }
  if (at === m) for (const word of seen) one.pins.delete(word);
  one.pins.set(m, { head, label: label ?? null });
}

function firstOpen(from) {
  const n = count();
  for (let step = 0; step < n; step += 1) {
    const m = (from - 1 + step) % n + 1;
    if (isOpen(m)) return m;
  }
  return null;
}

// ---- What can be done

const on = {
  pin: (m, head, label) => change(() => setArc(m, head, label)),
  unpin: (m) => change(() => one.pins.delete(m)),
  forbid: (m, head) => change(() => {
    one.pins.delete(m);
    one.forbidden.push([head, m]);
  }),
  select(m) {
    if (one.selected === m) return;
    one.selected = m;
    show({ focus: true });
  },
  key: () => {}, // the document listens to all keys
};

async function accept(m) {
  if (one.pins.has(m)) {
    await on.unpin(m);
    return;
  }
  await on.pin(m, treeOf(one).heads[m - 1], labelsNow()[m - 1]);
  const to = firstOpen(m);
  if (to) on.select(to);
  else say("no open word is left: Enter saves the tree");
}

function acceptSure() {
  const { heads } = treeOf(one);
  const now = labelsNow();
  const sure = heads.map((_, i) => i + 1).filter((m) => !one.pins.has(m) && isSure(m));
  if (!sure.length) {
    say("no other arc is sure");
    return;
  }
  change(() => sure.forEach((m) => one.pins.set(m, { head: heads[m - 1], label: now[m - 1] })))
    .then(() => {
      const to = firstOpen(1);
      if (to) on.select(to);
      say(`accepted ${counted(sure.length, "arc")}`);
    });
}

async function chooseHead(m) {
  const view = viewOf(one);
  const head = await choose({
    title: `Head of ${m} ${isolated(view.words[m - 1].form)}: number or word`,
    options: headOptions(view.words, m, view.alternatives[m - 1].heads),
  });
  if (head === null) show({ focus: true });
  else await on.pin(m, head);
}

async function chooseLabel(m) {
  const view = viewOf(one);
  const label = await choose({
    title: `Relation of ${m} ${isolated(view.words[m - 1].form)}`,
    options: labelOptions(labels, view.alternatives[m - 1].labels),
    free: true,
  });
  if (label === null) show({ focus: true });
  else await on.pin(m, view.heads[m - 1], label.replace(/\s+/g, ""));
}

function undo() {
  const before = one.history.pop();
  if (!before) return;
  Object.assign(one, before);
  refresh(() => {});
}

async function save() {
  if (busy) return;
  busy = true;
  by("save").disabled = true;
  try {
    const tree = treeOf(one);
    const text = withTree(tree.conllu, tree.heads, labelsNow());
    const saved = await api.saveInQueue(annotator, offer.name, text);
    say(`saved ${offer.name}`);
    complain(saved.problem && `The tree is saved, but not yet in ${saved.file}. ${saved.problem}`);
    await next();
    askStatus();
  } catch (error) {
    complain(`Not saved. ${plain(error.message)}`);
  } finally {
    busy = false;
    by("save").disabled = false;
  }
}

async function skip() {
  if (busy) return;
  try {
    showStatus(await api.skipInQueue(annotator, offer.name));
    say(`skipped ${offer.name}`);
    await next();
  } catch (error) {
    complain(plain(error.message));
  }
}

function key(event) {
  if (!one || by("tree-card").hidden || isForOthers(event)) return;
  const { heads } = treeOf(one);
  const m = one.selected;
  const to = wordAt(event, m, heads, by("scroller").dir === "rtl");
  const does = {
    n: () => { const found = firstOpen(m + 1); if (found) on.select(found); else say("no open word is left"); },
    " ": () => accept(m), p: () => accept(m), a: acceptSure, h: () => chooseHead(m), l: () => chooseLabel(m),
    x: () => on.forbid(m, heads[m - 1]), k: skip, s: save, enter: save,
  }[event.key.toLowerCase()];
  if (isUndo(event)) {
    undo();
  } else if (to !== undefined) {
    if (to >= 1 && to <= heads.length) on.select(to);
  } else if (/^[1-4]$/.test(event.key)) {
    const other = alternativesOf(viewOf(one), m)[Number(event.key) - 1];
    if (other) on.pin(m, other.head);
  } else if (does) {
    does();
  } else {
    return;
  }
  event.preventDefault();
}

// ---- What is shown

function show({ focus = false } = {}) {
  const view = { ...viewOf(one), labels: labelsNow() };
  view.sure = new Set(view.heads.map((_, i) => i + 1).filter(isSure));
  const scroller = by("scroller");
  const left = scroller.scrollLeft;
  const picture = drawTree(view, on);
  scroller.dir = picture.classList.contains("from-right") ? "rtl" : "ltr";
  scroller.replaceChildren(picture);
  scroller.scrollLeft = left;
  if (focus) focusWord(picture, one.selected);
  reveal(scroller, one.selected);
  showInspector(by("inspector"), view, { labels }, on);
  by("sentence-text").textContent = one.answer.text;
  by("undo").disabled = one.history.length === 0;
  const open = view.heads.filter((_, i) => isOpen(i + 1)).length;
  const worth = offer.value === null ? "" : `, ${percent(offer.value)} expected wrong`;
  by("place").textContent = `${offer.name}: ${counted(open, "open word")} of ${count()}${worth}` +
    (offer.shared ? ", for all annotators" : "");
}

function showStatus(status) {
  labels = status.labels;
  const { model } = status;
  by("model").textContent = `${counted(status.left, "sentence")} of ${status.total} left`;
  by("progress").firstElementChild.style.inlineSize = `${100 * (1 - status.left / status.total)}%`;
  by("progress").setAttribute("aria-valuenow", String(status.total - status.left));
  by("progress").setAttribute("aria-valuemax", String(status.total));
  by("who").replaceChildren(`${annotator}: ${status.done} saved`, status.skipped ? `, ${status.skipped} skipped` : "",
    " ", html("button", { type: "button", class: "link", onclick: askName }, "change name"));
  const learnt = model.cold ? "It has seen no tree yet: all heads are as likely."
    : `It has learnt from ${counted(model.learnt, "tree")} since the server started.`;
  by("learning").textContent = [
    `${model.name}.`, learnt, model.waiting ? "It is learning." : null,
    model.retraining ? "A retraining runs in the background." : null, model.problem,
  ].filter(Boolean).join(" ");
  by("learning").dataset.learnt = String(model.learnt);
}

function showAgreement({ pairs, all }) {
  by("agreement-card").hidden = !all;
  if (!all) return;
  const row = (name, figures) => html("tr", {}, html("td", {}, name),
    ...[figures.sentences, figures.UAS.toFixed(1), figures.LAS.toFixed(1), figures.kappa.toFixed(2)]
      .map((value) => html("td", {}, String(value))));
  by("agreement").replaceChildren(html("table", { class: "figures" },
    html("thead", {}, html("tr", {}, ...["", "sentences", "UAS", "LAS", "kappa"].map((name) => html("th", {}, name)))),
    html("tbody", {}, ...pairs.map((pair) => row(pair.annotators.map((name) => name || "nobody").join(", "), pair)),
      pairs.length > 1 ? row("all pairs", all) : null)));
}

async function askStatus() {
  if (!annotator) return;
  try {
    showStatus(await api.queueStatus(annotator));
    showAgreement(await api.agreement());
  } catch {
    // The next request will tell.
  }
}

// ---- Who annotates

const STORED = "turbotree.annotator";

function storedName() {
  try {
    return localStorage.getItem(STORED) ?? "";
  } catch {
    return "";
  }
}

function askName() {
  by("name-form").hidden = false;
  by("name").value = annotator;
  by("name").focus();
}

async function begin(name) {
  annotator = name.trim();
  try {
    showStatus(await api.queueStatus(annotator));
    known = new Set((await api.getModel()).labels);
    localStorage.setItem(STORED, annotator);
  } catch (error) {
    complain(plain(error.message));
    if (error.kind) askName();
    return;
  }
  by("name-form").hidden = true;
  complain(null);
  await next();
  askStatus();
}

function start() {
  by("name-form").addEventListener("submit", (event) => { event.preventDefault(); begin(by("name").value); });
  by("undo").addEventListener("click", undo);
  by("accept-sure").addEventListener("click", acceptSure);
  by("skip").addEventListener("click", skip);
  by("save").addEventListener("click", save);
  document.addEventListener("keydown", key);
  listenToDrags(by("scroller"), (m, head) => on.pin(m, head));
  setInterval(() => document.hidden || askStatus(), EVERY_MS);
  document.body.dataset.ready = "yes";
  if (storedName()) begin(storedName());
  else askName();
}

start();
