// Keys -> what they do. Letters count only where nobody writes, and can be switched off.

import { byId, el } from "/assets/element.js";
import { dialog, hasLetterKeys, nextTheme } from "/assets/settings.js";
import { go, NO_MEMORY, state } from "/assets/state.js";

export const KEYS = [
  ["/ or Ctrl K", "to the search field"],
  ["↓ ↑ or j k", "next and previous hit"],
  ["Enter", "open the hit; search at once"],
  ["Esc", "back to the field; clear it; close"],
  ["p e g r", "preview, explain, graph, related"],
  ["y", "copy path:line"],
  ["o", "open in the editor"],
  ["+ −", "this answers it, this does not"],
  ["m", "memory"],
  ["s", "status of the index"],
  ["t", "switch the theme"],
  ["?", "these keys"],
];

export function showKeys() {
  dialog(
    "Keys",
    el(
      "dl",
      { class: "keys" },
      KEYS.map(([keys, words]) => [
        el(
          "dt",
          {},
          keys.split(" ").map((key) => (key === "or" ? " or " : [el("kbd", {}, key), " "])),
        ),
        el("dd", {}, words),
      ]),
    ),
    el(
      "p",
      { class: "aside" },
      "In the field: ",
      el("code", {}, '"a phrase"'),
      " ",
      el("code", {}, "-without"),
      " ",
      el("code", {}, "lang:python"),
      " ",
      el("code", {}, "kind:doc"),
      " ",
      el("code", {}, "path:src/"),
      " ",
      el("code", {}, "name:parse"),
    ),
  );
}

// Where the pane covers the list.
export const isNarrow = () => matchMedia("(max-width: 900px)").matches;
export const isWriting = (target) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

export function listenToKeys(told) {
  addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const done = byId("dialog").open ? false : heard(event, told);
    if (done) event.preventDefault();
  });
}

function heard(event, told) {
  const { key } = event;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && key.toLowerCase() === "k") return toField();
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.target.id === "query") return inField(key, told);
  if (isWriting(event.target)) return false;
  if (key === "/") return toField();
  if (key === "Escape") return escaped(event.target);
  // Where something scrolls by itself, arrows are its own.
  const isElsewhere = event.target.closest?.(".detail, .facets, .tabs, .wide");
  if (!isElsewhere && (key === "ArrowDown" || key === "ArrowUp")) return told.move(key === "ArrowDown" ? 1 : -1);
  if (key === "?") {
    showKeys();
    return true;
  }
  return hasLetterKeys() && letter(key, told);
}

const isAtStatus = () => state().view === "status";
export const toStatus = () => go({ ...NO_MEMORY, view: isAtStatus() ? "" : "status" });
export const toMemory = () => go({ view: state().view && !isAtStatus() ? "" : "tasks" });

function toField() {
  const field = byId("query");
  if (state().view) go({ view: "" });
  field.focus();
  field.select();
  return true;
}

function inField(key, told) {
  if (key === "ArrowDown") return told.move(1);
  // The key that leads here, pressed once more.
  if (key === "/") return !byId("query").value;
  if (key !== "Escape") return false;
  if (byId("query").value) told.clear();
  else byId("query").blur();
  return true;
}

function escaped(target) {
  if (state().item) go({ item: "", edit: "" });
  else if (state().view) go({ view: "" });
  else if (state().at) go({ at: "", open: false });
  else if (state().open && isNarrow()) go({ open: false });
  else if (target.closest?.(".detail")) (document.querySelector(".hit.selected h3 a") ?? byId("query")).focus();
  else byId("query").focus();
  return true;
}

function letter(key, told) {
  const pane = { p: "", e: "explain", g: "graph", r: "related" }[key];
  if (pane !== undefined) {
    if (!byId("detail").hidden) go({ pane }, { why: "pane" });
    return true;
  }
  const does = {
    j: () => told.move(1),
    k: () => told.move(-1),
    y: () => byId("copy")?.click(),
    o: () => byId("edit")?.click(),
    "+": () => told.judgeSelected(1),
    "-": () => told.judgeSelected(0),
    t: nextTheme,
    m: toMemory,
    s: toStatus,
  }[key];
  does?.();
  return Boolean(does);
}
