// What is being written <-> the storage of this tab, so that a reload, a failure or a step back
// loses none of it. Where the browser keeps nothing, it stays in the page and leaving is asked about.

const PREFIX = "trivium.draft.";
const unkept = new Map();

const keyOf = (collection, id) => `${PREFIX}${collection ?? ""}.${id}`;

export function draftOf(collection, id) {
  const key = keyOf(collection, id);
  if (unkept.has(key)) return unkept.get(key);
  try {
    const found = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return found && typeof found.values === "object" ? found : null;
  } catch {
    return null;
  }
}

/** Keep a draft; say whether it outlives the page. */
export function keepDraft(collection, id, draft) {
  const key = keyOf(collection, id);
  try {
    sessionStorage.setItem(key, JSON.stringify({ ...draft, at: new Date().toISOString() }));
    unkept.delete(key);
    return true;
  } catch {
    unkept.set(key, draft);
    return false;
  }
}

export function dropDraft(collection, id) {
  const key = keyOf(collection, id);
  unkept.delete(key);
  try {
    sessionStorage.removeItem(key);
  } catch {
    /* Then there is none. */
  }
}

/** The ids of what has a draft in a collection. */
export function drafted(collection) {
  const start = keyOf(collection, "");
  const keys = [...unkept.keys()];
  try {
    keys.push(...Object.keys(sessionStorage));
  } catch {
    /* Then there are only those of the page. */
  }
  return new Set(keys.filter((key) => key.startsWith(start)).map((key) => key.slice(start.length)));
}

addEventListener("beforeunload", (event) => {
  if (unkept.size) event.preventDefault();
});
