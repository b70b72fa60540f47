// Two versions of one thing, and what both came from -> both side by side, to choose from, field by
// field. What only one of the two changed is taken from that one without asking.

import { el, fill } from "/assets/element.js";
import { BODY, FIELDS, isSame, worded } from "/assets/shelf.js";
import { visible } from "/assets/text.js";

const shown = (value) => {
  if (Array.isArray(value)) return value.map((one) => (one.target ? `${one.type} ${one.target}` : one)).join("\n");
  return String(value ?? "");
};

/** Show what differs; `chosen(values, ways)` gets one set of values, `back()` leaves it open. */
export function conflict(place, { kind, base, mine, theirs }, chosen, back) {
  const differ = (one, other) => !isSame(one, other);
  const fields = FIELDS[kind].filter((name) => differ(mine[name], theirs[name]));
  const open = fields.filter((name) => differ(mine[name], base[name]) && differ(theirs[name], base[name]));
  const only = fields.filter((name) => !open.includes(name));
  const picks = new Map(open.map((name) => [name, "mine"]));
  const box = el(
    "form",
    {
      class: "conflict",
      "aria-labelledby": "conflict-title",
      onsubmit: (event) => {
        event.preventDefault();
        settle();
      },
    },
    el("h2", { id: "conflict-title", tabindex: "-1" }, "Somebody else changed it meanwhile"),
    el(
      "p",
      { class: "aside" },
      open.length
        ? "Nothing is saved yet, and nothing is lost. Choose what is to stand:"
        : "Nothing is saved yet. You changed other things than they did, so both fit together.",
    ),
    open.map((name) => compared(name)),
    only.length
      ? el("p", { class: "aside" }, only.map((name) => said(name)).join(" "))
      : null,
    el(
      "p",
      { class: "buttons" },
      el("button", { type: "submit", class: "main", id: "settle" }, open.length ? "Save what is chosen" : "Save both"),
      el("button", { type: "button", class: "small", onclick: back }, "Back to what I wrote"),
    ),
  );
  function said(name) {
    const isTheirs = !differ(mine[name], base[name]);
    return `${worded(name)}: only ${isTheirs ? "they" : "you"} changed it, and that stays.`;
  }
  function compared(name) {
    const ways = [
      ["mine", "Yours", mine[name], theirs[name]],
      ["theirs", "Theirs", theirs[name], mine[name]],
    ];
    return el(
      "fieldset",
      {},
      el("legend", {}, worded(name)),
      el(
        "div",
        { class: "two" },
        ways.map(([way, words, own, other]) =>
          el(
            "div",
            {},
            radio(name, way, words),
            el("pre", { tabindex: "0", dir: "auto", "aria-label": words }, marked(shown(own), shown(other))),
          ),
        ),
      ),
      name === BODY[kind] ? radio(name, "both", "Both, one below the other, to be put in order by me") : null,
    );
  }
  function radio(name, way, words) {
    return el(
      "label",
      {},
      el("input", {
        type: "radio",
        name,
        value: way,
        checked: picks.get(name) === way,
        onchange: () => picks.set(name, way),
      }),
      words,
    );
  }
  function settle() {
    const values = { ...theirs };
    for (const name of only) if (differ(mine[name], base[name])) values[name] = mine[name];
    for (const [name, way] of picks)
      values[name] = { mine: mine[name], theirs: theirs[name], both: `${mine[name]}\n\n${theirs[name]}` }[way];
    const ways = [...picks.values()];
    chosen(values, { hasBoth: ways.includes("both"), hasTheirs: ways.includes("theirs") });
  }
  fill(place, box);
  box.querySelector("h2").focus();
}

/** The lines of a text; those that the other has not are marked. */
function marked(text, other) {
  if (!text) return el("span", { class: "aside" }, "nothing");
  const known = new Set(other.split("\n"));
  return text
    .split("\n")
    .map((line) => [line.trim() && !known.has(line) ? el("mark", {}, visible(line)) : visible(line), "\n"]);
}
