// Links of notes, tasks and skills <-> elements: an id as a link that leads there, the lists of what
// is linked, and a field that finds what to link to by searching.

import { el, fill, icon, iconButton, kindIcon } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { ID, meant, sought } from "/assets/links.js";
import { ask } from "/assets/server.js";
import { kindOf, PLURAL, viewOf, worded } from "/assets/shelf.js";
import { addressOf, FROM_THE_TOP, go, NO_MEMORY, state, withChange } from "/assets/state.js";
import { named, visible } from "/assets/text.js";
import { labelOf, nodeOf, pathOf } from "/assets/words.js";

const TYPES = {
  note: ["references", "related_to", "depends_on", "variant_of", "contradicts"],
  task: ["subtask_of", "blocks", "related_to", "references"],
  skill: ["depends_on", "related_to", "variant_of", "references"],
};
const ACROSS = ["references", "related_to"];
const FOUND = 8;
const TYPING_MS = 180;
// An id of memory has no path; other notes, tasks and skills of a folder do.
const REMEMBERED = /^(note|task|skill):[^#/]+$/;

export const typesFor = (kind, target) => (kindOf(target) === kind ? TYPES[kind] : ACROSS);

/** The name in an id, for what the index does not name: auth.py#hash_password -> hash_password. */
export const nameOf = (id) => id.slice(id.indexOf(":") + 1).split(/[#/]/).at(-1) || id;

function changeFor(id, name) {
  if (REMEMBERED.test(id)) return { ...NO_MEMORY, view: PLURAL[kindOf(id)], item: id };
  return { ...FROM_THE_TOP, ...NO_MEMORY, q: name, at: id, open: true };
}

function link(change, words, given = {}) {
  return el(
    "a",
    {
      href: addressOf(withChange(change)),
      onclick: (event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
        event.preventDefault();
        go(change);
      },
      ...given,
    },
    words,
  );
}

/** The title of something in a list, which opens it beside the list. */
export const openLink = (item, words) =>
  link({ view: viewOf(item), item: item.id, edit: "", status: "", about: "" }, words, {
    "aria-current": state().item === item.id ? "true" : null,
  });

export const epicLink = (slug, title) =>
  link({ ...NO_MEMORY, view: "epics", item: `task:${slug}` }, named(title ?? slug), { class: "inner" });

/** A way to make links of what a text says, [[Soil]] or soil.md. */
export function linker(path, nodes, context) {
  return (target, words) => {
    const found = ID.test(target) ? { id: target } : meant(target, nodes, path);
    if (found) return link(changeFor(found.id, nameOf(found.id)), visible(words), { class: "inner" });
    const made = el("button", { type: "button", class: "link", onclick: () => seek() }, visible(words));
    async function seek() {
      const one = await sought(target, path, context).catch(() => null);
      if (one) return go(changeFor(one.id, nameOf(one.id)));
      made.replaceWith(el("span", { class: "missing", title: "Nothing here is called so" }, visible(words)));
      say(`Nothing here is called ${target}`);
    }
    return made;
  };
}

/** A list of links, each with its type, where it leads, and a way to take it away. */
export function linkList(links, { names = new Map(), remove } = {}) {
  return el(
    "ul",
    { class: "links-of" },
    links.map((one) => {
      const id = one.target ?? one.source;
      const name = names.get(id) ?? nameOf(id);
      return el(
        "li",
        { "data-target": id },
        kindIcon({ kind: kindOf(id), type: id.includes("#") && kindOf(id) === "doc" ? "section" : "" }),
        el("span", { class: "type" }, one.direction === "in" ? `${passive(one.type)}` : one.type.replaceAll("_", " ")),
        one.broken
          ? el("span", { class: "missing", title: "What it led to is gone" }, visible(id))
          : link(changeFor(id, name), named(name), { class: "inner", title: id }),
        one.broken && el("span", { class: "weak-label" }, "broken"),
        remove &&
          iconButton("close", `Take away the link to ${name}`, { class: "round take", onclick: () => remove(one) }),
      );
    }),
  );
}

const passive = (type) =>
  ({
    references: "referenced by",
    blocks: "blocked by",
    subtask_of: "has the subtask",
    depends_on: "needed by",
    contradicts: "contradicted by",
    mentions: "mentioned by",
    links: "linked from",
  })[type] ?? `${type.replaceAll("_", " ")}, from`;

/** A field that finds nodes by searching; `chosen({type, target})` is told which, and how linked. */
export function picker(kind, own, told, chosen) {
  let found = [];
  let at = -1;
  let timer = 0;
  let running = null;
  const list = el("ul", { class: "offered", role: "listbox", id: "link-offers", "aria-label": "Found", hidden: true });
  const types = el("select", { "aria-label": "Type of the link", id: "link-type" });
  const offer = (target) => {
    const now = types.value;
    const known = target ? typesFor(kind, target) : [...new Set([...ACROSS, ...TYPES[kind]])];
    fill(types, known.map((one) => el("option", { value: one, selected: one === now }, worded(one).toLowerCase())));
  };
  offer("");
  const field = el("input", {
    type: "text",
    id: "link-search",
    role: "combobox",
    "aria-label": "Search for what to link to",
    "aria-expanded": "false",
    "aria-controls": "link-offers",
    "aria-autocomplete": "list",
    placeholder: "Link to: search code, pages, notes…",
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    maxlength: "1000",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(search, TYPING_MS);
    },
    onkeydown: (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (by && found.length) mark((at + by + found.length) % found.length);
      else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) take(found[Math.max(at, 0)]);
      else if (event.key === "Escape" && field.value) close(true);
      else return;
      event.preventDefault();
    },
    onblur: () => setTimeout(() => list.contains(document.activeElement) || close(false), 150),
  });
  function show() {
    fill(
      list,
      found.map((hit, index) =>
        el(
          "li",
          { role: "option", id: `link-offer-${index}`, "aria-selected": "false", onclick: () => take(hit) },
          kindIcon(hit),
          el("span", { class: "name" }, named(labelOf(hit))),
          el("span", { class: "where" }, named(pathOf(hit))),
        ),
      ),
      found.length ? null : el("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "Nothing found"),
    );
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    at = -1;
    if (found.length) mark(0);
  }
  function mark(to) {
    list.children[at]?.setAttribute("aria-selected", "false");
    at = to;
    list.children[at].setAttribute("aria-selected", "true");
    list.children[at].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", `link-offer-${at}`);
  }
  function close(clears) {
    running?.abort();
    clearTimeout(timer);
    found = [];
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    if (clears) field.value = "";
  }
  async function search() {
    running?.abort();
    if (!field.value.trim()) return close(false);
    running = new AbortController();
    const params = { q: field.value, limit: FOUND, collection: told.collection };
    try {
      const { results } = await ask("/api/search", { params, signal: running.signal });
      const ids = new Set();
      found = results
        .map((hit) => ({ ...hit, id: nodeOf(hit.id) }))
        .filter(({ id }) => id !== own && !ids.has(id) && ids.add(id));
      show();
      say(found.length ? `${found.length} found. First: ${labelOf(found[0])}` : "Nothing found");
    } catch (error) {
      told.failed(error);
    }
  }
  function take(hit) {
    if (!hit) return;
    const known = typesFor(kind, hit.id);
    chosen({ type: known.includes(types.value) ? types.value : known[0], target: hit.id }, labelOf(hit));
    close(true);
    field.focus();
  }
  return el("div", { class: "picker" }, types, el("div", { class: "seeks" }, icon("plus"), field, list));
}
