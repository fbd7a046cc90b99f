// The page: results on one side, the open one on the other.

import { counted, cut, duration, h, iconButton, put } from "./dom.js";
import { REPORT, depthOf, markOf, numberOf, placeOf, titleOf } from "./data.js";
import { FindingView } from "./finding.js";
import { Results } from "./results.js";

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
