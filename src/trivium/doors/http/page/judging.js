// Thumbs -> judgements that the server keeps for `trivium eval` and `trivium tune`.

import { byId } from "/assets/element.js";
import { showJudged } from "/assets/hits.js";
import { ask } from "/assets/server.js";
import { ALL, state } from "/assets/state.js";
import { keyOf, labelOf } from "/assets/words.js";

// The id of a hit -> 1 or 0, for the query that is shown.
export const judged = new Map();

/** Keep that a hit answers its query or does not; the same again takes it back. */
export async function judge(hit, worth, collection) {
  const before = judged.get(keyOf(hit));
  const relevance = before === worth ? null : worth;
  mark(keyOf(hit), relevance);
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
    mark(keyOf(hit), before ?? null);
    throw error;
  }
}

function mark(id, relevance) {
  if (relevance === null) judged.delete(id);
  else judged.set(id, relevance);
  showJudged(id, relevance);
}

/** Show again what was said of the hits of this query, in each collection that it was asked of. */
export async function readJudgements(asked, hits) {
  if (!asked.q.trim()) return;
  const isAll = asked.collection === ALL;
  const names = isAll ? new Set(hits.map((hit) => hit.collection)) : [asked.collection || undefined];
  const read = async (collection) => {
    const found = await ask("/api/judgements", { params: { q: asked.q, collection } });
    return found.judgements.map((one) => ({ ...one, collection: isAll ? collection : undefined }));
  };
  try {
    const found = await Promise.all([...names].map(read));
    if (state().q !== asked.q || state().collection !== asked.collection) return;
    judged.clear();
    for (const one of found.flat()) mark(keyOf(one), one.relevance);
  } catch {
    /* The thumbs stay blank; a search that fails says why. */
  }
}
