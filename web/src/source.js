// The text beside a trace: a source file, or the component of the model as a listing.

import { cut, h, put, visible } from "./dom.js";
import { REPORT, fileOf } from "./data.js";

const sources = new Map(REPORT.sources.map((source) => [source.path, source]));
const AROUND = 400;

export class Source {
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
