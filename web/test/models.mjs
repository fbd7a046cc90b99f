// Models that the tests of the viewer make: a small program with its source, large components,
// names that try to be markup.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const place = (file, line, column) => ({ file, line, ...(column ? { column } : {}) });
const end = (name) => ({ type: "node", name });
const port = (box, node) => ({ type: "box_node", box_name: box, node_name: node });

const COPY = `package demo;

import java.io.*;

/** Copies files, and forgets to close one of them. */
final class Copy {
    private final File from;
    private final File to;

    Copy(File from, File to) {
        this.from = from;
        this.to = to;
    }

    void run() throws IOException {
        InputStream in = new FileInputStream(from);
        if (in.available() == 0) {
            return;
        }
        OutputStream out = new FileOutputStream(to);
        transfer(in, out);
        out.close();
        in.close();
    }

    private static void transfer(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[8192];
        int count;
        while ((count = in.read(buffer)) > 0) {
            out.write(buffer, 0, count);
        }
    }
}
`;

/** A program that forgets to close a stream, with the places of its nodes. */
export function program(folder) {
  const file = "Copy.java";
  writeFileSync(join(folder, file), COPY);
  const node = (name, line, labels = [], more = {}) => ({ name, labels, is_entry: false, is_exit: false, source: place(file, line), ...more });
  const run = {
    name: "Copy.run",
    nodes: [
      node("enter", 15, [], { is_entry: true }),
      node("open in", 16, ["open_in"]),
      node("empty?", 17),
      node("return early", 18),
      node("open out", 20, ["open_out"]),
      node("close out", 22, ["close_out"]),
      node("close in", 23, ["close_in"]),
      node("leave", 24, ["leave"], { is_exit: true }),
    ],
    boxes: [{ name: "transfer(in, out)", component: "Copy.transfer", source: place(file, 21, 9) }],
    transitions: [
      { source: end("enter"), targets: [end("open in")] },
      { source: end("open in"), targets: [end("empty?")] },
      { source: end("empty?"), targets: [end("return early"), end("open out")] },
      { source: end("return early"), targets: [end("leave")] },
      { source: end("open out"), targets: [port("transfer(in, out)", "enter")] },
      { source: port("transfer(in, out)", "leave"), targets: [end("close out")] },
      { source: end("close out"), targets: [end("close in")] },
      { source: end("close in"), targets: [end("leave")] },
    ],
  };
  const transfer = {
    name: "Copy.transfer",
    nodes: [
      node("enter", 26, [], { is_entry: true }),
      node("allocate", 27),
      node("read", 29, ["read"]),
      node("write", 30, ["write"]),
      node("leave", 32, [], { is_exit: true }),
    ],
    boxes: [],
    transitions: [
      { source: end("enter"), targets: [end("allocate")] },
      { source: end("allocate"), targets: [end("read")] },
      { source: end("read"), targets: [end("write"), end("leave")] },
      { source: end("write"), targets: [end("read")] },
    ],
  };
  writeFileSync(join(folder, "copy.rsm"), JSON.stringify({ initial_component: "Copy.run", components: [run, transfer] }));
  writeFileSync(join(folder, "copy.ctl"), [
    "# a stream that was opened is closed before the method is left",
    "A G (open_in -> A [!leave W close_in])",
    "A G (open_out -> A [!leave W close_out])",
    "E F (write & E F leave)",
    "A G (read -> A F close_out)",
    "E G !leave",
  ].join("\n"));
}

/** A component with this many nodes, from which a run goes straight down; others branch off. */
export function large(folder, count) {
  const nodes = [];
  const transitions = [];
  // a fixed sequence, so that all runs of the test draw the same
  let state = 12345;
  const random = (most) => (state = (state * 1103515245 + 12345) % 2147483648) % most;
  for (let at = 0; at < count; at++) {
    nodes.push({ name: "n" + at, labels: at === count - 1 ? ["goal"] : [], is_entry: at === 0, is_exit: at === count - 1 });
    const targets = at + 1 < count ? [end("n" + Math.min(count - 1, at + 1 + random(25)))] : [];
    if (at + 2 < count && random(3) === 0) targets.push(end("n" + (at + 1 + random(Math.min(60, count - at - 1)))));
    if (at > 30 && at + 1 < count && random(12) === 0) targets.push(end("n" + (at - random(30))));
    const unique = [...new Map(targets.map((target) => [target.name, target])).values()];
    if (unique.length) transitions.push({ source: end("n" + at), targets: unique });
  }
  const file = `large${count}.rsm`;
  writeFileSync(join(folder, file), JSON.stringify({ initial_component: "large", components: [{ name: "large", nodes, boxes: [], transitions }] }));
  return file;
}

export const SCRIPT = "</script><script>document.title='run'</script>";
export const IMAGE = "<img src=x onerror=\"document.title='run'\">";
export const TURNED = "a\u202etxt.exe\u202c\u0007\u200b";

/** A machine whose names try to be markup, to turn text around, and to hide. */
export function hostile(folder) {
  const component = {
    name: SCRIPT,
    nodes: [
      { name: IMAGE, labels: [TURNED], is_entry: true, is_exit: false, source: place(IMAGE + ".java", 1) },
      { name: TURNED, labels: ["${alert(1)}", "javascript:alert(1)"], is_entry: false, is_exit: true },
    ],
    boxes: [],
    transitions: [{ source: end(IMAGE), targets: [end(TURNED)] }],
  };
  const file = "hostile <b>.rsm";
  writeFileSync(join(folder, file), JSON.stringify({ initial_component: SCRIPT, components: [component] }));
  return file;
}
