// The tree as an SVG picture that can be walked through with the arrow keys.

import { isolated } from "./direction.js";
import { percent, svg } from "./dom.js";
import { layOut, SIZES, textWidth } from "./layout.js";

const RADIUS = 8;
const SHOWN_BELOW = 0.9; // arcs less likely than this show their probability

/** How doubtful, in five steps. */
export const step = (p) => Math.min(4, Math.floor(p * 5));

function arcPath(from, to, top, base) {
  const turn = to > from ? RADIUS : -RADIUS;
  return `M${from} ${base}V${top + RADIUS}Q${from} ${top} ${from + turn} ${top}` +
    `H${to - turn}Q${to} ${top} ${to} ${top + RADIUS}V${base - 6}`;
}

const arrow = (x, base) => `${x - 4},${base - 8} ${x + 4},${base - 8} ${x},${base}`;

function label(x, y, caption) {
  const half = 0.53 * textWidth(caption, SIZES.label) + 6; // bold letters are wider
  return [
    svg("rect", { class: "pill", x: x - half, y: y - 8.5, width: 2 * half, height: 17, rx: 8.5 }),
    svg("text", { class: "label", x, y: y + 4.2 }, caption),
  ];
}

/**
 * Draw a tree.
 *
 * view: words, heads, labels, chances (probability of each arc), alternatives, pinned (set of
 * words), selected (a word or null), changed (set of words); perhaps sure and disputed (sets of
 * words).
 * on: select(word), pin(word, head), key(event, word).
 */
export function drawTree(view, on) {
  const { words, heads, labels, chances, pinned, selected, changed } = view;
  const captions = labels.map((name, i) =>
    chances && chances[i] < SHOWN_BELOW ? `${name} ${percent(chances[i])}` : name);
  const at = layOut(words, heads, captions);
  const base = SIZES.margin + (at.highest + 1) * SIZES.level + 6;
  const wordsY = base + 20;
  const tagsY = wordsY + 16;
  const others = selected ? alternativesOf(view, selected) : [];
  const width = Math.max(at.width, 240);
  const height = tagsY + 16 + (others.length ? others.length * SIZES.level + 24 : 0);

  const describe = (m) => {
    const head = heads[m - 1];
    const where = head ? `${labels[m - 1]} of ${isolated(words[head - 1].form)}` : "root of the sentence";
    return [
      `${isolated(words[m - 1].form)}, ${where}`,
      chances ? percent(chances[m - 1]) : null,
      pinned.has(m) ? "pinned" : null,
      at.crossing.has(m) ? "crosses another arc" : null,
    ].filter(Boolean).join(", ");
  };

  const picture = svg("svg", {
    class: `tree ${at.fromRight ? "from-right" : ""}`, width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": `Tree of ${words.length} words. Arrow keys move from word to word, ` +
      "P pins the arc of a word, X forbids it.",
  });
  const active = selected ?? Math.max(1, heads.indexOf(0) + 1);

  // High arcs first: the paper-coloured edge of a lower one then shows where the two cross.
  const order = heads.map((_, i) => i + 1)
    .sort((a, b) => (at.levels.get(b) ?? 99) - (at.levels.get(a) ?? 99));
  const groups = new Map();
  for (const m of order) {
    const head = heads[m - 1];
    const x = at.foot(m, m);
    const top = head
      ? base - at.levels.get(m) * SIZES.level
      : base - (at.passing(m) + 1) * SIZES.level;
    const path = head ? arcPath(at.foot(head, m), x, top, base) : `M${x} ${top}V${base - 6}`;
    const middle = head ? (at.foot(head, m) + x) / 2 : x;
    const classes = ["arc", chances ? `p${step(chances[m - 1])}` : "p4"];
    if (chances && chances[m - 1] < 0.5) classes.push("doubtful");
    if (pinned.has(m)) classes.push("pinned");
    if (at.crossing.has(m)) classes.push("crossing");
    if (m === selected) classes.push("selected");
    if (changed.has(m)) classes.push("changed");
    if (view.sure?.has(m)) classes.push("sure");
    if (view.disputed?.has(m)) classes.push("disputed");
    const group = svg("g", {
      class: classes.join(" "), role: "button", "data-word": m,
      tabindex: m === active ? 0 : -1, "aria-label": describe(m),
      "aria-pressed": String(pinned.has(m)),
      onclick: () => on.select(m), onkeydown: (event) => on.key(event, m),
      onfocus: () => m !== selected && on.select(m),
    },
      svg("title", {}, describe(m)),
      svg("path", { class: "edge", d: path }),
      svg("path", { class: "hit", d: path }),
      svg("path", { class: "line", d: path }),
      svg("polygon", { points: arrow(x, base) }),
      label(middle, top, captions[m - 1]),
    );
    groups.set(m, group);
    picture.append(group);
  }
  words.forEach(({ form, upos }, i) => {
    const m = i + 1;
    const x = at.middles[i];
    const half = Math.max(at.widths[i], 1.06 * textWidth(form, SIZES.word)) / 2 + 6;
    picture.append(svg("g", {
      class: `word ${m === selected ? "selected" : ""}`, "aria-hidden": "true", "data-at": m,
      onclick: () => { on.select(m); focusWord(picture, m); },
    },
      svg("rect", { class: "plate", x: x - half, y: base + 3, width: 2 * half, height: 37, rx: 6 }),
      svg("text", { class: "form", x, y: wordsY }, form),
      svg("text", { class: "tag", x, y: tagsY }, upos === "_" ? "" : upos),
    ));
  });
  if (others.length) drawAlternatives(picture, others, at, selected, tagsY + 10, words, on);
  return picture;
}

/** The heads that a word may have besides its own, likely ones first. */
export function alternativesOf(view, word) {
  const heads = view.alternatives?.[word - 1]?.heads ?? [];
  return heads.filter(({ head }) => head !== view.heads[word - 1]).slice(0, 4);
}

// Under the words, where no arc of the tree is in the way.
function drawAlternatives(picture, others, at, word, start, words, on) {
  const near = [...others].sort((a, b) => distance(a, word) - distance(b, word));
  near.forEach(({ head, probability }, i) => {
    const depth = start + (i + 1) * SIZES.level;
    const from = at.middles[word - 1] + (i - (near.length - 1) / 2) * 5;
    const to = head ? at.middles[head - 1] : from;
    const turn = to > from ? RADIUS : -RADIUS;
    const path = head
      ? `M${from} ${start}V${depth - RADIUS}Q${from} ${depth} ${from + turn} ${depth}` +
        `H${to - turn}Q${to} ${depth} ${to} ${depth - RADIUS}V${start + 4}`
      : `M${from} ${start}V${depth}`;
    const name = head ? isolated(words[head - 1].form) : "root";
    picture.append(svg("g", {
      class: `arc other p${step(probability)}`, "aria-hidden": "true",
      onclick: () => on.pin(word, head),
    },
      svg("title", {}, `Pin ${name} as the head: ${percent(probability)}`),
      svg("path", { class: "edge", d: path }),
      svg("path", { class: "hit", d: path }),
      svg("path", { class: "line", d: path }),
      label((from + to) / 2, depth, `${name} ${percent(probability)}`),
    ));
  });
}

const distance = ({ head }, word) => (head ? Math.abs(head - word) : 999);

/** Move the focus to the arc of a word. */
export function focusWord(picture, word) {
  picture.querySelector(`[data-word="${word}"]`)?.focus({ preventScroll: true });
}

/** Scroll so that a word can be seen. */
export function reveal(scroller, word) {
  const plate = scroller.querySelector(`[data-at="${word}"]`);
  if (!plate) return;
  const box = plate.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  const margin = 48;
  if (box.left < frame.left + margin) scroller.scrollLeft += box.left - frame.left - margin;
  else if (box.right > frame.right - margin) scroller.scrollLeft += box.right - frame.right + margin;
}
