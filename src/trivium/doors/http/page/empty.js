// No hits, or no question yet -> words that help on: what was searched, how fresh it is, what was
// passed over and why, what emptied the list, what is spelt alike; or where one may begin.

import { el, facts } from "/assets/element.js";
import { chip } from "/assets/facets.js";
import { FROM_THE_TOP, go, hasFilters, NO_FILTERS, state } from "/assets/state.js";
import { visible } from "/assets/text.js";
import { ago, counted, cut, grouped, isPartial } from "/assets/words.js";

const NEAR = "names near it: ";
const KINDS = {
  code: "Code",
  doc: "Pages",
  note: "Notes",
  task: "Tasks",
  skill: "Skills",
  record: "Records",
  file: "Files",
};

/** Ask something else, from a click on words. */
export function searchButton(query, words = query) {
  return el(
    "button",
    { class: "link", dir: "auto", onclick: () => go({ ...FROM_THE_TOP, q: query }) },
    visible(words),
  );
}

// A filter as it is typed -> that of the page.
const TYPED = { lang: "language", path: "folder", kind: "kind", type: "type", tag: "tag" };
const FILTER = /(?<!\S)(lang|path|kind|type|tag|name):("[^"]*"|[^\s"]+)/g;

/** The filters of a query that has nothing beside them; null where it has, or has none. */
function filtersAlone(query) {
  const typed = [...query.matchAll(FILTER)];
  if (!typed.length || /[\p{L}\p{N}_]/u.test(query.replaceAll(FILTER, " "))) return null;
  const found = {};
  for (const [, name, value] of typed)
    if (TYPED[name]) found[TYPED[name]] = [...(found[TYPED[name]] ?? []), value.replaceAll('"', "")];
  return found;
}

const offer = (words, change) =>
  el("p", {}, el("button", { class: "main", onclick: () => go({ ...FROM_THE_TOP, ...change }) }, words));

/** Words are missing; what the filters leave can be looked through all the same. */
function wordless(filters) {
  const values = Object.values(filters).flat().join(", ");
  return el(
    "div",
    { class: "nothing" },
    el("h2", {}, "The query has no words"),
    el("p", {}, "Give words to look for", values ? ", or look through what the filters leave." : "."),
    values && offer(["Look through ", visible(cut(values))], { q: "", ...filters }),
  );
}

export function nothingFound(answer) {
  const alone = filtersAlone(state().q);
  if (alone) return wordless(alone);
  const { files, skipped } = answer.coverage;
  const passed = Object.entries(skipped ?? {}).sort((a, b) => b[1] - a[1]);
  const { dirtyFiles, indexedAt } = answer.freshness;
  const waiting = dirtyFiles ? `; ${counted(dirtyFiles, "changed file")} not in it yet` : "";
  const where = `${counted(files, "file")} of ${answer.collection}`;
  const rows = [
    isPartial(answer)
      ? ["Searched so far", `${where}; the page looks again by itself`]
      : ["Searched", `${where}, indexed ${ago(indexedAt)}${waiting}`],
    ["Passed over", passed.length ? passed.map(([why, count]) => `${grouped(count)} ${why}`).join(", ") : "nothing"],
  ];
  const notes = answer.notes.filter((note) => !note.startsWith("searched ") && !note.startsWith(NEAR));
  const near = answer.notes.find((note) => note.startsWith(NEAR));
  return el(
    "div",
    { class: "nothing" },
    el(
      "h2",
      {},
      isPartial(answer) ? "Nothing found yet" : "Nothing found",
      state().q.trim() ? [" for ", el("bdi", {}, visible(cut(state().q.trim())))] : "",
    ),
    near &&
      el(
        "div",
        { class: "near" },
        el("h3", {}, "Names near it"),
        el(
          "ul",
          {},
          near
            .slice(NEAR.length)
            .split(", ")
            .map((one) => {
              const [name, path] = one.split(" in ");
              return el("li", {}, searchButton(name), path && el("span", { class: "place" }, visible(path)));
            }),
        ),
      ),
    notes.length > 0 &&
      el(
        "ul",
        { class: "notes" },
        notes.map((note) => el("li", {}, withoutFilter(note) ?? visible(note))),
      ),
    hasFilters(state()) && offer("Search without filters", NO_FILTERS),
    facts(rows),
  );
}

/** "without lang=python: 3 hits" as a button that does so, if it is a filter of this page. */
function withoutFilter(note) {
  const said = /^without ([\w-]+)=(.*): ([\d,]+ hits?)$/.exec(note);
  const name = said && ({ lang: "language", "path-prefix": "folder" }[said[1]] ?? said[1]);
  if (!name || !state()[name]?.length || !Array.isArray(state()[name])) return null;
  return [
    el("button", { class: "link", onclick: () => go({ ...FROM_THE_TOP, [name]: [] }) }, said[3]),
    " without ",
    el("strong", {}, name),
    " ",
    visible(said[2]),
  ];
}

function freshness({ progress, dirtyFiles }) {
  if (progress?.total)
    return `${progress.stage} ${grouped(progress.done)} of ${grouped(progress.total)}; what is there can be searched`;
  if (progress) return `${progress.stage}; what is there can be searched`;
  return dirtyFiles ? `${counted(dirtyFiles, "changed file")} to be taken in` : "all fresh";
}

export function startPage(status, recent) {
  const kinds = Object.entries(status?.kinds ?? {})
    .filter(([kind]) => KINDS[kind])
    .sort((a, b) => Object.keys(KINDS).indexOf(a[0]) - Object.keys(KINDS).indexOf(b[0]));
  return el(
    "div",
    { class: "start" },
    el("h1", {}, "Words, meaning and structure in one search."),
    status &&
      el(
        "p",
        { class: "lead" },
        `${counted(status.files, "file")} of `,
        el("strong", {}, visible(status.name)),
        `, ${freshness(status)}. Nothing leaves this machine.`,
      ),
    kinds.length > 0 &&
      el(
        "div",
        { class: "browse", role: "group", "aria-label": "Look through" },
        kinds.map(([kind, count]) =>
          chip(KINDS[kind], [count, "node"], null, { onclick: () => go({ ...FROM_THE_TOP, kind: [kind] }) }),
        ),
      ),
    recent.length > 0 &&
      el(
        "section",
        {},
        el("h2", {}, "Lately"),
        el(
          "ul",
          { class: "lately" },
          recent.map((one) => el("li", {}, searchButton(one))),
        ),
      ),
    el(
      "section",
      {},
      el("h2", {}, "Ask as you like"),
      el(
        "dl",
        { class: "tips" },
        [
          ["where are passwords hashed", "a question, in your own words"],
          ["parseRequest", "a name, or part of one"],
          ['"connection refused"', "a phrase, letter for letter"],
          ["retry lang:python -test", "narrowed down"],
        ].map(([query, words]) => [el("dt", {}, searchButton(query)), el("dd", {}, words)]),
      ),
    ),
  );
}
