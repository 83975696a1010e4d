// The rules editor: line numbers, and errors where they are.

import { html } from "./dom.js";

const WAIT_MS = 450;

/** Build the editor with a text; `onChange(text)` is called when the text has not changed for a moment. */
export function rulesEditor(place, model, text, onChange) {
  if (!model.rules) {
    place.replaceChildren(html("p", { class: "hint" }, "This server takes no rules."));
    return { text: () => "", fail() {}, clear() {} };
  }
  let timer = 0;
  const gutter = html("div", { class: "gutter", "aria-hidden": "true" });
  const area = html("textarea", {
    id: "rules-text", rows: 6, spellcheck: "false", "aria-label": "Rules", wrap: "off",
    "aria-describedby": "rules-said",
    placeholder: "rule one_subject: forall h: at most 1 m: label(h, m, 'nsubj')",
  });
  area.value = text;
  const said = html("p", { id: "rules-said", class: "hint", role: "status" });
  const examples = html("select", { "aria-label": "Add an example" },
    html("option", { value: "" }, "Add an example…"),
    Object.keys(model.rule_examples ?? {}).map((name) => html("option", { value: name }, name)));

  function number(wrong = 0) {
    const lines = area.value.split("\n").length;
    gutter.replaceChildren(...Array.from({ length: Math.max(lines, 6) }, (_, i) =>
      html("span", { class: i + 1 === wrong ? "wrong" : null }, i < lines ? String(i + 1) : "")));
  }
  function changed() {
    number();
    clearTimeout(timer);
    timer = setTimeout(() => onChange(area.value), WAIT_MS);
  }
  function clear() {
    area.removeAttribute("aria-invalid");
    number();
    said.replaceChildren(area.value.trim()
      ? "The tree satisfies these rules. The probabilities ignore them."
      : "Rules that the tree must satisfy. It is parsed again as you type.");
  }
  area.addEventListener("input", changed);
  area.addEventListener("scroll", () => { gutter.scrollTop = area.scrollTop; });
  examples.addEventListener("change", () => {
    const text = model.rule_examples[examples.value];
    if (text) area.value = `${area.value.trimEnd()}${area.value.trim() ? "\n" : ""}${text.trimEnd()}\n`;
    examples.value = "";
    changed();
  });
  place.replaceChildren(html("div", { class: "editor" }, gutter, area),
    html("div", { class: "row" }, said, Object.keys(model.rule_examples ?? {}).length ? examples : null));
  clear();

  return {
    text: () => area.value,
    clear,
    /** Show an error; with a line and a column, it leads there. */
    fail({ message, line, column }) {
      area.setAttribute("aria-invalid", "true");
      number(line ?? 0);
      if (!line) return said.replaceChildren(html("span", { class: "error" }, message));
      const go = () => {
        const start = area.value.split("\n").slice(0, line - 1).reduce((n, one) => n + one.length + 1, 0);
        area.focus();
        area.setSelectionRange(start + column - 1, start + column);
      };
      said.replaceChildren(html("button", { type: "button", class: "error link", onclick: go },
        `Line ${line}, column ${column}: ${message}`));
    },
  };
}
