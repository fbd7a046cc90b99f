// A layered layout of directed graphs: cycles are broken, nodes get layers by longest paths, layers
// are ordered by the medians of neighbours, and coordinates are relaxed towards straight edges.
// Nothing recurses; the cost is linear in nodes and edges (long ones by their layers) per sweep.

/** `widths` of nodes, `edges` as [from, to, from, to, …]; returns x, y and the paths of edges. */
export function layered(widths, edges, start, { rowGap = 84, columnGap = 26 } = {}) {
  const count = widths.length;
  const layers = layersOf(count, edges, start);
  const { rows, chains, width } = withBends(widths, edges, layers);
  order(rows, chains);
  const x = coordinates(rows, chains, width, columnGap);
  return {
    x: x.slice(0, count),
    y: layers.map((layer) => layer * rowGap),
    paths: chains.map((chain) => chain.map((node) => [x[node], rows.layer[node] * rowGap])),
  };
}

/** Layers by longest paths, after the edges that close cycles are turned. */
function layersOf(count, edges, start) {
  const next = Array.from({ length: count }, () => []);
  for (let at = 0; at < edges.length; at += 2) {
    if (edges[at] !== edges[at + 1]) next[edges[at]].push(edges[at + 1]);
  }
  // depth first, with a stack: 0 new, 1 open, 2 done
  const state = new Uint8Array(count);
  const kept = Array.from({ length: count }, () => []);
  const incoming = new Int32Array(count);
  const roots = [...start, ...Array.from({ length: count }, (_, at) => at)];
  for (const root of roots) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] === next[top[0]].length) {
        state[top[0]] = 2;
        stack.pop();
        continue;
      }
      const to = next[top[0]][top[1]++];
      if (state[to] === 1) {
        kept[to].push(top[0]);
        incoming[top[0]]++;
      } else {
        kept[top[0]].push(to);
        incoming[to]++;
        if (!state[to]) {
          state[to] = 1;
          stack.push([to, 0]);
        }
      }
    }
  }
  const layers = new Array(count).fill(0);
  const ready = [];
  for (let at = 0; at < count; at++) if (!incoming[at]) ready.push(at);
  for (let at = 0; at < ready.length; at++) {
    for (const to of kept[ready[at]]) {
      layers[to] = Math.max(layers[to], layers[ready[at]] + 1);
      if (!--incoming[to]) ready.push(to);
    }
  }
  return layers;
}

const MOST_BENDS = 6000;

/** Long edges get bends, one in each layer they cross, as long as there are not too many. */
function withBends(widths, edges, layers) {
  const width = [...widths];
  const rows = { members: [], layer: [...layers] };
  const add = (node) => {
    const layer = rows.layer[node];
    while (rows.members.length <= layer) rows.members.push([]);
    rows.members[layer].push(node);
  };
  layers.forEach((_, node) => add(node));
  let bends = 0;
  const chains = [];
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at], edges[at + 1]];
    const by = layers[to] > layers[from] ? 1 : -1;
    const crossed = Math.abs(layers[to] - layers[from]) - 1;
    const chain = [from];
    if (crossed > 0 && (bends += crossed) <= MOST_BENDS) {
      for (let layer = layers[from] + by; layer !== layers[to]; layer += by) {
        const bend = width.length;
        width.push(2);
        rows.layer.push(layer);
        add(bend);
        chain.push(bend);
      }
    }
    chain.push(to);
    chains.push(chain);
  }
  return { rows, chains, width };
}

function neighbours(rows, chains) {
  const up = rows.layer.map(() => []);
  const down = rows.layer.map(() => []);
  for (const chain of chains) {
    for (let at = 1; at < chain.length; at++) {
      const [a, b] = [chain[at - 1], chain[at]];
      const by = rows.layer[b] - rows.layer[a];
      if (by > 0) down[a].push(b), up[b].push(a);
      else if (by < 0) up[a].push(b), down[b].push(a);
    }
  }
  return { up, down };
}

function order(rows, chains) {
  const { up, down } = neighbours(rows, chains);
  const place = new Float64Array(rows.layer.length);
  const renumber = (members) => members.forEach((node, at) => (place[node] = at / Math.max(1, members.length)));
  rows.members.forEach(renumber);
  const median = (list) => {
    const places = list.map((node) => place[node]).sort((a, b) => a - b);
    const middle = places.length >> 1;
    return places.length % 2 ? places[middle] : (places[middle - 1] + places[middle]) / 2;
  };
  const sweeps = rows.layer.length > 4000 ? 4 : 10;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const downwards = sweep % 2 === 0;
    const sides = downwards ? up : down;
    const layers = downwards ? rows.members : [...rows.members].reverse();
    for (const members of layers) {
      const keys = new Map(members.map((node) => [node, sides[node].length ? median(sides[node]) : place[node]]));
      members.sort((a, b) => keys.get(a) - keys.get(b));
      renumber(members);
    }
  }
}

function coordinates(rows, chains, width, gap) {
  const { up, down } = neighbours(rows, chains);
  const x = new Array(rows.layer.length).fill(0);
  for (const members of rows.members) {
    let left = 0;
    for (const node of members) {
      x[node] = left + width[node] / 2;
      left += width[node] + gap;
    }
    for (const node of members) x[node] -= (left - gap) / 2;
  }
  const apart = (a, b) => (width[a] + width[b]) / 2 + gap;
  for (let sweep = 0; sweep < 12; sweep++) {
    const downwards = sweep % 2 === 0;
    const layers = downwards ? rows.members : [...rows.members].reverse();
    for (const members of layers) {
      const wanted = members.map((node) => {
        const side = (downwards ? up : down)[node];
        if (!side.length) return x[node];
        let sum = 0;
        for (const other of side) sum += x[other];
        return sum / side.length;
      });
      // pushed right from the left and left from the right; the middle of both keeps all apart
      const fromLeft = [];
      members.forEach((node, at) => {
        fromLeft[at] = at ? Math.max(wanted[at], fromLeft[at - 1] + apart(members[at - 1], node)) : wanted[at];
      });
      const fromRight = [];
      for (let at = members.length - 1; at >= 0; at--) {
        const next = at + 1 < members.length;
        fromRight[at] = next ? Math.min(wanted[at], fromRight[at + 1] - apart(members[at], members[at + 1])) : wanted[at];
      }
      members.forEach((node, at) => (x[node] = (fromLeft[at] + fromRight[at]) / 2));
    }
  }
  return x;
}
