// Nodes and edges -> places, step by step. Nodes push each other away, edges pull, the middle stays
// where it is. Without chance: the same graph comes to lie the same way. At most 200 nodes, so
// that every pair can be looked at.

const PUSH = 3000;
const PULL = 0.05;
const RING = 0.16;
const FASTEST = 28;
const COOLING = 0.972;
const COLD = 0.015;
// Turned by this from one to the next, points on a disc never line up.
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

export class Layout {
  constructor(nodes, edges) {
    const index = new Map(nodes.map((node, at) => [node.id, at]));
    this.links = edges.map((edge) => [index.get(edge.source), index.get(edge.target)]).filter(([a, b]) => a !== undefined && b !== undefined && a !== b);
    this.size = nodes.map(() => 0);
    for (const [a, b] of this.links) { this.size[a] += 1; this.size[b] += 1; }
    this.x = new Float64Array(nodes.length);
    this.y = new Float64Array(nodes.length);
    this.vx = new Float64Array(nodes.length);
    this.vy = new Float64Array(nodes.length);
    // Few nodes have room for their names.
    this.reach = nodes.length < 14 ? 112 : nodes.length < 45 ? 88 : 66;
    this.held = new Set([0]);
    this.heat = 1;
    // Each step away has a ring that is long enough for its nodes.
    const counts = [1, 0, 0];
    for (const node of nodes.slice(1)) counts[Math.min(2, node.depth || 1)] += 1;
    const first = Math.max(this.reach, (counts[1] * 24) / (2 * Math.PI));
    const rings = [0, first, Math.max(first + this.reach * 0.9, (counts[2] * 15) / (2 * Math.PI))];
    this.ring = nodes.map((node, at) => (at === 0 ? 0 : rings[Math.min(2, node.depth || 1)]));
    for (let at = 1; at < nodes.length; at += 1) {
      const away = this.ring[at];
      this.x[at] = away * Math.cos(at * GOLDEN);
      this.y[at] = away * Math.sin(at * GOLDEN);
    }
  }

  get isStill() { return this.heat < COLD; }

  warm(heat = 0.5) { this.heat = Math.max(this.heat, heat); }

  hold(at, x, y) {
    this.held.add(at);
    this.x[at] = x;
    this.y[at] = y;
    this.warm(0.3);
  }

  letGo(at) { if (at !== 0) this.held.delete(at); }

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
        vx[a] += (push * dx) / far; vy[a] += (push * dy) / far;
        vx[b] -= (push * dx) / far; vy[b] -= (push * dy) / far;
      }
    }
    for (const [a, b] of this.links) {
      const dx = x[b] - x[a];
      const dy = y[b] - y[a];
      const far = Math.hypot(dx, dy) || 1;
      // A node with many edges is pulled by each of them less, else it would shake.
      const pull = (PULL * heat * (far - this.reach - 2 * Math.sqrt(this.size[a] + this.size[b]))) / far;
      const share = this.size[b] / (this.size[a] + this.size[b]);
      vx[a] += pull * dx * share; vy[a] += pull * dy * share;
      vx[b] -= pull * dx * (1 - share); vy[b] -= pull * dy * (1 - share);
    }
    for (let at = 1; at < count; at += 1) {
      const far = Math.hypot(x[at], y[at]) || 1;
      const pull = (RING * heat * (this.ring[at] - far)) / far;
      vx[at] += pull * x[at]; vy[at] += pull * y[at];
    }
    for (let at = 0; at < count; at += 1) {
      if (this.held.has(at)) { vx[at] = 0; vy[at] = 0; continue; }
      vx[at] = Math.max(-FASTEST, Math.min(FASTEST, (vx[at]) * 0.62));
      vy[at] = Math.max(-FASTEST, Math.min(FASTEST, (vy[at]) * 0.62));
      x[at] += vx[at]; y[at] += vy[at];
    }
    this.heat *= COOLING;
  }
}
