// Clicks through reports in a real browser: node web/test/viewer.mjs LORIS CHROMIUM [SCREENSHOTS]
//
// Fails with the first expectation that is not met. With a third argument, screenshots of each view
// go into that folder. Times are printed; limits on them hold only with STRICT=1 in the
// environment, on a machine that does nothing else.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch } from "./chromium.mjs";
import { IMAGE, SCRIPT, hostile, large, program } from "./models.mjs";

const [loris, chromium, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const folder = mkdtempSync(join(tmpdir(), "loris-viewer-"));
const examples = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../../examples");
if (screenshots) mkdirSync(screenshots, { recursive: true });

/** An example, by a name that is relative to the working folder, as it is in screenshots. */
function example(name) {
  cpSync(join(examples, name), join(folder, name));
  return name;
}

/** The page of a call, and the JSON that the same call prints. */
function report(name, ...call) {
  const page = join(folder, name + ".html");
  const result = spawnSync(loris, [...call, "--format", "json", "--report", page], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 30 });
  assert.ok([0, 1, 3].includes(result.status), result.stderr);
  return { page, stated: JSON.parse(result.stdout) };
}

const page = await launch(chromium);
const shot = async (name) => screenshots && page.screenshot(join(screenshots, name + ".png"));
const text = (selector) => page.get(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? null`);
const texts = (selector) => page.get(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => element.innerText ?? element.textContent)`);
const strict = (is, words) => (process.env.STRICT ? assert.ok(is, words) : is || console.log("slow: " + words));
const wide = () => page.size(1280, 800);

const tests = {
  async "the trace beside its source"() {
    program(folder);
    const { page: file, stated } = report("copy", "check", "copy.rsm", "-f", "copy.ctl", "--evidence");
    await wide();
    await page.scheme("light");
    await page.open(file);
    assert.deepEqual(await texts(".chip .number"), [String(stated.summary.fails), String(stated.summary.holds)]);
    assert.deepEqual(await texts("#results .title"), stated.results.map(({ property }) => property));
    assert.equal(await text(".head h2"), stated.results[0].property);
    // the states of the first trace, and of the one that its last state relies on
    const traces = [stated.results[0].evidence, stated.results[0].evidence.because[0].evidence];
    for (const [number, { states }] of traces.entries()) {
      assert.deepEqual(await texts("#steps .what"), states.map(({ node }) => node));
      for (let step = 0; step < states.length; step++) {
        assert.equal(await text(".counter"), `${step + 1} / ${states.length}`);
        assert.equal(await text(".lines .current .gutter"), String(states[step].source.line));
        assert.equal(await page.get("location.hash"), `#r1/t${number + 1}/s${step + 1}/trace`);
        if (step + number < states.length) await page.press(step % 2 ? "n" : "ArrowRight");
      }
    }
    await shot("report-trace");
    await page.press("Home");
    assert.match(await text(".counter"), /^1 /);
    await page.click("#steps-2");
    assert.match(await text(".counter"), /^3 /);
    assert.match(await page.get("document.querySelector('.spoken').textContent"), /^Step 3 of/);
    await page.click(".lines .visited");
    assert.match(await text(".counter"), /^1 /);
    await page.press("p");
    assert.match(await page.get("location.hash"), /^#r1\/t1\//);
    await page.press("]");
    await page.press("]");
    assert.equal(await text(".head h2"), stated.results[2].property);
    // a call: the stack has two entries
    const nested = stated.results[2].evidence.states.findIndex(({ stack }) => stack.length);
    for (let step = 0; step < nested; step++) await page.press("n");
    assert.deepEqual(await texts(".stack .code"), ["Copy.run", "Copy.transfer"]);
  },

  async "a graph with the path lit up"() {
    await page.open(join(folder, "copy.html"), "#r3/t1/s5/graph");
    assert.ok((await page.get("document.querySelectorAll('.stage .node.taken').length")) > 3);
    assert.equal(await page.get("document.querySelectorAll('.stage .here').length"), 1);
    await shot("report-graph");
    const before = await page.get("document.querySelector('.drawing').getAttribute('viewBox')");
    await page.click(".graph .toolbar button[aria-label='Zoom in']");
    assert.notEqual(await page.get("document.querySelector('.drawing').getAttribute('viewBox')"), before);
    await page.get(`(() => { const choice = document.querySelector(".graph select");
      choice.value = choice.options[1].value; choice.dispatchEvent(new Event("change")); })()`);
    assert.deepEqual((await texts(".stage .node .name")).sort(), ["Copy.run", "Copy.transfer"]);
    assert.equal(await page.get("document.querySelectorAll('.stage .edge.taken').length"), 1);
  },

  async "values as waves and as a table"() {
    const { page: file, stated } = report("mutex", "check", example("smv/mutex.smv"), "--evidence");
    const at = stated.results.findIndex(({ evidence }) => evidence?.states.length > 5);
    await page.open(file, `#r${at + 1}/t1/s4/values`);
    const { states } = stated.results[at].evidence;
    assert.deepEqual(await texts(".waves .name"), Object.keys(states[0].values));
    await shot("report-values");
    await page.click(".segment:last-child");
    const cells = await texts(".grid tbody tr:first-child td");
    assert.deepEqual(cells, states.map(({ values }) => Object.values(values)[0]));
    assert.equal(await text(".grid thead .at"), "4");
  },

  async "a lasso as a lasso"() {
    const { page: file, stated } = report("lasso", "check", example("smv/abp.smv"), "--evidence");
    const at = stated.results.findIndex(({ evidence }) => evidence?.loop && evidence.loop.to - evidence.loop.from > 2);
    const { from, to } = stated.results[at].evidence.loop;
    await page.scheme("dark");
    await page.open(file, `#r${at + 1}/t1/s${from + 1}/graph`);
    await page.get(`(() => { const choice = document.querySelector(".graph select");
      choice.value = "run"; choice.dispatchEvent(new Event("change")); })()`);
    // the last state of the loop is the first one again, and is drawn once
    assert.equal(await page.get("document.querySelectorAll('.stage .node.dot').length"), stated.results[at].evidence.states.length - 1);
    assert.match(await page.get("document.querySelector('.strip svg').getAttribute('aria-label')"), new RegExp(`steps ${from + 1} to ${to + 1} repeat`));
    assert.ok(await page.get("getComputedStyle(document.body).backgroundColor === 'rgb(23, 24, 26)'"));
    await shot("report-lasso-dark");
    await page.press("d");
    assert.ok(await page.get("getComputedStyle(document.body).backgroundColor === 'rgb(251, 250, 248)'"));
    await page.scheme("light");
  },

  async "phone width"() {
    await page.size(390, 844, true);
    await page.open(join(folder, "copy.html"));
    assert.equal(await page.get("document.querySelector('main').hidden"), true);
    await shot("report-phone-list");
    await page.click("#results-0");
    assert.equal(await page.get("getComputedStyle(document.querySelector('section.results')).display"), "none");
    assert.ok(await page.get("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out");
    await page.click(".buttons button:nth-child(3)");
    await shot("report-phone");
    await page.click(".back");
    assert.equal(await page.get("document.querySelector('main').hidden"), true);
    await wide();
  },

  async "ten thousand results, filtered, sorted and searched"() {
    const lines = Array.from({ length: 10000 }, (_, at) => `${at % 3 ? "A G" : "E F"} (white ${"| gray ".repeat(at % 4)}-> E F (black | x${at}))`);
    writeFileSync(join(folder, "many.ctl"), lines.join("\n"));
    const { page: file, stated } = report("many", "check", example("fig3.rsm"), "-f", "many.ctl", "--unknown-atoms", "false");
    const took = await page.open(file);
    console.log(`  opened in ${took.toFixed(0)} ms, ${readFileSync(file).length} bytes`);
    strict(took < 2000, `10 000 results open in ${took.toFixed(0)} ms`);
    assert.equal(await text(".count"), "10,000 results");
    assert.ok((await page.get("document.querySelectorAll('#results .row').length")) < 60);
    await page.press("/");
    await page.type("x777");
    const matching = stated.results.filter(({ property }) => property.includes("x777"));
    assert.equal(await text(".count"), `${matching.length} of 10,000 results`);
    assert.deepEqual(await texts("#results .title"), matching.map(({ property }) => property));
    await shot("report-many");
    await page.get(`(() => { const search = document.querySelector(".search"); search.value = ""; search.dispatchEvent(new Event("input")); })()`);
    const hidden = await page.get("(document.querySelector('.chip').click(), document.querySelector('.chip').className.split(' ').pop())");
    const left = stated.results.filter(({ verdict }) => verdict !== hidden).length;
    assert.equal(await text(".count"), `${left.toLocaleString("en")} of 10,000 results`);
    await page.get("document.querySelector('.chip').click()");
    await page.get(`(() => { const order = document.querySelector(".selects select"); order.value = "property"; order.dispatchEvent(new Event("change")); })()`);
    const sorted = stated.results.map(({ property }) => property).sort();
    assert.deepEqual((await texts("#results .title")).slice(0, 5), sorted.slice(0, 5));
    await page.get("document.querySelector('#results').focus()");
    await page.press("End");
    assert.equal(await text(".head h2"), sorted[9999]);
  },

  async "large components are laid out fast, larger ones are folded"() {
    const { page: whole } = report("whole", "reach", large(folder, 1000), "--to", "goal");
    await page.open(whole, "#r1/t1/s1/graph");
    assert.equal(await page.get("document.querySelectorAll('.stage .node').length"), 1000);
    const took = Number(await page.get("document.querySelector('.stage').dataset.milliseconds"));
    console.log(`  1000 nodes laid out in ${took} ms`);
    strict(took < 1000, `1000 nodes are laid out in ${took} ms`);
    await shot("report-large");
    const { page: folded, stated } = report("folded", "reach", large(folder, 5000), "--to", "goal");
    await page.open(folded, "#r1/t1/s1/graph");
    const shown = await page.get("document.querySelectorAll('.stage .node').length");
    assert.ok(shown <= 1000, String(shown));
    assert.match(await text(".graph .remark"), /folded away/);
    const drawn = await texts(".stage .node.taken .name");
    for (const { node } of stated.evidence.states) assert.ok(drawn.includes(node), node + " is on the path");
  },

  async "hostile names are shown, never run"() {
    const { page: file } = report("hostile", "check", hostile(folder), "-p", "A X false", "--evidence");
    for (const tab of ["trace", "graph", "details"]) {
      await page.open(file, "#r1/t1/s1/" + tab);
      const all = await page.get("document.body.innerText");
      assert.notEqual(await page.get("document.title"), "run");
      assert.equal(await page.get("document.querySelectorAll('img, body script:not([type])').length"), 0);
      assert.doesNotMatch(all, /[\u202a-\u202e\u2066-\u2069\u200b\u0007]/);
      if (tab === "trace") {
        assert.ok(all.includes(IMAGE) && all.includes(SCRIPT), all);
        assert.ok(all.includes("a\\u{202e}txt.exe\\u{202c}\\u{7}\\u{200b}"), all);
        await shot("report-hostile");
      }
    }
  },

  async "printing lists all results and the trace"() {
    await page.open(join(folder, "copy.html"), "#r1/t1/s1/trace");
    const pdf = await page.pdf();
    assert.ok(pdf.length > 5000);
    await page.media("print");
    assert.equal(await page.get("getComputedStyle(document.querySelector('.columns')).display"), "none");
    assert.equal(await page.get("document.querySelectorAll('.paper tbody tr').length"), 5);
    assert.ok((await page.get("document.querySelectorAll('.paper li').length")) > 3);
    await page.media("");
  },

  async "keyboard and screen reader"() {
    await page.open(join(folder, "copy.html"));
    // every control has a name, and the list says which row is active
    const unnamed = await page.get(`[...document.querySelectorAll("button, select, input, [role=listbox], [tabindex='0']")]
      .filter((element) => !(element.getAttribute("aria-label") || element.innerText || element.labels?.length || element.title)).map((element) => element.outerHTML)`);
    assert.deepEqual(unnamed, []);
    await page.get("document.querySelector('#results').focus()");
    await page.press("ArrowDown");
    assert.equal(await page.get("document.querySelector('#results').getAttribute('aria-activedescendant')"), "results-1");
    assert.equal(await page.get("document.getElementById('results-1').getAttribute('aria-selected')"), "true");
    await page.press("3");
    await page.press("1");
    assert.equal(await page.get("document.querySelector('.tab[aria-selected=true]').id"), "tab-trace");
    await page.press("?");
    assert.equal(await page.get("document.querySelector('dialog').open"), true);
    await page.press("Escape");
    // contrast of text on its background, by the formula of WCAG 2
    for (const scheme of ["light", "dark"]) {
      await page.scheme(scheme);
      // colours change gently
      await new Promise((resolve) => setTimeout(resolve, 400));
      const poor = await page.get(`(${contrast})()`);
      assert.deepEqual(poor, [], scheme);
    }
    await page.scheme("light");
  },
};

/** Runs in the page: all text whose contrast is below 4.5. */
function contrast() {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *:not(script):not(svg *)")) {
    if (!element.checkVisibility() || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${element.className} ${element.innerText.slice(0, 30)}`);
  }
  return poor;
}

let failed = false;
try {
  for (const [name, test] of Object.entries(tests)) {
    page.complaints.length = page.requests.length = 0;
    await test();
    assert.deepEqual(page.complaints, [], "the page complains");
    const foreign = page.requests.filter((address) => !/^(file:|about:|data:)/.test(address));
    assert.deepEqual(foreign, [], "the page asks for nothing");
    console.log("ok: " + name);
  }
} catch (error) {
  failed = true;
  console.error(error);
} finally {
  await page.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
