// Thumbs -> judgements that the server keeps for `trivium eval` and `trivium tune`.

import { byId } from "/assets/element.js";
import { showJudged } from "/assets/hits.js";
import { ask } from "/assets/server.js";
import { ALL, state } from "/assets/state.js";
import { keyOf, labelOf } from "/assets/words.js";

// The id of a hit -> 1 or 0, for the query that is shown.
export const judged = new Map();

let judging = Promise.resolve();
let pressed = 0;

/** Keep that a hit answers its query or does not; the same again takes it back. */
export async function judge(hit, worth, collection) {
  const before = judged.get(keyOf(hit));
  const relevance = before === worth ? null : worth;
  const body = { query: state().q, id: hit.id, relevance, collection };
  const send = () => ask("/api/judgements", { method: "POST", body });
  mark(keyOf(hit), relevance);
  pressed += 1;
  try {
    // One after the other: what was said last is what stands.
    await (judging = judging.then(send, send));
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
  const before = pressed;
  const isAll = asked.collection === ALL;
  const names = isAll ? new Set(hits.map((hit) => hit.collection)) : [asked.collection || undefined];
  const read = async (collection) => {
    const found = await ask("/api/judgements", { params: { q: asked.q, collection } });
    return found.judgements.map((one) => ({ ...one, collection: isAll ? collection : undefined }));
  };
  const again = () => readJudgements(asked, hits);
  try {
    const found = await Promise.all([...names].map(read));
    if (state().q !== asked.q || state().collection !== asked.collection) return;
    // What was read before a thumb was pressed does not know of it.
    if (pressed !== before) return await judging.then(again, again);
    judged.clear();
    for (const one of found.flat()) mark(keyOf(one), one.relevance);
  } catch {
    /* The thumbs stay blank; a search that fails says why. */
  }
}
