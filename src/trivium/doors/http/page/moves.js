// Two orders of the same question -> what moved. Shown when the profile is switched: the list that
// was there is compared with the one that came, by the ids of hits.

import { el } from "/assets/element.js";

export function movesBetween(before, answer) {
  const ranks = new Map(before.ids.map((id, at) => [id, at]));
  const counts = { up: 0, down: 0, same: 0, new: 0 };
  for (const [at, hit] of answer.results.entries()) counts[sortOf(ranks, hit.id, at)] += 1;
  const stays = new Set(answer.results.map((hit) => hit.id));
  const gone = before.ids.filter((id) => !stays.has(id)).length;
  return { before: before.profile, counts, gone, of: (hit, at) => badge(ranks, hit.id, at) };
}

function sortOf(ranks, id, at) {
  const was = ranks.get(id);
  if (was === undefined) return "new";
  return was === at ? "same" : was > at ? "up" : "down";
}

function badge(ranks, id, at) {
  const sort = sortOf(ranks, id, at);
  const by = Math.abs((ranks.get(id) ?? at) - at);
  const words = { new: "new in this order", same: "where it was", up: `${by} up`, down: `${by} down` }[sort];
  const shown = { new: "new", same: "=", up: `▲ ${by}`, down: `▼ ${by}` }[sort];
  return el("span", { class: `move ${sort}`, title: words }, el("span", { "aria-hidden": "true" }, shown), el("span", { class: "unseen" }, words));
}

export function movesLine(moves, profile) {
  const { up, down, same } = moves.counts;
  const parts = [[up, "up"], [down, "down"], [same, "where they were"], [moves.counts.new, "new"], [moves.gone, "gone"]];
  const said = parts.filter(([count]) => count).map(([count, word]) => `${count} ${word}`).join(", ");
  return el("p", { class: "moved" }, el("strong", {}, profile), ` against ${moves.before}: ${said}.`);
}
