// Thumbs -> judgements that the server keeps for `trivium eval` and `trivium tune`.

import { byId } from "/assets/element.js";
import { showJudged } from "/assets/hits.js";
import { ask } from "/assets/server.js";
import { state } from "/assets/state.js";
import { labelOf } from "/assets/words.js";

// The id of a hit -> 1 or 0, for the query that is shown.
export const judged = new Map();

/** Keep that a hit answers its query or does not; the same again takes it back. */
export async function judge(hit, worth, collection) {
  const before = judged.get(hit.id);
  const relevance = before === worth ? null : worth;
  mark(hit.id, relevance);
  try {
    await ask("/api/judgements", {
      method: "POST",
      body: { query: state().q, id: hit.id, relevance, collection },
    });
    byId("said").textContent =
      relevance === null
        ? `Taken back: ${labelOf(hit)}`
        : `Kept: ${labelOf(hit)} ${relevance ? "answers it" : "does not"}`;
  } catch (error) {
    mark(hit.id, before ?? null);
    throw error;
  }
}

function mark(id, relevance) {
  if (relevance === null) judged.delete(id);
  else judged.set(id, relevance);
  showJudged(id, relevance);
}

/** Show again what was said of the hits of this query. */
export async function readJudgements(asked) {
  if (!asked.q.trim()) return;
  try {
    const found = await ask("/api/judgements", { params: { q: asked.q, collection: asked.collection || undefined } });
    if (state().q !== asked.q) return;
    judged.clear();
    for (const one of found.judgements) mark(one.id, one.relevance);
  } catch {
    /* The thumbs stay blank; a search that fails says why. */
  }
}
