// What the page asks the server, and errors in words for people.

/** An answer that is none: `message` is for people, `line` and `column` are those of rules. */
export class Failure extends Error {
  constructor(message, { kind = "network", line = null, column = null } = {}) {
    super(message);
    this.kind = kind;
    this.line = line;
    this.column = column;
  }
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The server cannot be reached. Is it still running?");
  }
  if (answer.ok) return answer.json();
  let problem = {};
  try {
    problem = (await answer.json()).error ?? {};
  } catch {
    // No JSON: the status has to do.
  }
  throw new Failure(problem.message ?? `The server answered with status ${answer.status}.`, problem);
}

function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

export const getModel = () => ask("model");
export const parse = (question, signal) => post("parse", question, signal);
export const save = (conllu) => post("annotations", { conllu });
export const countSaved = () => ask("annotations");
export const queueStatus = (annotator) => ask(`queue?annotator=${encodeURIComponent(annotator)}`);
export const nextInQueue = (annotator) => post("queue/next", { annotator });
export const saveInQueue = (annotator, name, conllu) => post("queue/save", { annotator, name, conllu });
export const skipInQueue = (annotator, name) => post("queue/skip", { annotator, name });
export const agreement = () => ask("agreement");
export const reviewStatus = () => ask("review/status");
export const findings = (kind) => ask(`review/findings${kind ? `?kind=${encodeURIComponent(kind)}` : ""}`);
export const nextFinding = (after, kind) => post("review/next", { after, kind });
export const showFinding = (index) => post("review/show", { index });
export const decide = (request) => post("review/decide", request);
export const undoDecision = () => post("review/undo", {});
