// The state -> answers, as they come. While somebody types, words alone answer at once and the
// whole search follows when the typing rests; an answer that is no longer wanted is cancelled, so
// none can overtake a newer one.

import { ask } from "/assets/server.js";
import { hasFilters, questionOf } from "/assets/state.js";

const AFTER_KEY_MS = 80;
const AFTER_REST_MS = 250;
const PAGE = 20;
// How what is found without words is ordered: by links. It is the one that lists all kinds so.
export const BROWSING = "xplor";

let timers = [];
let running = null;

export function paramsOf(state, { asYouType = false, cursor = null } = {}) {
  const filters = {};
  if (state.type.length) filters.type = state.type;
  if (state.language.length) filters.lang = state.language;
  if (state.folder.length) filters["path-prefix"] = state.folder;
  if (state.tag.length) filters.tag = state.tag;
  return {
    q: state.q,
    limit: PAGE,
    profile: isBrowsing(state) ? BROWSING : state.profile || undefined,
    kind: state.kind,
    sort: state.sort || undefined,
    collection: state.collection || undefined,
    filters: Object.keys(filters).length ? JSON.stringify(filters) : undefined,
    explain: asYouType || isBrowsing(state) ? undefined : "true",
    asYouType: asYouType ? "true" : undefined,
    cursor,
  };
}

/** Whether there are filters and no words: then what is best linked is listed. */
export const isBrowsing = (state) => !state.q.trim() && hasFilters(state);
export const asksNothing = (state) => !state.q.trim() && !hasFilters(state);

/** Stop what is under way or waits. */
export function stop() {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
  running?.abort();
  running = null;
}

/** Ask now, all pages; or, for typing, first words alone and then everything. */
export function search(state, told, { typing = false } = {}) {
  stop();
  if (asksNothing(state)) return;
  if (!typing) {
    run(state, told, false);
    return;
  }
  timers = [
    setTimeout(() => run(state, told, true), AFTER_KEY_MS),
    setTimeout(() => run(state, told, false), AFTER_REST_MS),
  ];
}

async function run(state, told, asYouType) {
  // Words that are slow to come may still be shown before the whole answer, so both may run.
  const mine = new AbortController();
  const before = running;
  running = {
    abort: () => {
      before?.abort();
      mine.abort();
    },
  };
  told.started?.(asYouType);
  try {
    const answer = await allPages(state, asYouType, mine.signal);
    if (mine.signal.aborted) return;
    if (!asYouType) before?.abort();
    told.answered(answer, { state, asYouType, question: questionOf(state) });
  } catch (error) {
    // A failure while typing is told by the whole search that follows.
    if (error.name !== "AbortError" && !mine.signal.aborted && !asYouType) told.failed(error, state);
  }
}

async function allPages(state, asYouType, signal) {
  const path = "/api/search";
  const whole = await ask(path, { params: paramsOf(state, { asYouType }), signal });
  let last = whole;
  for (let page = 1; page < (asYouType ? 1 : state.pages) && last.next; page += 1) {
    last = await ask(path, { params: paramsOf(state, { cursor: last.next }), signal });
    whole.results = [...whole.results, ...last.results];
    whole.next = last.next;
  }
  return whole;
}
