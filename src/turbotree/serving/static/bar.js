// What stands above the tree: its certificate, what can be done with it, what is pinned.

import { isolated } from "./direction.js";
import { by, html, percent } from "./dom.js";
import { treeOf } from "./sentence.js";

/** Fill the bar above the tree. */
export function showBar(one, model) {
  const tree = treeOf(one);
  const { status, gap } = tree.certificate;
  const proven = status === "optimal";
  const badge = by("badge");
  badge.className = `badge ${proven ? "proven" : "open"}`;
  const best = one.rank === 1 ? "best" : `${one.rank}. best`;
  badge.textContent = proven ? `✓ Proven ${best}`
    : gap === null ? "Not proven best" : `Within ${gap.toPrecision(2)} of the best`;
  by("chance").textContent = tree.probability === undefined ? "" : `tree probability ${percent(tree.probability)}`;
  by("undo").disabled = one.history.length === 0;
  by("reset").disabled = one.pins.size + one.forbidden.length === 0;
  const save = by("save");
  save.hidden = !model.annotate;
  save.textContent = one.saved ? "✓ Saved" : "Save tree";
}

/** List what is pinned and forbidden; `change(edit)` takes something back. */
export function showConstraints(one, change) {
  const name = (m) => (m ? isolated(one.answer.words[m - 1].form) : "root");
  const chips = [
    ...[...one.pins].map(([m, { head, label }]) => ({
      kind: "pin", text: `${name(m)} under ${name(head)}${label ? ` as ${label}` : ""}`,
      drop: () => change((s) => s.pins.delete(m)),
    })),
    ...one.forbidden.map(([head, m]) => ({
      kind: "ban", text: `${name(m)} not under ${name(head)}`,
      drop: () => change((s) => { s.forbidden = s.forbidden.filter(([h, w]) => h !== head || w !== m); }),
    })),
  ];
  by("constraints").hidden = chips.length === 0;
  by("constraints").replaceChildren(...chips.map(({ kind, text, drop }) =>
    html("li", { class: kind }, text,
      html("button", { type: "button", "aria-label": `Remove: ${text}`, onclick: drop }, "×"))));
}
