// The report, as the program wrote it into the page.

export const REPORT = JSON.parse(document.getElementById("report").textContent);

/** What a finding is called in lists: its property, or its message. */
export function titleOf(finding) {
  return finding.property ? finding.property.text : finding.message;
}

/** The word by which a finding is judged: the verdict on its property, or its level. */
export function markOf(finding) {
  return finding.property || finding.verdict !== "fails" ? finding.verdict : finding.level;
}

export function fileOf(at) {
  return at && at.file !== undefined ? REPORT.files[at.file] : null;
}

/** A place in words: `Main.java:12`. */
export function placeOf(at) {
  const file = fileOf(at);
  if (file === null) return at && at.part ? at.part : "";
  return at.line ? file + ":" + at.line : file;
}

export function detailOf(finding, name) {
  const found = (finding.details || []).find(([key]) => key === name);
  return found ? found[1] : undefined;
}

/** The number of a step in the whole trace, which may have lost its middle. */
export function numberOf(trace, step) {
  return trace.gap && step >= trace.gap[0] ? step + trace.gap[1] : step;
}

/** The place of a step of the whole trace among those that are kept, or the nearest one. */
export function indexOf(trace, number) {
  if (!trace.gap || number < trace.gap[0]) return number;
  return Math.max(trace.gap[0], number - trace.gap[1]);
}

export function lengthOf(trace) {
  return trace.steps.length + (trace.gap ? trace.gap[1] : 0);
}

/** The open calls at a step, outermost first. */
export function stackOf(trace, step) {
  const stack = [];
  let at = trace.steps[step].frame;
  while (at !== undefined && at !== null) {
    stack.push(trace.frames[at]);
    at = trace.frames[at].parent;
  }
  return stack.reverse();
}

export function depthOf(trace, step) {
  const at = trace.steps[step].frame;
  return at === undefined || at === null ? 0 : trace.frames[at].depth;
}

export function componentOf(trace, step) {
  const at = trace.steps[step].frame;
  return at === undefined || at === null ? trace.base : trace.frames[at].callee;
}

/** The loop of a lasso as places of kept steps, if there is one. */
export function loopOf(trace) {
  return trace.loop ? trace.loop.map((number) => indexOf(trace, number)) : null;
}

const columns = new WeakMap();

/** For each variable, its value at each step (null if it has none). */
export function columnsOf(trace) {
  if (!columns.has(trace)) {
    const all = trace.variables.map(() => new Array(trace.steps.length).fill(null));
    trace.steps.forEach((step, at) => {
      if (at > 0) for (const column of all) column[at] = column[at - 1];
      for (const [variable, value] of step.changes || []) all[variable][at] = value;
    });
    columns.set(trace, all);
  }
  return columns.get(trace);
}

/** The text in which a finding is searched, in lower case. */
export function haystackOf(finding) {
  if (finding.haystack === undefined) {
    const { property, rule } = finding;
    const words = [markOf(finding), finding.message, REPORT.rules[rule].id, finding.fingerprint];
    if (property) words.push(property.text, property.name, property.module, property.instance, property.logic);
    for (const at of finding.locations) words.push(placeOf(at), at.part);
    words.push(detailOf(finding, "engine"));
    finding.haystack = words.filter(Boolean).join("\n").toLowerCase();
  }
  return finding.haystack;
}
