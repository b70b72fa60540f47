// A note, a task or a skill -> a form to write it in, with its text shown as it will be read. Every
// letter is kept as a draft until the server has it, or the person throws it away.

import { conflict } from "/assets/conflict.js";
import { draftOf, dropDraft, keepDraft } from "/assets/drafts.js";
import { byId, el, fill, iconButton, kindIcon } from "/assets/element.js";
import { chips, choice, labelled, line, several } from "/assets/inputs.js";
import { linkList } from "/assets/linking.js";
import { rendered } from "/assets/markdown.js";
import { knowledge, learnEpics } from "/assets/narrowing.js";
import { dressed, picker } from "/assets/picking.js";
import { BODY, FIELDS, isSame, PRIORITIES, STATUSES, valuesOf, VIEWS, viewOf } from "/assets/shelf.js";
import { go, state } from "/assets/state.js";
import { named, visible } from "/assets/text.js";

const PREVIEW_MS = 120;
const LONGEST_PREVIEW = 100_000;
const NAMES = { tasks: "task", epics: "epic", notes: "note", skills: "skill" };
const SOURCES = ["user", "learned"];

let now = null;
let asked = 0;

/** Show the form for what has this id, or for something new of the view. */
export async function showEditor(place, id, view, told) {
  const key = id ?? `new:${view}`;
  const { collection } = told;
  const mine = ++asked;
  // Meanwhile another may be asked for, or this once more.
  const isWanted = () => mine === asked && (id ?? "new") === state().item && (!id || state().edit === "1");
  await dressed;
  let draft = draftOf(collection, key);
  try {
    // Without the server a draft can still be written on.
    if (VIEWS[view] === "task") await learnEpics(told.shelf).catch((error) => draft ?? Promise.reject(error));
    draft ??= id ? begun(await told.shelf.read(id)) : { base: null, values: fresh(view) };
  } catch (error) {
    if (!isWanted()) return;
    if (error.isGone || error.needsToken) return told.failed(error);
    return fill(place, el("p", { class: "failed", role: "alert" }, error.message));
  }
  if (!isWanted()) return;
  const { about } = state();
  if (!id && about && !(draft.values.links ?? []).some((one) => one.target === about))
    draft.values.links = [...(draft.values.links ?? []), { type: "references", target: about }];
  now = { ...draft, key, collection, kind: VIEWS[view], view, names: new Map(), told, place };
  paint();
}

const begun = (item) => ({ base: { id: item.id, version: item.version, values: valuesOf(item) }, values: valuesOf(item) });

function fresh(view) {
  const values = Object.fromEntries(FIELDS[VIEWS[view]].map((name) => [name, null]));
  if (VIEWS[view] !== "task") return values;
  const type = view === "epics" ? "epic" : "task";
  const { status, epic } = state();
  const known = STATUSES[type];
  const chosen = known.includes(status) ? status : known[0];
  return { ...values, type, status: chosen, priority: "medium", epic: (type === "task" && epic) || null };
}

function paint(said = null) {
  const { place, kind, view, values, base } = now;
  const body = BODY[kind];
  const text = el("textarea", {
    id: "w-text",
    dir: "auto",
    spellcheck: "true",
    "aria-label": `${kind === "note" ? "Text" : "Description"}, in Markdown`,
    placeholder: "Markdown. [[a note]] and `names` become links.",
    oninput: () => set(body, text.value),
  });
  text.value = values[body] ?? "";
  const title = line("title", values.title, (value) => set("title", value), {
    class: "title-field",
    "aria-label": "Title",
    placeholder: `Title of the ${NAMES[view]}`,
    maxlength: "500",
    required: true,
  });
  now.preview = el("div", { class: "reading", tabindex: "0", role: "region", "aria-label": "Preview" });
  now.links = el("div", {});
  now.failed = el("div", { role: "alert", class: "wrong" });
  now.kept = el("span", { class: "aside kept", role: "status" });
  now.saving = el("button", { type: "submit", class: "main", id: "save", title: "Save (Ctrl Enter)" }, "Save");
  now.form = el(
    "form",
    {
      class: "editor",
      "aria-label": base ? `Edit the ${NAMES[view]}` : `New ${NAMES[view]}`,
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        save();
      },
      onkeydown: pressed,
    },
    el("h2", { class: "unseen" }, base ? `Edit the ${NAMES[view]}` : `New ${NAMES[view]}`),
    el(
      "div",
      { class: "head" },
      iconButton("back", "Back; what you wrote is kept", { class: "round shut", id: "shut", onclick: leave }),
      kindIcon({ kind }),
      title,
      now.kept,
      el("button", { type: "button", class: "small", id: "discard", onclick: discard }, "Discard"),
      now.saving,
    ),
    now.failed,
    el("div", { class: "fields" }, fields()),
    sides(text),
    kind === "skill" ? el("div", { class: "lists" }, lists()) : null,
    chips(values.tags, (value) => set("tags", value), knowledge.tags),
    el("section", { class: "part" }, el("h3", {}, "Links"), now.links, picker(kind, base?.id, now.told, addLink)),
  );
  fill(place, now.form);
  showLinks();
  show();
  showKept();
  if (said) fill(now.failed, el("p", { class: "warned" }, said));
  (values.title ? text : title).focus({ preventScroll: true });
}

/** The text and, beside it or in its place, how it will be read. */
function sides(text) {
  const both = el("div", { class: "sides" }, text, now.preview);
  const button = (words, isRead) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": isRead ? "false" : "true",
        onclick: (event) => {
          both.classList.toggle("is-read", isRead);
          for (const one of event.currentTarget.parentElement.children)
            one.setAttribute("aria-pressed", one === event.currentTarget ? "true" : "false");
        },
      },
      words,
    );
  const turn = el("div", { class: "switch", role: "group", "aria-label": "How to show the text" });
  turn.append(button("Write", false), button("Preview", true));
  return el("div", { class: "writing" }, turn, both);
}

function fields() {
  const { values, kind } = now;
  const of = (name) => (value) => set(name, value);
  if (kind === "skill")
    return [
      labelled("Source", choice("source", values.source ?? "user", SOURCES, of("source"))),
      labelled(
        "Certain, 0 to 1",
        line("confidence", values.confidence ?? 1, of("confidence"), { type: "number", min: "0", max: "1", step: "0.05" }),
      ),
    ];
  if (kind === "note") return null;
  const isEpic = values.type === "epic";
  const epics = ["", ...knowledge.epics.keys()];
  return [
    labelled("Status", choice("status", values.status, STATUSES[isEpic ? "epic" : "task"], of("status"))),
    labelled("Priority", choice("priority", values.priority, PRIORITIES, of("priority"))),
    labelled("Due", line("dueDate", values.dueDate?.slice(0, 10), of("dueDate"), { type: "date" })),
    isEpic ||
      labelled("Epic", choice("epic", values.epic, epics, of("epic"), (one) => knowledge.epics.get(one) ?? one)),
    labelled("Assignee", line("assignee", values.assignee, of("assignee"), { maxlength: "200" })),
    labelled("Estimate", line("estimate", values.estimate, of("estimate"), { type: "number", min: "0", step: "any" })),
  ].filter((one) => one !== true);
}

function lists() {
  const { values } = now;
  const of = (name, given) => several(name, values[name], (value) => set(name, value), given);
  return [of("steps", { isLong: true }), of("triggers"), of("inputHints"), of("filePatterns")];
}

function set(name, value) {
  now.values = { ...now.values, [name]: value };
  keep();
  clearTimeout(now.timer);
  now.timer = setTimeout(show, PREVIEW_MS);
}

const changesOf = ({ base, values }) =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(value, base?.values[name])));

function keep(one = now) {
  const { base, values, collection, key } = one;
  const isChanged = Object.keys(changesOf(one)).length > 0;
  one.isKept = !isChanged || keepDraft(collection, key, { base, values });
  if (!isChanged) dropDraft(collection, key);
  if (one.form.isConnected) showKept();
}

function showKept() {
  const isDraft = draftOf(now.collection, now.key) !== null;
  const words = now.isKept === false ? "This browser keeps no draft: save before you close it." : "Draft kept in this tab";
  now.kept.textContent = isDraft ? words : "";
  byId("discard").textContent = isDraft ? "Discard" : "Cancel";
}

function show() {
  const { kind, values, preview } = now;
  const text = (values[BODY[kind]] ?? "").slice(0, LONGEST_PREVIEW);
  const to = (_, words) => el("span", { class: "leads" }, visible(words));
  const steps = (values.steps ?? []).map((one) => el("li", {}, rendered(one, to)));
  fill(
    preview,
    text.trim() ? rendered(text, to) : null,
    steps.length ? el("ol", { class: "said" }, steps) : null,
    text.trim() || steps.length ? null : el("p", { class: "aside" }, "How it will be read."),
  );
}

function showLinks() {
  const links = now.values.links ?? [];
  const remove = (one) => {
    set("links", (now.values.links ?? []).filter((other) => !isSame(one, other)));
    showLinks();
  };
  fill(now.links, links.length ? linkList(links, { names: now.names, remove }) : null);
}

function addLink(one, name) {
  const links = now.values.links ?? [];
  now.names.set(one.target, name);
  if (!links.some((other) => isSame(one, other))) set("links", [...links, one]);
  showLinks();
}

function pressed(event) {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && (event.key === "Enter" || event.key === "s")) {
    event.preventDefault();
    save();
  } else if (event.key === "Escape" && !event.defaultPrevented) {
    event.preventDefault();
    leave();
  } else if (event.key === "Enter" && event.target.id === "w-title") event.preventDefault();
}

function leave() {
  go(now.base ? { edit: "" } : { item: "", edit: "", status: "", about: "" });
}

function discard() {
  const { told, collection, key, base, values } = now;
  const isDraft = draftOf(collection, key) !== null;
  dropDraft(collection, key);
  leave();
  if (!isDraft) return;
  const item = state().item || "new";
  told.offer("Draft discarded", () => {
    keepDraft(collection, key, { base, values });
    go({ item: base ? base.id : item, edit: "1" });
  });
}

/** Save it. `aside` is what the person wrote and gave up for somebody else's; it can be had back. */
async function save(aside = null) {
  const mine = now;
  const { told, base, kind, values, collection, key } = mine;
  // By a key it can be asked for twice.
  if (mine.saving.disabled) return;
  if (!values.title?.trim()) {
    wrong("Give it a title.");
    byId("w-title").focus();
    return;
  }
  const changes = changesOf(mine);
  if (base && !Object.keys(changes).length) {
    leave();
    if (aside) told.offer("Theirs stands", restoring(aside, base, collection));
    return;
  }
  mine.saving.disabled = true;
  try {
    const made = base
      ? await told.shelf.change(base.id, changes, base.version)
      : await told.shelf.create(kind, values);
    // What was typed while it was sent is not saved yet, and stays a draft of what is there now.
    if (!isSame(mine.values, values)) return goOn(mine, made);
    dropDraft(collection, key);
    const change = { view: viewOf(made), item: made.id, edit: "", status: "", about: "" };
    if (mine.form.isConnected) go(change, { replace: true });
    told.refresh();
    if (aside) return told.offer("Saved, with theirs", restoring(aside, begun(made).base, collection));
    const back = Object.fromEntries(Object.keys(changes).map((name) => [name, base?.values[name] ?? null]));
    told.offer(["Saved ", el("strong", {}, named(made.title))], async () => {
      if (base) await told.shelf.change(base.id, back, made.version);
      else await told.shelf.remove(made.id, made.version);
      if (base) told.reopen();
      else told.leave();
    });
  } catch (error) {
    refused(error, mine);
  } finally {
    mine.saving.disabled = false;
  }
}

const restoring = (values, base, collection) => () => {
  keepDraft(collection, base.id, { base, values });
  go({ item: base.id, edit: "1" });
};

function goOn(mine, made) {
  dropDraft(mine.collection, mine.key);
  mine.base = begun(made).base;
  mine.key = made.id;
  keep(mine);
  if (!mine.form.isConnected) mine.told.refresh();
  else if (state().item === "new") go({ item: made.id, edit: "1" }, { replace: true });
}

const wrong = (...words) => fill(now.failed, el("p", { class: "failed" }, words));

async function refused(error, mine) {
  const { told } = mine;
  // Who has left meanwhile is told; the draft is there.
  if (!mine.form.isConnected) return told.failed(error);
  if (error.type === "VersionConflict") return settle(mine, error);
  if (error.status === 404 && mine.base)
    return wrong(
      "It was deleted meanwhile. ",
      el("button", { type: "button", class: "link", onclick: saveAnew }, "Save it as a new one"),
    );
  const rest = draftOf(mine.collection, mine.key) ? " What you wrote is kept." : "";
  wrong(visible(error.isGone ? `The server does not answer.${rest} Save again when it is back.` : `${error.message}${rest}`));
}

function saveAnew() {
  dropDraft(now.collection, now.key);
  now.base = null;
  now.key = `new:${now.view}`;
  keep();
  save();
}

/** Somebody was faster: show both, and go on with what the person chooses. */
async function settle(mine, error) {
  const { told, base, values, place, kind } = mine;
  let theirs;
  try {
    theirs = await told.shelf.read(base.id);
  } catch (gone) {
    return wrong(visible(gone.message));
  }
  if (!mine.form.isConnected) return told.failed(error);
  const other = begun(theirs).base;
  const settled = (chosen, { hasBoth, hasTheirs }) => {
    now = { ...mine, base: other, values: chosen };
    paint(hasBoth ? "Both texts are in it now: make one of them, and save." : null);
    keep();
    if (!hasBoth) save(hasTheirs ? values : null);
  };
  const back = () => paint("Not saved yet: somebody else changed it meanwhile.");
  conflict(place, { kind, base: base.values, mine: values, theirs: other.values }, settled, back);
}
