// What was written, for when the page is loaded again: in this tab, as long as it is open.

const PREFIX = "turbotree.";

/** Keep a text; a browser that keeps nothing is no mistake. */
export function keep(name, text) {
  try {
    sessionStorage.setItem(PREFIX + name, text);
  } catch {
    // Storage is switched off or full.
  }
}

/** The text that was kept, or nothing. */
export function kept(name) {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? "";
  } catch {
    return "";
  }
}
