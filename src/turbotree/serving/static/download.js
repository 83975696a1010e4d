// Files that the page gives away.

function give(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Give a tree as CoNLL-U. */
export function giveConllu(text) {
  give("tree.conllu", text, "text/plain;charset=utf-8");
}

/** Give a picture that needs nothing beside it: its style sheet is put inside. */
export async function giveSvg(picture) {
  const copy = picture.cloneNode(true);
  copy.querySelectorAll(".other, .hit").forEach((one) => one.remove());
  copy.querySelectorAll(".selected, .changed").forEach((one) => one.classList.remove("selected", "changed"));
  for (const one of copy.querySelectorAll("*")) {
    for (const name of ["tabindex", "role", "aria-pressed", "aria-hidden"]) one.removeAttribute(name);
  }
  const low = Math.max(...[...copy.querySelectorAll(".plate")].map((one) =>
    Number(one.getAttribute("y")) + Number(one.getAttribute("height")))) + 8;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("height", low);
  copy.setAttribute("viewBox", `0 0 ${copy.getAttribute("width")} ${low}`);
  copy.setAttribute("role", "img");
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = await (await fetch("static/tree.css")).text();
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [["class", "paper"], ["width", "100%"], ["height", "100%"]]) {
    paper.setAttribute(name, value);
  }
  copy.prepend(style, paper);
  give("tree.svg", new XMLSerializer().serializeToString(copy), "image/svg+xml");
}
