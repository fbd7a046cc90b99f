// Chromium, headless, over its debugging protocol on a pipe: no packages are needed.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
  "--force-color-profile=srgb", "--remote-debugging-pipe",
];

/** Starts a browser with one page. */
export async function launch(binary) {
  const profile = mkdtempSync(join(tmpdir(), "loris-browser-"));
  const child = spawn(binary, [...FLAGS, "--user-data-dir=" + profile, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const waiting = new Map();
  const listeners = [];
  let number = 0;
  let rest = "";
  child.stdio[4].setEncoding("utf8");
  child.stdio[4].on("data", (chunk) => {
    const messages = (rest + chunk).split("\0");
    rest = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.id === undefined) listeners.forEach((listen) => listen(message));
      else {
        const { resolve, reject } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      }
    }
  });
  const gone = new Promise((_, reject) => child.on("exit", (code) => reject(new Error("the browser ended: " + code))));
  gone.catch(() => {});
  const call = (method, params = {}, sessionId) => {
    const id = ++number;
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return Promise.race([answer, gone]);
  };
  const { targetInfos } = await call("Target.getTargets");
  const target = targetInfos.find(({ type }) => type === "page");
  const { sessionId } = await call("Target.attachToTarget", { targetId: target.targetId, flatten: true });
  const page = new Page((method, params) => call(method, params, sessionId), listeners, sessionId);
  await page.begin();
  page.close = async () => {
    await call("Browser.close").catch(() => {});
    await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve()));
    rmSync(profile, { recursive: true, force: true });
  };
  return page;
}

const CODES = { ArrowRight: 39, ArrowLeft: 37, ArrowDown: 40, ArrowUp: 38, Home: 36, End: 35, Enter: 13, Escape: 27, Tab: 9 };

class Page {
  constructor(call, listeners, session) {
    this.call = call;
    /** Errors and refusals that the page reported. */
    this.complaints = [];
    /** Addresses that the page asked for. */
    this.requests = [];
    listeners.push(({ method, params, sessionId }) => {
      if (sessionId !== session) return;
      if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === "Log.entryAdded") this.complaints.push(params.entry.text);
      if (method === "Page.javascriptDialogOpening") this.complaints.push("dialog: " + params.message);
      if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    });
  }

  async begin() {
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.call(domain + ".enable");
  }

  async size(width, height, mobile = false) {
    await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
  }

  async scheme(value) {
    await this.call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  async media(media) {
    await this.call("Emulation.setEmulatedMedia", { media });
  }

  /** Opens a file and waits for the viewer. Returns how long that took, in milliseconds. */
  async open(path, hash = "") {
    await this.call("Page.navigate", { url: "about:blank" });
    const begun = performance.now();
    await this.call("Page.navigate", { url: "file://" + path + hash });
    await this.until("document.documentElement.dataset.ready");
    return performance.now() - begun;
  }

  /** The value of an expression in the page. */
  async get(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(expression + ": " + (exceptionDetails.exception?.description ?? exceptionDetails.text));
    return result.value;
  }

  async until(expression) {
    for (let tries = 0; tries < 400; tries++) {
      const value = await this.get(expression).catch(() => undefined);
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error("it never happens: " + expression);
  }

  async press(key) {
    const code = CODES[key] ?? key.toUpperCase().charCodeAt(0);
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.call("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode: code });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
  }

  async type(text) {
    await this.call("Input.insertText", { text });
  }

  /** Clicks the middle of an element. */
  async click(selector) {
    const place = await this.get(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "nearest" });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.call("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount: 1 });
    }
  }

  async screenshot(path) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  async pdf() {
    const { data } = await this.call("Page.printToPDF", {});
    return Buffer.from(data, "base64");
  }
}
