// A text, what to mark and its language -> lines of elements. Marks come as ranges of code points,
// as the server counts; JavaScript counts otherwise. Characters that hide or turn text around are
// shown by their code points: what is read is what is there.

import { el } from "/assets/element.js";
import { proseTokens, tokens } from "/assets/syntax.js";

// Controls but tab and line end, marks of direction, and what has no width but joins letters.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

const USUAL = new Set(
  "a an and are as at be by for from has how if in is it of on or that the this to was what when where which with".split(
    " ",
  ),
);

/** Ranges of code points -> ranges of a JavaScript string; in order, within the text. */
export function unitsOf(text, marks) {
  const wanted = marks.filter(([first, last]) => first >= 0 && last > first).sort((a, b) => a[0] - b[0]);
  if (!/[\ud800-\udbff]/.test(text)) return wanted;
  const points = new Set(wanted.flat());
  const unit = new Map();
  let point = 0;
  let at = 0;
  for (const char of text) {
    if (points.has(point)) unit.set(point, at);
    point += 1;
    at += char.length;
  }
  return wanted.map(([first, last]) => [unit.get(first) ?? at, unit.get(last) ?? at]);
}

/** Text nodes and, for what hides, its code point. */
export function visible(text) {
  const shown = [];
  let at = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > at) shown.push(text.slice(at, found.index));
    const code = `U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    shown.push(el("span", { class: "hides", title: "a character that does not show" }, code));
    at = found.index + found[0].length;
  }
  if (at < text.length) shown.push(text.slice(at));
  return shown;
}

/** A name or a path, apart from the direction of what stands around it. */
export const named = (text) => el("bdi", {}, visible(text.replaceAll("\n", "⏎")));

/** Return one array of children for each line of `text`, coloured and marked. */
export function lines(text, { language = "", marks = [], isProse = false } = {}) {
  const clean = text.replaceAll("\r\n", "\n");
  const edges = new Map();
  const note = (at, key, value) => edges.set(at, { ...edges.get(at), [key]: value });
  const units = clean === text ? unitsOf(text, marks) : [];
  for (const [start, end, sort] of isProse ? proseTokens(clean) : tokens(clean, language)) {
    note(end, "sort", edges.get(end)?.sort ?? "");
    note(start, "sort", sort);
  }
  for (const [start, end] of units) {
    note(end, "mark", edges.get(end)?.mark ?? false);
    note(start, "mark", true);
  }
  for (let at = clean.indexOf("\n"); at >= 0; at = clean.indexOf("\n", at + 1)) {
    note(at, "ends", true);
  }
  const found = [[]];
  let sort = "";
  let mark = false;
  let from = 0;
  for (const [at, edge] of [...edges].sort((a, b) => a[0] - b[0])) {
    put(found.at(-1), clean.slice(from, at), sort, mark);
    from = at;
    if (edge.sort !== undefined) sort = edge.sort;
    if (edge.mark !== undefined) mark = edge.mark;
    if (edge.ends) {
      from = at + 1;
      found.push([]);
    }
  }
  put(found.at(-1), clean.slice(from), sort, mark);
  return found;
}

function put(line, text, sort, mark) {
  if (!text || text === "\n" || sort === "drop") return;
  if (sort === "gap" || sort === "bar") {
    line.push(sort === "gap" ? " " : el("span", { class: "t-bar" }, "·"));
    return;
  }
  const shown = sort ? el("span", { class: `t-${sort}` }, visible(text)) : visible(text);
  if (mark) line.push(el("mark", {}, shown));
  else line.push(...[shown].flat());
}

/** The marks of a snippet without those of words that stand everywhere, if others are left. */
export function telling(hit) {
  const points = [...(hit.snippet ?? "")];
  const marks = hit.highlights ?? [];
  const others = marks.filter(([first, last]) => !USUAL.has(points.slice(first, last).join("").toLowerCase()));
  return others.length ? others : marks;
}

/** The words a snippet has marked, to be found again in the file around it. */
export function markedWords(hit) {
  const text = hit.snippet ?? "";
  const found = unitsOf(text, telling(hit)).map(([first, last]) => text.slice(first, last).toLowerCase());
  return new Set(found.filter((word) => word.length > 1));
}

/** Ranges of code points where whole words of `words` stand in `text`. */
export function rangesOf(text, words) {
  const found = [];
  if (!words.size) return found;
  let points = 0;
  let at = 0;
  const length = (part) => (/[\ud800-\udbff]/.test(part) ? [...part].length : part.length);
  for (const word of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (!words.has(word[0].toLowerCase())) continue;
    points += length(text.slice(at, word.index));
    const end = points + length(word[0]);
    found.push([points, end]);
    points = end;
    at = word.index + word[0].length;
  }
  return found;
}
