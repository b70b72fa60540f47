// An answer -> the list of hits: what each is, where it stands, its best passage with what was
// looked for marked, and how likely it answers. The selected one is in the state, by its id.

import { byId, el, fill, icon, kindIcon } from "/assets/element.js";
import { addressOf, withChange } from "/assets/state.js";
import { codeRows } from "/assets/syntax.js";
import { lines, markedWords, named, rangesOf, telling, visible } from "/assets/text.js";
import { counted, keyOf, labelOf, lineOf, pathOf, percent, PROSE } from "/assets/words.js";

const LONGEST_SNIPPET = 12;
const PASSAGES = 3;

export function showHits(answer, { selected, moves, judged, told }) {
  const list = byId("hits");
  const had = document.activeElement?.closest("#hits > .hit")?.dataset.id;
  fill(
    list,
    answer.results.map((hit, at) =>
      item(hit, at, { isSelected: keyOf(hit) === selected, move: moves?.of(hit, at), judged: judged.get(keyOf(hit)), told }),
    ),
  );
  list.setAttribute("aria-label", counted(answer.results.length, "hit"));
  if (had)
    [...list.children]
      .find((one) => one.dataset.id === had)
      ?.querySelector("h3 a")
      .focus({ preventScroll: true });
}

/** Mark one hit as the selected, without making the list again. */
export function markSelected(id) {
  for (const one of byId("hits").children) {
    const isIt = one.dataset.id === id;
    one.classList.toggle("selected", isIt);
    one.querySelector("h3 a").toggleAttribute("aria-current", isIt);
    if (isIt) one.querySelector("h3 a").setAttribute("aria-current", "true");
  }
}

function item(hit, at, { isSelected, move, judged, told }) {
  const label = labelOf(hit);
  const title = el(
    "a",
    {
      href: addressOf(withChange({ hit: keyOf(hit), at: "", open: true })),
      "aria-current": isSelected ? "true" : null,
      onclick: (event) => {
        if (isPlain(event)) {
          event.preventDefault();
          told.open(hit);
        }
      },
      onfocus: () => told.select(hit),
    },
    named(label),
  );
  return el(
    "li",
    {
      class: `hit${isSelected ? " selected" : ""}${hit.weak ? " weak" : ""}${hit.context ? " beside" : ""}`,
      "data-id": keyOf(hit),
      onclick: (event) => {
        if (!event.target.closest("a, button") && !String(getSelection())) told.open(hit);
      },
    },
    el(
      "div",
      { class: "head" },
      kindIcon(hit),
      el("h3", { dir: "auto" }, title),
      el("span", { class: "type" }, hit.type),
      hit.collection && el("span", { class: "tag" }, visible(hit.collection)),
      hit.duplicate && el("span", { class: "tag" }, "repeats another"),
      move,
      el("span", { class: "space" }),
      confidence(hit),
    ),
    el("p", { class: "place", dir: "ltr" }, path(pathOf(hit)), el("span", { class: "line" }, `:${lineOf(hit)}`)),
    about(hit),
    snippet(hit),
    el(
      "div",
      { class: "foot" },
      el(
        "span",
        { class: "reason", title: hit.reason ?? "" },
        visible(hit.context ? `beside another hit: ${Object.values(hit.context).join(", ")}` : (hit.reason ?? "")),
      ),
      passages(hit, told),
      tags(hit, told),
      el("span", { class: "space" }),
      at >= 0 && thumbs(hit, judged, told),
    ),
  );
}

const isPlain = (event) => !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button);

/** A path with its last part, which is what people look for, in full strength. */
export function path(text) {
  const cut = text.lastIndexOf("/") + 1;
  return el(
    "bdi",
    { class: "path" },
    el("span", { class: "folder" }, visible(text.slice(0, cut))),
    el("span", { class: "file" }, visible(text.slice(cut).replaceAll("\n", "⏎"))),
  );
}

export function confidence(hit) {
  if (hit.confidence === null || hit.confidence === undefined) return null;
  const words = `confidence ${percent(hit.confidence)}${hit.weak ? ", weak" : ""}`;
  return el(
    "span",
    { class: "confidence", title: "how likely this answers what was asked" },
    hit.weak && el("span", { class: "weak-label" }, "weak"),
    el(
      "span",
      { class: "bar", role: "img", "aria-label": words },
      el("i", { style: { width: `${Math.max(3, hit.confidence * 100)}%` } }),
    ),
    el("span", { class: "number", "aria-hidden": "true" }, percent(hit.confidence)),
  );
}

function about(hit) {
  if (PROSE.has(hit.kind)) return null;
  const said = hit.description?.trim();
  if (!said || (hit.snippet ?? "").includes(said.slice(0, 60))) return null;
  return el("p", { class: "about", dir: "auto" }, visible(said));
}

function snippet(hit) {
  const isProse = PROSE.has(hit.kind);
  // Where front matter alone was found, what the page is about tells more.
  const isFacts = isProse && /^---\s*\n/.test(hit.snippet ?? "") && hit.description;
  const text = (isFacts ? hit.description : hit.snippet) ?? "";
  if (!text.trim()) return null;
  const marks = isFacts ? rangesOf(text, markedWords(hit)) : telling(hit);
  const shown = lines(text, { language: hit.language, marks, isProse });
  const rows = (
    isProse ? flowing(shown, text.split("\n"), lines(text, { marks })) : shown.map((row, at) => [row, hit.snippetLine + at])
  ).slice(0, LONGEST_SNIPPET);
  while (rows.length > 1 && !rows.at(-1)[0].length) rows.pop();
  if (!rows.length) return null;
  return el(
    "div",
    { class: `snippet${isProse ? " words" : ""}`, dir: isProse ? "auto" : "ltr" },
    rows.map(([row, number, sort]) =>
      el(
        "div",
        { class: sort ? `row ${sort}` : "row", "data-line": isProse ? null : number },
        row.length ? row : "\u00a0",
      ),
    ),
  );
}

/** Lines of prose as paragraphs: without empty ones and headings, each run on until the next begins. */
function flowing(shown, starts, plain) {
  const found = [];
  const sorts = codeRows(starts, { isPart: true });
  let isNew = true;
  for (const [at, row] of shown.entries()) {
    const start = starts[at] ?? "";
    if (sorts[at] === "code" && start.trim()) found.push([plain[at], null, "set"]);
    if (sorts[at] || !row.length || /^\s*(#{1,6}\s|[-=]{3,}\s*$|\|[\s:|-]+\|?\s*$)/.test(start)) {
      isNew = true;
      continue;
    }
    if (isNew || /^\s*([-*+]|\d+[.)]|\||>)\s/.test(start)) found.push([row, null, /^\s*[-*+]\s/.test(start) && "item"]);
    else found.at(-1)[0].push(" ", ...row);
    isNew = false;
  }
  return found;
}

function tags(hit, told) {
  if (!hit.tags?.length) return null;
  return el(
    "span",
    { class: "tags" },
    hit.tags
      .slice(0, 8)
      .map((tag) =>
        el(
          "button",
          { class: "tag", "aria-label": `Only with the tag ${tag}`, onclick: () => told.tag(tag) },
          visible(tag),
        ),
      ),
  );
}

function passages(hit, told) {
  const others = (hit.passages ?? []).slice(0, PASSAGES);
  if (!others.length) return null;
  return el(
    "span",
    { class: "passages" },
    "also at ",
    others.map((one) =>
      el(
        "button",
        {
          class: "passage",
          "aria-label": `Line ${one.startLine} of the same file`,
          onclick: () => told.passage(hit, one),
        },
        `:${one.startLine}`,
      ),
    ),
  );
}

export function thumbs(hit, judged, told) {
  const button = (name, value, words) =>
    el(
      "button",
      {
        class: "thumb",
        "aria-label": `${words}: ${labelOf(hit)}`,
        title: words,
        "data-worth": value,
        "aria-pressed": String(judged === value),
        onclick: () => told.judge(hit, value),
      },
      icon(name),
    );
  return el(
    "span",
    { class: "thumbs", role: "group", "aria-label": "Is this what was looked for?" },
    button("up", 1, "This answers it"),
    button("down", 0, "This does not"),
  );
}

export function showJudged(id, value) {
  for (const one of document.querySelectorAll(".thumbs")) {
    if (one.closest("[data-id]")?.dataset.id !== id) continue;
    for (const button of one.children)
      button.setAttribute("aria-pressed", String(Number(button.dataset.worth) === value));
  }
}
