// A link as a note writes it, [[Soil#Beds]], ../docs/soil.md or task:ship -> the node it leads to. What
// the note is linked with is asked for once; a name that is not among it is looked for when it is
// clicked, and a link that leads nowhere says so.

import { el } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { ask } from "/assets/server.js";
import { addressOf, state, withChange } from "/assets/state.js";
import { visible } from "/assets/text.js";
import { labelOf, nodeOf, pathOf, PROSE } from "/assets/words.js";

const NEAR = 200;
const TRIED = 10;
const ENDING = /\.(md|mdx|markdown|rst|adoc|txt|html)$/i;

export const ID = /^(doc|note|task|skill|file|code):/;

const alike = (text) => text.trim().toLowerCase().replaceAll(/[\s_-]+/g, " ");
const stemOf = (path) => path.slice(path.lastIndexOf("/") + 1).replace(ENDING, "");

/** What a node and its sections are linked with; nothing where that cannot be had. */
export async function linksOf(node, context) {
  const params = { id: nodeOf(node.id), depth: 2, limit: NEAR, collection: context.collection };
  try {
    return await ask("/api/neighbors", { params, signal: context.signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { nodes: [], edges: [] };
  }
}

/** The nodes outside its file that link to a node or a section of it. */
export function linkedFrom(node, { nodes, edges }) {
  const known = new Map(nodes.map((one) => [one.id, one]));
  const isWhole = !node.id.includes("#");
  const isOf = (id) => id === nodeOf(node.id) || (isWhole && pathOf(known.get(id) ?? {}) === pathOf(node));
  const isInto = ({ source, target, type }) => type !== "contains" && isOf(target) && !isOf(source);
  const from = new Set(edges.filter(isInto).map(({ source }) => source));
  return nodes.filter((one) => from.has(one.id));
}

/** A way to make links of what a text says: `to(target, words)` is an element that leads there. */
export function linker(node, { nodes }, context) {
  const home = pathOf(node);
  return (target, words) => {
    const found = meant(target, nodes, home);
    return found ? leading(found.id, words, context) : asking(target, words, home, context);
  };
}

function leading(id, words, context) {
  return el(
    "a",
    {
      class: "inner",
      href: addressOf(withChange({ at: id, open: true })),
      "data-node": id,
      onclick: (event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
        event.preventDefault();
        context.told.visit(id);
      },
    },
    visible(words),
  );
}

function asking(target, words, home, context) {
  const made = el("button", { class: "link", onclick: () => seek() }, visible(words));
  async function seek() {
    const before = state();
    const found = await sought(target, home, context);
    // Who has gone on meanwhile is not led away from there.
    if (state() !== before) return;
    if (found) context.told.visit(found.id);
    else {
      const missing = el("span", { class: "missing", title: "Nothing here is called so" }, visible(words));
      made.replaceWith(missing);
      say(`Nothing here is called ${target}`);
    }
  }
  return made;
}

export async function sought(target, home, context) {
  const name = target.split("#")[0].replace(ENDING, "").split("/").at(-1) || target;
  const params = { q: name, limit: TRIED, kind: [...PROSE], collection: context.collection };
  const { results } = await ask("/api/search", { params });
  return meant(target, results, home);
}

/** Which of some nodes a link means: by its id, by its path, else by its name, the nearest first. */
export function meant(target, nodes, home) {
  if (ID.test(target)) return nodes.find((one) => one.id === target) ?? null;
  const [place, ...rest] = decoded(target).split("#");
  const heading = alike(rest.join("#"));
  const path = place ? joined(home, place) : home;
  const isPath = (one) => pathOf(one) === path || pathOf(one).replace(ENDING, "") === path;
  const isSection = (one) => one.id.includes("#");
  const isNamed = (one) =>
    alike(stemOf(pathOf(one))) === alike(stemOf(place)) || (!isSection(one) && alike(labelOf(one)) === alike(place));
  const of = (isIt) => {
    const all = nodes.filter((one) => one.kind !== "code" && isIt(one));
    const called = (one) => alike(labelOf(one).split(" / ").at(-1));
    const section = heading && all.find((one) => isSection(one) && called(one) === heading);
    const whole = all.filter((one) => !isSection(one)).sort((a, b) => (a.kind === "file") - (b.kind === "file"));
    // A search may have found a section alone: the whole has the same id, up to the heading.
    return section || (whole[0] ?? all.map(({ id }) => ({ id: id.split("#")[0] }))[0]);
  };
  return of(isPath) ?? (place ? of(isNamed) : null) ?? null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path as a file at `home` writes it, from the folder that is served. */
function joined(home, written) {
  const parts = written.startsWith("/") ? [] : home.split("/").slice(0, -1);
  for (const part of written.split("?")[0].split("/")) {
    if (part === "..") parts.pop();
    else if (part && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
