// The state of the page -> memory: which notes, tasks or skills there are, the one that is open, the
// one that is being written. Loaded when it is first opened, with its own sheet of style.

import { showBoard } from "/assets/board.js";
import { drafted } from "/assets/drafts.js";
import { byId, el, fill, icon } from "/assets/element.js";
import { dressedIn } from "/assets/dress.js";
import { busy, notify, quiet, say } from "/assets/frame.js";
import { showItem } from "/assets/item.js";
import { isNarrow, isWriting, KEYS } from "/assets/keys.js";
import { link } from "/assets/linking.js";
import { asked, knowledge, narrowing } from "/assets/narrowing.js";
import { showRows } from "/assets/rows.js";
import { hasLetterKeys } from "/assets/settings.js";
import { kindOf, PLURAL, shelf, VIEWS } from "/assets/shelf.js";
import { changed, go, NO_MEMORY, state } from "/assets/state.js";
import { readStatus } from "/assets/status.js";
import { counted } from "/assets/words.js";

const AGAIN_MS = 15_000;
const OFFERED_MS = 12_000;
const NAMES = { tasks: "Tasks", epics: "Epics", notes: "Notes", skills: "Skills" };
const ONE = { tasks: "task", epics: "epic", notes: "note", skills: "skill" };

KEYS.push(
  ["n", "in memory: write a new one"],
  ["e", "edit the one that is open"],
  ["f", "filter"],
  ["← ↑ ↓ →", "on the board: to another task"],
  ["Shift ← → ↑ ↓", "move the task"],
  ["Ctrl Enter", "save"],
  ["Ctrl Z", "take the last change back"],
);

const dressed = dressedIn("/assets/memory.css");

let context = null;
let frame = null;
let listedAs = "";
let openedAs = "";
let opener = "";
let mayWrite = true;
let running = null;
let offered = null;
let offeredTimer = 0;
let againTimer = 0;
const limits = new Map();

const told = {
  get collection() {
    return context.collection();
  },
  get shelf() {
    return shelf(context.collection());
  },
  get mayWrite() {
    return mayWrite;
  },
  failed,
  offer,
  refresh,
  reopen,
  leave: () => go({ item: "", edit: "", status: "", about: "" }),
  more: () => {
    const key = listKey();
    limits.set(key, (limits.get(key) ?? 1) + 1);
    refresh();
  },
  get pages() {
    return limits.get(listKey()) ?? 1;
  },
};

/** Show what the state says. Called for every change of it. */
export async function show(place, given) {
  context = given;
  await dressed;
  const { view, item, edit } = state();
  if (!Object.hasOwn(VIEWS, view)) return view !== "status" && view && go({ view: "" }, { replace: true });
  if (!frame?.root.isConnected) begin(place);
  document.title = `${NAMES[view]} · Trivium`;
  const isWriting = edit === "1" || item === "new";
  const wasWriting = frame.root.matches(".is-writing");
  frame.root.classList.toggle("is-writing", isWriting);
  frame.root.classList.toggle("has-open", Boolean(item));
  showHead();
  narrowing(frame.narrowing);
  frame.stock.toggleAttribute("inert", Boolean(item) && (isWriting || isNarrow()));
  const list = listKey();
  if (list !== listedAs || (wasWriting && !isWriting)) {
    listedAs = list;
    refresh();
  }
  const one = JSON.stringify([item, edit, item === "new" ? view : "", told.collection]);
  if (one === openedAs) return;
  openedAs = one;
  reopen();
}

const listKey = () => JSON.stringify([state().view, context.collection(), asked()]);

function begin(place) {
  const part = (name, given = {}) => el("div", { class: name, ...given });
  frame = {
    head: el("header", { class: "shelf-head" }),
    narrowing: part("narrowing", { role: "search", "aria-label": "Narrow the list" }),
    stock: part("stock"),
    opened: el("section", { class: "opened", "aria-label": "The open one", hidden: true }),
    offer: part("offer", { role: "status" }),
  };
  frame.root = el(
    "div",
    { class: "memory" },
    el("h1", { class: "unseen" }, "Memory"),
    frame.head,
    frame.narrowing,
    el("div", { class: "shelves" }, frame.stock, frame.opened),
    frame.offer,
  );
  listedAs = "";
  openedAs = "";
  knowledge.forget();
  fill(place, frame.root);
  learnRights();
  clearTimeout(againTimer);
  againTimer = setTimeout(lookAgain, AGAIN_MS);
}

async function learnRights() {
  const asked = context.collection();
  try {
    const status = await readStatus(asked);
    if (asked !== context.collection()) return;
    context.heard(status);
    const may = status.mayWrite !== false;
    if (may === mayWrite) return;
    mayWrite = may;
    showHead();
    refresh();
    if (state().item && state().edit !== "1") reopen();
  } catch (error) {
    failed(error);
  }
}

function showHead() {
  const { view } = state();
  const drafts = drafted(told.collection);
  const to = (name) =>
    link({ ...NO_MEMORY, view: name }, NAMES[name], { "aria-current": name === view ? "page" : null });
  const hasDraft = drafts.has(`new:${view}`);
  fill(
    frame.head,
    el("nav", { class: "kinds", "aria-label": "Memory" }, Object.keys(VIEWS).map(to)),
    el("span", { class: "space" }),
    mayWrite
      ? null
      : el("p", { class: "weak-label read-only", title: "The token of this page may read, not write." }, "Read only"),
    el("button", { type: "button", class: "small", id: "leave", onclick: () => go({ view: "" }) }, "Back to the search"),
    mayWrite &&
      el(
        "button",
        { type: "button", class: "main", id: "new", onclick: () => go({ item: "new", edit: "1", status: "" }) },
        icon("plus"),
        hasDraft ? `Unsaved ${ONE[view]}` : `New ${ONE[view]}`,
      ),
  );
}

/** Ask for the list again, and show it in the place of the old one. */
async function refresh() {
  running?.abort();
  const mine = (running = new AbortController());
  const { view } = state();
  if (!Object.hasOwn(VIEWS, view)) return;
  const paint = VIEWS[view] === "task" ? showBoard : showRows;
  busy(true);
  try {
    const total = await paint(frame.stock, told, mine.signal);
    if (mine.signal.aborted) return;
    document.body.classList.remove("is-gone");
    narrowing(frame.narrowing);
    showHead();
    if (frame.said !== `${listedAs}${total}` && !state().item) say(counted(total, ONE[view]));
    frame.said = `${listedAs}${total}`;
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error.isGone || error.needsToken) failed(error);
    else fill(frame.stock, el("p", { class: "failed", role: "alert" }, error.message));
  }
  if (running === mine) busy(false);
}

/** What agents and editors wrote meanwhile comes by itself. */
function lookAgain() {
  if (!frame.root.isConnected) return;
  const isIdle = !document.hidden && !frame.root.matches(".is-writing, :has(.dragged)");
  if (isIdle) refresh();
  if (isIdle) learnRights();
  againTimer = setTimeout(lookAgain, AGAIN_MS);
}

function reopen() {
  const { item, edit, view } = state();
  const had = opener;
  opener = item;
  frame.opened.hidden = !item;
  if (!item) {
    fill(frame.opened);
    const back = had && frame.stock.querySelector(`[data-id="${CSS.escape(had)}"] a`);
    if (back) back.focus();
    return;
  }
  const isNew = item === "new";
  if (!isNew && !Object.hasOwn(PLURAL, kindOf(item))) {
    fill(frame.opened, el("p", { class: "failed", role: "alert" }, `${item} is no note, task or skill.`));
    return;
  }
  for (const one of frame.stock.querySelectorAll("[data-id]"))
    one.classList.toggle("selected", one.dataset.id === item);
  if (isNew || edit === "1")
    import("/assets/editor.js").then(
      ({ showEditor }) => showEditor(frame.opened, isNew ? null : item, view, told),
      () => failed({ isGone: true }),
    );
  else showItem(frame.opened, item, told);
}

/** Say what went wrong, in words; what was there stays. */
function failed(error) {
  busy(false);
  if (error.name === "AbortError") return;
  if (error.status === 403) {
    mayWrite = false;
    showHead();
    notify(error.message);
    return;
  }
  // When the server is back, what could not be had is asked for again.
  if (error.isGone) {
    listedAs = "";
    if (!frame.root.matches(".is-writing")) openedAs = "";
  }
  context.failed(error);
}

/** Say what was done, and offer to take it back for a while. */
function offer(words, undo) {
  clearTimeout(offeredTimer);
  quiet();
  offered = undo;
  fill(
    frame.offer,
    el("p", {}, words),
    undo && el("button", { type: "button", class: "link", onclick: takeBack }, "Undo"),
    el("button", { type: "button", class: "round", "aria-label": "Dismiss", onclick: forget }, icon("close")),
  );
  offeredTimer = setTimeout(() => (frame.offer.matches(":hover, :focus-within") ? null : forget()), OFFERED_MS);
}

function forget() {
  offered = null;
  fill(frame.offer);
}

async function takeBack() {
  const undo = offered;
  forget();
  try {
    await undo?.();
    say("Taken back");
  } catch (error) {
    failed(error);
  }
  refresh();
}

// Before the keys of the search, of which some are the same.
addEventListener(
  "keydown",
  (event) => {
    if (!Object.hasOwn(VIEWS, state().view) || byId("dialog").open || event.isComposing || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isWriting(event.target)) return;
    const does = isCommand
      ? { z: offered && takeBack }[event.key]
      : hasLetterKeys() &&
        { n: () => byId("new")?.click(), e: () => byId("edit-item")?.click(), f: () => byId("find")?.focus() }[event.key];
    const isOfSearch = !isCommand && "pgrjkyo+-".includes(event.key);
    if (!does && !isOfSearch) return;
    event.preventDefault();
    does?.();
  },
  true,
);
changed((now, before) => {
  if (now.collection === before.collection || !frame?.root.isConnected) return;
  knowledge.forget();
  learnRights();
});
