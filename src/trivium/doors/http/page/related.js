// A node -> what is like it: near in meaning, linked with it or much alike in words.

import { el, fill, kindIcon } from "/assets/element.js";
import { path } from "/assets/hits.js";
import { ask } from "/assets/server.js";
import { named, visible } from "/assets/text.js";
import { labelOf, pathOf } from "/assets/words.js";

export async function showRelated(panel, node, context) {
  const answer = await ask("/api/related", {
    params: { id: node.id, limit: 20, collection: context.collection },
    signal: context.signal,
  });
  fill(
    panel,
    answer.results.length
      ? el(
          "ul",
          { class: "nodes" },
          answer.results.map((one) => el("li", {}, nodeButton(one, context, one.reason))),
        )
      : el("p", { class: "aside" }, "Nothing is like it."),
  );
}

/** A node to go to, in any of the lists of the pane. */
export function nodeButton(node, context, words = "") {
  return el(
    "button",
    { class: "node", "data-node": node.id, onclick: () => context.told.visit(node.id) },
    kindIcon(node),
    el("span", { class: "name", dir: "auto" }, named(labelOf(node))),
    el("span", { class: "place", dir: "ltr" }, path(pathOf(node)), `:${node.source?.startLine ?? 1}`),
    words && el("span", { class: "why" }, visible(words)),
  );
}
