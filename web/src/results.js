// The list of findings with filters, order and search.

import { badge, counted, cut, duration, h, put } from "./dom.js";
import { REPORT, detailOf, haystackOf, lengthOf, markOf, placeOf, titleOf } from "./data.js";
import { List } from "./list.js";

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

export class Results {
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
