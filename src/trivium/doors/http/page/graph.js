// A node -> what it is linked with, one or two steps away: as a picture, and as lists that say what
// calls it and what it calls. The lists hold all that the picture does, for keys and for readers.

import { el, fill, iconButton } from "/assets/element.js";
import { picture } from "/assets/picture.js";
import { nodeButton } from "/assets/related.js";
import { ask } from "/assets/server.js";
import { go, state } from "/assets/state.js";
import { counted, grouped, labelOf } from "/assets/words.js";

const MOST = 200;
// A type of edge -> what to call the nodes it leads to, and those it comes from.
const WAYS = {
  calls: ["Calls", "Called by"],
  contains: ["Contains", "Contained in"],
  imports: ["Imports", "Imported by"],
  exports: ["Exports", "Exported by"],
  uses: ["Uses", "Used by"],
  extends: ["Extends", "Extended by"],
  implements: ["Implements", "Implemented by"],
  references: ["Links to", "Linked from"],
  mentions: ["Mentions", "Mentioned in"],
  clusters: ["Gathers", "Gathered by"],
  depends_on: ["Depends on", "Needed by"],
  blocks: ["Blocks", "Blocked by"],
  subtask_of: ["Part of", "Subtasks"],
  related_to: ["Related to", "Related from"],
  contradicts: ["Contradicts", "Contradicted by"],
};
const FIRST = ["calls", "uses", "imports", "extends", "implements", "references", "mentions"];

const placeOf = (type) => (FIRST.includes(type) ? FIRST.indexOf(type) : FIRST.length);

export async function showGraph(panel, node, context) {
  const depth = state().hops === "2" ? 2 : 1;
  const wanted = state().edge;
  const params = { id: node.id, depth, limit: MOST, collection: context.collection };
  const around = async (more) =>
    drawable(await ask("/api/neighbors", { params: { ...params, ...more }, signal: context.signal }));
  const whole = await around();
  let shown = wanted.length ? only(whole, wanted) : whole;
  if (wanted.length && whole.truncated) {
    // What was cut off may have been of the wanted types.
    const reached = await around({ types: wanted.join(",") });
    if (reached.edges.length >= shown.edges.length) shown = reached;
    else shown = { ...shown, truncated: false };
  }
  // Of the chosen types, what is drawn; of the others, what there is.
  const counts = { ...countsOf(whole.edges), ...Object.fromEntries(wanted.map((type) => [type, 0])) };
  Object.assign(counts, countsOf(shown.edges));
  const drawn = shown.nodes.length > 1 ? picture(shown, { visit: context.told.visit }) : null;
  fill(
    panel,
    el(
      "div",
      { class: "graph-tools" },
      el(
        "div",
        { class: "switch", role: "group", "aria-label": "How far" },
        hop("1", "1 step", depth),
        hop("2", "2 steps", depth),
      ),
      el(
        "div",
        { class: "edges", role: "group", "aria-label": "Kinds of links" },
        // By name: a chip that is clicked stays where it is.
        Object.keys(counts)
          .sort((a, b) => placeOf(a) - placeOf(b) || a.localeCompare(b))
          .map((type) => edgeChip(type, counts[type], wanted)),
      ),
    ),
    drawn
      ? el(
          "div",
          { class: "canvas" },
          drawn.svg,
          el(
            "div",
            { class: "zoom" },
            iconButton("plus", "Nearer", { onclick: () => drawn.zoom(0.8) }),
            iconButton("minus", "Farther", { onclick: () => drawn.zoom(1.25) }),
            iconButton("fit", "Show all", { onclick: drawn.fit }),
          ),
        )
      : el(
          "p",
          { class: "aside" },
          wanted.length ? "Nothing is linked with it in these ways." : "Nothing is linked with it.",
        ),
    drawn && el(
      "p",
      { class: "aside", id: "drawn" },
      shown.truncated ? `The nearest ${grouped(shown.nodes.length)} of ` : "",
      `${counted(shown.truncated ? shown.total : shown.nodes.length, "node")}, ${counted(shown.edges.length, "link")}`,
    ),
    lists(shown, context, drawn),
  );
  // Drawn once it has a size, and no longer than it is on the page.
  if (drawn) (panel.isConnected ? drawn.start : () => panel.addEventListener("shown", drawn.start, { once: true }))();
}

/** Without the links that cannot be drawn: of a node with itself, and to what was cut off. */
function drawable(graph) {
  const known = new Set(graph.nodes.map((node) => node.id));
  const isDrawn = ({ source, target }) => source !== target && known.has(source) && known.has(target);
  return { ...graph, edges: graph.edges.filter(isDrawn) };
}

function countsOf(edges) {
  const counts = {};
  for (const { type } of edges) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** The links of these types and what they join, with the middle: as many as their chips say. */
function only(graph, types) {
  const edges = graph.edges.filter((edge) => types.includes(edge.type));
  const joined = new Set([graph.nodes[0]?.id, ...edges.flatMap(({ source, target }) => [source, target])]);
  return { ...graph, nodes: graph.nodes.filter((node) => joined.has(node.id)), edges };
}

function hop(value, words, depth) {
  return el(
    "button",
    {
      id: `hops-${value}`,
      "aria-pressed": String(String(depth) === value),
      onclick: () => go({ hops: value === "1" ? "" : value }, { why: "pane" }),
    },
    words,
  );
}

function edgeChip(type, count, wanted) {
  const isSelected = wanted.includes(type);
  const after = isSelected ? wanted.filter((one) => one !== type) : [...wanted, type];
  return el(
    "button",
    {
      class: `chip e-${type}`,
      id: `edge-${type}`,
      "aria-pressed": String(isSelected),
      onclick: () => go({ edge: after }, { why: "pane" }),
    },
    el("span", { class: "key" }),
    el("span", { class: "value" }, type.replaceAll("_", " ")),
    el("span", { class: "count" }, String(count)),
  );
}

function lists(graph, context, drawn) {
  const middle = graph.nodes[0]?.id;
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const groups = new Map();
  const put = (title, order, id) => {
    if (!nodes.has(id)) return;
    if (!groups.has(title)) groups.set(title, { order, ids: new Set() });
    groups.get(title).ids.add(id);
  };
  for (const { source, target, type } of graph.edges) {
    const [out, into] = WAYS[type] ?? [`${type} →`, `← ${type}`];
    const order = placeOf(type);
    if (source === middle && target !== middle) put(out, order + 0.5, target);
    else if (target === middle && source !== middle) put(into, order, source);
  }
  for (const node of graph.nodes) if (node.depth > 1) put("Two steps away", 99, node.id);
  const ordered = [...groups].sort((a, b) => a[1].order - b[1].order || a[0].localeCompare(b[0]));
  return el(
    "div",
    { class: "ways" },
    ordered.map(([title, { ids }]) =>
      el(
        "section",
        {},
        el("h3", {}, title, el("span", { class: "count" }, String(ids.size))),
        el(
          "ul",
          { class: "nodes" },
          [...ids]
            .map((id) => nodes.get(id))
            .sort((a, b) => labelOf(a).localeCompare(labelOf(b)))
            .map((node) =>
              el(
                "li",
                {
                  onpointerenter: () => drawn?.light(node.id),
                  onpointerleave: () => drawn?.light(null),
                  onfocusin: () => drawn?.light(node.id),
                  onfocusout: () => drawn?.light(null),
                },
                nodeButton(node, context),
              ),
            ),
        ),
      ),
    ),
  );
}
