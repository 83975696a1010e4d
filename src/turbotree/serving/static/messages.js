// What the page tells: mistakes, which stay until the next step, and what has just been done.

import { by } from "./dom.js";

/** Show what went wrong; nothing takes the message away. */
export function complain(message) {
  by("message").hidden = !message;
  by("message").textContent = message ?? "";
}

/** Say what was done, to screen readers as well. */
export function say(text) {
  by("said").textContent = text;
}
