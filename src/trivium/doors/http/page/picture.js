// A graph -> a drawing that settles by itself: nodes can be dragged and visited, the view moved
// and zoomed. It lives as long as it is on the page, and stands still at once where motion is unwanted.

import { svg } from "/assets/element.js";
import { Layout } from "/assets/force.js";
import { counted, labelOf, pathOf } from "/assets/words.js";

const AHEAD = 70;
const MANY = 120;
// So much of the screen a dot takes at its full size, in square pixels.
const ROOM = 2200;
// On the screen: as wide as the letters of a name are, and as high; what is kept free around all.
const LETTER = 6.6,
  LINE = 14,
  MARGIN = 24;
const WIDE = 640,
  HIGH = 420;

export function picture(graph, { visit }) {
  const layout = new Layout(graph.nodes, graph.edges);
  const places = new Map(graph.nodes.map((node, at) => [node.id, at]));
  const { edges } = graph;
  const full = graph.nodes.map((_, at) => (at === 0 ? 10 : Math.min(8, 4.5 + Math.sqrt(layout.size[at]) * 0.6)));
  let radius = full;
  const names = graph.nodes.map(labelOf);
  const lines = edges.map((edge) => svg("path", { class: `edge e-${edge.type}`, "marker-end": "url(#tip)" }));
  const order = importance(graph.nodes, layout.size);
  const dots = graph.nodes.map((node, at) => dot(node, at));
  const view = { x: -WIDE / 2, y: -HIGH / 2, w: WIDE, h: HIGH, isOwn: false };
  const screen = { wide: WIDE, high: HIGH };
  // Names and dots keep their size on the screen, whatever the zoom: so much of the drawing is a pixel.
  const pixel = () => view.w / screen.wide;
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
    if (!view.isOwn) follow();
    edges.forEach((edge, at) => {
      const a = places.get(edge.source),
        b = places.get(edge.target);
      const dx = layout.x[b] - layout.x[a],
        dy = layout.y[b] - layout.y[a];
      const far = Math.hypot(dx, dy) || 1;
      const from = ((radius[a] + 1) * pixel()) / far,
        to = 1 - ((radius[b] + 3) * pixel()) / far;
      lines[at].setAttribute(
        "d",
        `M${(layout.x[a] + dx * from).toFixed(1)} ${(layout.y[a] + dy * from).toFixed(1)}L${(layout.x[a] + dx * to).toFixed(1)} ${(layout.y[a] + dy * to).toFixed(1)}`,
      );
    });
    dots.forEach((one, at) =>
      one.setAttribute("transform", `translate(${layout.x[at].toFixed(1)} ${layout.y[at].toFixed(1)})`),
    );
    name();
  }

  /** Name those that have room for it, the most important first: below the dot, or above it. */
  function name() {
    const one = pixel();
    const around = (at, dy, half, high) => [
      layout.x[at] - half * one,
      layout.y[at] + dy * one,
      layout.x[at] + half * one,
      layout.y[at] + (dy + high) * one,
    ];
    const taken = graph.nodes.map((_, at) => around(at, -radius[at], radius[at], 2 * radius[at]));
    for (const at of order) {
      const half = (LETTER * widthOf(shortened(names[at], longest()))) / 2 + 3;
      const places = [radius[at] + 1, -radius[at] - LINE - 1].map((dy) => [dy, around(at, dy, half, LINE)]);
      const free = places.find(([, box]) => !taken.some((other, of) => of !== at && overlap(box, other)));
      dots[at].classList.toggle("named", Boolean(free));
      if (!free) continue;
      taken.push(free[1]);
      dots[at].lastChild.style.setProperty("--y", `${free[0] + LINE - 3}px`);
    }
  }

  const longest = () => (screen.wide < 480 ? 16 : 24);

  /** Look at all of it, with room for the names at the sides; few nodes are not blown up. */
  function follow() {
    const [left, right, top, bottom] = [
      Math.min(...layout.x),
      Math.max(...layout.x),
      Math.min(...layout.y),
      Math.max(...layout.y),
    ];
    const aside = (LETTER * longest()) / 2 + 6;
    const one = Math.max(
      (right - left) / (screen.wide - 2 * aside),
      (bottom - top) / (screen.high - 2 * MARGIN - LINE),
      0.55,
    );
    const w = screen.wide * one,
      h = screen.high * one;
    look({ x: (left + right - w) / 2, y: (top + bottom - h) / 2, w, h });
  }

  function look(next) {
    Object.assign(view, next);
    drawing.setAttribute(
      "viewBox",
      `${view.x.toFixed(1)} ${view.y.toFixed(1)} ${view.w.toFixed(1)} ${view.h.toFixed(1)}`,
    );
    drawing.style.setProperty("--grown", pixel().toFixed(3));
    if (view.isOwn) draw();
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

  /** Take the size that the drawing has on the screen, and name as it allows. */
  function measure() {
    screen.wide = drawing.clientWidth || WIDE;
    screen.high = drawing.clientHeight || HIGH;
    view.h = (view.w * screen.high) / screen.wide;
    const share = Math.min(1, Math.sqrt((screen.wide * screen.high) / (graph.nodes.length * ROOM)));
    radius = full.map((one) => one * share);
    dots.forEach((one, at) => {
      one.lastChild.textContent = shortened(names[at], longest());
      one.querySelector("circle").style.setProperty("--r", `${radius[at]}px`);
    });
  }

  function start() {
    measure();
    new ResizeObserver(() => {
      measure();
      draw();
    }).observe(drawing);
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
      draw();
    },
  };
}

/** Which nodes to name first: the middle, then the nearest and best linked. */
function importance(nodes, size) {
  return nodes.map((_, at) => at).sort((a, b) => nodes[a].depth - nodes[b].depth || size[b] - size[a] || a - b);
}

// Letters of the East are about twice as wide.
const widthOf = (text) => [...text].reduce((sum, one) => sum + (one > "\u2e80" ? 1.8 : 1), 0);

function shortened(text, most) {
  let kept = "";
  for (const one of text) {
    if (widthOf(kept + one) > most) return `${kept.trimEnd()}…`;
    kept += one;
  }
  return text;
}

const overlap = (one, other) =>
  one[0] < other[2] && one[2] > other[0] && one[1] < other[3] && one[3] > other[1];

function dot(node, at) {
  return svg(
    "g",
    { class: `dot k-${node.kind}${at === 0 ? " middle" : ""}`, "data-at": at },
    svg("title", {}, `${labelOf(node)}\n${node.type}, ${pathOf(node)}:${node.source?.startLine ?? 1}`),
    svg("circle"),
    svg("text"),
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
