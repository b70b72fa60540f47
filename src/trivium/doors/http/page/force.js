// Nodes and edges -> places, step by step. They begin on rings around the middle; then they push each
// other away, edges pull, and rings hold. Without chance: the same graph comes to lie the same way. At most 200 nodes, so
// that every pair can be looked at.

const PUSH = 1500;
const PULL = 0.012;
const RING = 0.2;
const FASTEST = 28;
const COOLING = 0.972;
const COLD = 0.015;

export class Layout {
  constructor(nodes, edges) {
    const index = new Map(nodes.map((node, at) => [node.id, at]));
    this.links = edges
      .map((edge) => [index.get(edge.source), index.get(edge.target)])
      .filter(([a, b]) => a !== undefined && b !== undefined && a !== b);
    this.size = nodes.map(() => 0);
    for (const [a, b] of this.links) {
      this.size[a] += 1;
      this.size[b] += 1;
    }
    this.x = new Float64Array(nodes.length);
    this.y = new Float64Array(nodes.length);
    this.vx = new Float64Array(nodes.length);
    this.vy = new Float64Array(nodes.length);
    // Few nodes have room for their names.
    this.reach = nodes.length < 14 ? 112 : nodes.length < 45 ? 88 : 66;
    this.held = new Set([0]);
    this.heat = 1;
    this.ring = new Float64Array(nodes.length);
    this.#place(nodes);
  }

  /** Lay the nodes on rings, each with a share of the circle as large as what hangs on it. */
  #place(nodes) {
    const hangs = new Map();
    for (const [a, b] of this.links) {
      for (const [near, far] of [
        [a, b],
        [b, a],
      ]) {
        if (nodes[near].depth === 1 && nodes[far].depth === 2 && !hangs.has(far)) hangs.set(far, near);
      }
    }
    const first = [],
      others = new Map();
    for (let at = 1; at < nodes.length; at += 1) {
      if (hangs.has(at)) others.set(hangs.get(at), [...(others.get(hangs.get(at)) ?? []), at]);
      else first.push(at);
    }
    const least = Math.max(this.reach, (first.length * 26) / (2 * Math.PI));
    const far = Math.max(least + this.reach, (hangs.size * 15) / (2 * Math.PI));
    const near = hangs.size ? Math.max(least, far * 0.5) : least;
    const weight = (at) => 1.5 + (others.get(at)?.length ?? 0);
    const whole = first.reduce((sum, at) => sum + weight(at), 0);
    let turned = 0.4;
    for (const at of first) {
      const share = (2 * Math.PI * weight(at)) / whole;
      this.#put(at, near, turned + share / 2);
      const outer = others.get(at) ?? [];
      outer.forEach((one, number) =>
        this.#put(one, far + (number % 3) * 26, turned + (share * (number + 0.5)) / outer.length),
      );
      turned += share;
    }
  }

  #put(at, away, angle) {
    this.ring[at] = away;
    this.x[at] = away * Math.cos(angle) * 1.25;
    this.y[at] = away * Math.sin(angle);
  }

  get isStill() {
    return this.heat < COLD;
  }

  warm(heat = 0.5) {
    this.heat = Math.max(this.heat, heat);
  }

  hold(at, x, y) {
    this.held.add(at);
    this.x[at] = x;
    this.y[at] = y;
    this.warm(0.3);
  }

  letGo(at) {
    if (at !== 0) this.held.delete(at);
  }

  step() {
    const { x, y, vx, vy, heat } = this;
    const count = x.length;
    for (let a = 0; a < count; a += 1) {
      for (let b = a + 1; b < count; b += 1) {
        const dx = x[a] - x[b] || 0.01 * (a - b);
        const dy = y[a] - y[b];
        // Names are wide: what lies beside is nearer than what lies above.
        const square = Math.max(60, 0.55 * dx * dx + dy * dy);
        const push = (PUSH * heat) / square;
        const far = Math.sqrt(square);
        vx[a] += (push * dx) / far;
        vy[a] += (push * dy) / far;
        vx[b] -= (push * dx) / far;
        vy[b] -= (push * dy) / far;
      }
    }
    for (const [a, b] of this.links) {
      const dx = x[b] - x[a];
      const dy = y[b] - y[a];
      const far = Math.hypot(dx, dy) || 1;
      // A node with many edges is pulled by each of them less, else it would shake.
      const pull = (PULL * heat * (far - this.reach - 2 * Math.sqrt(this.size[a] + this.size[b]))) / far;
      const share = this.size[b] / (this.size[a] + this.size[b]);
      vx[a] += pull * dx * share;
      vy[a] += pull * dy * share;
      vx[b] -= pull * dx * (1 - share);
      vy[b] -= pull * dy * (1 - share);
    }
    for (let at = 1; at < count; at += 1) {
      const far = Math.hypot(x[at] / 1.25, y[at]) || 1;
      const pull = (RING * heat * (this.ring[at] - far)) / far;
      vx[at] += pull * x[at];
      vy[at] += pull * y[at];
    }
    for (let at = 0; at < count; at += 1) {
      if (this.held.has(at)) {
        vx[at] = 0;
        vy[at] = 0;
        continue;
      }
      vx[at] = Math.max(-FASTEST, Math.min(FASTEST, vx[at] * 0.62));
      vy[at] = Math.max(-FASTEST, Math.min(FASTEST, vy[at] * 0.62));
      x[at] += vx[at];
      y[at] += vy[at];
    }
    this.heat *= COOLING;
  }
}
