// Nodes and edges -> places, step by step. Nodes push each other away, edges pull, the middle stays
// where it is. Without chance: the same graph comes to lie the same way. At most 200 nodes, so
// that every pair can be looked at.

const REACH = 62;
const PUSH = 2600;
const PULL = 0.09;
const HOME = 0.012;
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
    this.held = new Set([0]);
    this.heat = 1;
    for (let at = 1; at < nodes.length; at += 1) {
      const away = REACH * (nodes[at].depth || 1) + 5 * Math.sqrt(at);
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
        const square = Math.max(60, dx * dx + dy * dy);
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
      const pull = (PULL * heat * (far - REACH - 2 * Math.sqrt(this.size[a] + this.size[b]))) / far;
      const share = this.size[b] / (this.size[a] + this.size[b]);
      vx[a] += pull * dx * share; vy[a] += pull * dy * share;
      vx[b] -= pull * dx * (1 - share); vy[b] -= pull * dy * (1 - share);
    }
    for (let at = 0; at < count; at += 1) {
      if (this.held.has(at)) { vx[at] = 0; vy[at] = 0; continue; }
      vx[at] = Math.max(-FASTEST, Math.min(FASTEST, (vx[at] - x[at] * HOME * heat) * 0.62));
      vy[at] = Math.max(-FASTEST, Math.min(FASTEST, (vy[at] - y[at] * HOME * heat) * 0.62));
      x[at] += vx[at]; y[at] += vy[at];
    }
    this.heat *= COOLING;
  }
}
