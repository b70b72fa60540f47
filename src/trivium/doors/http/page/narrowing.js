// What of memory is listed <-> the fields above the list. Tags and names are offered as far as the
// list has shown them; all of it is in the address.

import { el, fill } from "/assets/element.js";
import { PRIORITIES, worded } from "/assets/shelf.js";
import { go, state } from "/assets/state.js";

const TYPING_MS = 160;
const MOST_EPICS = 500;
const SORTS = {
  notes: ["updated", "created", "title"],
  skills: ["updated", "created", "title", "usage", "confidence"],
};
const SORT_WORDS = {
  updated: "last changed",
  created: "newest",
  title: "by title",
  usage: "most used",
  confidence: "most certain",
};
const DUE = { late: "overdue", week: "due in 7 days" };

let timer = 0;

/** The tags, people and epics that were seen so far. */
export const knowledge = {
  tags: new Set(),
  people: new Set(),
  epics: new Map(),
  of(items) {
    for (const one of items) {
      for (const tag of one.tags ?? []) this.tags.add(tag);
      if (one.assignee) this.people.add(one.assignee);
    }
  },
  forget() {
    this.tags.clear();
    this.people.clear();
    this.epics.clear();
  },
};

/** Learn which epics there are, to be named and chosen. */
export async function learnEpics(shelf, signal) {
  const { results } = await shelf.list("task", { type: "epic", sort: "title", limit: MOST_EPICS }, signal);
  knowledge.epics = new Map(results.map((one) => [one.slug, one.title]));
}

export const today = (days = 0) => {
  const at = new Date(Date.now() + days * 86_400_000);
  const two = (number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

/** What the server is asked for, by what the address says. */
export function asked() {
  const { view, find, label, priority, epic, who, due, by } = state();
  const said = { filter: find || undefined, tag: label || undefined };
  if (view === "notes" || view === "skills") return { ...said, sort: SORTS[view].includes(by) ? by : "updated" };
  return {
    ...said,
    type: view === "epics" ? "epic" : "task",
    sort: "order",
    priority: PRIORITIES.includes(priority) ? priority : undefined,
    epic: (view === "tasks" && epic) || undefined,
    assignee: who || undefined,
    dueBefore: due === "late" ? today() : due === "week" ? today(8) : undefined,
  };
}

export const isNarrowed = () => ["find", "label", "priority", "epic", "who", "due"].some((name) => state()[name]);
export const widened = Object.freeze({ find: "", label: "", priority: "", epic: "", who: "", due: "" });

let field = null;
let shown = "";

/** Show the fields; those that would be the same stay, so that typing and choosing go on. */
export function narrowing(place) {
  if (!place.contains(field)) {
    shown = "";
    place.append(finding(), el("span", { class: "chosen" }));
  }
  if (document.activeElement !== field) field.value = state().find;
  const { tags, people, epics } = knowledge;
  const now = JSON.stringify([state(), [...tags], [...people], [...epics]]);
  if (now === shown) return;
  shown = now;
  const had = document.activeElement?.id;
  fill(place.lastElementChild, choices());
  if (had && place.querySelector(`.chosen #${CSS.escape(had)}`)) document.getElementById(had).focus();
}

function choices() {
  const { view } = state();
  const isBoard = view === "tasks" || view === "epics";
  return [
    choice("label", "Tag", "any tag", [...knowledge.tags].sort()),
    isBoard && choice("priority", "Priority", "any priority", PRIORITIES, (one) => worded(one).toLowerCase()),
    view === "tasks" &&
      choice("epic", "Epic", "any epic", [...knowledge.epics.keys()], (one) => knowledge.epics.get(one) ?? one),
    isBoard && choice("who", "Assignee", "anyone", [...knowledge.people].sort()),
    isBoard && choice("due", "Due", "any date", Object.keys(DUE), (one) => DUE[one] ?? one),
    isNarrowed() &&
      el("button", { type: "button", class: "link", id: "widen", onclick: () => go(widened) }, "Clear filters"),
    el("span", { class: "space" }),
    isBoard ? null : choice("by", "Order", null, SORTS[view] ?? [], (one) => SORT_WORDS[one]),
  ];
}

function finding() {
  field = el("input", {
    id: "find",
    type: "search",
    "aria-label": "Filter by title",
    placeholder: "Filter by title",
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    maxlength: "500",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => go({ find: field.value.trim() }, { replace: true }), TYPING_MS);
    },
    onkeydown: (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      if (field.value) {
        field.value = "";
        go({ find: "" }, { replace: true });
      } else field.blur();
    },
  });
  return field;
}

function choice(name, label, none, values, words = (one) => one) {
  const now = state()[name];
  const all = now && !values.includes(now) ? [now, ...values] : values;
  const place = el(
    "select",
    {
      id: `only-${name}`,
      "aria-label": label,
      title: label,
      class: now && none ? "is-set" : null,
      onchange: () => go({ [name]: place.value }),
    },
    none && el("option", { value: "" }, none),
    all.map((one) => el("option", { value: one, selected: one === now }, words(one))),
  );
  return place;
}
