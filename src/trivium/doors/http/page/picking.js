// Words -> what to link a note, a task or a skill to: a field that searches while somebody types, with
// the types that such a link can have.

import { dressedIn } from "/assets/dress.js";
import { el, fill, icon, kindIcon } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { ask } from "/assets/server.js";
import { kindOf, worded } from "/assets/shelf.js";
import { named } from "/assets/text.js";
import { labelOf, nodeOf, pathOf } from "/assets/words.js";

const TYPES = {
  note: ["references", "related_to", "depends_on", "variant_of", "contradicts"],
  task: ["subtask_of", "blocks", "related_to", "references"],
  skill: ["depends_on", "related_to", "variant_of", "references"],
};
const ACROSS = ["references", "related_to"];
// Also of the form, which has this field in it.
export const dressed = dressedIn("/assets/writing.css");
const FOUND = 8;
const TYPING_MS = 180;

const typesFor = (kind, target) => (kindOf(target) === kind ? TYPES[kind] : ACROSS);

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
    list.scrollIntoView({ block: "nearest" });
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
