// A trace, step by step, beside the text it runs through.

import { cut, h, put } from "./dom.js";
import { columnsOf, componentOf, depthOf, lengthOf, loopOf, numberOf, placeOf, stackOf } from "./data.js";
import { List } from "./list.js";
import { Source } from "./source.js";

const CHANGES = 60;

export class TraceView {
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
      // the next visit of this line, or the first one again
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
