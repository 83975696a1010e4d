// The list of the best trees, each described by what it has that the first has not.

import { html, percent } from "./dom.js";

const MOST = 3;

function difference(words, first, tree) {
  // Each word in an element of its own: one from right to left does not turn the others about.
  const name = (m) => (m ? html("bdi", {}, words[m - 1].form) : "root");
  const changed = words.map((_, i) => i)
    .filter((i) => tree.heads[i] !== first.heads[i] || tree.labels[i] !== first.labels[i]);
  const said = changed.slice(0, MOST).map((i, at) => [
    at ? "; " : "",
    ...(tree.heads[i] !== first.heads[i]
      ? [name(i + 1), " under ", name(tree.heads[i]), ", not ", name(first.heads[i])]
      : [name(i + 1), ` as ${tree.labels[i]}, not ${first.labels[i]}`]),
  ]);
  const left = changed.length - said.length;
  return [...said.flat(), left > 0 ? `; ${left} more` : ""];
}

/** Fill the list; `trees` is null while it is being made, `note` says why there is none. */
export function showOthers(place, { words, trees, rank, note }, onChoose) {
  if (note) return place.replaceChildren(html("p", { class: "hint" }, note));
  if (!trees) return place.replaceChildren(html("p", { class: "hint loading" }, "Looking for other trees…"));
  if (trees.length < 2) {
    return place.replaceChildren(html("p", { class: "hint" }, "This is the only tree left."));
  }
  const items = trees.map((tree) => {
    const shown = tree.rank === rank;
    const chance = tree.probability === undefined ? "" : percent(tree.probability);
    return html("li", {},
      html("button", {
        type: "button", class: "tree-choice", "aria-pressed": String(shown),
        onclick: () => onChoose(tree.rank),
      },
        html("span", { class: "rank" }, String(tree.rank)),
        html("span", { class: "what" },
          tree.rank === 1 ? "the best tree" : difference(words, trees[0], tree)),
        html("span", { class: "chance" }, chance)));
  });
  place.replaceChildren(html("ol", { class: "others" }, items));
}
