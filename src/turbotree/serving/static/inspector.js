// What is known of the selected word, and what can be done about it.

import { isolated } from "./direction.js";
import { html, percent } from "./dom.js";
import { alternativesOf } from "./tree.js";

const HINT = "Choose a word or an arc: click it, or press Tab and move with the arrow keys.";

/**
 * Fill the inspector.
 *
 * on: pin(word, head, label?), unpin(word), forbid(word, head).
 */
export function showInspector(place, view, model, on) {
  const word = view.selected;
  if (!word) {
    place.replaceChildren(html("p", { class: "hint" }, HINT));
    return;
  }
  const head = view.heads[word - 1];
  const label = view.labels[word - 1];
  const name = (m) => (m ? isolated(view.words[m - 1].form) : "root");
  const pinned = view.pinned.has(word);
  const chance = pinned ? "pinned" : percent(view.chances[word - 1]);

  const relations = html("select", {
    id: "relation", "aria-label": `Relation of ${name(word)}`,
    onchange: (event) => on.pin(word, head, event.target.value),
  }, [...new Set([label, ...model.labels])].sort().map((one) =>
    html("option", { value: one, selected: one === label }, one)));

  const anyHead = html("select", {
    id: "any-head", "aria-label": `Give ${name(word)} another head`,
    onchange: (event) => event.target.value !== "" && on.pin(word, Number(event.target.value)),
  },
    html("option", { value: "" }, "any word…"),
    [0, ...view.words.map((_, i) => i + 1)].filter((m) => m !== word && m !== head).map((m) =>
      html("option", { value: m }, m ? `${m} ${name(m)}` : "root")));

  const others = alternativesOf(view, word).map(({ head: other, probability }) =>
    chip(name(other), probability, `Pin ${name(other)} as the head of ${name(word)}`,
      () => on.pin(word, other)));
  const labels = (view.alternatives?.[word - 1]?.labels ?? [])
    .filter((one) => one.label !== label).slice(0, 3)
    .map((one) => chip(one.label, one.probability, `Pin the relation ${one.label}`,
      () => on.pin(word, head, one.label)));

  place.replaceChildren(
    html("div", { class: "now" },
      html("p", { class: "arc-said" },
        html("strong", {}, name(word)),
        head ? " hangs from " : " is the ", html("strong", {}, head ? name(head) : "root"),
        head ? " as " : "", head ? relations : null,
        chance ? html("span", { class: "chance" }, chance) : null),
      html("div", { class: "buttons" },
        pinned
          ? html("button", { type: "button", id: "pin", onclick: () => on.unpin(word) },
              "Unpin ", html("kbd", {}, "P"))
          : html("button", { type: "button", id: "pin", class: "primary",
              onclick: () => on.pin(word, head) }, "Pin ", html("kbd", {}, "P")),
        html("button", { type: "button", id: "forbid", class: "danger",
          onclick: () => on.forbid(word, head) }, "Forbid ", html("kbd", {}, "X")))),
    html("div", { class: "alternatives" },
      html("span", { class: "name" }, "Other heads"),
      others.length ? others : html("span", { class: "hint" }, "none above 1 %"), anyHead),
    labels.length
      ? html("div", { class: "alternatives" },
          html("span", { class: "name" }, "Other relations"), labels)
      : "",
  );
}

function chip(name, probability, title, onclick) {
  const meter = html("i", { class: "meter" });
  meter.style.inlineSize = `${Math.round(100 * probability)}%`;
  return html("button", { type: "button", class: "chip", title, onclick },
    meter, html("span", {}, name), html("b", {}, percent(probability)));
}
