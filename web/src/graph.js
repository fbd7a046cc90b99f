// Drawings: components and their calls, the nodes of a component, and runs by themselves.

import { counted, cut, h, iconButton, put, svg, visible } from "./dom.js";
import { REPORT, loopOf, numberOf } from "./data.js";
import { layered } from "./layout.js";

const FONT = 6.9;
const RUN = "run";
/** Runs with more states are drawn around the current one. */
const MOST_STATES = 300;

export class Graph {
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
    // the drawing of calls comes just before those of its components
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
    // those on the path lie above the others
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
    // the last state of a loop is its first one again
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
    // a drawing that does not fit starts around the current node
    const edge = this.fresh && this.bounds.height > view.height ? 0.3 : 0.08;
    this.fresh = false;
    if (x < view.x + view.width * edge || x > view.x + view.width * (1 - edge)) view.x = x - view.width / 2;
    if (y < view.y + view.height * edge || y > view.y + view.height * (1 - edge)) view.y = y - view.height / 2;
    const { bounds } = this;
    // no empty space beyond the drawing, if it is larger than the view
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
  // edges upwards leave and arrive beside those that go down
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
