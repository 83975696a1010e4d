// Bound and value along the rounds of the solver: where they meet, the tree is proven best.

import { counted, html, svg } from "./dom.js";

const W = 340, H = 210, LEFT = 46, RIGHT = 52, TOP = 20, BOTTOM = 36;

function ticksOf(low, high) {
  const rough = (high - low) / 3 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
  const ticks = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step) {
    ticks.push(Number(t.toPrecision(6)));
  }
  return ticks;
}

function said(trace, certificate) {
  const rounds = counted(trace.rounds.at(-1), "round");
  if (trace.status === "optimal") return `Bound and value met after ${rounds}: no tree scores higher.`;
  const gap = trace.gap === null ? "A gap" : `A gap of ${trace.gap.toPrecision(2)}`;
  return certificate.status === "optimal"
    ? `${gap} was left after ${rounds}; a short search then proved this tree best.`
    : `${gap} was left after ${rounds}; a better tree may exist.`;
}

/** Draw the trace into a place; null while it is on its way. */
export function showProof(place, trace, certificate, note, more = "") {
  if (note) return place.replaceChildren(html("p", { class: "hint" }, note));
  if (!trace) return place.replaceChildren(html("p", { class: "hint loading" }, "Following the solver…"));
  const bound = trace.bound, value = trace.value;
  const known = value.filter((v) => v !== null);
  // The first bounds are far off; the picture begins where there is something to see.
  const firstFound = Math.max(0, value.findIndex((v) => v !== null));
  const top = bound[Math.floor(firstFound / 2)] ?? Math.max(...known);
  const bottom = Math.min(...known, ...bound.filter((b) => b !== null));
  const pad = Math.max(0.1 * (top - bottom), 0.01 * Math.abs(top), 0.05);
  const low = bottom - pad, high = top + pad;
  const last = Math.max(2, trace.rounds.at(-1));
  const x = (r) => LEFT + ((r - 1) / (last - 1)) * (W - LEFT - RIGHT);
  const y = (v) => TOP + ((high - Math.min(v, high)) / (high - low)) * (H - TOP - BOTTOM);

  const points = (list) => trace.rounds
    .map((r, i) => (list[i] === null ? null : [x(r), y(list[i])])).filter(Boolean);
  const boundPoints = points(bound);
  const valuePoints = points(value).flatMap(([px, py], i, all) =>
    i ? [[px, all[i - 1][1]], [px, py]] : [[px, py]]);
  const line = (list) => list.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  const end = (list) => list.at(-1) ?? [LEFT, H - BOTTOM];
  const met = trace.status === "optimal";

  const text = said(trace, certificate);
  const picture = svg("svg", { class: "plot", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": text });
  for (const tick of ticksOf(low, high)) {
    picture.append(
      svg("path", { class: "grid", d: `M${LEFT} ${y(tick)}H${W - RIGHT}` }),
      svg("text", { class: "soft end", x: LEFT - 6, y: y(tick) + 4 }, String(tick)));
  }
  const marks = [...new Set([1, Math.round(last / 2), last])];
  for (const r of marks) {
    picture.append(svg("text", { class: "soft mid", x: x(r), y: H - BOTTOM + 17 }, String(r)));
  }
  picture.append(
    svg("path", { class: "axis", d: `M${LEFT} ${TOP}V${H - BOTTOM}H${W - RIGHT}` }),
    svg("text", { class: "soft mid", x: (LEFT + W - RIGHT) / 2, y: H - 3 }, "rounds"));
  if (valuePoints.length && boundPoints.length) {
    const upper = boundPoints.filter(([px]) => px >= valuePoints[0][0] - 0.01);
    picture.append(svg("path", { class: "gap", d: `${line([...upper, ...[...valuePoints].reverse()])}Z` }));
  }
  const [bx, by] = end(boundPoints), [vx, vy] = end(valuePoints);
  picture.append(
    svg("path", { class: "value", d: line(valuePoints) }),
    svg("path", { class: "bound", d: line(boundPoints) }),
    svg("circle", { class: "value-dot", cx: vx, cy: vy, r: 3.2 }),
    svg("circle", { class: "bound-dot", cx: bx, cy: by, r: 3.2 }));
  if (met) {
    picture.append(svg("text", { class: "name both", x: bx + 8, y: by + 4 }, "met"));
    const [startX, startY] = boundPoints[0];
    picture.append(svg("text", { class: "name bound-name", x: startX + 4, y: startY - 6 }, "bound"));
    if (valuePoints.length > 1) {
      const [x0, y0] = valuePoints[0];
      picture.append(svg("text", { class: "name value-name", x: Math.min(x0, W - RIGHT - 34), y: y0 + 15 }, "value"));
    }
  } else {
    const apart = Math.max(vy, by + 14);
    picture.append(
      svg("text", { class: "name bound-name", x: bx + 8, y: by + 4 }, "bound"),
      svg("text", { class: "name value-name", x: vx + 8, y: apart + 4 }, "value"));
  }
  place.replaceChildren(picture, html("p", { class: "hint" }, text + more));
}
