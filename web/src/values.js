// Values over time: waves and a table.

import { cut, h, put, svg } from "./dom.js";
import { columnsOf, loopOf, numberOf } from "./data.js";

const HIGH = 26;
const MOST_ROWS = 120;
const MOST_STEPS = 240;
const BITS = new Set(["0", "1", "TRUE", "FALSE"]);

export class Values {
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
