// A note, a task or a skill -> its pane: what it says, to be read, and what it is linked with.

import { dueOf } from "/assets/board.js";
import { draftOf, dropDraft, keepDraft } from "/assets/drafts.js";
import { el, fill, icon, iconButton, kindIcon, once } from "/assets/element.js";
import { epicLink, linker, linkList } from "/assets/linking.js";
import { rendered } from "/assets/markdown.js";
import { knowledge, learnEpics } from "/assets/narrowing.js";
import { tagButtons } from "/assets/rows.js";
import { ask, token } from "/assets/server.js";
import { BODY, isOver, PLURAL, PRIORITIES, STATUSES, worded } from "/assets/shelf.js";
import { go, state } from "/assets/state.js";
import { named, visible } from "/assets/text.js";
import { ago, counted, labelOf, percent } from "/assets/words.js";

const NEAR = 200;
const MOST_TASKS = 50;
const GONE = 404;

let running = null;

export async function showItem(place, id, told) {
  running?.abort();
  const { signal } = (running = new AbortController());
  const shelf = told.shelf;
  const from = focusedId();
  // Meanwhile it may be closed, or written on.
  const isWanted = () => !signal.aborted && state().item === id && state().edit !== "1";
  try {
    const params = { id, depth: 1, limit: NEAR, collection: told.collection };
    const [item, links, files, near, acts] = await Promise.all([
      shelf.read(id, signal),
      shelf.links(id, signal),
      shelf.files(id, signal).catch(() => []),
      ask("/api/neighbors", { params, signal }).catch(() => ({ nodes: [] })),
      // Who may only read is sent nothing to write with.
      told.mayWrite ? import("/assets/acting.js") : null,
      knowledge.epics.size ? null : learnEpics(shelf, signal),
    ]);
    await acts?.dressed;
    const inside = item.type === "epic" ? await belonging(id, shelf, signal) : null;
    if (!isWanted()) return;
    paint(place, { item, links, files, near: near.nodes, inside, acts, from }, told);
  } catch (error) {
    if (error.name === "AbortError" || !isWanted()) return;
    if (error.isGone || error.needsToken) return told.failed(error);
    const draft = draftOf(told.collection, id);
    fill(
      place,
      el("div", { class: "head" }, closing(told)),
      el("p", { class: "failed", role: "alert" }, error.message),
      draft && error.status === GONE
        ? el("p", { class: "warned" }, "What you wrote of it is kept. ", continuing(), " and save it as a new one.")
        : null,
    );
  }
}

/** The tasks of an epic. */
async function belonging(id, shelf, signal) {
  const found = await shelf.list("task", { epic: id, sort: "order", limit: MOST_TASKS }, signal).catch(() => null);
  return found?.total ? found : null;
}

/** Which of the list has the focus. */
const focusedId = () => document.activeElement?.closest(".stock [data-id]")?.dataset.id;
const shownIn = (place) => place.querySelector(".about-item .place")?.textContent;

function paint(place, all, told) {
  const { item, links, files, near, inside, acts, from } = all;
  const isAgain = shownIn(place) === item.id;
  const had = place.contains(document.activeElement) ? document.activeElement.id : "";
  const typeAgain = isAgain ? typedIn(place) : () => {};
  const path = `.trivium/${PLURAL[item.kind]}/${item.slug}.md`;
  const names = new Map(near.map((one) => [one.id, labelOf(one)]));
  const to = linker(path, near, { collection: told.collection });
  const text = item[BODY[item.kind]];
  const title = el("h2", { dir: "auto", tabindex: "-1", id: "item-title" }, named(item.title));
  const out = links.filter((one) => one.direction === "out");
  const tasks = new Set(inside?.results.map((one) => one.id));
  const incoming = links.filter((one) => one.direction === "in" && !tasks.has(one.source));
  const own = new Set(item.links.map(({ type, target }) => `${type} ${target}`));
  const made = out.filter((one) => own.has(`${one.type} ${one.target}`));
  // What its text names is told once; its epic stands above.
  const known = new Set([...made.map((one) => one.target), `task:${item.epic}`]);
  const mentioned = out.filter((one) => !made.includes(one) && !known.has(one.target));
  fill(
    place,
    el(
      "header",
      { class: "about-item" },
      el(
        "div",
        { class: "head" },
        closing(told),
        kindIcon(item),
        title,
        el("span", { class: "space" }),
        acts && [
          el(
            "button",
            { type: "button", class: "small", id: "edit-item", title: "Edit (e)", onclick: () => go({ edit: "1" }) },
            "Edit",
          ),
          el("button", { type: "button", class: "small", id: "delete-item", onclick: () => acts.confirmed(all, told) }, "Delete"),
        ],
      ),
      el("p", { class: "place", dir: "ltr" }, item.id),
    ),
    draftOf(told.collection, item.id) &&
      el(
        "p",
        { class: "warned" },
        `You wrote on it ${ago(draftOf(told.collection, item.id).at)} and have not saved. `,
        continuing(),
        " or ",
        el("button", { type: "button", class: "link", onclick: () => discarded(item, told) }, "discard it"),
        ".",
      ),
    item.problems?.length
      ? el("p", { class: "warned" }, "Of its file not all can be read: ", visible(item.problems.join(" ")))
      : null,
    item.kind === "task" && taskFacts(item, acts, told),
    item.kind === "skill" && skillFacts(item, acts, told),
    item.tags.length ? el("p", { class: "labels" }, tagButtons(item.tags)) : null,
    text.trim() && el("article", { class: "reads", tabindex: "0", "aria-label": "Text" }, rendered(text, to)),
    item.kind === "skill" && lists(item, to),
    inside && epicTasks(inside, item),
    part(
      "Links",
      linkList(made, { names, remove: acts && ((one) => acts.unlink(item, one, told)) }),
      linkList(mentioned, { names }),
      acts?.picker(item.kind, item.id, told, (one) => acts.link(item, one, told)),
      !acts && !out.length && el("p", { class: "aside" }, "It leads to nothing."),
    ),
    part(
      "Linked from",
      incoming.length ? linkList(incoming, { names }) : el("p", { class: "aside" }, "Nothing leads here."),
    ),
    files.length || acts
      ? part(
          "Files beside it",
          el(
            "ul",
            { class: "links-of" },
            files.map((one) => el("li", {}, icon("file"), fileLink(item, one, told), acts && removing(item, one, acts, told))),
          ),
          acts?.fileField(item, told),
        )
      : null,
    el(
      "p",
      { class: "aside stamps" },
      `Written ${ago(item.createdAt)}, changed ${ago(item.updatedAt)}, version ${item.version}.`,
      item.completedAt ? ` ${worded(item.status)} ${ago(item.completedAt)}.` : "",
    ),
  );
  typeAgain();
  // Who has gone on in the list meanwhile stays there.
  const isFree = document.activeElement === document.body || document.activeElement?.closest(".opened");
  const isOpened = !isAgain && from && from === focusedId();
  const back = had && document.getElementById(had);
  if (back && back !== title) back.focus({ preventScroll: true });
  else if (isFree || isOpened) {
    title.focus({ preventScroll: true });
    place.scrollTop = 0;
  }
}

/** What somebody has begun to look for while the pane is painted again stays, and is looked for again. */
function typedIn(place) {
  const words = place.querySelector("#link-search")?.value;
  const type = place.querySelector("#link-type")?.value;
  return () => {
    const field = words && place.querySelector("#link-search");
    if (!field) return;
    field.value = words;
    place.querySelector("#link-type").value = type;
    field.dispatchEvent(new Event("input"));
  };
}

const part = (title, ...children) => el("section", { class: "part" }, el("h3", {}, title), children);
/** A file to be saved; a link cannot show a token, and then it is only named. */
function fileLink(item, { filename }, told) {
  if (token()) return named(filename);
  const query = told.collection ? `?collection=${encodeURIComponent(told.collection)}` : "";
  const place = `/api/${PLURAL[item.kind]}/${encodeURIComponent(item.id)}/attachments/${encodeURIComponent(filename)}`;
  return el("a", { class: "inner", href: place + query, download: filename }, named(filename));
}

const removing = (item, { filename }, acts, told) =>
  iconButton("close", `Remove ${filename}`, { class: "round", onclick: once(() => acts.detach(item, filename, told)) });

const continuing = () =>
  el("button", { type: "button", class: "link", onclick: () => go({ edit: "1" }) }, "Continue writing");

function closing(told) {
  return iconButton("back", "Back to the list", { class: "round shut", id: "shut", onclick: () => told.leave() });
}

function discarded(item, told) {
  const draft = draftOf(told.collection, item.id);
  dropDraft(told.collection, item.id);
  told.reopen();
  told.offer("Draft discarded", () => {
    keepDraft(told.collection, item.id, draft);
    told.reopen();
  });
}

function chosen(name, item, values, acts, told) {
  if (!acts) return worded(item[name]);
  const place = el(
    "select",
    { id: `now-${name}`, "aria-label": worded(name), onchange: () => acts.set(item, name, place.value, told) },
    values.map((one) => el("option", { value: one, selected: one === item[name] }, worded(one))),
  );
  return place;
}

function taskFacts(item, acts, told) {
  const rows = [
    ["Status", chosen("status", item, STATUSES[item.type] ?? STATUSES.task, acts, told)],
    ["Priority", chosen("priority", item, PRIORITIES, acts, told)],
    item.dueDate && ["Due", dueOf(item)],
    item.assignee && ["Assignee", named(item.assignee)],
    item.epic && ["Epic", epicLink(item.epic, knowledge.epics.get(item.epic))],
    item.estimate !== null && ["Estimate", String(item.estimate)],
  ];
  return facts(rows, "facts pairs");
}

function skillFacts(item, acts, told) {
  const used = item.usageCount ? `${counted(item.usageCount, "time")}, last ${ago(item.lastUsedAt)}` : "not yet";
  return facts([
    [
      "Used",
      [
        used,
        " ",
        acts &&
          el("button", { type: "button", class: "small", id: "use", onclick: () => acts.use(item, told) }, "Used it now"),
      ],
    ],
    ["Source", worded(item.source)],
    item.confidence < 1 && ["Certain", percent(item.confidence)],
  ]);
}

const facts = (rows, sort = "facts") =>
  el(
    "dl",
    { class: sort },
    rows.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );

function lists(item, to) {
  const many = (title, values, tag, words) =>
    values.length ? part(title, el(tag, { class: "said" }, values.map((one) => el("li", {}, words(one))))) : null;
  return [
    many("Steps", item.steps, "ol", (one) => rendered(one, to)),
    many("When", item.triggers, "ul", visible),
    many("Needs to know", item.inputHints, "ul", visible),
    many("Files", item.filePatterns, "ul", (one) => el("code", {}, visible(one))),
  ];
}

function epicTasks({ results, total }, item) {
  const done = results.filter((one) => isOver(one.status)).length;
  return part(
    `Tasks: ${done} of ${total} done`,
    el("progress", { max: total, value: done, "aria-label": `${done} of ${total} tasks done` }),
    linkList(results.map((one) => ({ type: worded(one.status).toLowerCase(), target: one.id })), {
      names: new Map(results.map((one) => [one.id, one.title])),
    }),
    el(
      "button",
      { type: "button", class: "link", onclick: () => go({ view: "tasks", item: "", epic: item.slug }) },
      "Show them on the board",
    ),
  );
}
