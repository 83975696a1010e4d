// Keys that mean the same on every page with a tree.

/** The word that a key leads to, undefined if it is no such key. */
export function wordAt(event, word, heads, fromRight) {
  const step = fromRight ? -1 : 1;
  return {
    ArrowLeft: word - step, ArrowRight: word + step, Home: 1, End: heads.length,
    ArrowUp: heads[word - 1], ArrowDown: heads.indexOf(word) + 1,
  }[event.key];
}

/** Whether a key belongs to a field or a button, or to the browser. */
export function isForOthers(event) {
  if (event.altKey || event.target.closest("input, select, textarea, a")) return true;
  if (event.ctrlKey || event.metaKey) return event.key !== "z";
  return event.target.closest("button") !== null && (event.key === "Enter" || event.key === " ");
}

/** Whether a key undoes something. */
export function isUndo(event) {
  return event.key.toLowerCase() === "u" || event.key === "z";
}
