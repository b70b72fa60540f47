// The selected node -> the pane beside the list: what it is, and one of four views of it. What is
// not a hit of the answer, a caller or a neighbour, is asked for by its id.

import { byId, el, fill, icon, iconButton, kindIcon } from "/assets/element.js";
import { showExplain } from "/assets/explain.js";
import { say } from "/assets/frame.js";
import { showGraph } from "/assets/graph.js";
import { confidence, path, thumbs } from "/assets/hits.js";
import { showPreview } from "/assets/preview.js";
import { showRelated } from "/assets/related.js";
import { askNode } from "/assets/server.js";
import { editorLink } from "/assets/settings.js";
import { go, state } from "/assets/state.js";
import { named, visible } from "/assets/text.js";
import { keyOf, labelOf, lineOf, nodeOf, pathOf, placeOf } from "/assets/words.js";

const PANES = [
  ["", "Preview", showPreview],
  ["explain", "Explain", showExplain],
  ["graph", "Graph", showGraph],
  ["related", "Related", showRelated],
];

let running = null;
let shown = { id: null, pane: null };

/** Show a node; `known` is its hit where the answer has one. */
export async function showDetail(id, known, context) {
  const place = byId("detail");
  const pane = state().pane;
  const key = JSON.stringify([id, context.collection, pane, state().hops, state().edge, context.version]);
  if (shown === key) return;
  shown = key;
  running?.abort();
  const mine = (running = new AbortController());
  if (!id) {
    place.hidden = true;
    fill(place);
    return;
  }
  let node = known;
  try {
    node ??= await askNode(id, context.collection, mine.signal);
    if (mine.signal.aborted) return;
    await paint(place, node, Boolean(known), context, mine.signal);
  } catch (error) {
    if (error.name === "AbortError") return;
    shown = null;
    place.hidden = false;
    fill(place, closing(), el("p", { class: "failed", role: "alert" }, error.message));
  }
}

export function forgetDetail() {
  shown = null;
}

async function paint(place, node, isHit, context, signal) {
  const pane = state().pane;
  const [, , show] = PANES.find(([name]) => name === pane) ?? PANES[0];
  const panel = el("div", {
    class: `panel ${pane || "preview"}`,
    role: "tabpanel",
    id: "panel",
    "aria-labelledby": `tab-${pane || "preview"}`,
    tabindex: "-1",
    "aria-busy": "true",
  });
  // What was there stays until the new has come, so that moving through the list does not flicker.
  const put = () => keepingFocus(place, () => fill(place, head(node, isHit, context), tabs(), panel));
  const slow = setTimeout(put, 120);
  place.hidden = false;
  place.dataset.id = isHit ? keyOf(node) : node.id;
  try {
    await show(panel, node, { ...context, isHit, signal, place });
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(panel, el("p", { class: "failed", role: "alert" }, error.message));
  } finally {
    clearTimeout(slow);
  }
  if (signal.aborted) return;
  panel.setAttribute("aria-busy", "false");
  if (!panel.isConnected) put();
  panel.dispatchEvent(new CustomEvent("shown"));
}

/** Who was in the pane by keys stays there: where they were, else in what it shows. */
function keepingFocus(place, act) {
  const had = place.contains(document.activeElement) ? document.activeElement.id || "panel" : null;
  act();
  if (had) (byId(had) ?? byId("panel"))?.focus({ preventScroll: true });
}

function closing() {
  return iconButton("back", "Back to the results", {
    class: "round closing",
    onclick: () => go({ open: false, at: "" }),
  });
}

function head(node, isHit, context) {
  const file = pathOf(node);
  const where = placeOf(node);
  const link = file && context.root ? editorLink(context.root, file, lineOf(node)) : "";
  return el(
    "header",
    { class: "about-node" },
    el(
      "div",
      { class: "head" },
      closing(),
      kindIcon(node),
      el("h2", { dir: "auto" }, named(labelOf(node))),
      el("span", { class: "type" }, node.type),
      isHit && node.collection && el("span", { class: "tag" }, visible(node.collection)),
      el("span", { class: "space" }),
      remembering(node),
      isHit && confidence(node),
    ),
    el(
      "div",
      { class: "actions" },
      file && el("p", { class: "place", dir: "ltr" }, path(file), el("span", { class: "line" }, `:${lineOf(node)}`)),
      el("span", { class: "space" }),
      isHit && thumbs(node, context.judged.get(keyOf(node)), context.told),
      file &&
        el(
          "button",
          {
            class: "small",
            id: "copy",
            title: "Copy path:line (y)",
            onclick: (event) => copy(where, event.currentTarget),
          },
          icon("copy"),
          el("span", {}, "Copy"),
        ),
      link &&
        el(
          "a",
          { class: "small", id: "edit", href: link, title: "Open in the editor (o)" },
          icon("open"),
          el("span", {}, "Open"),
        ),
    ),
  );
}

/** Open what is of memory; write a note about what is not. */
function remembering(node) {
  const item = nodeOf(node.id);
  const isKept = pathOf(node).startsWith(".trivium/");
  const to = isKept ? { view: `${node.kind}s`, item } : { view: "notes", item: "new", about: item };
  return iconButton("note", isKept ? "Edit it" : "Write a note", { id: "remember", onclick: () => go(to) });
}

/** Put text on the clipboard, also where only the old way works; say so on the button. */
export async function copy(text, button) {
  let isDone = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el("textarea", { class: "unseen" }, text);
    document.body.append(field);
    field.select();
    isDone = document.execCommand("copy");
    field.remove();
  }
  say(isDone ? `${text} copied` : "The browser did not let it be copied");
  const label = button?.querySelector("span");
  if (!label) return;
  label.textContent = isDone ? "Copied" : "Not copied";
  setTimeout(() => {
    label.textContent = "Copy";
  }, 1500);
}

function tabs() {
  const now = state().pane;
  const tab = ([name, words]) => {
    const isIt = name === now;
    return el(
      "button",
      {
        role: "tab",
        id: `tab-${name || "preview"}`,
        "aria-selected": String(isIt),
        "aria-controls": "panel",
        tabindex: isIt ? "0" : "-1",
        onclick: () => go({ pane: name }, { why: "pane" }),
      },
      words,
    );
  };
  const turn = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const at = PANES.findIndex(([name]) => name === now);
    const [name] = PANES[(at + step + PANES.length) % PANES.length];
    go({ pane: name }, { why: "pane" });
    byId(`tab-${name || "preview"}`)?.focus();
  };
  return el(
    "div",
    { class: "tabs", role: "tablist", "aria-label": "Views of the hit", onkeydown: turn },
    PANES.map(tab),
  );
}
