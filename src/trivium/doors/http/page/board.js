// Tasks -> a board: a column for each status, in the order they are to be done. A task is moved by
// dragging it, by Shift and an arrow, or by the choice in its own pane; every move can be taken back.

import { drafted } from "/assets/drafts.js";
import { el, fill, iconButton } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { openLink } from "/assets/linking.js";
import { asked, isNarrowed, knowledge, learnEpics, today } from "/assets/narrowing.js";
import { isOver, STATUSES, worded } from "/assets/shelf.js";
import { go, state } from "/assets/state.js";
import { named } from "/assets/text.js";
import { grouped } from "/assets/words.js";

const PAGE = 40;
const MOST = 500;

export const shown = { tasks: new Map() };
let isChoosing = false;

/** Fill the place with the board; return how many tasks there are. */
export async function showBoard(place, told, signal) {
  const type = state().view === "epics" ? "epic" : "task";
  const limit = Math.min(MOST, PAGE * told.pages);
  const columns = STATUSES[type];
  const [dragging, , ...found] = await Promise.all([
    // With the lists: what is shown can be dragged at once.
    told.mayWrite ? import("/assets/dragging.js").catch(() => told.failed({ isGone: true })) : null,
    learnEpics(told.shelf, signal),
    ...columns.map((status) => told.shelf.list("task", { ...asked(), status, limit }, signal)),
  ]);
  if (signal.aborted || place.querySelector(".dragged")) return 0;
  for (const { results } of found) knowledge.of(results);
  const before = shown.tasks;
  // A list that was asked for before a move came back knows less than the move.
  const newer = (one) => (before.get(one.id)?.version > one.version ? before.get(one.id) : one);
  shown.tasks = new Map(found.flatMap(({ results }) => results).map((one) => [one.id, newer(one)]));
  const total = found.reduce((sum, one) => sum + one.total, 0);
  const old = place.querySelector(".board");
  const kept = { left: old?.scrollLeft ?? 0, id: focusedId(place) };
  const drafts = drafted(told.collection);
  const board = el(
    "div",
    { class: "board", "data-columns": columns.length, onkeydown: (event) => pressed(event, told) },
    columns.map((status, at) => column(status, found[at], told, drafts)),
  );
  fill(
    place,
    total ? null : nothing(type),
    el("p", { class: "unseen", id: "board-keys" }, "Arrow keys go to another task, with Shift they move it."),
    told.mayWrite && total ? several(board, type, told) : null,
    board,
  );
  board.scrollLeft = kept.left;
  oneStop(board, kept.id);
  if (told.mayWrite)
    dragging?.draggable(board, (id, status, before) => mover(told, ({ move }) => move(id, { status, before }, told)));
  return total;
}

/** Do something with what moves tasks, which who may only read is not sent. */
const mover = (told, act) => import("/assets/moving.js").then(act, () => told.failed({ isGone: true }));

/** The way to change many at once: a button, and once it was pressed a bar and boxes on the tasks. */
function several(board, type, told) {
  const turn = (to) => () => {
    isChoosing = to;
    told.refresh();
  };
  const bar = el(
    "div",
    { class: "many", role: "group", "aria-label": "Several tasks" },
    !isChoosing && el("button", { class: "link", id: "choose", onclick: turn(true) }, "Choose several"),
  );
  if (isChoosing)
    import("/assets/many.js").then(
      ({ choose }) => choose(board, bar, { tasks: shown.tasks, type, told, leave: turn(false) }),
      () => told.failed({ isGone: true }),
    );
  return bar;
}

const focusedId = (place) =>
  place.contains(document.activeElement) ? document.activeElement.closest("[data-id]")?.dataset.id : "";

/** Tab comes to the board once; arrows go on from there. */
function oneStop(board, id) {
  const links = [...board.querySelectorAll(".task h3 a")];
  for (const one of links) one.tabIndex = -1;
  const now = links.find((one) => one.closest(".task").dataset.id === (id || state().item)) ?? links[0];
  if (now) now.tabIndex = 0;
  if (id && now) now.focus({ preventScroll: true });
}

function column(status, { results, total }, told, drafts) {
  const name = `column-${status}`;
  return el(
    "section",
    { class: "column", "data-status": status, "aria-labelledby": name },
    el(
      "header",
      {},
      el("h2", { id: name }, worded(status), el("span", { class: "count" }, grouped(total))),
      told.mayWrite &&
        iconButton("plus", `New in ${worded(status)}`, {
          class: "round add",
          onclick: () => go({ item: "new", edit: "1", status }),
        }),
    ),
    el(
      "ol",
      { class: "tasks", "aria-labelledby": name },
      results.map((one) => card(one, drafts)),
    ),
    results.length < total &&
      el(
        "button",
        { type: "button", class: "link rest", onclick: told.more },
        results.length < MOST ? `${grouped(total - results.length)} more` : "Filter to see the others",
      ),
  );
}

function card(one, drafts) {
  const title = openLink(one, named(one.title));
  title.setAttribute("aria-describedby", "board-keys");
  return el(
    "li",
    {
      class: `task${isOver(one.status) ? " over" : ""}${state().item === one.id ? " selected" : ""}`,
      "data-id": one.id,
      onclick: (event) => event.target.closest("a, button, input") ?? title.click(),
    },
    el("h3", {}, title),
    el(
      "p",
      { class: "about" },
      one.priority !== "medium" && el("span", { class: `urgency u-${one.priority}` }, worded(one.priority)),
      dueOf(one),
      one.epic && el("span", { class: "of-epic" }, named(knowledge.epics.get(one.epic) ?? one.epic)),
      one.assignee && el("span", { class: "who" }, named(one.assignee)),
      one.tags.slice(0, 3).map((tag) => el("span", { class: "tag" }, named(tag))),
      drafts.has(one.id) && el("span", { class: "weak-label" }, "draft"),
      one.problems?.length ? el("span", { class: "weak-label", title: one.problems.join("\n") }, "odd file") : null,
    ),
  );
}

/** When a task is due, as said on the board: late ones stand out while there is something to do. */
export function dueOf({ dueDate, status }) {
  if (!dueDate) return null;
  const day = dueDate.slice(0, 10);
  const [year, month, date] = day.split("-").map(Number);
  const far = year !== new Date().getFullYear();
  const said = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", ...(far && { year: "numeric" }) });
  const words = year ? said.format(new Date(year, month - 1, date)) : dueDate;
  const isLate = !isOver(status) && day < today();
  const isSoon = !isOver(status) && !isLate && day <= today(2);
  return el(
    "span",
    { class: `due${isLate ? " late" : isSoon ? " soon" : ""}`, title: `Due ${dueDate}` },
    words,
    isLate && el("span", { class: "unseen" }, ", overdue"),
  );
}

function nothing(type) {
  return el(
    "div",
    { class: "none" },
    el("p", {}, isNarrowed() ? `No ${type} has what was chosen. ` : `There is no ${type} yet.`),
  );
}

function pressed(event, told) {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const at = event.target.closest?.(".task");
  if (!by || !at || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const columns = [...event.currentTarget.querySelectorAll(".column")];
  const mine = columns.indexOf(at.closest(".column"));
  const cards = (one) => [...(one?.querySelectorAll(".task") ?? [])];
  const row = cards(columns[mine]).indexOf(at);
  if (event.shiftKey)
    return told.mayWrite ? mover(told, ({ shifted }) => shifted(at, by, columns, told)) : say("Read only");
  let next = null;
  if (by[1]) next = cards(columns[mine])[row + by[1]];
  else
    for (let to = mine + by[0]; to >= 0 && to < columns.length && !next; to += by[0])
      next = cards(columns[to])[row] ?? cards(columns[to]).at(-1);
  if (!next) return;
  for (const one of event.currentTarget.querySelectorAll(".task h3 a")) one.tabIndex = -1;
  const link = next.querySelector("h3 a");
  link.tabIndex = 0;
  link.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
}
