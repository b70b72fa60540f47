// The address of the page <-> what is shown. All of the state is in the address, so that it can be
// kept, shared and gone back to. While somebody types, one entry of the history is rewritten.

const LISTS = ["kind", "type", "language", "folder", "tag", "edge"];
// Which of memory is open, and what of it is listed.
const OF_MEMORY = ["item", "edit", "about", "find", "label", "status", "priority", "epic", "who", "due", "by"];
const TEXTS = ["q", "collection", "profile", "sort", "hit", "at", "pane", "view", "hops", ...OF_MEMORY];
const EMPTY = Object.freeze({
  ...Object.fromEntries(TEXTS.map((name) => [name, ""])),
  ...Object.fromEntries(LISTS.map((name) => [name, Object.freeze([])])),
  pages: 1,
  open: false,
});
const MOST_PAGES = 20;

let now = read();
const listeners = new Set();

function read() {
  const given = new URLSearchParams(location.search);
  const state = { ...EMPTY };
  for (const name of TEXTS) state[name] = given.get(name) ?? "";
  for (const name of LISTS) state[name] = [...new Set(given.getAll(name).filter(Boolean))];
  state.pages = Math.min(MOST_PAGES, Math.max(1, Number.parseInt(given.get("pages") ?? "1", 10) || 1));
  state.open = given.get("open") === "1";
  return Object.freeze(state);
}

export function addressOf(state) {
  const said = new URLSearchParams();
  for (const name of TEXTS) if (state[name]) said.set(name, state[name]);
  for (const name of LISTS) for (const one of state[name]) said.append(name, one);
  if (state.pages > 1) said.set("pages", state.pages);
  if (state.open) said.set("open", "1");
  const text = said.toString();
  return text ? `/?${text}` : "/";
}

export const state = () => now;
export const changed = (listener) => listeners.add(listener);
export const withChange = (change) => ({ ...now, ...change });
export const NO_MEMORY = Object.freeze(Object.fromEntries(OF_MEMORY.map((name) => [name, ""])));

/** Change the state. `replace` rewrites the entry of the history instead of adding one. */
export function go(change, { replace = false, why = "" } = {}) {
  const before = now;
  now = Object.freeze({ ...now, ...(change.view === "" && NO_MEMORY), ...change });
  const address = addressOf(now);
  if (address !== location.pathname + location.search) {
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  }
  for (const listener of listeners) listener(now, before, why);
}

/** What makes another question: all but what of the answer is looked at. */
export function questionOf(one, { profile = true } = {}) {
  const asked = [one.q, one.collection, one.sort, one.kind, one.type, one.language, one.folder, one.tag];
  return JSON.stringify(profile ? [...asked, one.profile, one.pages] : asked);
}

export const hasFilters = (one) => ["kind", "type", "language", "folder", "tag"].some((name) => one[name].length > 0);
export const NO_FILTERS = Object.freeze({ kind: [], type: [], language: [], folder: [], tag: [] });
// The name that stands for all collections together.
export const ALL = "*";
// What a new question leaves behind of the old one.
export const FROM_THE_TOP = Object.freeze({ hit: "", at: "", pages: 1, open: false, view: "" });

addEventListener("popstate", () => {
  const before = now;
  now = read();
  for (const listener of listeners) listener(now, before, "back");
});
