// Markdown -> elements to read: headings, paragraphs, lists, tables, fences, and in a line code,
// emphasis and links. A reader for notes, tasks, skills and pages, not all of the language; HTML
// in it stays text, pictures become their words, links lead to http(s) or, by `to`, to other nodes.

import { el } from "/assets/element.js";
import { ID } from "/assets/links.js";
import { codeRows, FENCE } from "/assets/syntax.js";
import { lines, visible } from "/assets/text.js";

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(\[[ xX]\]\s+)?(.*)$/;
const RULE = /^\s{0,3}([-*_])(\s*\1){2,}\s*$/;
const DIVIDES = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/;

export function rendered(text, to = (_, words) => visible(words)) {
  const body = text.replaceAll("\r\n", "\n").replace(/^---\n[^]{0,20000}?\n---(\n|$)/, "");
  const rows = body.split("\n");
  const sorts = codeRows(rows);
  const found = [];
  const outline = [];
  let at = 0;
  while (at < rows.length) {
    const isCode = sorts[at] === "code";
    // A fence that was opened in a list closes there.
    const isPast = sorts[at] === "end";
    const [made, next] = isPast ? [null, 0] : isCode ? setIn(rows, at, sorts) : block(rows, at, outline, to);
    if (made) found.push(made);
    at = Math.max(next, at + 1);
  }
  return el("div", { class: "prose", dir: "auto" }, found);
}

/** One step below the nearest heading that this one stands under; the first is below the pane's. */
function levelOf(depth, outline) {
  while (outline.length && outline.at(-1) >= depth) outline.pop();
  outline.push(depth);
  return Math.min(6, 2 + outline.length);
}

function block(rows, at, outline, to) {
  const row = rows[at];
  if (!row.trim()) return [null, at + 1];
  const fence = FENCE.exec(row);
  if (fence) return fenced(rows, at, fence);
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(row.slice(0, 500));
  if (heading) return [el(`h${levelOf(heading[1].length, outline)}`, {}, inline(heading[2], to)), at + 1];
  if (RULE.test(row.slice(0, 100))) return [el("hr"), at + 1];
  if (ITEM.test(row)) return listed(rows, at, to);
  if (row.startsWith(">"))
    return gathered(
      rows,
      at,
      (one) => one.startsWith(">"),
      (text) => el("blockquote", {}, inline(text.replaceAll(/^>\s?/gm, ""), to)),
    );
  if (row.includes("|") && DIVIDES.test((rows[at + 1] ?? "").slice(0, 500))) return tabled(rows, at, to);
  return gathered(
    rows,
    at,
    (one) => one.trim() && !FENCE.test(one) && !ITEM.test(one) && !one.startsWith("#"),
    (text) => el("p", {}, inline(text, to)),
  );
}

function gathered(rows, at, belongs, make) {
  let end = at + 1;
  while (end < rows.length && belongs(rows[end])) end += 1;
  return [make(rows.slice(at, end).join("\n")), end];
}

/** Code that is set in, up to the last of its rows; empty ones between them are of it. */
function setIn(rows, at, sorts) {
  let end = at + 1;
  for (let row = end; row < rows.length && (sorts[row] === "code" || !rows[row].trim()); row += 1)
    if (sorts[row]) end = row + 1;
  const depth = Math.min(...rows.slice(at, end).map((row) => (row.trim() ? /^\s*/.exec(row)[0].length : 99)));
  return [codeOf(rows.slice(at, end).map((row) => row.slice(depth)).join("\n")), end];
}

function fenced(rows, at, fence) {
  let end = at + 1;
  while (end < rows.length && !rows[end].trimStart().startsWith(fence[1])) end += 1;
  const text = rows.slice(at + 1, end).join("\n");
  const language =
    { py: "python", js: "javascript", ts: "typescript", sh: "shell", console: "shell", bash: "shell" }[fence[2]] ??
    fence[2];
  return [codeOf(text, language), end + 1];
}

function codeOf(text, language = "") {
  const shown = lines(text, { language }).map((line) => [line, "\n"]);
  return el("pre", { class: "fence", tabindex: "0", dir: "ltr" }, el("code", {}, shown));
}

function listed(rows, at, to) {
  const isNumbered = /^\s*\d/.test(rows[at]);
  const items = [];
  let end = at;
  while (end < rows.length) {
    const item = ITEM.exec(rows[end]);
    if (item) items.push({ depth: Math.min(4, item[1].length >> 1), box: item[3]?.trim(), text: item[4] });
    else if (rows[end].trim() && /^\s/.test(rows[end])) items.at(-1).text += `\n${rows[end].trim()}`;
    else if (!(rows[end] === "" && ITEM.test(rows[end + 1] ?? ""))) break;
    end += 1;
  }
  const made = items.map((one) =>
    el(
      "li",
      { class: `deep-${one.depth}${one.box ? " box" : ""}` },
      one.box &&
        el(
          "span",
          { class: "tick", role: "img", "aria-label": one.box === "[ ]" ? "to do" : "done" },
          one.box === "[ ]" ? "☐" : "☑",
        ),
      inline(one.text, to),
    ),
  );
  return [el(isNumbered ? "ol" : "ul", {}, made), end];
}

function tabled(rows, at, to) {
  const cells = (row) =>
    row
      .replace(/^\s*\|/, "")
      .replace(/\|\s*$/, "")
      .split("|")
      .map((cell) => cell.trim());
  let end = at + 2;
  while (end < rows.length && rows[end].includes("|")) end += 1;
  const body = rows.slice(at + 2, end).map((row) =>
    el(
      "tr",
      {},
      cells(row).map((cell) => el("td", {}, inline(cell, to))),
    ),
  );
  const head = cells(rows[at]).map((cell) => el("th", { scope: "col" }, inline(cell, to)));
  return [
    el(
      "div",
      { class: "scrolls", tabindex: "0" },
      el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)),
    ),
    end,
  ];
}

const INLINE =
  /`([^`\n]{1,2000})`|\*\*([^*\n]{1,1000})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,1000})\*(?![\w*])|!?\[([^\]\n]{0,500})\]\(([^()\s]{0,1000})[^()\n]{0,200}\)|\[\[([^\]\n]{1,300})\]\]/g;

export function inline(text, to) {
  const shown = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    shown.push(visible(text.slice(at, found.index)));
    at = found.index + found[0].length;
    const [, code, strong, slanted, words, target, wiki] = found;
    if (code !== undefined) shown.push(el("code", {}, visible(code)));
    else if (strong !== undefined) shown.push(el("strong", {}, inline(strong, to)));
    else if (slanted !== undefined) shown.push(el("em", {}, visible(slanted)));
    else if (wiki !== undefined) shown.push(wikilink(wiki, to));
    else if (found[0].startsWith("!")) shown.push(el("span", { class: "picture" }, visible(words)));
    else shown.push(linked(words, target, to));
  }
  shown.push(visible(text.slice(at)));
  return shown;
}

/** [[target#heading|words]], where ! before it would show it in place. */
function wikilink(text, to) {
  const [target, words] = text.split("|");
  return to(target.trim(), (words ?? target).trim());
}

function linked(words, target, to) {
  if (/^https?:\/\//i.test(target))
    return el("a", { href: target, target: "_blank", rel: "noopener noreferrer" }, visible(words));
  // Another scheme may run something.
  const isOurs = target && (ID.test(target) || !/^[a-z][a-z\d+.-]*:/i.test(target));
  return isOurs ? to(target, words) : visible(words);
}
