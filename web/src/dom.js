// Elements and text. All text goes through textContent; no markup is ever parsed.

/** Characters that control a display, change its direction or cannot be seen. */
const HIDDEN = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb" +
    "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "gu",
);

/** Text in which every character can be seen. */
export function visible(text) {
  return String(text).replace(HIDDEN, (c) => {
    const code = c.codePointAt(0);
    return "\\u{" + code.toString(16) + "}";
  });
}

/**
 * An element: `h("button.primary", { onclick, "aria-label": "…" }, "text", child)`. Children that
 * are null or false are left out; strings become visible text.
 */
export function h(name, properties, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  return fill(element, properties, children);
}

/** The same for drawings. */
export function svg(name, properties, ...children) {
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
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return element;
}

/** Replaces all children. */
export function put(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

export function counted(number, one, many) {
  return number.toLocaleString("en") + " " + (number === 1 ? one : many);
}

/** A duration, as precise as it is worth reading. */
export function duration(seconds) {
  if (seconds < 0.001) return Math.round(seconds * 1e6) + " µs";
  if (seconds < 1) return (seconds * 1000).toPrecision(3).replace(/\.?0+$/, "") + " ms";
  return seconds.toFixed(seconds < 10 ? 2 : 1) + " s";
}

/** Text cut to a length. */
export function cut(text, most) {
  const shown = visible(text);
  return shown.length > most ? shown.slice(0, most - 1) + "…" : shown;
}

export const SIGNS = { fails: "✕", error: "✕", warning: "!", note: "i", holds: "✓", unknown: "?", reachable: "→", unreachable: "∅" };

/** A verdict as a sign with its word. */
export function badge(verdict, withWord) {
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
export function iconButton(name, label, act) {
  const picture = svg("svg.picture" + (FILLED.has(name) ? ".filled" : ""), { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
  return h("button.icon", { type: "button", "aria-label": label, title: label, onclick: act }, picture);
}
