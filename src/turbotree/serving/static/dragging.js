// A word dragged onto another one gets it as its head.

/** Listen to drags between words in a place; `drop(word, head)` is told of each. */
export function listenToDrags(place, drop) {
  let from = null;
  const wordAt = (event) => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-at]");
    return found && place.contains(found) ? Number(found.dataset.at) : null;
  };
  place.addEventListener("pointerdown", (event) => {
    from = event.pointerType === "touch" ? null : wordAt(event); // a finger scrolls
  });
  place.addEventListener("pointerup", (event) => {
    const to = wordAt(event);
    if (from !== null && to !== null && from !== to) drop(from, to);
    from = null;
  });
}
