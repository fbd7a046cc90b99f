// A list box of rows of one height, of which only those in sight are elements.

import { h, put } from "./dom.js";

/**
 * `render(item, index)` returns the content of a row; `select(index)` is called when a row is
 * chosen by mouse or keyboard.
 */
export class List {
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
