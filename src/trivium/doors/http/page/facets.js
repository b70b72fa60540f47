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
        type: "button",
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
    shown.map((value) => chip(name, value, counts[value] ?? 0, selected.includes(value))),
    !isOpen &&
      el(
        "button",
        {
          type: "button",
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

function chip(name, value, count, isSelected) {
  return el(
    "button",
    {
      type: "button",
      class: "chip",
      "aria-pressed": isSelected ? "true" : "false",
      "data-facet": name,
      "data-value": value,
      "aria-label": `${value}, ${counted(count, "hit")}`,
      onclick: () => toggle(name, value),
    },
    el("span", { class: "value", dir: "auto" }, visible(value)),
    el("span", { class: "count" }, grouped(count)),
  );
}

function toggle(name, value) {
  const before = state()[name];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  go({ ...FROM_THE_TOP, [name]: after }, { why: "facet" });
  document.querySelector(`.chip[data-facet="${CSS.escape(name)}"][data-value="${CSS.escape(value)}"]`)?.focus();
}

const titleOf = ({ name }) => (name === ALL ? "all" : name);

function collectionGroup(collections) {
  const chosen = state().collection || collections.find((one) => one.isDefault)?.name;
  return el(
    "div",
    { class: "group", role: "group", "aria-labelledby": "facet-collection" },
    el("h2", { id: "facet-collection" }, "Collection"),
    [...collections, { name: ALL, files: collections.reduce((sum, one) => sum + (one.files ?? 0), 0) }].map((one) =>
      el(
        "button",
        {
          type: "button",
          class: "chip",
          "aria-pressed": one.name === chosen ? "true" : "false",
          "aria-label": `${titleOf(one)}, ${counted(one.files ?? 0, "file")}`,
          onclick: () => go({ ...FROM_THE_TOP, ...NO_FILTERS, collection: one.isDefault ? "" : one.name }),
        },
        el("span", { class: "value" }, visible(titleOf(one))),
        el("span", { class: "count" }, grouped(one.files ?? 0)),
      ),
    ),
  );
}
