// An answer -> the lines above its hits: how many and how they were found, what was meant, what was
// missing, what moved; and those below: related searches and more of them.

import { isBrowsing } from "/assets/asking.js";
import { el } from "/assets/element.js";
import { searchButton } from "/assets/empty.js";
import { movesLine } from "/assets/moves.js";
import { FROM_THE_TOP, go, state } from "/assets/state.js";
import { visible } from "/assets/text.js";
import { counted, cut, grouped, isPartial, keyOf, labelOf, means, placeOf, took } from "/assets/words.js";

const SORTS = [
  ["", "by relevance"],
  ["newest", "newest first"],
  ["path", "by path"],
];
// What is missing of the folder needs no name.
const STAGES = { vectors: "Meaning", sync: "", text: "Words", names: "Names" };
const MOST_SUGGESTIONS = 6;

export function summaryOf(answer, moves) {
  const isEmpty = !answer.results.length;
  return [
    el("h1", { class: "unseen" }, state().q.trim() ? `Search for ${cut(state().q.trim())}` : "Search"),
    isEmpty ? null : el("h2", { class: "unseen" }, "Hits"),
    isEmpty ? null : headline(answer),
    answer.didYouMean ? el("p", { class: "meant" }, "Did you mean ", searchButton(answer.didYouMean), "?") : null,
    moves ? movesLine(moves, answer.profile) : null,
    degraded(answer),
    weakWords(answer),
    // Of an answer without hits they say why, and stand in the place of the hits.
    isEmpty ? null : notes(answer),
  ];
}

function headline(answer) {
  const picked = el(
    "select",
    { id: "sort", "aria-label": "Order", onchange: (event) => go({ ...FROM_THE_TOP, sort: event.target.value }) },
    SORTS.map(([value, words]) => el("option", { value, selected: value === state().sort }, words)),
  );
  const words = ` found${isPartial(answer) ? " so far" : ""} by ${means(answer)} in ${took(answer.tookMs)}`;
  const matching = answer.matching ?? answer.total;
  const wordless = answer.total - matching;
  const nearest = wordless ? `; ${grouped(wordless)} only near in meaning` : "";
  return el(
    "div",
    { class: "headline" },
    el("p", {}, el("strong", {}, answer.matching === 0 ? "No word of this" : grouped(matching)), words, nearest),
    el("span", { class: "space" }),
    isBrowsing(state()) ? null : picked,
  );
}

const named = (stage) => (stage ? [el("strong", {}, stage), " "] : "");

function degraded(answer) {
  // While a folder is indexed, that is why meaning is missing: one line is enough.
  const isFirst = isPartial(answer);
  const said = answer.degraded.filter(({ stage }) => !isFirst || stage !== "vectors");
  if (!said.length) return null;
  return el(
    "ul",
    { class: "degraded" },
    said.map(({ stage, reason }) => el("li", {}, named(STAGES[stage] ?? stage), visible(reason))),
  );
}

function weakWords(answer) {
  const asked = answer.results.filter((hit) => hit.confidence !== null);
  if (!asked.length || !asked.every((hit) => hit.weak)) return null;
  return el("p", { class: "warned" }, "Nothing here is a likely answer. These are the nearest.");
}

function notes(answer) {
  return answer.notes.length
    ? el(
        "ul",
        { class: "notes" },
        answer.notes.map((note) => el("li", {}, visible(note))),
      )
    : null;
}

export function suggestions(answer) {
  const others = answer.suggestions.filter((one) => one !== answer.didYouMean).slice(0, MOST_SUGGESTIONS);
  return others.length
    ? el(
        "p",
        { class: "related-searches" },
        "Related searches: ",
        others.map((one) => [searchButton(one), " "]),
      )
    : null;
}

export function more(answer) {
  if (!answer.next) return null;
  return el(
    "button",
    {
      class: "main more-hits",
      id: "more-hits",
      onclick: () => go({ pages: state().pages + 1 }, { why: "more" }),
    },
    "More hits",
  );
}

/** An answer for those who hear it. */
export function saidOf(answer) {
  const soFar = isPartial(answer) ? " so far, the folder is being indexed" : "";
  const [first] = answer.results;
  if (!first) return `Nothing found${soFar}`;
  return `${counted(answer.total, "hit")} for ${cut(state().q)}${soFar}. First: ${labelOf(first)}, ${first.type}`;
}

/** What is shown after Back, for those who hear it. */
export function shownOf(answer, id) {
  if (state().view === "status") return "Status of the index";
  if (!answer) return "Start page";
  const hit = answer.results.find((one) => one.id === id || keyOf(one) === id);
  return hit ? `${labelOf(hit)}, ${hit.type}, ${placeOf(hit)}` : saidOf(answer);
}
