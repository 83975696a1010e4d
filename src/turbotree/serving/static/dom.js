// Small helpers to build elements. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

/** Make an HTML element. */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Make an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Find an element by its id. */
export function by(id) {
  return document.getElementById(id);
}

/** A probability as people read it. */
export function percent(p) {
  if (p >= 0.995 && p < 0.9995) return `${(100 * p).toFixed(1)} %`;
  if (p < 0.01 && p > 0) return "< 1 %";
  return `${Math.round(100 * p)} %`;
}

/** "1 arc", "2 arcs". */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
