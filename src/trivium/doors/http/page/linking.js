// Links of notes, tasks and skills -> elements: an id as a link that leads there, and the lists of
// what is linked.

import { el, iconButton, kindIcon, once } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { ID, meant, sought } from "/assets/links.js";
import { kindOf, PLURAL, viewOf } from "/assets/shelf.js";
import { addressOf, FROM_THE_TOP, go, NO_MEMORY, state, withChange } from "/assets/state.js";
import { named, visible } from "/assets/text.js";

// An id of memory has no path; other notes, tasks and skills of a folder do.
const REMEMBERED = /^(note|task|skill):[^#/]+$/;

/** The name in an id, for what the index does not name: auth.py#hash_password -> hash_password. */
export const nameOf = (id) => id.slice(id.indexOf(":") + 1).split(/[#/]/).at(-1) || id;

function changeFor(id, name) {
  if (REMEMBERED.test(id)) return { ...NO_MEMORY, view: PLURAL[kindOf(id)], item: id };
  return { ...FROM_THE_TOP, ...NO_MEMORY, q: name, at: id, open: true };
}

/** A link of the page: it changes the state, and opens beside it as any link does. */
export function link(change, words, given = {}) {
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
      const before = state();
      const one = await sought(target, path, context).catch(() => null);
      // Who has gone on meanwhile is not led away from there.
      if (state() !== before) return;
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
          iconButton("close", `Take away the link to ${name}`, { class: "round take", onclick: once(() => remove(one)) }),
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
