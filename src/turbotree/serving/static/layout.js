// Where the words and arcs of a tree stand. Words are 1..n, and heads[m - 1] is the head of m.

import { isFromRight } from "./direction.js";

export const SIZES = { word: 16, tag: 10.5, label: 12, level: 27, margin: 18, foot: 8, gap: 16 };

const canvas = document.createElement("canvas").getContext("2d");
const FONT = 'system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';

/** Width of a text on the screen. */
export function textWidth(text, size) {
  canvas.font = `${size}px ${FONT}`;
  return canvas.measureText(text).width;
}

const span = (word, head) => [Math.min(word, head), Math.max(word, head)];

/** A level above the words for each arc, so that no two on one level overlap: short ones low. */
export function levelsOf(heads) {
  const words = heads.map((head, i) => i + 1).filter((m) => heads[m - 1] > 0);
  const width = (m) => Math.abs(m - heads[m - 1]);
  words.sort((a, b) => width(a) - width(b) || a - b);
  const levels = new Map();
  for (const m of words) {
    const [first, last] = span(m, heads[m - 1]);
    let highest = 0;
    for (const [other, level] of levels) {
      const [start, end] = span(other, heads[other - 1]);
      if (start < last && first < end) highest = Math.max(highest, level);
    }
    levels.set(m, highest + 1);
  }
  return levels;
}

/** The words whose arcs cross another arc. */
export function crossingArcs(heads) {
  const crossing = new Set();
  heads.forEach((head, i) => {
    const [a, b] = span(i + 1, head);
    heads.forEach((other, j) => {
      const [c, d] = span(j + 1, other);
      if (a < c && c < b && b < d && head > 0 && other > 0) crossing.add(i + 1).add(j + 1);
    });
  });
  return crossing;
}

// Where arcs stand on a word, from its middle: those that go left, low ones first; a root's arrow;
// those that go right, high ones first. So the arcs of one word do not cross each other.
function feetOf(heads, levels) {
  const ends = new Map();
  const add = (at, ...end) => ends.set(at, [...(ends.get(at) ?? []), end]);
  heads.forEach((head, i) => {
    const m = i + 1;
    if (head === 0) return add(m, 1, 0, m);
    const [left, right] = span(m, head);
    add(right, 0, levels.get(m), m);
    add(left, 2, -levels.get(m), m);
  });
  const feet = new Map();
  for (const [at, list] of ends) {
    list.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const middle = (list.length - 1) / 2;
    list.forEach(([, , m], order) => feet.set(`${at} ${m}`, (order - middle) * SIZES.foot));
  }
  return { feet, counts: new Map([...ends].map(([at, list]) => [at, list.length])) };
}

/**
 * Lay a tree out: `words` have form and upos, `captions` are what stands on the arcs. A sentence
 * that is written from right to left has its first word at the right.
 */
export function layOut(words, heads, captions) {
  const levels = levelsOf(heads);
  const { feet, counts } = feetOf(heads, levels);
  const widths = words.map(({ form, upos }, i) => {
    const caption = heads[i] === 0 ? textWidth(captions[i], SIZES.label) : 0;
    const stand = (counts.get(i + 1) ?? 1) * SIZES.foot;
    return Math.max(textWidth(form, SIZES.word), textWidth(upos, SIZES.tag), caption, stand);
  });
  const demands = new Map();
  heads.forEach((head, i) => {
    if (head === 0) return;
    const m = i + 1;
    const [left, right] = span(m, head);
    const room = textWidth(captions[i], SIZES.label) + 24;
    const distance = room + feet.get(`${left} ${m}`) - feet.get(`${right} ${m}`);
    demands.set(right, [...(demands.get(right) ?? []), [left, distance]]);
  });
  const middles = [];
  widths.forEach((width, i) => {
    let x = i ? middles[i - 1] + widths[i - 1] / 2 + SIZES.gap + width / 2 : SIZES.margin + width / 2;
    for (const [left, distance] of demands.get(i + 1) ?? []) {
      x = Math.max(x, middles[left - 1] + distance);
    }
    middles.push(x);
  });
  const highest = Math.max(0, ...levels.values());
  const passing = (m) =>
    Math.max(0, ...[...levels].filter(([other]) => {
      const [a, b] = span(other, heads[other - 1]);
      return a <= m && m <= b;
    }).map(([, level]) => level));
  const width = middles.at(-1) + widths.at(-1) / 2 + SIZES.margin;
  const fromRight = isFromRight(words.map(({ form }) => form));
  const place = (x) => (fromRight ? width - x : x);
  return {
    middles: middles.map(place), widths, levels, highest, passing, width, fromRight,
    foot: (at, m) => place(middles[at - 1] + (feet.get(`${at} ${m}`) ?? 0)),
    crossing: crossingArcs(heads),
  };
}
