// Two orders of the same question -> what moved. Shown when the profile is switched: the list that
// was there is compared with the one that came: by nodes, and by files where a profile shows one hit
// of each file and the other does not.

import { el } from "/assets/element.js";
import { questionOf } from "/assets/state.js";
import { nodeOf, pathOf } from "/assets/words.js";

let last = null;
let moves = null;

/** Keep the order of an answer; return what moved if only the profile is another. None is forgotten. */
export function compared(asked, answer) {
  const question = asked && questionOf(asked, { profile: false });
  if (!asked || last?.question !== question) moves = null;
  else if (last.profile !== answer.profile) moves = movesBetween(last, answer);
  last = asked && { question, order: orderOf(answer), profile: answer.profile };
  return moves;
}

const orderOf = (answer) => answer.results.map((hit) => ({ node: nodeOf(hit.id), file: pathOf(hit) }));

function movesBetween(before, answer) {
  const ranks = new Map();
  // The first of a file stands for it; a node's own rank comes before that.
  for (const [at, { file }] of before.order.entries()) if (!ranks.has(file)) ranks.set(file, at);
  for (const [at, { node }] of before.order.entries()) ranks.set(node, at);
  const rankOf = (hit) => ranks.get(nodeOf(hit.id)) ?? ranks.get(pathOf(hit));
  const counts = { up: 0, down: 0, same: 0, new: 0 };
  for (const [at, hit] of answer.results.entries()) counts[sortOf(rankOf(hit), at)] += 1;
  const stays = new Set(orderOf(answer).flatMap(({ node, file }) => [node, file]));
  const gone = before.order.filter(({ node, file }) => !stays.has(node) && !stays.has(file)).length;
  return { before: before.profile, counts, gone, of: (hit, at) => badge(rankOf(hit), at) };
}

function sortOf(was, at) {
  if (was === undefined) return "new";
  return was === at ? "same" : was > at ? "up" : "down";
}

function badge(was, at) {
  const sort = sortOf(was, at);
  const by = Math.abs((was ?? at) - at);
  const words = { new: "new in this order", same: "where it was", up: `${by} up`, down: `${by} down` }[sort];
  const shown = { new: "new", same: "=", up: `▲ ${by}`, down: `▼ ${by}` }[sort];
  return el(
    "span",
    { class: `move ${sort}`, title: words },
    el("span", { "aria-hidden": "true" }, shown),
    el("span", { class: "unseen" }, words),
  );
}

export function movesLine(moves, profile) {
  const { up, down, same } = moves.counts;
  const parts = [
    [up, "up"],
    [down, "down"],
    [same, "where they were"],
    [moves.counts.new, "new"],
    [moves.gone, "gone"],
  ];
  const said = parts
    .filter(([count]) => count)
    .map(([count, word]) => `${count} ${word}`)
    .join(", ");
  return el("p", { class: "moved" }, el("strong", {}, profile), ` against ${moves.before}: ${said}.`);
}
