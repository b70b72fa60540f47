// The spine of the page: a change of the state -> a question, its answer -> what is shown.

import { asksNothing, search, stop } from "/assets/asking.js";
import { showChoices } from "/assets/choices.js";
import { forgetDetail, showDetail } from "/assets/detail.js";
import { byId, el, fill, icon } from "/assets/element.js";
import { nothingFound, startPage } from "/assets/empty.js";
import { showFacets } from "/assets/facets.js";
import { busy, dot, notify, quiet, say, showIndexState } from "/assets/frame.js";
import { markSelected, showHits } from "/assets/hits.js";
import { judge, judged, readJudgements } from "/assets/judging.js";
import { isNarrow, listenToKeys, showKeys, toMemory, toStatus } from "/assets/keys.js";
import { compared } from "/assets/moves.js";
import { recent, remember } from "/assets/recent.js";
import { ask } from "/assets/server.js";
import { nextTheme, openSettings, showTheme } from "/assets/settings.js";
import { ALL, changed, FROM_THE_TOP, go, NO_FILTERS, NO_MEMORY, questionOf, state } from "/assets/state.js";
import { openStatus, readStatus } from "/assets/status.js";
import { more, saidOf, shownOf, suggestions, summaryOf } from "/assets/summary.js";
import { visible } from "/assets/text.js";
import { cut, isPartial, keyOf } from "/assets/words.js";

const PREVIEW_AFTER_MS = 60;
const AGAIN_AFTER_MS = 2000;
const STATUS_EVERY_MS = 15_000;
const INDEXING_EVERY_MS = 1500;
const TYPING_RESTS_MS = 2000;
const PART_AGAIN_MS = [2000, 4000, 8000];

const field = byId("query");
const profiles = { profiles: [], default: "best" };
let collections = [];
let status = null;
let answer = null;
let moves = null;
let typedAt = 0;
let previewTimer = 0;
let statusTimer = 0;
let againTimer = 0;
let version = 0;
// Of an answer in part: when to ask again, and how often that was.
let dueAt = 0;
let tries = 0;

const told = { open, select, judge: keepJudgement, passage, tag, visit };

// Of all together there is no status: that of the first is shown.
function collectionNow() {
  return state().collection === ALL ? undefined : state().collection || undefined;
}

// --- Asking

field.addEventListener("input", () => {
  const isGoingOn = Date.now() - typedAt < TYPING_RESTS_MS;
  typedAt = Date.now();
  go({ ...FROM_THE_TOP, q: field.value }, { replace: isGoingOn, why: "typing" });
});
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  typedAt = 0;
  go({ ...FROM_THE_TOP, q: field.value }, { replace: state().q === field.value, why: "asked" });
});

changed((now, before, why) => {
  if (why !== "typing") {
    typedAt = 0;
    if (field.value !== now.q) field.value = now.q;
  }
  byId("clear").hidden = !now.q;
  document.title = now.q.trim() ? `${cut(now.q.trim())} · Trivium` : "Trivium";
  if (now.collection !== before.collection) {
    version += 1;
    judged.clear();
    forgetDetail();
    answer = null;
    refreshStatus();
  }
  const isNew = questionOf(now) !== questionOf(before);
  if (isNew) tries = 0;
  if (isNew || why === "asked" || (now.view !== before.view && !answer)) askNow(why === "typing");
  showView();
  if (isNew) return;
  showSelection(why === "select" ? PREVIEW_AFTER_MS : 0);
  if (why === "back") say(shownOf(answer, now.at || selectedId()));
});

function askNow(typing, isAgain = false) {
  if (state().view) return;
  if (asksNothing(state())) {
    stop();
    answer = null;
    moves = compared();
    busy(false);
    showStart();
    return;
  }
  const told = { started: () => isAgain || busy(true), answered: (...said) => answered(...said, isAgain), failed };
  search(state(), told, { typing });
}

function answered(found, { state: asked, asYouType }, isAgain) {
  busy(asYouType);
  document.body.classList.remove("is-gone");
  quiet();
  const isSame = isAgain && answer && JSON.stringify(found.results) === JSON.stringify(answer.results);
  answer = found;
  if (!asYouType) {
    moves = compared(asked, answer);
    if (answer.results.length) remember(asked.q);
    // What somebody reads stays as it is while more is found.
    if (!isAgain || !isPartial(found)) version += 1;
  }
  if (!isSame || !isPartial(found)) showAnswer(asYouType);
  else if (!byId("summary").contains(document.activeElement)) fill(byId("summary"), summaryOf(answer, moves));
  if (!asYouType && !isSame) readJudgements(asked, found.results);
  if (!isPartial(found)) return;
  dueAt = Date.now() + (PART_AGAIN_MS[tries++] ?? PART_AGAIN_MS.at(-1));
  watchStatus();
}

function failed(error) {
  busy(false);
  if (error.needsToken) {
    notify(
      "This server needs an access token.",
      el("button", { class: "small", onclick: openTheSettings }, "Enter it"),
    );
    return;
  }
  if (error.isGone) {
    dot("gone", "no server");
    // What stands there may be of another question.
    document.body.classList.add("is-gone");
    notify("The server does not answer. The page tries again by itself.");
    clearTimeout(againTimer);
    againTimer = setTimeout(tryAgain, AGAIN_AFTER_MS);
    return;
  }
  quiet();
  answer = null;
  fill(byId("summary"), el("p", { class: "failed", role: "alert" }, visible(error.message)));
  fill(byId("hits"));
  fill(byId("after"));
  byId("facets").hidden = true;
  byId("detail").hidden = true;
  forgetDetail();
}

async function tryAgain() {
  if (!document.body.classList.contains("is-gone")) return;
  try {
    await ask("/health");
    document.body.classList.remove("is-gone");
    quiet();
    begin();
    showView();
    askNow(false);
  } catch {
    againTimer = setTimeout(tryAgain, AGAIN_AFTER_MS);
  }
}

// --- Showing

function showAnswer(asYouType) {
  document.body.classList.remove("at-start");
  const summary = byId("summary");
  const isEmpty = !answer.results.length;
  fill(summary, summaryOf(answer, asYouType ? null : moves));
  showFacets(answer, collections);
  showHits(answer, { selected: selectedId(), moves: asYouType ? null : moves, judged, told });
  fill(
    byId("after"),
    isEmpty && !asYouType ? nothingFound(answer) : null,
    suggestions(answer),
    asYouType ? null : more(answer),
  );
  if (asYouType) return;
  say(saidOf(answer));
  showSelection(0);
}

function showStart() {
  if (!document.body.classList.contains("at-start")) say("Start page");
  document.body.classList.add("at-start");
  fill(byId("summary"));
  fill(byId("hits"));
  fill(byId("facets")).hidden = true;
  byId("detail").hidden = true;
  forgetDetail();
  fill(byId("after"), startPage(status, recent()));
}

function showView() {
  const { view } = state();
  const isWide = view !== "";
  const wide = byId("wide");
  document.body.classList.toggle("at-status", isWide);
  document.body.classList.toggle("is-open", state().open && !isWide);
  wide.hidden = !isWide;
  if (!isWide) fill(wide);
  else if (!wide.childElementCount) fill(wide, el("p", { class: "aside" }, "Reading…"));
  // What is covered cannot be reached by keys either.
  const isCovered = isWide || (state().open && isNarrow());
  for (const one of [byId("found"), byId("facets"), document.querySelector(".top")])
    one.toggleAttribute("inert", one.matches(".top") ? isCovered && !isWide : isCovered);
  const context = { collection: collectionNow, heard: heardStatus, failed: failedAside };
  if (view === "status") openStatus(context);
  else if (isWide) import("/assets/memory.js").then(({ show }) => show(wide, context), () => failed({ isGone: true }));
}

function selectedId() {
  const { hit } = state();
  const keys = answer?.results.map(keyOf) ?? [];
  return keys.includes(hit) ? hit : (keys[0] ?? "");
}

function showSelection(after) {
  clearTimeout(previewTimer);
  if (!answer || state().view) return;
  const id = selectedId();
  markSelected(id);
  previewTimer = setTimeout(() => {
    const hit = answer?.results.find((one) => keyOf(one) === id);
    const wanted = state().at || (hit?.id ?? "");
    // What a hit leads to is of its own collection.
    const collection = hit?.collection ?? collectionNow();
    const known = answer?.results.find((one) => one.id === wanted && one.collection === hit?.collection);
    const root = collections.find((one) => one.name === hit?.collection)?.folder ?? status?.root;
    showDetail(wanted, known, { collection, root, profiles, judged, told, version });
  }, after);
}

// --- What a person does

function select(hit) {
  if (state().hit === keyOf(hit) && !state().at) return;
  go({ hit: keyOf(hit), at: "" }, { replace: true, why: "select" });
}

function open(hit) {
  go({ hit: keyOf(hit), at: "", open: true }, { replace: state().open, why: "open" });
  byId("detail").querySelector(".code, .reading, .panel")?.focus({ preventScroll: true });
}

function visit(id) {
  go({ at: id, open: true }, { why: "visit" });
}

function passage(hit, one) {
  go({ hit: keyOf(hit), at: one.id.replace(/@\d+$/, ""), open: true, pane: "" }, { why: "visit" });
}

function tag(name) {
  if (!state().tag.includes(name)) go({ ...FROM_THE_TOP, tag: [...state().tag, name] });
}

async function keepJudgement(hit, worth) {
  try {
    await judge(hit, worth, hit.collection ?? answer.collection);
  } catch (error) {
    failedAside(error);
  }
}

/** Say what went wrong beside the search: the hits stay. */
function failedAside(error) {
  if (error.isGone || error.needsToken) failed(error);
  else notify(error.message);
}

/** Go through the list by keys: focus goes along, so that a reader hears each hit. */
function move(step) {
  const links = [...byId("hits").querySelectorAll("h3 a")];
  if (!links.length) return false;
  const at = links.findIndex((one) => one.closest(".hit").classList.contains("selected"));
  const isThere = links.includes(document.activeElement);
  // Where the pane covers the list, none is marked before: the first step is to the first hit.
  const next = isNarrow() && !isThere ? 0 : at + step;
  if (next < 0) field.focus();
  else (links[next] ?? byId("more-hits") ?? links.at(-1)).focus();
  document.activeElement.closest(".hit")?.scrollIntoView({ block: "nearest" });
  return true;
}

function clear() {
  typedAt = 0;
  field.value = "";
  go({ ...FROM_THE_TOP, q: "" }, { why: "clear" });
  field.focus();
}

// --- Around it

function heardStatus(found) {
  const isOther = status?.root !== found.root;
  status = found;
  // Links to the editor need the folder's place.
  if (isOther && answer) {
    version += 1;
    showSelection(0);
  }
  showIndexState(found);
}

async function refreshStatus() {
  const asked = collectionNow();
  try {
    const found = await readStatus(asked);
    if (asked === collectionNow()) heardStatus(found);
  } catch (error) {
    if (error.isGone || error.needsToken) failed(error);
  }
  const isUsed = byId("after").contains(document.activeElement);
  if (asksNothing(state()) && !state().view && !isUsed) showStart();
  watchStatus();
}

/** Look again later: often while the folder is indexed, and then ask again what was answered in part. */
function watchStatus() {
  clearTimeout(statusTimer);
  const wasIndexing = Boolean(status?.progress);
  const isPart = answer && isPartial(answer);
  statusTimer = setTimeout(
    async () => {
      if (document.hidden || state().view) return watchStatus();
      await refreshStatus();
      const isDue = (wasIndexing && !status?.progress) || Date.now() >= dueAt;
      const isTyping = Date.now() - typedAt < TYPING_RESTS_MS;
      if (answer && isPartial(answer) && isDue && !isTyping) askNow(false, true);
    },
    wasIndexing || isPart ? INDEXING_EVERY_MS : STATUS_EVERY_MS,
  );
}

function openTheSettings() {
  openSettings(() => {
    version += 1;
    forgetDetail();
    begin();
    askNow(false);
  });
}

async function begin() {
  refreshStatus();
  const [known, held] = await Promise.allSettled([ask("/api/profiles"), ask("/api/collections")]);
  if (known.status === "fulfilled") Object.assign(profiles, known.value);
  if (held.status === "fulfilled") collections = held.value.collections;
  showChoices(profiles, collections);
  if (!answer) return;
  showFacets(answer, collections);
  // What the pane says of profiles and folders, it has said without them.
  if (state().pane !== "explain" && state().collection !== ALL) return;
  version += 1;
  showSelection(0);
}

byId("profile").addEventListener("change", (event) =>
  go(
    { ...FROM_THE_TOP, hit: state().hit, profile: event.target.value === profiles.default ? "" : event.target.value },
    { why: "profile" },
  ),
);
byId("collection").addEventListener("change", (event) =>
  go({ ...FROM_THE_TOP, ...NO_MEMORY, view: state().view, collection: event.target.value, ...NO_FILTERS }),
);
byId("state").addEventListener("click", toStatus);
byId("memory").addEventListener("click", toMemory);
byId("theme").addEventListener("click", nextTheme);
byId("settings").addEventListener("click", openTheSettings);
byId("help").addEventListener("click", showKeys);
byId("clear").addEventListener("click", clear);
byId("brand").addEventListener("click", (event) => {
  event.preventDefault();
  go({ ...FROM_THE_TOP, q: "", ...NO_FILTERS });
  field.focus();
});
changed(() => showChoices(profiles, collections));
listenToKeys({
  move,
  clear,
  judgeSelected: (worth) => {
    const hit = answer?.results.find((one) => keyOf(one) === selectedId());
    if (hit) keepJudgement(hit, worth);
  },
});
byId("memory").prepend(icon("note"));
fill(byId("clear"), icon("close"));
fill(byId("settings"), icon("gear"));
fill(byId("help"), icon("keys"));
showTheme();
field.value = state().q;
byId("clear").hidden = !state().q;
begin();
showView();
askNow(false);
if (asksNothing(state()) && !state().view && !matchMedia("(pointer: coarse)").matches) field.focus();
