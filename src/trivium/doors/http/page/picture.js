// A graph -> a drawing that settles by itself: nodes can be dragged and visited, the view moved
// and zoomed. It lives as long as it is on the page, and stands still at once where motion is unwanted.

import { svg } from "/assets/element.js";
import { Layout } from "/assets/force.js";
import { counted, labelOf, pathOf } from "/assets/words.js";

const AHEAD = 70;
const LONGEST = 26;
const MANY = 120;
const MARGIN = 46;
const WIDE = 640,
  HIGH = 420;

export function picture(graph, { visit }) {
  const layout = new Layout(graph.nodes, graph.edges);
  const places = new Map(graph.nodes.map((node, at) => [node.id, at]));
  const edges = graph.edges.filter(
    (edge) => places.has(edge.source) && places.has(edge.target) && edge.source !== edge.target,
  );
  const radius = graph.nodes.map((_, at) => (at === 0 ? 10 : Math.min(8, 4.5 + Math.sqrt(layout.size[at]) * 0.6)));
  const lines = edges.map((edge) => svg("path", { class: `edge e-${edge.type}`, "marker-end": "url(#tip)" }));
  const order = importance(graph.nodes, layout.size);
  const dots = graph.nodes.map((node, at) => dot(node, at, radius[at]));
  const view = { x: -WIDE / 2, y: -HIGH / 2, w: WIDE, h: HIGH, isOwn: false };
  const drawing = svg(
    "svg",
    {
      class: edges.length > MANY ? "drawing dense" : "drawing",
      role: "img",
      "aria-label": `${counted(graph.nodes.length, "node")} around ${labelOf(graph.nodes[0])}; all are listed below`,
      viewBox: `${view.x} ${view.y} ${view.w} ${view.h}`,
    },
    svg(
      "defs",
      {},
      svg(
        "marker",
        {
          id: "tip",
          viewBox: "0 0 6 6",
          refX: "5",
          refY: "3",
          markerWidth: "5",
          markerHeight: "5",
          orient: "auto-start-reverse",
        },
        svg("path", { d: "M0 .6 5.5 3 0 5.4z", class: "tip" }),
      ),
    ),
    svg("g", {}, lines),
    svg("g", {}, dots),
  );

  function draw() {
    edges.forEach((edge, at) => {
      const a = places.get(edge.source),
        b = places.get(edge.target);
      const dx = layout.x[b] - layout.x[a],
        dy = layout.y[b] - layout.y[a];
      const far = Math.hypot(dx, dy) || 1;
      const from = (radius[a] + 1) / far,
        to = 1 - (radius[b] + 3) / far;
      lines[at].setAttribute(
        "d",
        `M${(layout.x[a] + dx * from).toFixed(1)} ${(layout.y[a] + dy * from).toFixed(1)}L${(layout.x[a] + dx * to).toFixed(1)} ${(layout.y[a] + dy * to).toFixed(1)}`,
      );
    });
    dots.forEach((one, at) =>
      one.setAttribute("transform", `translate(${layout.x[at].toFixed(1)} ${layout.y[at].toFixed(1)})`),
    );
    if (!view.isOwn) follow();
    name();
  }

  /** Name those that have room for it, the most important first. */
  function name() {
    const grown = Math.min(2.2, Math.max(0.7, view.w / WIDE));
    const taken = [];
    for (const at of order) {
      const half = (Math.min(LONGEST, labelOf(graph.nodes[at]).length) * 3.3 + 3) * grown;
      const top = layout.y[at] + (radius[at] + 3) * grown;
      const box = [layout.x[at] - half, top, layout.x[at] + half, top + 14 * grown];
      const isFree = taken.every((one) => one[2] < box[0] || one[0] > box[2] || one[3] < box[1] || one[1] > box[3]);
      dots[at].classList.toggle("named", isFree);
      if (isFree) taken.push(box);
    }
  }

  function follow() {
    const xs = Math.max(...layout.x.map(Math.abs), 90) + MARGIN + 50,
      ys = Math.max(...layout.y.map(Math.abs), 60) + MARGIN;
    const scale = Math.max((2 * xs) / WIDE, (2 * ys) / HIGH);
    look({ x: (-WIDE * scale) / 2, y: (-HIGH * scale) / 2, w: WIDE * scale, h: HIGH * scale });
  }

  function look(next) {
    Object.assign(view, next);
    drawing.setAttribute(
      "viewBox",
      `${view.x.toFixed(1)} ${view.y.toFixed(1)} ${view.w.toFixed(1)} ${view.h.toFixed(1)}`,
    );
    // Words and dots keep their size on the screen, whatever the zoom, as far as there is room.
    if (view.isOwn) name();
    drawing.style.setProperty("--grown", String(Math.min(2.2, Math.max(0.7, view.w / WIDE))));
  }

  function zoom(by, cx = view.x + view.w / 2, cy = view.y + view.h / 2) {
    const w = Math.min(6000, Math.max(120, view.w * by)),
      share = w / view.w;
    look({ x: cx - (cx - view.x) * share, y: cy - (cy - view.y) * share, w, h: view.h * share, isOwn: true });
  }

  let isRunning = false;
  function run() {
    if (isRunning) return;
    isRunning = true;
    const frame = () => {
      if (!drawing.isConnected || layout.isStill) {
        isRunning = false;
        draw();
        return;
      }
      layout.step();
      draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  function start() {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (let step = 0; step < (isStill ? 400 : AHEAD) && !layout.isStill; step += 1) layout.step();
    draw();
    if (!isStill) run();
  }

  function light(id) {
    drawing.classList.toggle("lit", id !== null);
    const near = new Set([id]);
    edges.forEach((edge, at) => {
      const isNear = edge.source === id || edge.target === id;
      lines[at].classList.toggle("near", isNear);
      if (isNear) {
        near.add(edge.source);
        near.add(edge.target);
      }
    });
    graph.nodes.forEach((node, at) => {
      dots[at].classList.toggle("near", near.has(node.id));
      dots[at].classList.toggle("it", node.id === id);
    });
  }

  const pointAt = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    return [x, y];
  };
  listen(drawing, { graph, layout, view, look, zoom, run, light, pointAt, visit });
  return {
    svg: drawing,
    start,
    light,
    zoom,
    fit: () => {
      view.isOwn = false;
      follow();
    },
  };
}

/** Which nodes to name first: the middle, then the nearest and best linked. */
function importance(nodes, size) {
  return nodes.map((_, at) => at).sort((a, b) => nodes[a].depth - nodes[b].depth || size[b] - size[a] || a - b);
}

function dot(node, at, radius) {
  const name = labelOf(node);
  const words = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
  return svg(
    "g",
    { class: `dot k-${node.kind}${at === 0 ? " middle" : ""}`, "data-at": at },
    svg("title", {}, `${name}\n${node.type}, ${pathOf(node)}:${node.source?.startLine ?? 1}`),
    svg("circle", { r: radius, style: { "--r": `${radius}px` } }),
    svg("text", { style: { "--y": `${radius + 11}px` } }, words),
  );
}

function listen(drawing, { graph, layout, view, look, zoom, run, light, pointAt, visit }) {
  let drag = null;
  const atOf = (event) => {
    const one = event.target.closest?.(".dot");
    return one ? Number(one.dataset.at) : null;
  };
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    drag = { at: atOf(event), from: pointAt(event), x: event.clientX, y: event.clientY, isMoved: false };
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!drag) {
      const at = atOf(event);
      light(at === null ? null : graph.nodes[at].id);
      return;
    }
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 4) drag.isMoved = true;
    if (!drag.isMoved) return;
    const [x, y] = pointAt(event);
    if (drag.at === null) look({ x: view.x - (x - drag.from[0]), y: view.y - (y - drag.from[1]), isOwn: true });
    else {
      layout.hold(drag.at, x, y);
      run();
    }
  });
  drawing.addEventListener("pointerup", () => {
    const done = drag;
    drag = null;
    if (done?.at === null || !done) return;
    if (done.isMoved) layout.letGo(done.at);
    else if (done.at !== 0) visit(graph.nodes[done.at].id);
  });
  drawing.addEventListener("pointercancel", () => {
    drag = null;
  });
  drawing.addEventListener("pointerleave", () => {
    if (!drag) light(null);
  });
  drawing.addEventListener(
    "wheel",
    (event) => {
      // With Ctrl, as pinching comes too; a plain wheel scrolls the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.12 : 0.9, ...pointAt(event));
    },
    { passive: false },
  );
}
