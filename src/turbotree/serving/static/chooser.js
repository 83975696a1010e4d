// A field that is typed into, with a list of what it may mean: for heads and relations.

import { isolated } from "./direction.js";
import { by, html } from "./dom.js";

const SHOWN = 40;

/** The options that a typed text may mean: those that begin with it first. */
export function matching(options, typed) {
  const wanted = typed.trim().toLocaleLowerCase();
  if (!wanted) return options.slice(0, SHOWN);
  const starts = (one) => [one.key ?? one.value, one.text].some((text) =>
    String(text).toLocaleLowerCase().startsWith(wanted));
  const holds = (one) => one.text.toLocaleLowerCase().includes(wanted);
  const exact = options.filter((one) => String(one.key ?? one.value).toLocaleLowerCase() === wanted);
  const rest = options.filter((one) => !exact.includes(one));
  const first = rest.filter(starts);
  return [...exact, ...first, ...rest.filter((one) => !starts(one) && holds(one))].slice(0, SHOWN);
}

/**
 * Ask for one of some options; gives its value, or null if nothing was chosen.
 *
 * options: value, text, perhaps a key that may be typed instead and a hint. With `free`, a text
 * that is no option will do, too.
 */
export function choose({ title, options, free = false }) {
  const place = by("chooser");
  return new Promise((resolve) => {
    let shown = [];
    let at = 0;
    const list = html("ul", { id: "choices", role: "listbox", "aria-label": title });
    const field = html("input", {
      id: "typed", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
      "aria-expanded": "true", "aria-controls": "choices", dir: "auto",
      oninput: () => { at = 0; show(); },
      onkeydown: (event) => {
        const move = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        if (move && (event.key.startsWith("ArrowD") || event.key.startsWith("ArrowU") || !field.value)) {
          at = Math.max(0, Math.min(shown.length - 1, at + move));
          show();
        } else if (event.key === "Enter") {
          const typed = field.value.trim();
          if (shown[at]) done(shown[at].value);
          else if (free && typed) done(typed);
        } else if (event.key === "Escape") {
          done(null);
        } else {
          event.stopPropagation();
          return;
        }
        event.preventDefault();
        event.stopPropagation();
      },
    });

    function show() {
      shown = matching(options, field.value);
      list.replaceChildren(...shown.map((one, i) => html("li", {
        id: `choice-${i}`, role: "option", "aria-selected": String(i === at),
        onmousedown: (event) => { event.preventDefault(); done(one.value); },
      }, isolated(one.text), one.hint ? html("small", {}, one.hint) : null)));
      if (!shown.length) list.append(html("p", { class: "hint" }, free ? "Enter takes what you typed." : "There is no such choice."));
      if (shown.length) field.setAttribute("aria-activedescendant", `choice-${at}`);
      else field.removeAttribute("aria-activedescendant");
      list.children[at]?.scrollIntoView({ block: "nearest" });
    }

    function done(value) {
      place.hidden = true;
      place.replaceChildren();
      resolve(value);
    }

    field.addEventListener("blur", () => place.hidden || setTimeout(() => place.hidden || done(null), 150));
    place.replaceChildren(html("label", { for: "typed" }, title), field, list);
    place.hidden = false;
    show();
    field.focus();
  });
}

/** What to choose a head from: the root, and every other word, by its number or its form. */
export function headOptions(words, word, likely = []) {
  const chance = new Map(likely.map(({ head, probability }) => [head, probability]));
  const all = [0, ...words.map((_, i) => i + 1)].filter((m) => m !== word);
  all.sort((a, b) => (chance.get(b) ?? 0) - (chance.get(a) ?? 0) || a - b);
  return all.map((m) => ({
    value: m, key: String(m), text: m ? words[m - 1].form : "root",
    hint: m ? String(m) : "0",
  }));
}

/** What to choose a relation from: the likely ones first. */
export function labelOptions(labels, likely = []) {
  const first = likely.map(({ label }) => label);
  return [...new Set([...first, ...labels])].map((label) => ({ value: label, text: label }));
}
