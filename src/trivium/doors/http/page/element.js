// A description -> elements. Text goes in as text nodes only: nothing here, or anywhere in this
// page, ever parses a string as HTML, so what a file holds cannot become part of the page.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: `on*` are listeners, `class`, `data-*` and `aria-*` attributes, others too. */
export function el(tag, given = {}, ...children) {
  // A button that sends a form says so.
  return filled(document.createElement(tag), tag === "button" ? { type: "button", ...given } : given, children);
}

export function svg(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

function filled(made, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) made.style.setProperty(key, one);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return made;
}

/** Put children in the place of all there were. */
export function fill(place, ...children) {
  place.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return place;
}

/** Names and what each stands for. */
export const facts = (rows) =>
  el(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );

/** A listener of a button that a second click finds used. */
export const once = (act) => (event) => {
  event.currentTarget.disabled = true;
  act();
};

export const byId = (id) => document.getElementById(id);

// Drawn on a grid of 16, in strokes.
const SHAPES = {
  function: "M10.5 2.5c-2 0-2.4 1-2.7 3L6.4 11c-.3 2-.8 3-2.9 3M5 7h5.5",
  method: "M8 2 13 4.7v6.2L8 14l-5-3.1V4.7zM3.2 4.8 8 7.6l4.8-2.8M8 7.6V14",
  class: "M3 3h10v3.5H3zM3 9.5h4V13H3zM9 9.5h4V13H9zM8 6.5v1.6M5 9.5V8.1h6v1.4",
  module: "M3 5.2 8 2.5l5 2.7v5.6l-5 2.7-5-2.7zM8 8v5.5M3 5.2 8 8l5-2.8",
  constant: "M4 6h8M4 10h8M6.5 3 5.5 13M10.5 3l-1 10",
  doc: "M4 2h5.5L12.5 5v9H4zM9.5 2v3h3M6 8h4.5M6 10.8h4.5",
  section: "M3 4h10M3 7.2h7M3 10.4h10M3 13.4h5",
  file: "M4 2h5.5L12.5 5v9H4zM9.5 2v3h3",
  directory: "M2 4h4.2l1.5 1.8H14V13H2z",
  note: "M3 3h10v7l-3 3H3zM10 13v-3h3M5.5 6h5M5.5 8.5h3",
  task: "M2.8 2.8h10.4v10.4H2.8zM5.5 8l2 2 3.3-4",
  skill: "M9 1.8 3.5 9H8l-1 5.2L12.6 7H8z",
  record: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.2 6.5v6M2.5 9.5h11",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  copy: "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
  open: "M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4",
  up: "M5 7.2 7.6 2.2c1 0 1.7.8 1.5 1.8L8.7 6.5h3.8c.8 0 1.3.7 1.1 1.4l-1.3 4.6c-.1.5-.6.9-1.1.9H5zM5 7.2H2.5v6.2H5z",
  down: "M11 8.8 8.4 13.8c-1 0-1.7-.8-1.5-1.8L7.3 9.5H3.5c-.8 0-1.3-.7-1.1-1.4l1.3-4.6c.1-.5.6-.9 1.1-.9H11zM11 8.8h2.5V2.6H11z",
  close: "M4 4l8 8M12 4l-8 8",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z",
  auto: "M8 2.5a5.5 5.5 0 1 1 0 11zM8 2.5a5.5 5.5 0 0 0 0 11",
  gear: "M2 4.5h6M11.5 4.5H14M2 11.5h2.5M8 11.5h6M9.7 2.8v3.4M6.2 9.8v3.4",
  keys: "M1.8 4h12.4v8H1.8zM4.3 6.5h.1M7 6.5h.1M9.7 6.5h.1M12 6.5h.1M5 9.5h6",
  back: "M9.5 3.5 5 8l4.5 4.5",
  minus: "M4 8h8",
  plus: "M4 8h8M8 4v8",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
};
const ALIKE = {
  constructor: "method",
  variable: "constant",
  enum: "class",
  struct: "class",
  interface: "class",
  trait: "class",
  namespace: "module",
  table: "record",
  view: "record",
  index: "record",
  document: "doc",
  "code block": "code",
};

export function icon(name, given = {}) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false", ...given },
    svg("path", { d: SHAPES[name] ?? SHAPES.file }),
  );
}

/** The picture of a node: of its type where there is one, else of its kind. */
export function kindIcon(node) {
  const type = ALIKE[node.type] ?? node.type;
  const prose = ["note", "task", "skill", "record"].includes(node.kind);
  const name = !prose && Object.hasOwn(SHAPES, type) ? type : Object.hasOwn(SHAPES, node.kind) ? node.kind : "file";
  return icon(name, { class: `icon kind k-${node.kind}` });
}

/** A button that is a picture; its words are for those who do not see it. */
export function iconButton(name, words, given = {}) {
  return el("button", { class: "round", "aria-label": words, title: words, ...given }, icon(name));
}
