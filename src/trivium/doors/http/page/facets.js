// The counts of an answer -> chips to select from, by kind, language, folder, tag and collection.
// What is selected stays, also where it has no hits, so that it can be taken back.

import { byId, el, fill } from "/assets/element.js";
import { ALL, go, hasFilters, NO_FILTERS, FROM_THE_TOP, state } from "/assets/state.js";
import { visible } from "/assets/text.js";
import { counted, grouped } from "/assets/words.js";

const GROUPS = [
  ["kind", "Kind"],
  ["language", "Language"],
  ["folder", "Folder"],
  ["type", "Type"],
  ["tag", "Tag"],
];
const SHOWN = 6;
const unfolded = new Set();

export function showFacets(answer, collections) {
  const place = byId("facets");
  const groups = GROUPS.map(([name, title]) => group(name, title, answer, () => showFacets(answer, collections)));
  const others = collections.length > 1 ? collectionGroup(collections) : null;
  const reset =
    hasFilters(state()) &&
    el(
      "button",
      {
        class: "reset",
        onclick: () => go({ ...NO_FILTERS, ...FROM_THE_TOP }),
      },
      "Clear filters",
    );
  fill(place, reset, groups, others);
  place.hidden = !place.childElementCount;
}

function group(name, title, answer, again) {
  const counts = answer.facets?.[name] ?? {};
  const selected = state()[name];
  const values = [...new Set([...selected, ...Object.keys(counts)])].filter((value) => value !== "…");
  // One value that all have tells nothing and narrows nothing.
  if (!values.length || (values.length === 1 && !selected.length)) return null;
  const isOpen = unfolded.has(name) || values.length <= SHOWN + 1;
  const shown = isOpen ? values : values.filter((value, at) => at < SHOWN || selected.includes(value));
  return el(
    "div",
    { class: "group", role: "group", "aria-labelledby": `facet-${name}` },
    el("h2", { id: `facet-${name}` }, title),
    shown.map((value) =>
      chip(value, [counts[value] ?? 0, "hit"], selected.includes(value), {
        title: "Counted among the best found; choosing it looks further",
        "data-facet": name,
        "data-value": value,
        onclick: () => toggle(name, value),
      }),
    ),
    !isOpen &&
      el(
        "button",
        {
          class: "more",
          "aria-label": `${values.length - shown.length} more: ${title}`,
          onclick: () => {
            unfolded.add(name);
            again();
            byId(`facet-${name}`).parentElement.querySelectorAll("button")[SHOWN]?.focus();
          },
        },
        `${values.length - shown.length} more`,
      ),
  );
}

/** A value and how many have it; `isSelected` is null where it leads elsewhere. */
export function chip(words, [count, noun], isSelected, given) {
  return el(
    "button",
    {
      class: "chip",
      "aria-pressed": isSelected === null ? null : String(isSelected),
      "aria-label": `${words}, ${counted(count, noun)}`,
      ...given,
    },
    el("span", { class: "value", dir: "auto" }, visible(words)),
    el("span", { class: "count" }, grouped(count)),
  );
}

function toggle(name, value) {
  const before = state()[name];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  go({ ...FROM_THE_TOP, [name]: after }, { why: "facet" });
  document.querySelector(`.chip[data-facet="${CSS.escape(name)}"][data-value="${CSS.escape(value)}"]`)?.focus();
}

function collectionGroup(collections) {
  const chosen = state().collection || collections.find((one) => one.isDefault)?.name;
  const all = { name: ALL, files: collections.reduce((sum, one) => sum + (one.files ?? 0), 0) };
  return el(
    "div",
    { class: "group", role: "group", "aria-labelledby": "facet-collection" },
    el("h2", { id: "facet-collection" }, "Collection"),
    [...collections, all].map((one) =>
      chip(one === all ? "all" : one.name, [one.files ?? 0, "file"], one.name === chosen, {
        onclick: () => go({ ...FROM_THE_TOP, ...NO_FILTERS, collection: one.isDefault ? "" : one.name }),
      }),
    ),
  );
}
