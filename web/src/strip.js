// A run at a glance: depth of calls over time, with the loop of a lasso as a bow beneath.

import { svg, put, h } from "./dom.js";
import { depthOf, loopOf } from "./data.js";

const WIDTH = 1000;
const TOP = 8;
const ROW = 9;

export class Strip {
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
    // of a long trace, a point per pixel is enough
    const every = Math.max(1, Math.ceil(count / WIDTH));
    let deepest = 0;
    for (let at = 0; at < count; at++) deepest = Math.max(deepest, depthOf(trace, at));
    // a flat run has nothing to show that the slider does not
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
