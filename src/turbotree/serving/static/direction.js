// Sentences that are written from right to left, and their words between ours.

const LETTERS = /\p{L}/gu;
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;

/** Whether most letters of some words are written from right to left. */
export function isFromRight(forms) {
  const letters = forms.join(" ").match(LETTERS) ?? [];
  return 2 * letters.filter((letter) => FROM_RIGHT.test(letter)).length > letters.length;
}

/** A word that does not turn the text about it, where there is no room for an element. */
export function isolated(text) {
  return FROM_RIGHT.test(text) ? `\u2068${text}\u2069` : text;
}
