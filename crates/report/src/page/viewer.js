// Written by `cargo run -p xtask -- web` from web/src.
"use strict";
const $dom = (() => {

/** Characters that control a display, change its direction or cannot be seen. */
const HIDDEN = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb" +
    "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "gu",
);

/** Text in which every character can be seen. */
function visible(text) {
  return String(text).replace(HIDDEN, (c) => {
    const code = c.codePointAt(0);
    return "\\u{" + code.toString(16) + "}";
  });
}

/**
 * An element: `h("button.primary", { onclick, "aria-label": "…" }, "text", child)`. Children that
 * are null or false are left out; strings become visible text.
 */
function h(name, properties, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, properties, children);
}

/** The same for drawings. */
function svg(name, properties, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  return fill(element, properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : visible(value));
  }
  append(element, children);
  return element;
}

/** Appends children, nested lists included. */
function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return element;
}

/** Replaces all children. */
function put(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

function counted(number, one, many) {
  return number.toLocaleString("en") + " " + (number === 1 ? one : many);
}

/** A duration, as precise as it is worth reading. */
function duration(seconds) {
  if (seconds < 0.001) return Math.round(seconds * 1e6) + " µs";
  if (seconds < 1) return (seconds * 1000).toPrecision(3).replace(/\.?0+$/, "") + " ms";
  return seconds.toFixed(seconds < 10 ? 2 : 1) + " s";
}

/** Text cut to a length. */
function cut(text, most) {
  const shown = visible(text);
  return shown.length > most ? shown.slice(0, most - 1) + "…" : shown;
}

const SIGNS = { fails: "✕", error: "✕", warning: "!", note: "i", holds: "✓", unknown: "?", reachable: "→", unreachable: "∅" };

/** A verdict as a sign with its word. */
function badge(verdict, withWord) {
  return h(
    "span.badge." + verdict,
    withWord ? {} : { role: "img", "aria-label": verdict },
    h("span.sign", { "aria-hidden": "true" }, SIGNS[verdict] || "•"),
    withWord ? h("span", {}, verdict) : null,
  );
}

const ICONS = {
  first: "M4 3v10M13 3L6 8l7 5z",
  back: "M12 3L5 8l7 5z",
  next: "M4 3l7 5-7 5z",
  last: "M3 3l7 5-7 5zM12 3v10",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  print: "M4 6V2h8v4M4 11H2V6h12v5h-2M4 9h8v5H4z",
  help: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.2 8 10M8 12.5v.6",
  out: "M3 8h10",
  in: "M3 8h10M8 3v10",
  fit: "M2 6V2h4M14 6V2h-4M2 10v4h4M14 10v4h-4",
};
const FILLED = new Set(["first", "back", "next", "last"]);

/** A button that is a picture. */
function iconButton(name, label, act) {
  const picture = svg("svg.picture" + (FILLED.has(name) ? ".filled" : ""), { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
  return h("button.icon", { type: "button", "aria-label": label, title: label, onclick: act }, picture);
}
return { visible, h, svg, append, put, counted, duration, cut, SIGNS, badge, iconButton };
})();
const $data = (() => {

const REPORT = JSON.parse(document.getElementById("report").textContent);

/** What a finding is called in lists: its property, or its message. */
function titleOf(finding) {
  return finding.property ? finding.property.text : finding.message;
}

/** The word by which a finding is judged: the verdict on its property, or its level. */
function markOf(finding) {
  return finding.property || finding.verdict !== "fails" ? finding.verdict : finding.level;
}

function fileOf(at) {
  return at && at.file !== undefined ? REPORT.files[at.file] : null;
}

/** A place in words: `Main.java:12`. */
function placeOf(at) {
  const file = fileOf(at);
  if (file === null) return at && at.part ? at.part : "";
  return at.line ? file + ":" + at.line : file;
}

function detailOf(finding, name) {
  const found = (finding.details || []).find(([key]) => key === name);
  return found ? found[1] : undefined;
}

/** The number of a step in the whole trace, which may have lost its middle. */
function numberOf(trace, step) {
  return trace.gap && step >= trace.gap[0] ? step + trace.gap[1] : step;
}

/** The place of a step of the whole trace among those that are kept, or the nearest one. */
function indexOf(trace, number) {
  if (!trace.gap || number < trace.gap[0]) return number;
  return Math.max(trace.gap[0], number - trace.gap[1]);
}

function lengthOf(trace) {
  return trace.steps.length + (trace.gap ? trace.gap[1] : 0);
}

/** The open calls at a step, outermost first. */
function stackOf(trace, step) {
  const stack = [];
  let at = trace.steps[step].frame;
  while (at !== undefined && at !== null) {
    stack.push(trace.frames[at]);
    at = trace.frames[at].parent;
  }
  return stack.reverse();
}

function depthOf(trace, step) {
  const at = trace.steps[step].frame;
  return at === undefined || at === null ? 0 : trace.frames[at].depth;
}

function componentOf(trace, step) {
  const at = trace.steps[step].frame;
  return at === undefined || at === null ? trace.base : trace.frames[at].callee;
}

/** The loop of a lasso as places of kept steps, if there is one. */
function loopOf(trace) {
  return trace.loop ? trace.loop.map((number) => indexOf(trace, number)) : null;
}

const columns = new WeakMap();

/** For each variable, its value at each step (null if it has none). */
function columnsOf(trace) {
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
function haystackOf(finding) {
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
return { REPORT, titleOf, markOf, fileOf, placeOf, detailOf, numberOf, indexOf, lengthOf, stackOf, depthOf, componentOf, loopOf, columnsOf, haystackOf };
})();
const $list = (() => {

const { h, put } = $dom;

/**
 * `render(item, index)` returns the content of a row; `select(index)` is called when a row is
 * chosen by mouse or keyboard.
 */
class List {
  constructor({ label, height, render, select, id }) {
    Object.assign(this, { height, render, select, id });
    this.items = [];
    this.selected = -1;
    this.space = h("div.space", { role: "presentation" });
    this.element = h(
      "div.list",
      { role: "listbox", tabindex: "0", "aria-label": label, id },
      this.space,
    );
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  set(items, selected) {
    this.items = items;
    this.selected = selected;
    this.space.style.height = items.length * this.height + "px";
    this.first = -1;
    this.draw();
  }

  /** Marks a row and brings it into sight. */
  mark(index) {
    this.selected = index;
    this.first = -1;
    if (index >= 0) this.reveal(index);
    this.draw();
  }

  reveal(index) {
    const { element, height } = this;
    const [top, bottom] = [index * height, (index + 1) * height];
    const margin = Math.min(height * 2, element.clientHeight / 3);
    if (top - margin < element.scrollTop) element.scrollTop = top - margin;
    else if (bottom + margin > element.scrollTop + element.clientHeight) {
      element.scrollTop = bottom + margin - element.clientHeight;
    }
  }

  draw() {
    const { element, height, items } = this;
    const room = this.printing ? items.length : Math.ceil((element.clientHeight || 600) / height);
    const first = this.printing ? 0 : Math.max(0, Math.floor(element.scrollTop / height) - 8);
    const last = Math.min(items.length, first + room + 16);
    if (first === this.first && last === this.last) return;
    Object.assign(this, { first, last });
    const rows = [];
    for (let at = first; at < last; at++) {
      const row = h(
        "div.row" + (at === this.selected ? ".selected" : ""),
        {
          role: "option",
          id: this.id + "-" + at,
          "aria-selected": String(at === this.selected),
          "aria-posinset": at + 1,
          "aria-setsize": items.length,
          onclick: () => this.select(at),
        },
        this.render(items[at], at),
      );
      row.style.top = at * height + "px";
      row.style.height = height + "px";
      rows.push(row);
    }
    put(this.space, rows);
    const active = this.selected >= first && this.selected < last;
    if (active) element.setAttribute("aria-activedescendant", this.id + "-" + this.selected);
    else element.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page };
    let to = null;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) to = this.selected + steps[event.key];
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = this.items.length - 1;
    if (to === null || !this.items.length) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(Math.min(this.items.length - 1, Math.max(0, to)));
  }
}
return { List };
})();
const $results = (() => {

const { badge, counted, cut, duration, h, put } = $dom;
const { REPORT, detailOf, haystackOf, lengthOf, markOf, placeOf, titleOf } = $data;
const { List } = $list;

const MARKS = ["fails", "error", "warning", "note", "unknown", "reachable", "unreachable", "holds"];
const seconds = (finding) => detailOf(finding, "seconds") || 0;
const steps = (finding) => (finding.traces.length ? lengthOf(finding.traces[0]) : 0);
/** How many modules results are about; if it is one, it goes without saying. */
const MODULES = new Set(REPORT.findings.map(({ property }) => property && property.module)).size;
const byText = (key) => (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);

const ORDERS = {
  given: ["as given", () => 0],
  verdict: ["by verdict", (a, b) => MARKS.indexOf(markOf(a)) - MARKS.indexOf(markOf(b))],
  property: ["by text", byText(titleOf)],
  place: ["by place", byText((finding) => placeOf(finding.locations[0]))],
  time: ["slowest first", (a, b) => seconds(b) - seconds(a)],
  trace: ["longest trace first", (a, b) => steps(b) - steps(a)],
};

class Results {
  constructor(choose) {
    this.choose = choose;
    this.hiddenMarks = new Set();
    this.rule = "";
    this.state = "";
    this.order = "given";
    this.words = "";
    this.shown = REPORT.findings;
    this.list = new List({
      label: "Results",
      id: "results",
      height: 62,
      render: row,
      select: (at) => choose(this.shown[at].index),
    });
    this.count = h("p.count", { role: "status" });
    this.element = h("section.results", { "aria-label": "Results" }, this.controls(), this.count, this.list.element);
    this.update();
  }

  controls() {
    const counts = new Map();
    for (const finding of REPORT.findings) counts.set(markOf(finding), (counts.get(markOf(finding)) || 0) + 1);
    const chips = MARKS.filter((mark) => counts.has(mark)).map((verdict) => {
      const chip = h(
        "button.chip." + verdict,
        { type: "button", "aria-pressed": "true", title: "Show or hide: " + verdict },
        badge(verdict, true),
        h("span.number", {}, counts.get(verdict).toLocaleString("en")),
      );
      chip.addEventListener("click", () => {
        const hide = !this.hiddenMarks.delete(verdict);
        if (hide) this.hiddenMarks.add(verdict);
        chip.setAttribute("aria-pressed", String(!hide));
        this.update();
      });
      return chip;
    });
    this.search = h("input.search", {
      type: "search",
      placeholder: "Search results  ( / )",
      "aria-label": "Search results",
      spellcheck: "false",
    });
    this.search.addEventListener("input", () => {
      this.words = this.search.value.toLowerCase();
      this.update();
    });
    const choice = (label, name, options) => {
      const select = h("select", { "aria-label": label, title: label },
        options.map(([value, text]) => h("option", { value }, text)));
      select.addEventListener("change", () => {
        this[name] = select.value;
        this.update();
      });
      return select;
    };
    const orders = Object.entries(ORDERS).map(([value, [text]]) => [value, text]);
    const rules = [...new Set(REPORT.findings.map((finding) => finding.rule))].sort((a, b) => a - b);
    const ruleChoice = rules.length > 1 &&
      choice("Rule", "rule", [["", "all rules"], ...rules.map((rule) => [String(rule), REPORT.rules[rule].id])]);
    const states = [["", "all states"], ["counted", "not suppressed"], ["suppressed", "suppressed"]];
    const baselines = [...new Set(REPORT.findings.map((finding) => finding.baseline).filter(Boolean))];
    const hasStates = baselines.length || REPORT.findings.some((finding) => finding.suppressions);
    const stateChoice = hasStates &&
      choice("State", "state", [...states, ...baselines.map((word) => [word, word])]);
    return h("div.controls", {},
      h("div.chips", { role: "group", "aria-label": "Verdicts and levels" }, chips),
      this.search,
      h("div.selects", {}, choice("Order", "order", orders), ruleChoice, stateChoice));
  }

  matches(finding) {
    if (this.hiddenMarks.has(markOf(finding))) return false;
    if (this.rule !== "" && finding.rule !== Number(this.rule)) return false;
    if (this.state === "suppressed" && !finding.suppressions) return false;
    if (this.state === "counted" && finding.suppressions) return false;
    if (!["", "suppressed", "counted"].includes(this.state) && finding.baseline !== this.state) return false;
    return !this.words || this.words.split(/\s+/).every((word) => haystackOf(finding).includes(word));
  }

  update() {
    this.shown = REPORT.findings.filter((finding) => this.matches(finding));
    if (this.order !== "given") this.shown.sort(ORDERS[this.order][1]);
    const all = REPORT.findings.length;
    const few = this.shown.length < all;
    put(this.count, few ? this.shown.length.toLocaleString("en") + " of " : null, counted(all, "result", "results"));
    this.list.set(this.shown, this.shown.findIndex((finding) => finding.index === this.current));
  }

  /** Marks a finding as the one that is open. */
  mark(index) {
    this.current = index;
    this.list.mark(this.shown.findIndex((finding) => finding.index === index));
  }

  /** The finding before or after the open one, in the order of the list. */
  neighbour(by) {
    const at = this.shown.findIndex((finding) => finding.index === this.current);
    const to = this.shown[at < 0 ? 0 : at + by];
    return to ? to.index : null;
  }
}

function row(finding) {
  const { property, suppressions } = finding;
  const subject = property && [MODULES > 1 ? property.module : null, property.instance].filter(Boolean).join(".");
  const time = detailOf(finding, "seconds");
  const facts = [
    property && property.name,
    subject,
    REPORT.rules.length > 1 ? REPORT.rules[finding.rule].id : null,
    placeOf(finding.locations[0]).split("/").pop(),
    finding.traces.length ? counted(lengthOf(finding.traces[0]), ...(property ? ["state", "states"] : ["step", "steps"])) : null,
    time === undefined ? null : duration(time),
    suppressions ? "suppressed" : null,
    finding.baseline,
  ];
  return [
    badge(markOf(finding)),
    h("div.title" + (property ? ".code" : ""), {}, cut(titleOf(finding), 300)),
    h("div.facts", {}, facts.filter(Boolean).map((fact) => cut(fact, 80)).join("  ·  ")),
  ];
}
return { Results };
})();
const $source = (() => {

const { cut, h, put, visible } = $dom;
const { REPORT, fileOf } = $data;

const sources = new Map(REPORT.sources.map((source) => [source.path, source]));
const AROUND = 400;

class Source {
  constructor(jump) {
    this.jump = jump;
    this.title = h("h3", {}, "");
    this.body = h("div.lines", { tabindex: "0", role: "region", "aria-label": "Source" });
    this.element = h("section.source", {}, this.title, this.body);
  }

  /**
   * Shows a place. `visited` maps lines of its file, or nodes of a drawing, to the steps there;
   * `fallback` is the place of the finding, for steps without one.
   */
  show({ at, spot, visits, fallback }) {
    const file = fileOf(at);
    if (file !== null && at.line && sources.has(file)) return this.showFile(file, at.line, visits.lines.get(file), at);
    if (spot) return this.showListing(spot, visits.nodes);
    const other = fileOf(fallback);
    if (other !== null && sources.has(other)) return this.showFile(other, fallback.line || 0, null, fallback);
    this.key = null;
    const where = at && file !== null ? visible(file) + (at.line ? ":" + at.line : "") : "";
    put(this.title, where || "Source");
    put(this.body, h("p.empty", {}, where ? "The text of this file is not in the report." : "This model has no text to show."));
    this.element.classList.toggle("bare", !where);
  }

  showFile(file, line, visits, at) {
    const source = sources.get(file);
    put(this.title, h("span.code", {}, file), at && at.part ? h("span.dim", {}, "  " + cut(at.part, 60)) : null);
    this.element.classList.remove("bare");
    const near = (number) => source.lines <= 2 * AROUND || Math.abs(number - line) <= AROUND;
    const window = source.lines <= 2 * AROUND ? 0 : Math.floor(line / 100);
    const key = file + "\n" + window + "\n" + (visits ? visits.size : 0);
    if (key !== this.key) {
      this.key = key;
      this.rows = new Map();
      const rows = [];
      let last = 0;
      for (const [first, lines] of source.excerpts) {
        lines.forEach((text, offset) => {
          const number = first + offset;
          if (!near(number)) return;
          if (number > last + 1) rows.push(h("div.fold", {}, "⋯"));
          last = number;
          rows.push(this.line(number, text, visits && visits.get(number)));
        });
      }
      if (last < source.lines) rows.push(h("div.fold", {}, "⋯"));
      put(this.body, rows);
    }
    this.mark(line);
  }

  showListing(spot, visits) {
    const drawing = REPORT.drawings[spot[0]];
    put(this.title, h("span.code", {}, cut(drawing.title, 80)), h("span.dim", {}, "  component of the model"));
    this.element.classList.remove("bare");
    const key = "drawing " + spot[0];
    const kept = drawing.nodes.length <= 2 * AROUND;
    if (key !== this.key || !kept) {
      this.key = key;
      this.rows = new Map();
      const next = drawing.nodes.map(() => []);
      for (let at = 0; at < drawing.edges.length; at += 2) next[drawing.edges[at]].push(drawing.edges[at + 1]);
      const rows = [];
      drawing.nodes.forEach((node, number) => {
        if (!kept && Math.abs(number - spot[1]) > AROUND) return;
        const words = { entry: "entry ", exit: "exit ", both: "entry, exit ", call: "call " }[node.kind] || "";
        const text = [
          h("span.keyword", {}, words),
          h("span.name", {}, cut(node.name, 120)),
          node.labels ? h("span.labels", {}, node.kind === "call" ? " : " + node.labels[0] : " {" + cut(node.labels.join(", "), 120) + "}") : null,
          next[number].length ? h("span.dim", {}, "  → " + cut(next[number].map((to) => drawing.nodes[to].name).join(", "), 160)) : null,
        ];
        rows.push(this.line(number, text, visits && visits.get(spot[0] + "/" + number), number + 1));
      });
      if (drawing.hidden) rows.push(h("div.fold", {}, "⋯ " + drawing.hidden.toLocaleString("en") + " nodes far from the trace"));
      put(this.body, rows);
    }
    this.mark(spot[1]);
  }

  line(number, text, steps, label = number) {
    const row = h(
      "div.line" + (steps ? ".visited" : ""),
      steps ? { title: "step " + steps.slice(0, 12).map((step) => step + 1).join(", ") + (steps.length > 12 ? ", …" : "") } : {},
      h("span.gutter", { "aria-hidden": "true" }, String(label)),
      h("span.text", {}, text || " "),
    );
    if (steps) row.addEventListener("click", () => this.jump(steps));
    this.rows.set(number, row);
    return row;
  }

  mark(number) {
    for (const row of this.body.querySelectorAll(".current")) {
      row.classList.remove("current");
      row.removeAttribute("aria-current");
    }
    const row = this.rows.get(number);
    if (!row) return;
    row.classList.add("current");
    row.setAttribute("aria-current", "true");
    const { body } = this;
    const top = row.offsetTop;
    if (top < body.scrollTop + 40 || top > body.scrollTop + body.clientHeight - 60) {
      body.scrollTop = Math.max(0, top - body.clientHeight * 0.4);
    }
  }
}
return { Source };
})();
const $strip = (() => {

const { svg, put, h } = $dom;
const { depthOf, loopOf } = $data;

const WIDTH = 1000;
const TOP = 8;
const ROW = 9;

class Strip {
  constructor(jump) {
    this.jump = jump;
    this.element = h("div.strip", {});
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const part = (event.clientX - box.left) / box.width;
      jump(Math.round(part * (WIDTH / this.gap) - 0.5));
    });
  }

  set(trace) {
    const count = trace.steps.length;
    const loop = loopOf(trace);
    this.gap = WIDTH / count;
    const every = Math.max(1, Math.ceil(count / WIDTH));
    let deepest = 0;
    for (let at = 0; at < count; at++) deepest = Math.max(deepest, depthOf(trace, at));
    this.element.hidden = !loop && !deepest;
    const scale = Math.min(1, 5 / Math.max(1, deepest));
    const x = (at) => (at + 0.5) * this.gap;
    const y = (at) => TOP + depthOf(trace, at) * ROW * scale;
    const floor = TOP + Math.min(deepest, 5) * ROW;
    this.height = floor + (loop ? 26 : 10);
    let path = "";
    for (let at = 0; at < count; at += every) {
      const left = at * this.gap;
      const right = Math.min(WIDTH, left + every * this.gap);
      path += (at ? "V" : "M" + left.toFixed(1) + " ") + y(at).toFixed(1) + "H" + right.toFixed(1);
    }
    const parts = [];
    if (loop) {
      const [from, to] = loop.map(x);
      const bow = floor + 18;
      parts.push(
        svg("rect.again", { x: from - this.gap / 2, y: 0, width: to - from + this.gap, height: this.height }),
        svg("path.loop", {
          d: `M${to} ${floor + 4}C${to} ${bow + 4} ${from} ${bow + 4} ${from} ${floor + 4}`,
          "vector-effect": "non-scaling-stroke",
        }),
        svg("path.tip", { d: `M${from - 5} ${floor + 10}L${from} ${floor + 3}L${from + 5} ${floor + 10}`, "vector-effect": "non-scaling-stroke" }),
      );
    }
    parts.push(svg("path.run", { d: path, "vector-effect": "non-scaling-stroke" }));
    this.cursor = svg("line.cursor", { y1: 0, y2: floor + 6, "vector-effect": "non-scaling-stroke" });
    parts.push(this.cursor);
    const words = loop ? `a lasso: steps ${loop[0] + 1} to ${loop[1] + 1} repeat for ever` : "a finite run";
    const label = `${count} steps, ${words}, at most ${deepest} open calls`;
    put(this.element, svg("svg", { viewBox: `0 0 ${WIDTH} ${this.height}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, parts));
    this.element.style.height = this.height + "px";
    this.x = x;
  }

  mark(step) {
    if (!this.cursor) return;
    this.cursor.setAttribute("x1", this.x(step));
    this.cursor.setAttribute("x2", this.x(step));
  }
}
return { Strip };
})();
const $trace = (() => {

const { cut, h, put } = $dom;
const { columnsOf, componentOf, depthOf, lengthOf, loopOf, numberOf, placeOf, stackOf } = $data;
const { List } = $list;
const { Source } = $source;

const CHANGES = 60;

class TraceView {
  constructor(go, enter) {
    this.go = go;
    this.enter = enter;
    this.list = new List({
      label: "Steps of the trace",
      id: "steps",
      height: 30,
      render: (step, at) => this.row(step, at),
      select: go,
    });
    this.source = new Source((steps) => {
      go(steps.find((step) => step > this.step) ?? steps[0]);
    });
    this.stack = h("ol.stack", {});
    this.changes = h("table.changes", {});
    this.note = h("p.note", {});
    this.state = h("section.state", { "aria-label": "Call stack and values" },
      h("h3", {}, "Call stack"), this.stack, this.valuesTitle = h("h3", {}, "Changed values"), this.changes);
    this.element = h("div.trace", {},
      h("div.steps", {}, this.list.element, this.note),
      h("div.beside", {}, this.source.element, this.state));
  }

  set(finding, trace) {
    this.finding = finding;
    this.trace = trace;
    this.loop = loopOf(trace);
    const lines = new Map();
    const nodes = new Map();
    const push = (map, key, step) => map.has(key) ? map.get(key).push(step) : map.set(key, [step]);
    trace.steps.forEach((step, at) => {
      if (step.spot) push(nodes, step.spot.join("/"), at);
      const place = step.at;
      if (place && place.line && place.file !== undefined) {
        const file = placeOf({ file: place.file });
        if (!lines.has(file)) lines.set(file, new Map());
        push(lines.get(file), place.line, at);
      }
    });
    this.visits = { lines, nodes };
    this.list.set(trace.steps, -1);
    this.element.style.setProperty("--steps", trace.steps.length);
    this.state.classList.toggle("flat", !trace.frames.length && !trace.variables.length);
    this.valuesTitle.hidden = this.changes.hidden = !trace.variables.length;
  }

  row(step, at) {
    const { trace, loop } = this;
    const depth = depthOf(trace, at);
    const next = at + 1 < trace.steps.length ? depthOf(trace, at + 1) : depth;
    const indent = h("span.indent", { "aria-hidden": "true" });
    indent.style.width = Math.min(depth, 12) * 14 + "px";
    const sign = next > depth ? "↘" : next < depth ? "↖" : "";
    const inLoop = loop && at >= loop[0] && at <= loop[1];
    const end = loop && at === loop[0] ? ".first" : loop && at === loop[1] ? ".last" : "";
    const gap = trace.gap && at === trace.gap[0] ? h("span.gap", {}, "⋯ " + trace.gap[1].toLocaleString("en") + " left out before") : null;
    return [
      h("span.rail" + (inLoop ? ".looping" + end : ""), { "aria-hidden": "true" }),
      h("span.no", { "aria-hidden": "true" }, String(numberOf(trace, at) + 1)),
      indent,
      h("span.what" + (step.essential ? ".essential" : ""), {}, cut(step.text, 200)),
      step.labels ? h("span.labels", {}, cut(step.labels.join(", "), 80)) : null,
      sign ? h("span.sign", { "aria-label": next > depth ? "then a call" : "then a return" }, sign) : null,
      step.note ? h("span.mark", { title: step.note, "aria-label": step.note }, "※") : null,
      inLoop && at === loop[0] ? h("span.tag", {}, "loop") : null,
      inLoop && at === loop[1] && loop[1] > loop[0] ? h("span.tag", {}, "again") : null,
      gap,
    ];
  }

  mark(at, relied) {
    const { trace, finding } = this;
    this.step = at;
    this.list.mark(at);
    const step = trace.steps[at];
    this.source.show({ at: step.at, spot: step.spot, visits: this.visits, fallback: finding.locations[0] });
    put(this.note, relied.length
      ? relied.map((to) => h("span.relied", {}, "This state relies on ",
          h("button.plain.link", { type: "button", onclick: () => this.enter(to) }, `trace ${to + 1}`),
          ", which shows ", h("span.code", {}, cut(finding.traces[to].shows, 300))))
      : step.note || null);
    this.note.hidden = !step.note;

    const stack = stackOf(trace, at);
    const shown = stack.length > 40 ? [...stack.slice(0, 10), null, ...stack.slice(-29)] : stack;
    const here = componentOf(trace, at);
    put(this.stack,
      h("li", {}, h("span.code", {}, cut(trace.base || "the model", 100)), stack.length ? null : h("span.dim", {}, "  here")),
      shown.map((frame) => frame === null
        ? h("li.dim", {}, `⋯ ${stack.length - 39} more`)
        : h("li", {}, h("span.code", {}, cut(frame.callee, 100)),
            h("span.dim", {}, "  by " + cut(frame.site, 60) + (placeOf(frame.at) ? " at " + placeOf(frame.at) : "")))));
    this.stack.setAttribute("aria-label", "Call stack, " + stack.length + " open calls, in " + here);

    const changes = step.changes || [];
    const before = at > 0 ? columnsOf(trace).map((column) => column[at - 1]) : [];
    put(this.changes, h("tbody", {},
      changes.slice(0, CHANGES).map(([variable, value]) => h("tr", {},
        h("th", { scope: "row" }, cut(trace.variables[variable], 60)),
        h("td.old", {}, at > 0 ? cut(before[variable] ?? "–", 40) : ""),
        h("td.arrow", { "aria-hidden": "true" }, at > 0 ? "→" : ""),
        h("td", {}, cut(value ?? "–", 40)))),
      changes.length > CHANGES ? h("tr", {}, h("td", { colspan: 4 }, `and ${changes.length - CHANGES} more`)) : null,
      changes.length ? null : h("tr", {}, h("td.dim", { colspan: 4 }, "none"))));
  }

  /** A step in words, for screen readers. */
  spoken(at) {
    const { trace } = this;
    const depth = depthOf(trace, at);
    return `Step ${numberOf(trace, at) + 1} of ${lengthOf(trace)}: ${trace.steps[at].text}` +
      (depth ? `, ${depth} open calls, in ${componentOf(trace, at)}` : "");
  }
}
return { TraceView };
})();
const $values = (() => {

const { cut, h, put, svg } = $dom;
const { columnsOf, loopOf, numberOf } = $data;

const HIGH = 26;
const MOST_ROWS = 120;
const MOST_STEPS = 240;
const BITS = new Set(["0", "1", "TRUE", "FALSE"]);

class Values {
  constructor(go) {
    this.go = go;
    this.kind = "waves";
    this.filter = h("input.search", { type: "search", placeholder: "Filter variables", "aria-label": "Filter variables" });
    this.filter.addEventListener("input", () => this.draw());
    this.changing = h("input", { type: "checkbox", id: "changing", checked: true });
    this.changing.addEventListener("change", () => this.draw());
    const choose = (kind, text) => {
      const button = h("button.segment", { type: "button", "aria-pressed": String(kind === this.kind) }, text);
      button.addEventListener("click", () => {
        this.kind = kind;
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        this.draw();
      });
      return button;
    };
    const buttons = [choose("waves", "Waves"), choose("table", "Table")];
    this.body = h("div.values-body", { tabindex: "0", role: "region", "aria-label": "Values" });
    this.remark = h("p.dim.remark", {});
    this.element = h("div.values", {},
      h("div.toolbar", {}, h("div.segments", { role: "group", "aria-label": "Form" }, buttons), this.filter,
        h("label", { for: "changing" }, this.changing, " only those that change")),
      this.remark, this.body);
  }

  set(trace) {
    this.trace = trace;
    this.step = 0;
    this.window = null;
    this.drawn = false;
  }

  rows() {
    const columns = columnsOf(this.trace);
    const words = this.filter.value.toLowerCase();
    const changes = (column) => column.some((value) => value !== column[0]);
    return this.trace.variables
      .map((name, at) => ({ name, column: columns[at] }))
      .filter(({ name, column }) => (!words || name.toLowerCase().includes(words)) && (!this.changing.checked || changes(column)));
  }

  /** The steps that are drawn: all, or those around the current one. */
  range() {
    const count = this.trace.steps.length;
    if (count <= MOST_STEPS) return [0, count];
    const first = Math.max(0, Math.min(count - MOST_STEPS, Math.floor(this.step / 60) * 60 - 60));
    return [first, first + MOST_STEPS];
  }

  draw() {
    const rows = this.rows();
    const [first, last] = this.range();
    this.window = first;
    this.drawn = true;
    const remarks = [];
    if (rows.length > MOST_ROWS) remarks.push(`the first ${MOST_ROWS} of ${rows.length} variables`);
    if (last - first < this.trace.steps.length) remarks.push(`steps ${first + 1} to ${last} of ${this.trace.steps.length}`);
    put(this.remark, remarks.length ? "Shown are " + remarks.join(", ") + "." : null);
    this.remark.hidden = !remarks.length;
    const shown = rows.slice(0, MOST_ROWS);
    if (!shown.length) put(this.body, h("p.empty", {}, this.changing.checked ? "No variable changes on this trace." : "No variable has this name."));
    else put(this.body, this.kind === "waves" ? this.waves(shown, first, last) : this.table(shown, first, last));
    this.mark(this.step);
  }

  waves(rows, first, last) {
    const longest = Math.max(...rows.map(({ column }) => Math.max(...column.slice(first, last).map((value) => BITS.has(value) ? 1 : String(value ?? "").length))));
    const wide = Math.min(120, Math.max(26, longest * 7 + 16));
    this.wide = wide;
    const width = (last - first) * wide + 10;
    const height = rows.length * HIGH + 22;
    const x = (step) => (step - first) * wide + 4;
    const parts = [];
    const loop = loopOf(this.trace);
    if (loop) {
      const [from, to] = [Math.max(loop[0], first), Math.min(loop[1] + 1, last)];
      if (to > from) parts.push(svg("rect.again", { x: x(from), y: 0, width: (to - from) * wide, height }));
    }
    this.cursor = svg("rect.cursor", { y: 0, width: wide, height });
    parts.push(this.cursor);
    const every = Math.max(1, Math.ceil(34 / wide));
    for (let step = first; step < last; step++) {
      if ((step - first) % every === 0) parts.push(svg("text.tick", { x: x(step) + wide / 2, y: 13 }, String(numberOf(this.trace, step) + 1)));
    }
    rows.forEach(({ column }, row) => parts.push(wave(column, row * HIGH + 22, first, last, x)));
    const picture = svg("svg", { width, height, role: "img", "aria-label": "Waves of " + rows.map(({ name }) => name).slice(0, 20).join(", ") }, parts);
    picture.addEventListener("click", (event) => {
      const at = Math.floor((event.clientX - picture.getBoundingClientRect().left - 4) / wide) + first;
      this.go(Math.max(first, Math.min(last - 1, at)));
    });
    return h("div.waves", {},
      h("div.names", {}, rows.map(({ name }) => h("div.name", { title: name }, cut(name, 60)))),
      this.scroller = h("div.scroller", {}, picture));
  }

  table(rows, first, last) {
    const steps = Array.from({ length: last - first }, (_, at) => first + at);
    this.scroller = null;
    const head = h("tr", {}, h("th", { scope: "col" }, "variable"), steps.map((step) => {
      const cell = h("th", { scope: "col", "data-step": step }, h("button.plain", { type: "button", "aria-label": "Go to step " + (numberOf(this.trace, step) + 1) }, String(numberOf(this.trace, step) + 1)));
      cell.addEventListener("click", () => this.go(step));
      return cell;
    }));
    return h("table.grid", {}, h("thead", {}, head), h("tbody", {}, rows.map(({ name, column }) => h("tr", {},
      h("th", { scope: "row" }, cut(name, 60)),
      steps.map((step) => h("td" + (step > 0 && column[step] !== column[step - 1] ? ".new" : ""), { "data-step": step }, cut(column[step] ?? "–", 24)))))));
  }

  mark(step) {
    this.step = step;
    if (!this.drawn || this.element.hidden) return;
    const [first] = this.range();
    if (first !== this.window) {
      this.draw();
      return;
    }
    for (const cell of this.body.querySelectorAll(".at")) cell.classList.remove("at");
    if (this.kind === "waves" && this.cursor) {
      const left = (step - first) * this.wide + 4;
      this.cursor.setAttribute("x", left);
      const room = this.scroller;
      if (room && (left < room.scrollLeft + 20 || left > room.scrollLeft + room.clientWidth - this.wide - 20)) {
        room.scrollLeft = left - room.clientWidth / 2;
      }
    } else {
      const cells = this.body.querySelectorAll(`[data-step="${step}"]`);
      for (const cell of cells) cell.classList.add("at");
      if (cells[0]) cells[0].scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
}

/** A variable over time: a line for bits, hexagons with values for others. */
function wave(column, top, first, last, x) {
  const values = column.slice(first, last);
  const [high, low] = [top + 5, top + HIGH - 5];
  if (values.every((value) => value === null || BITS.has(value))) {
    const y = (value) => (value === "1" || value === "TRUE" ? high : low);
    let path = "";
    values.forEach((value, at) => {
      if (value === null) return;
      const start = at === 0 || values[at - 1] === null ? "M" + x(first + at) + " " + y(value) : "V" + y(value);
      path += start + "H" + x(first + at + 1);
    });
    return svg("path.bit", { d: path });
  }
  const parts = [];
  let from = 0;
  for (let at = 1; at <= values.length; at++) {
    if (at < values.length && values[at] === values[from]) continue;
    const value = values[from];
    const [left, right, middle] = [x(first + from), x(first + at), (high + low) / 2];
    if (value !== null) {
      parts.push(
        svg("path.bus", { d: `M${left} ${middle}L${left + 4} ${high}H${right - 4}L${right} ${middle}L${right - 4} ${low}H${left + 4}Z` }),
        svg("text.value", { x: (left + right) / 2, y: middle + 4 }, cut(value, Math.max(1, Math.floor((right - left - 8) / 7)))),
      );
    }
    from = at;
  }
  return svg("g", {}, parts);
}
return { Values };
})();
const $layout = (() => {

/** `widths` of nodes, `edges` as [from, to, from, to, …]; returns x, y and the paths of edges. */
function layered(widths, edges, start, { rowGap = 84, columnGap = 26 } = {}) {
  const count = widths.length;
  const layers = layersOf(count, edges, start);
  const { rows, chains, width } = withBends(widths, edges, layers);
  order(rows, chains);
  const x = coordinates(rows, chains, width, columnGap);
  return {
    x: x.slice(0, count),
    y: layers.map((layer) => layer * rowGap),
    paths: chains.map((chain) => chain.map((node) => [x[node], rows.layer[node] * rowGap])),
  };
}

/** Layers by longest paths, after the edges that close cycles are turned. */
function layersOf(count, edges, start) {
  const next = Array.from({ length: count }, () => []);
  for (let at = 0; at < edges.length; at += 2) {
    if (edges[at] !== edges[at + 1]) next[edges[at]].push(edges[at + 1]);
  }
  const state = new Uint8Array(count);
  const kept = Array.from({ length: count }, () => []);
  const incoming = new Int32Array(count);
  const roots = [...start, ...Array.from({ length: count }, (_, at) => at)];
  for (const root of roots) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] === next[top[0]].length) {
        state[top[0]] = 2;
        stack.pop();
        continue;
      }
      const to = next[top[0]][top[1]++];
      if (state[to] === 1) {
        kept[to].push(top[0]);
        incoming[top[0]]++;
      } else {
        kept[top[0]].push(to);
        incoming[to]++;
        if (!state[to]) {
          state[to] = 1;
          stack.push([to, 0]);
        }
      }
    }
  }
  const layers = new Array(count).fill(0);
  const ready = [];
  for (let at = 0; at < count; at++) if (!incoming[at]) ready.push(at);
  for (let at = 0; at < ready.length; at++) {
    for (const to of kept[ready[at]]) {
      layers[to] = Math.max(layers[to], layers[ready[at]] + 1);
      if (!--incoming[to]) ready.push(to);
    }
  }
  return layers;
}

const MOST_BENDS = 6000;

/** Long edges get bends, one in each layer they cross, as long as there are not too many. */
function withBends(widths, edges, layers) {
  const width = [...widths];
  const rows = { members: [], layer: [...layers] };
  const add = (node) => {
    const layer = rows.layer[node];
    while (rows.members.length <= layer) rows.members.push([]);
    rows.members[layer].push(node);
  };
  layers.forEach((_, node) => add(node));
  let bends = 0;
  const chains = [];
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at], edges[at + 1]];
    const by = layers[to] > layers[from] ? 1 : -1;
    const crossed = Math.abs(layers[to] - layers[from]) - 1;
    const chain = [from];
    if (crossed > 0 && (bends += crossed) <= MOST_BENDS) {
      for (let layer = layers[from] + by; layer !== layers[to]; layer += by) {
        const bend = width.length;
        width.push(2);
        rows.layer.push(layer);
        add(bend);
        chain.push(bend);
      }
    }
    chain.push(to);
    chains.push(chain);
  }
  return { rows, chains, width };
}

function neighbours(rows, chains) {
  const up = rows.layer.map(() => []);
  const down = rows.layer.map(() => []);
  for (const chain of chains) {
    for (let at = 1; at < chain.length; at++) {
      const [a, b] = [chain[at - 1], chain[at]];
      const by = rows.layer[b] - rows.layer[a];
      if (by > 0) down[a].push(b), up[b].push(a);
      else if (by < 0) up[a].push(b), down[b].push(a);
    }
  }
  return { up, down };
}

function order(rows, chains) {
  const { up, down } = neighbours(rows, chains);
  const place = new Float64Array(rows.layer.length);
  const renumber = (members) => members.forEach((node, at) => (place[node] = at / Math.max(1, members.length)));
  rows.members.forEach(renumber);
  const median = (list) => {
    const places = list.map((node) => place[node]).sort((a, b) => a - b);
    const middle = places.length >> 1;
    return places.length % 2 ? places[middle] : (places[middle - 1] + places[middle]) / 2;
  };
  const sweeps = rows.layer.length > 4000 ? 4 : 10;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const downwards = sweep % 2 === 0;
    const sides = downwards ? up : down;
    const layers = downwards ? rows.members : [...rows.members].reverse();
    for (const members of layers) {
      const keys = new Map(members.map((node) => [node, sides[node].length ? median(sides[node]) : place[node]]));
      members.sort((a, b) => keys.get(a) - keys.get(b));
      renumber(members);
    }
  }
}

function coordinates(rows, chains, width, gap) {
  const { up, down } = neighbours(rows, chains);
  const x = new Array(rows.layer.length).fill(0);
  for (const members of rows.members) {
    let left = 0;
    for (const node of members) {
      x[node] = left + width[node] / 2;
      left += width[node] + gap;
    }
    for (const node of members) x[node] -= (left - gap) / 2;
  }
  const apart = (a, b) => (width[a] + width[b]) / 2 + gap;
  for (let sweep = 0; sweep < 12; sweep++) {
    const downwards = sweep % 2 === 0;
    const layers = downwards ? rows.members : [...rows.members].reverse();
    for (const members of layers) {
      const wanted = members.map((node) => {
        const side = (downwards ? up : down)[node];
        if (!side.length) return x[node];
        let sum = 0;
        for (const other of side) sum += x[other];
        return sum / side.length;
      });
      const fromLeft = [];
      members.forEach((node, at) => {
        fromLeft[at] = at ? Math.max(wanted[at], fromLeft[at - 1] + apart(members[at - 1], node)) : wanted[at];
      });
      const fromRight = [];
      for (let at = members.length - 1; at >= 0; at--) {
        const next = at + 1 < members.length;
        fromRight[at] = next ? Math.min(wanted[at], fromRight[at + 1] - apart(members[at], members[at + 1])) : wanted[at];
      }
      members.forEach((node, at) => (x[node] = (fromLeft[at] + fromRight[at]) / 2));
    }
  }
  return x;
}
return { layered };
})();
const $graph = (() => {

const { counted, cut, h, iconButton, put, svg, visible } = $dom;
const { REPORT, loopOf, numberOf } = $data;
const { layered } = $layout;

const FONT = 6.9;
const RUN = "run";
/** Runs with more states are drawn around the current one. */
const MOST_STATES = 300;

class Graph {
  constructor(go) {
    this.go = go;
    this.choice = h("select", { "aria-label": "Drawing" });
    this.choice.addEventListener("change", () => {
      this.follow.checked = false;
      this.show(this.choice.value === RUN ? RUN : Number(this.choice.value));
    });
    this.follow = h("input", { type: "checkbox", id: "follow", checked: true });
    this.follow.addEventListener("change", () => this.mark(this.step));
    this.stage = h("div.stage", { tabindex: "0", role: "group", "aria-label": "Drawing: arrow keys move it, + and - zoom, 0 fits it" });
    this.remark = h("p.dim.remark", {});
    this.element = h("div.graph", {},
      h("div.toolbar", {}, this.choice,
        h("label", { for: "follow" }, this.follow, " follow the step"),
        h("span.fill", {}),
        iconButton("out", "Zoom out", () => this.zoom(1.25)),
        iconButton("in", "Zoom in", () => this.zoom(0.8)),
        iconButton("fit", "Fit", () => this.fit(true))),
      this.stage, this.remark);
    this.stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0015), event);
    }, { passive: false });
    this.stage.addEventListener("pointerdown", (event) => this.drag(event));
    this.stage.addEventListener("keydown", (event) => this.key(event));
    this.layouts = new Map();
  }

  set(trace) {
    this.trace = trace;
    this.step = 0;
    this.current = null;
    this.shown = null;
    const numbers = new Set();
    for (const { spot } of trace.steps) if (spot) numbers.add(spot[0]);
    for (const { spot } of trace.frames) if (spot) numbers.add(spot[0]);
    const first = Math.min(...numbers);
    const calls = REPORT.drawings.findLastIndex((drawing, at) => drawing.kind === "calls" && at < first);
    const options = [...numbers].sort((a, b) => a - b).map((at) => [at, cut(REPORT.drawings[at].title, 60)]);
    put(this.choice,
      h("option", { value: RUN }, trace.loop ? "Lasso" : "Run"),
      calls >= 0 && REPORT.drawings[calls].nodes.length > 1 ? h("option", { value: calls }, "Calls between components") : null,
      options.map(([value, text]) => h("option", { value }, text)));
    this.visits = new Map();
    trace.steps.forEach(({ spot }, at) => spot && this.visit(spot, at));
    this.taken = new Map();
    for (const [drawing, from, , to] of (trace.edges || []).filter(([a, , b]) => a === b)) {
      this.taken.set(drawing + "/" + from + "/" + to, true);
    }
    for (const { spot, callee } of trace.frames) {
      if (spot) this.visit(spot, null);
      if (calls >= 0) this.light(calls, spot, callee);
    }
    if (calls >= 0) this.light(calls, null, trace.base);
  }

  visit(spot, step) {
    const key = spot[0] + "/" + spot[1];
    if (!this.visits.has(key)) this.visits.set(key, []);
    if (step !== null) this.visits.get(key).push(step);
  }

  /** Lights a component in the drawing of calls, and the edge to it. */
  light(calls, spot, name) {
    const { nodes } = REPORT.drawings[calls];
    const find = (title) => nodes.findIndex((node) => node.name === title);
    const to = find(name);
    if (to < 0) return;
    this.visit([calls, to], null);
    if (!spot) return;
    const from = find(REPORT.drawings[spot[0]].title);
    this.taken.set(calls + "/" + from + "/" + to, true);
  }

  /** Shows the drawing that goes with the current step. */
  draw() {
    const spot = this.trace.steps[this.step].spot;
    const wanted = this.current === null || this.follow.checked ? (spot ? spot[0] : RUN) : this.current;
    this.show(wanted);
  }

  show(which) {
    this.current = which;
    this.choice.value = String(which);
    const key = which === RUN ? RUN + (this.trace.steps.length > MOST_STATES ? this.step : "") : which;
    if (key !== this.shown) {
      this.shown = key;
      put(this.stage, which === RUN ? this.run() : this.drawing(which));
      this.fit();
      this.fresh = true;
    }
    this.highlight();
  }

  mark(step) {
    this.step = step;
    if (!this.element.hidden && this.current !== null) this.draw();
  }

  drawing(number) {
    const drawing = REPORT.drawings[number];
    const lines = drawing.nodes.map((node) => {
      const name = cut(node.name || "(no name)", 34);
      const labels = node.labels ? cut(node.kind === "call" ? ": " + node.labels[0] : node.labels.join(", "), 34) : "";
      return labels ? [name, labels] : [name];
    });
    const widths = lines.map((texts) => Math.max(40, Math.max(...texts.map((text) => text.length)) * FONT + 22));
    const start = drawing.nodes.flatMap((node, at) => (node.initial || node.kind === "entry" || node.kind === "both" ? [at] : []));
    if (!this.layouts.has(number)) {
      const begun = performance.now();
      const layout = layered(widths, drawing.edges, start);
      layout.milliseconds = performance.now() - begun;
      this.layouts.set(number, layout);
    }
    const { x, y, paths, milliseconds } = this.layouts.get(number);
    this.stage.dataset.milliseconds = milliseconds.toFixed(1);
    this.places = new Map();
    const high = (node) => (lines[node].length > 1 ? 20 : 14);
    const edges = paths.map((path, at) => {
      const [from, to] = [drawing.edges[2 * at], drawing.edges[2 * at + 1]];
      const taken = this.taken.has(number + "/" + from + "/" + to);
      return svg("path.edge" + (taken ? ".taken" : ""), { d: curve(path, from === to, widths[from], high(from), high(to)), "marker-end": taken ? "url(#tip-taken)" : "url(#tip)" });
    });
    edges.sort((a, b) => a.classList.contains("taken") - b.classList.contains("taken"));
    const nodes = drawing.nodes.map((node, at) => this.node(number, node, at, lines[at], widths[at], x[at], y[at]));
    put(this.remark, drawing.hidden
      ? `${counted(drawing.hidden, "node is", "nodes are")} folded away: the drawing is large, and shows the neighbourhood of the trace.`
      : null);
    this.remark.hidden = !drawing.hidden;
    const margin = 40;
    const sides = x.map((at, node) => [at - widths[node] / 2, at + widths[node] / 2]);
    this.bounds = bounds(sides.map(([left]) => left), sides.map(([, right]) => right), y, margin);
    return this.picture([...edges, ...nodes], cut(drawing.title, 80));
  }

  node(number, node, at, texts, width, x, y) {
    const visits = this.visits.get(number + "/" + at);
    const high = texts.length > 1 ? 40 : 28;
    const title = [node.kind === "inner" ? "node" : node.kind, visible(node.name), node.labels ? "{" + node.labels.join(", ") + "}" : "",
      visits && visits.length ? "steps " + visits.slice(0, 8).map((step) => numberOf(this.trace, step) + 1).join(", ") : "",
      node.hidden ? counted(node.hidden, "neighbour", "neighbours") + " folded away" : ""].filter(Boolean).join(" · ");
    const jump = () => {
      if (visits && visits.length) this.go(visits.find((step) => step > this.step) ?? visits[0]);
      if (node.opens !== undefined) {
        this.follow.checked = false;
        this.show(node.opens);
      }
    };
    const active = (visits && visits.length) || node.opens !== undefined;
    const group = svg(
      "g.node." + node.kind + (visits ? ".taken" : "") + (active ? ".active" : ""),
      { transform: `translate(${x} ${y})`, tabindex: active ? "0" : null, role: active ? "button" : "img", "aria-label": title },
      svg("title", {}, title),
      svg("path.shape", { d: shape(node.kind, width, high) }),
      texts.map((text, line) => svg(line ? "text.labels" : "text.name", { y: texts.length > 1 ? (line ? 13 : -2) : 4 }, text)),
      node.initial ? svg("path.start", { d: `M${-width / 2 - 20} 0H${-width / 2 - 3}`, "marker-end": "url(#tip)" }) : null,
      node.hidden ? svg("path.folded", { d: `M${width / 2} 0h12` }) : null,
    );
    if (active) {
      group.addEventListener("click", jump);
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        jump();
      });
    }
    this.places.set(number + "/" + at, group);
    return group;
  }

  /** The run by itself: a row of states, and the loop of a lasso as a ring. */
  run() {
    const { trace } = this;
    const count = trace.steps.length;
    const loop = loopOf(trace);
    let [first, last] = [0, count - 1];
    if (count > MOST_STATES) {
      first = Math.max(0, Math.min(count - MOST_STATES, this.step - MOST_STATES / 2));
      last = Math.min(count - 1, first + MOST_STATES - 1);
    }
    put(this.remark, last - first + 1 < count ? `States ${first + 1} to ${last + 1} of ${count}; step on to see others.` : null);
    this.remark.hidden = last - first + 1 === count;
    const ring = loop && loop[1] > loop[0] && first <= loop[0] && last >= loop[1] ? loop[1] - loop[0] : 0;
    const stem = ring ? loop[0] - first : last - first + 1;
    const gap = stem > 60 ? 30 : 64;
    const radius = Math.max(46, (ring * (ring > 60 ? 24 : 52)) / (2 * Math.PI));
    const columns = Math.max(1, Math.min(stem, 24));
    const place = (at) => {
      if (ring && at >= loop[0]) {
        const turn = Math.PI + ((at - loop[0]) / ring) * 2 * Math.PI;
        const row = Math.floor(Math.max(0, stem - 1) / columns);
        const last = stem ? ((stem - 1) % columns) * gap : -gap;
        return [last + gap + radius + Math.cos(turn) * radius, row * 60 + Math.sin(turn) * radius];
      }
      const index = at - first;
      return [(index % columns) * gap, Math.floor(index / columns) * 60];
    };
    this.places = new Map();
    const parts = [];
    const shown = [];
    for (let at = first; at <= (ring ? loop[1] - 1 : last); at++) shown.push(at);
    const rim = (a, b) => {
      const [[ax, ay], [bx, by]] = [a, b];
      const far = Math.hypot(bx - ax, by - ay) || 1;
      const part = 11 / far;
      return [[ax + (bx - ax) * part, ay + (by - ay) * part], [bx - (bx - ax) * (part * 1.25), by - (by - ay) * (part * 1.25)]];
    };
    const edge = (a, b, bow) => {
      const [[ax, ay], [bx, by]] = rim(a, b);
      const d = bow ? `M${ax} ${ay}A${radius} ${radius} 0 0 1 ${bx} ${by}` : `M${ax} ${ay}L${bx} ${by}`;
      return svg("path.edge.taken", { d, "marker-end": "url(#tip-taken)" });
    };
    shown.forEach((at, index) => {
      if (index) parts.push(edge(place(at - 1), place(at), ring > 2 && at > loop[0]));
    });
    if (ring) parts.push(edge(place(loop[1] - 1), place(loop[0]), ring > 2));
    if (ring === 1 || (loop && loop[0] === loop[1] && loop[0] >= first && loop[0] <= last)) {
      const [x, y] = place(loop[0]);
      parts.push(svg("path.edge.taken", { d: `M${x - 5} ${y - 10}C${x - 26} ${y - 44} ${x + 26} ${y - 44} ${x + 6} ${y - 12}`, "marker-end": "url(#tip-taken)" }));
    }
    for (const at of shown) {
      const [x, y] = place(at);
      const step = trace.steps[at];
      const text = `step ${numberOf(trace, at) + 1}: ${visible(step.text)}`;
      const group = svg("g.node.dot.taken.active", { transform: `translate(${x} ${y})`, tabindex: "0", role: "button", "aria-label": text },
        svg("title", {}, text), svg("circle.shape", { r: 11 }), svg("text.name", { y: 4 }, String(numberOf(trace, at) + 1)));
      group.addEventListener("click", () => this.go(at));
      group.addEventListener("keydown", (event) => event.key === "Enter" && this.go(at));
      this.places.set("run/" + at, group);
      parts.push(group);
    }
    if (ring) this.places.set("run/" + loop[1], this.places.get("run/" + loop[0]));
    const points = shown.map(place);
    const xs = points.map(([x]) => x);
    this.bounds = bounds(xs.map((x) => x - 30), xs.map((x) => x + 30), points.map(([, y]) => y), 46);
    return this.picture(parts, loop ? "The run as a lasso" : "The run");
  }

  picture(parts, label) {
    const tip = (id, name) => svg("marker" + name, { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" }, svg("path", { d: "M0 0L8 4L0 8Z" }));
    this.drawn = svg("svg.drawing", { role: "group", "aria-label": label, preserveAspectRatio: "xMidYMid meet" },
      svg("defs", {}, tip("tip", ".tip"), tip("tip-taken", ".tip-taken")), parts);
    return this.drawn;
  }

  highlight() {
    for (const group of this.stage.querySelectorAll(".here")) group.classList.remove("here");
    const { spot } = this.trace.steps[this.step];
    let key = spot ? spot[0] + "/" + spot[1] : null;
    if (this.current === RUN) key = "run/" + this.step;
    else if (REPORT.drawings[this.current].kind === "calls") {
      const title = spot ? REPORT.drawings[spot[0]].title : null;
      key = this.current + "/" + REPORT.drawings[this.current].nodes.findIndex((node) => node.name === title);
    }
    const group = key && this.places.get(key);
    if (!group) return;
    group.classList.add("here");
    this.center(group);
  }

  /** Moves a node into sight, if it is not. */
  center(group) {
    const [x, y] = group.getAttribute("transform").match(/-?[\d.]+(e-?\d+)?/g).map(Number);
    const view = this.view;
    if (!view) return;
    const edge = this.fresh && this.bounds.height > view.height ? 0.3 : 0.08;
    this.fresh = false;
    if (x < view.x + view.width * edge || x > view.x + view.width * (1 - edge)) view.x = x - view.width / 2;
    if (y < view.y + view.height * edge || y > view.y + view.height * (1 - edge)) view.y = y - view.height / 2;
    const { bounds } = this;
    const within = (at, size, start, whole) => (whole > size ? Math.max(start, Math.min(start + whole - size, at)) : at);
    view.x = within(view.x, view.width, bounds.x, bounds.width);
    view.y = within(view.y, view.height, bounds.y, bounds.height);
    this.apply();
  }

  /** Shows all, or as much as can be read. */
  fit(all) {
    const box = this.stage.getBoundingClientRect();
    const wide = box.width || 800;
    const high = box.height || 480;
    const scale = Math.max(this.bounds.width / wide, this.bounds.height / high, 0.75);
    const most = Math.min(scale, all ? 40 : 1.35);
    const [width, height] = [wide * most, high * most];
    this.view = {
      x: this.bounds.x + (this.bounds.width - width) / 2,
      y: this.bounds.height > height ? this.bounds.y : this.bounds.y + (this.bounds.height - height) / 2,
      width,
      height,
    };
    this.apply();
  }

  zoom(by, event) {
    const { view } = this;
    if (!view) return;
    const box = this.stage.getBoundingClientRect();
    const [partX, partY] = event ? [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height] : [0.5, 0.5];
    const width = Math.min(60000, Math.max(120, view.width * by));
    const height = (view.height * width) / view.width;
    view.x += (view.width - width) * partX;
    view.y += (view.height - height) * partY;
    Object.assign(view, { width, height });
    this.apply();
  }

  apply() {
    const { x, y, width, height } = this.view;
    if (this.drawn) this.drawn.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  drag(event) {
    if (event.button !== 0 || !this.view || event.target.closest(".active")) return;
    const box = this.stage.getBoundingClientRect();
    const start = { x: event.clientX, y: event.clientY, view: { ...this.view } };
    const move = (moved) => {
      this.view.x = start.view.x - ((moved.clientX - start.x) * this.view.width) / box.width;
      this.view.y = start.view.y - ((moved.clientY - start.y) * this.view.height) / box.height;
      this.apply();
    };
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
  }

  key(event) {
    const { view } = this;
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] };
    if (event.key in moves) {
      view.x += moves[event.key][0] * view.width;
      view.y += moves[event.key][1] * view.height;
      this.apply();
    } else if (event.key === "+" || event.key === "=") this.zoom(0.8);
    else if (event.key === "-") this.zoom(1.25);
    else if (event.key === "0") this.fit(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function bounds(lefts, rights, ys, margin) {
  const least = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (list) => list.reduce((a, b) => Math.max(a, b), -Infinity);
  const x = least(lefts) - margin;
  const y = least(ys) - margin;
  return { x, y, width: most(rights) + margin - x, height: most(ys) + margin - y };
}

/** A smooth way through points from top to bottom or back; a loop at a node goes around its side. */
function curve(points, isLoop, width, from, to) {
  const [[x0, y0]] = points;
  if (isLoop) return `M${x0 + width / 2} ${y0 - 6}c30 -16 30 28 3 12`;
  const [xn, yn] = points[points.length - 1];
  const by = yn > y0 ? 1 : yn < y0 ? -1 : 0;
  if (by === 0) return `M${x0} ${y0 + from}C${x0} ${y0 + 44} ${xn} ${yn + 44} ${xn} ${yn + to + 6}`;
  const all = points.map((point) => [...point]);
  const aside = by < 0 ? 10 : 0;
  all[0] = [x0 + aside, y0 + from * by];
  all[all.length - 1] = [xn + aside, yn - (to + 4) * by];
  let path = `M${all[0][0]} ${all[0][1]}`;
  for (let at = 1; at < all.length; at++) {
    const [[ax, ay], [bx, below]] = [all[at - 1], all[at]];
    const middle = (ay + below) / 2;
    path += `C${ax} ${middle} ${bx} ${middle} ${bx} ${below}`;
  }
  return path;
}

function shape(kind, width, high) {
  const [w, t] = [width / 2, high / 2];
  const round = (r) => `M${-w + r} ${-t}H${w - r}Q${w} ${-t} ${w} ${-t + r}V${t - r}Q${w} ${t} ${w - r} ${t}H${-w + r}Q${-w} ${t} ${-w} ${t - r}V${-t + r}Q${-w} ${-t} ${-w + r} ${-t}Z`;
  switch (kind) {
    case "entry": return `M${-w} ${-t}H${w}V${t - 7}L0 ${t + 4}L${-w} ${t - 7}Z`;
    case "exit": return `M${-w} ${t}H${w}V${-t + 7}L0 ${-t - 4}L${-w} ${-t + 7}Z`;
    case "both": return `M${-w} 0L${-w + 9} ${-t}H${w - 9}L${w} 0L${w - 9} ${t}H${-w + 9}Z`;
    case "call": return round(3) + `M${-w + 5} ${-t}V${t}M${w - 5} ${-t}V${t}`;
    case "component": return round(6);
    default: return round(t);
  }
}
return { Graph };
})();
const $finding = (() => {

const { badge, counted, cut, duration, h, iconButton, put } = $dom;
const { REPORT, detailOf, indexOf, lengthOf, markOf, numberOf, placeOf, titleOf } = $data;
const { Graph } = $graph;
const { Strip } = $strip;
const { TraceView } = $trace;
const { Values } = $values;

const TABS = [["trace", "Trace"], ["values", "Values"], ["graph", "Graph"], ["details", "Details"]];

class FindingView {
  constructor({ changed, back }) {
    this.changed = changed;
    this.tab = "trace";
    const go = (step) => this.go(step);
    this.traceView = new TraceView(go, (trace) => this.open(this.finding, trace, 0, this.tab));
    this.values = new Values(go);
    this.graph = new Graph(go);
    this.strip = new Strip(go);
    this.details = h("div.details", {});
    this.head = h("header.head", {});
    this.live = h("p.spoken", { "aria-live": "polite" });
    this.tabs = h("div.tabs", { role: "tablist", "aria-label": "Views" });
    for (const [name, text] of TABS) {
      const tab = h("button.tab", { type: "button", role: "tab", id: "tab-" + name, "aria-controls": "panel-" + name }, text);
      tab.addEventListener("click", () => this.show(name));
      this.tabs.append(tab);
    }
    this.tabs.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const shown = [...this.tabs.children].filter((tab) => !tab.hidden);
      const to = shown[(shown.indexOf(document.activeElement) + by + shown.length) % shown.length];
      to.focus();
      to.click();
    });
    this.player = this.makePlayer();
    const views = { trace: this.traceView.element, values: this.values.element, graph: this.graph.element, details: this.details };
    this.panels = Object.fromEntries(Object.entries(views).map(([name, view]) => [name, view]));
    for (const [name, view] of Object.entries(this.panels)) {
      view.id = "panel-" + name;
      view.setAttribute("role", "tabpanel");
      view.setAttribute("aria-labelledby", "tab-" + name);
    }
    this.none = h("div.none", {});
    this.element = h("article.finding", { "aria-label": "Result" },
      h("button.back", { type: "button", onclick: back }, "← Results"),
      this.head, this.tabs, this.player, this.none, Object.values(this.panels), this.live);
  }

  makePlayer() {
    this.slider = h("input.slider", { type: "range", min: 0, "aria-label": "Step" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.counter = h("span.counter", {});
    this.choice = h("select.traces", { "aria-label": "Trace" });
    this.choice.addEventListener("change", () => this.open(this.finding, Number(this.choice.value), 0, this.tab));
    return h("div.player", { role: "group", "aria-label": "Stepping" },
      h("div.buttons", {},
        iconButton("first", "First step (Home)", () => this.go(0)),
        iconButton("back", "Previous step (left arrow or p)", () => this.move(-1)),
        iconButton("next", "Next step (right arrow or n)", () => this.move(1)),
        iconButton("last", "Last step (End)", () => this.go(Infinity))),
      this.counter, this.slider, this.choice, this.strip.element);
  }

  open(finding, trace = 0, step = null, tab = this.tab) {
    this.finding = finding;
    this.number = Math.min(trace, Math.max(0, finding.traces.length - 1));
    this.trace = finding.traces[this.number];
    this.step = 0;
    this.drawHead();
    this.drawDetails();
    const { trace: open } = this;
    const has = { trace: true, values: open && open.variables.length, graph: open && (finding.property || open.loop || open.steps.some(({ spot }) => spot)), details: true };
    for (const button of this.tabs.children) button.hidden = !has[button.id.slice(4)];
    put(this.tabs.firstChild, open ? "Trace" : "Evidence");
    if (open) {
      this.traceView.set(finding, open);
      this.values.set(open);
      this.graph.set(open);
      this.strip.set(open);
      this.slider.max = open.steps.length - 1;
      this.choice.hidden = finding.traces.length < 2;
      put(this.choice, finding.traces.map((each, at) => h("option", { value: at },
        `Trace ${at + 1}` + (each.relied ? `, for step ${each.relied[1] + 1} of trace ${each.relied[0] + 1}: ` : ": ") + cut(each.shows, 60))));
      this.choice.value = String(this.number);
    } else put(this.none, this.noTrace());
    this.show(has[tab] ? tab : "trace", true);
    if (open) this.go(step === null ? 0 : step, true);
    else this.changed();
  }

  noTrace() {
    const { finding } = this;
    const why = detailOf(finding, "evidence_note") || detailOf(finding, "reason");
    if (finding.proof) return proof(finding.proof);
    const text = finding.verdict === "holds"
      ? "No single run shows that this property holds: it holds on all of them."
      : finding.verdict === "unreachable" ? "There is no run to show: none gets there." : "No run shows this verdict.";
    return h("p.empty", {}, text, why ? " (" + why + ")" : "");
  }

  drawHead() {
    const { finding } = this;
    const { property } = finding;
    const engine = detailOf(finding, "engine");
    const seconds = detailOf(finding, "seconds");
    const rule = REPORT.rules[finding.rule];
    const facts = [
      property && property.logic && property.logic.toUpperCase(),
      property && [property.module, property.instance].filter(Boolean).join("."),
      engine && "engine " + engine,
      seconds === undefined ? null : duration(seconds),
      property ? null : rule.id,
      rule.cwe && rule.cwe.map((cwe) => "CWE-" + cwe).join(", "),
      finding.baseline,
    ].filter(Boolean);
    const reason = detailOf(finding, "reason");
    const note = detailOf(finding, "note");
    put(this.head,
      h("div.line1", {}, badge(markOf(finding), true), property && property.name ? h("span.given", {}, property.name) : null,
        h("span.where", {}, placeOf(finding.locations[0]))),
      h("h2" + (property ? ".code" : ""), {}, titleOf(finding)),
      h("p.facts", {}, facts.join("  ·  ")),
      reason ? h("p.remark", {}, "Not decided: ", reason) : null,
      note ? h("p.remark", {}, note) : null,
      this.trace && this.trace.shows !== finding.message ? h("p.shows", {}, this.number || this.trace.loop ? h("span", {}, this.trace.loop ? "This lasso shows " : "This trace shows ") : "This trace shows ", h("span.code", {}, cut(this.trace.shows, 400))) : null,
      finding.assumptions ? h("details.assumed", {}, h("summary", {}, counted(finding.assumptions.length, "assumption", "assumptions")), h("ul", {}, finding.assumptions.map((text) => h("li", {}, text)))) : null,
      (finding.suppressions || []).map(([kind, why]) => h("p.remark", {}, "Suppressed " + (kind === "inSource" ? "in the source" : "by configuration") + (why ? ": " + why : ""))));
  }

  drawDetails() {
    const { finding } = this;
    const rule = REPORT.rules[finding.rule];
    const table = (rows) => h("table.facts-table", {}, h("tbody", {}, rows.map(([key, value]) =>
      h("tr", {}, h("th", { scope: "row" }, key.replaceAll("_", " ")), h("td", {}, worded(value))))));
    const places = finding.locations.map((at) => ["place", [placeOf(at), at.part && placeOf(at) !== at.part ? at.part : null].filter(Boolean).join("  ")]);
    put(this.details,
      h("section", {}, h("h3", {}, "This result"),
        table([["message", finding.message], ...places, ...(finding.details || []), ["fingerprint", finding.fingerprint]])),
      finding.proof && this.trace ? proof(finding.proof) : null,
      h("section", {}, h("h3", {}, "Rule ", h("span.code", {}, rule.id)), h("p", {}, rule.help),
        rule.uri ? h("p", {}, h("a", { href: safe(rule.uri), rel: "noreferrer" }, rule.uri)) : null),
      h("section", {}, h("h3", {}, "The model"),
        table([...REPORT.inputs.map((input, at) => [at ? "with" : "input", input]), ...REPORT.facts, ...REPORT.counters, ["seconds", REPORT.seconds], ["loris", REPORT.loris]])));
  }

  show(tab, silent) {
    this.tab = tab;
    for (const button of this.tabs.children) {
      const selected = button.id === "tab-" + tab;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
    const bare = !this.trace;
    for (const [name, panel] of Object.entries(this.panels)) panel.hidden = name !== tab || (bare && name !== "details");
    this.player.hidden = bare || tab === "details";
    this.none.hidden = !bare || tab === "details";
    this.draw();
    if (!silent) this.changed();
  }

  draw() {
    if (!this.trace) return;
    if (this.tab === "values") {
      this.values.step = this.step;
      this.values.draw();
    }
    if (this.tab === "graph") {
      this.graph.step = this.step;
      this.graph.draw();
    }
  }

  /** A step on or back; at the end of a trace into the one that its last step relies on, and out again. */
  move(by) {
    if (!this.trace) return;
    const { finding, trace, step } = this;
    if (by > 0 && step === trace.steps.length - 1) {
      const to = this.relied(step)[0];
      if (to !== undefined) return this.open(finding, to, 0, this.tab);
    }
    if (by < 0 && step === 0 && trace.relied) {
      return this.open(finding, trace.relied[0], indexOf(finding.traces[trace.relied[0]], trace.relied[1]), this.tab);
    }
    this.go(step + by);
  }

  /** The traces that a step of this one relies on. */
  relied(step) {
    const number = numberOf(this.trace, step);
    return this.finding.traces.flatMap(({ relied }, at) => (relied && relied[0] === this.number && relied[1] === number ? [at] : []));
  }

  go(step, silent) {
    if (!this.trace || Number.isNaN(step)) return;
    const { trace } = this;
    const to = Math.max(0, Math.min(trace.steps.length - 1, step));
    this.step = to;
    this.slider.value = String(to);
    this.slider.setAttribute("aria-valuetext", `step ${numberOf(trace, to) + 1} of ${lengthOf(trace)}`);
    put(this.counter, `${numberOf(trace, to) + 1} / ${lengthOf(trace)}`);
    this.traceView.mark(to, this.relied(to));
    this.strip.mark(to);
    this.values.mark(to);
    this.graph.mark(to);
    if (!silent) put(this.live, this.traceView.spoken(to));
    this.changed();
  }
}

function proof(evidence) {
  if (evidence.kind === "invariant") {
    return h("section.proof", {}, h("h3", {}, "Invariant"),
      h("p", {}, "These clauses hold in every reachable state, and no step leaves them. Together they show ", h("span.code", {}, cut(evidence.shows, 400)), "."),
      h("ol.clauses", {}, evidence.clauses.slice(0, 1000).map((clause) => h("li.code", {}, clause))),
      evidence.clauses.length > 1000 ? h("p.dim", {}, `and ${evidence.clauses.length - 1000} more`) : null);
  }
  return h("section.proof", {}, h("h3", {}, "Winning strategy"),
    h("p", {}, counted(evidence.total, "move wins", "moves win"), " the game of ", h("span.code", {}, cut(evidence.shows, 400)),
      evidence.moves.length < evidence.total ? `; the first ${evidence.moves.length} are listed.` : "."),
    h("div.scroller", { tabindex: "0" }, h("table.grid", {},
      h("thead", {}, h("tr", {}, ["state", "to show", "next state", "to show"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, evidence.moves.map((cells) => h("tr", {}, cells.map((cell) => h("td.code", {}, cut(cell, 120)))))))));
}

function worded(value) {
  if (value === null) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? value.toLocaleString("en") : String(value);
  if (Array.isArray(value)) return value.map(worded).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Addresses of the web only: no other scheme does anything here. */
function safe(address) {
  return /^https?:\/\//i.test(address) ? address : "#";
}
return { FindingView };
})();
const $app = (() => {

const { counted, cut, duration, h, iconButton, put } = $dom;
const { REPORT, depthOf, markOf, numberOf, placeOf, titleOf } = $data;
const { FindingView } = $finding;
const { Results } = $results;

const KEYS = [
  ["→  or  n", "next step"],
  ["←  or  p", "previous step"],
  ["Home, End", "first and last step"],
  ["]  and  [", "next and previous result"],
  ["1 … 4", "trace, values, graph, details"],
  ["/", "search"],
  ["d", "light or dark"],
  ["Esc", "back to the results"],
  ["?", "this help"],
];

REPORT.findings.forEach((finding, index) => Object.assign(finding, { index }));

const view = new FindingView({ changed: remember, back: () => open(null) });
const results = new Results((index) => open(index));
const main = h("main", { id: "main" }, view.element);
const help = h("dialog.help", { "aria-label": "Keys" },
  h("h2", {}, "Keys"),
  h("table", {}, h("tbody", {}, KEYS.map(([key, text]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, text))))),
  h("form", { method: "dialog" }, h("button.plain.close", {}, "Close")));
const paper = h("div.paper", { "aria-hidden": "true" });

function header() {
  return h("header.top", {},
    h("div.brand", {}, h("h1", {}, "Loris"), h("span.subject.code", {}, cut(REPORT.title, 160))),
    h("p.summary", {}, [counted(REPORT.findings.length, "result", "results"), duration(REPORT.seconds)].join(" in ")),
    h("div.actions", {}, iconButton("theme", "Light or dark (d)", theme), iconButton("print", "Print", () => window.print()), iconButton("help", "Keys (?)", () => help.showModal())));
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

let current = null;
let restoring = false;

function open(index, trace, step, tab) {
  current = index;
  document.body.classList.toggle("reading", index !== null);
  results.mark(index === null ? -1 : index);
  if (index !== null) view.open(REPORT.findings[index], trace, step, tab);
  else remember();
  main.hidden = index === null;
}

/** Keeps what is open in the address, so that it can be reloaded and shared. */
function remember() {
  if (restoring) return;
  const parts = current === null ? [] : ["r" + (current + 1)];
  if (current !== null && view.trace) parts.push("t" + (view.number + 1), "s" + (view.step + 1));
  if (current !== null) parts.push(view.tab);
  const hash = "#" + parts.join("/");
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

function restore() {
  const match = /^#r(\d+)(?:\/t(\d+)\/s(\d+))?(?:\/(\w+))?$/.exec(location.hash);
  const index = match ? Number(match[1]) - 1 : -1;
  restoring = true;
  if (index >= 0 && index < REPORT.findings.length) {
    open(index, match[2] ? Number(match[2]) - 1 : 0, match[3] ? Number(match[3]) - 1 : 0, match[4]);
  } else {
    const wide = matchMedia("(min-width: 60rem)").matches;
    const first = REPORT.findings.findIndex((finding) => finding.verdict === "fails" && finding.traces.length);
    open(wide && REPORT.findings.length ? Math.max(0, first) : null);
  }
  restoring = false;
  remember();
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const typing = event.target.closest("input:not([type=checkbox]):not([type=range]), select, textarea");
  if (event.key === "Escape") {
    if (typing) event.target.blur();
    else if (document.body.classList.contains("reading") && !matchMedia("(min-width: 60rem)").matches) open(null);
    return;
  }
  if (typing) return;
  const ranged = event.target.closest("input[type=range]");
  const neighbour = (by) => {
    const to = results.neighbour(by);
    if (to !== null) open(to);
  };
  const acts = {
    n: () => view.move(1),
    p: () => view.move(-1),
    "]": () => neighbour(1),
    "[": () => neighbour(-1),
    "/": () => results.search.focus(),
    "?": () => help.showModal(),
    d: theme,
  };
  if (!ranged) {
    Object.assign(acts, {
      ArrowRight: () => view.move(1),
      ArrowLeft: () => view.move(-1),
      Home: () => view.go(0),
      End: () => view.go(Infinity),
    });
  }
  ["trace", "values", "graph", "details"].forEach((name, at) => {
    acts[at + 1] = () => current !== null && !document.getElementById("tab-" + name).hidden && view.show(name);
  });
  if (!(event.key in acts)) return;
  event.preventDefault();
  acts[event.key]();
}

/** All results as a table, and the steps of the open one: for paper. */
function layOut() {
  const rows = REPORT.findings.slice(0, 2000).map((finding) => h("tr", {},
    h("td", {}, markOf(finding)), h("td.code", {}, cut(titleOf(finding), 400)), h("td", {}, placeOf(finding.locations[0]))));
  const left = REPORT.findings.length - rows.length;
  const steps = current === null || !view.trace ? null : [
    h("h2", {}, "Result " + (current + 1) + ": ", h("span.code", {}, cut(titleOf(view.finding), 400))),
    view.finding.traces.slice(0, 20).map((trace, number) => [
      h("h3", {}, `Trace ${number + 1} shows `, h("span.code", {}, cut(trace.shows, 400))),
      h("ol", {}, trace.steps.slice(0, 2000).map((step, at) => {
        const item = h("li.code", { value: numberOf(trace, at) + 1 }, cut(step.text, 300), step.labels ? "  {" + cut(step.labels.join(", "), 100) + "}" : "", step.at && step.at.line ? "  " + placeOf(step.at) : "");
        item.style.marginLeft = Math.min(depthOf(trace, at), 20) + "em";
        return item;
      })),
      trace.loop ? h("p", {}, `Steps ${trace.loop[0] + 1} to ${trace.loop[1] + 1} repeat for ever.`) : null,
    ]),
  ];
  put(paper,
    h("h1", {}, "Loris: " + cut(REPORT.title, 200)),
    h("table", {}, h("thead", {}, h("tr", {}, ["verdict", "property", "place"].map((text) => h("th", {}, text)))), h("tbody", {}, rows)),
    left > 0 ? h("p", {}, `and ${left} more results`) : null,
    steps);
}

function start() {
  const notes = REPORT.notes.length ? h("div.notes", {}, REPORT.notes.map((note) => h("p", {}, note))) : null;
  put(document.body, h("a.skip", { href: "#main" }, "Skip to the result"), header(), notes,
    h("div.columns", {}, results.element, main), help, paper);
  document.addEventListener("keydown", key);
  window.addEventListener("hashchange", restore);
  window.addEventListener("beforeprint", layOut);
  if (!REPORT.findings.length) put(main, h("p.empty", {}, "There are no results."));
  restore();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
return {  };
})();
