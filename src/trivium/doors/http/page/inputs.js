// Values of a note, a task or a skill <-> fields to write them in. Each tells what it holds whenever
// that changes; lists have a line for each entry, tags are chips.

import { el, fill, icon, iconButton } from "/assets/element.js";
import { worded } from "/assets/shelf.js";
import { named } from "/assets/text.js";

let count = 0;

export function labelled(words, field, given = {}) {
  field.id ||= `field-${(count += 1)}`;
  return el("div", { class: "labelled", ...given }, el("label", { for: field.id }, words), field);
}

export function line(name, value, told, given = {}) {
  const place = el("input", {
    type: "text",
    id: `w-${name}`,
    dir: "auto",
    autocomplete: "off",
    oninput: () => told(read(place)),
    ...given,
  });
  place.value = value ?? "";
  return place;
}

/** What a field says: null where it is empty, a number where it is one. */
function read(place) {
  const text = place.value;
  if (place.type !== "number") return text === "" ? null : text;
  return Number.isNaN(place.valueAsNumber) ? null : place.valueAsNumber;
}

export function choice(name, value, values, told, words = worded) {
  const all = value && !values.includes(value) ? [value, ...values] : values;
  const place = el(
    "select",
    { id: `w-${name}`, onchange: () => told(place.value || null) },
    all.map((one) => el("option", { value: one, selected: one === (value ?? "") }, one ? words(one) : "none")),
  );
  return place;
}

/** Entries of a list, each in a line of its own; Enter begins the next. */
export function several(name, values, told, { isLong = false } = {}) {
  const now = [...(values ?? [])];
  const rows = el("ol", { class: "entries" });
  const tell = () => told(now.map((one) => one.trim()).filter(Boolean));
  const entry = (value, at) => {
    const place = el(isLong ? "textarea" : "input", {
      "aria-label": `${worded(name)} ${at + 1}`,
      dir: "auto",
      rows: isLong ? "1" : null,
      oninput: () => {
        now[at] = place.value;
        tell();
      },
      onkeydown: (event) => {
        if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
        event.preventDefault();
        now.splice(at + 1, 0, "");
        show(at + 1);
      },
    });
    place.value = value;
    const take = () => {
      now.splice(at, 1);
      tell();
      show(Math.max(0, at - 1));
    };
    return el("li", {}, place, iconButton("close", `Remove ${worded(name)} ${at + 1}`, { class: "round take", onclick: take }));
  };
  const add = el(
    "button",
    {
      type: "button",
      class: "link",
      onclick: () => {
        now.push("");
        show(now.length - 1);
      },
    },
    "Add",
  );
  function show(focus) {
    fill(rows, now.map(entry));
    if (focus !== undefined) (rows.children[focus]?.firstElementChild ?? add).focus();
  }
  show();
  return el("fieldset", { class: "several", id: `w-${name}` }, el("legend", {}, worded(name)), rows, add);
}

/** Tags as chips, and a field for the next: Enter or a comma ends one. */
export function chips(values, told, known) {
  const now = [...(values ?? [])];
  const list = el("span", { class: "chips" });
  const field = el("input", {
    type: "text",
    id: "w-tags",
    list: "known-tags",
    placeholder: "Add a tag",
    autocomplete: "off",
    dir: "auto",
    maxlength: "100",
    // What is half written counts, so that it is kept as well.
    oninput: () => (field.value.includes(",") ? add() : told([...new Set([...now, field.value.trim()])].filter(Boolean))),
    onkeydown: (event) => {
      if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) add();
      else if (event.key === "Backspace" && !field.value && now.length) remove(now.length - 1);
      else return;
      event.preventDefault();
    },
    onblur: () => add(),
  });
  function add() {
    const fresh = field.value
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one && !now.includes(one));
    field.value = "";
    if (!fresh.length) return;
    now.push(...fresh);
    show();
  }
  function remove(at) {
    now.splice(at, 1);
    show();
    field.focus();
  }
  function show(isFirst = false) {
    fill(
      list,
      now.map((one, at) =>
        el(
          "button",
          { type: "button", class: "tag", "aria-label": `Remove the tag ${one}`, onclick: () => remove(at) },
          named(one),
          icon("close"),
        ),
      ),
    );
    if (!isFirst) told([...now]);
  }
  show(true);
  const offers = el("datalist", { id: "known-tags" }, [...known].map((one) => el("option", { value: one })));
  const place = el("div", { class: "tagging" }, list, field, offers);
  return el("div", { class: "labelled wide-field" }, el("label", { for: "w-tags" }, "Tags"), place);
}
