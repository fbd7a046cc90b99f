// One finding: what was asked, what was found, and the views of its traces.

import { badge, counted, cut, duration, h, iconButton, put } from "./dom.js";
import { REPORT, detailOf, indexOf, lengthOf, markOf, numberOf, placeOf, titleOf } from "./data.js";
import { Graph } from "./graph.js";
import { Strip } from "./strip.js";
import { TraceView } from "./trace.js";
import { Values } from "./values.js";

const TABS = [["trace", "Trace"], ["values", "Values"], ["graph", "Graph"], ["details", "Details"]];

export class FindingView {
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
