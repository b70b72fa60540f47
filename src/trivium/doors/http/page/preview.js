// A node -> its file around it, its own lines marked, or, for pages, notes, tasks and skills, its
// text to be read. Lines come from the index: a masked secret stays masked.

import { el, facts, fill } from "/assets/element.js";
import { linkedFrom, linker, linksOf } from "/assets/links.js";
import { inline, rendered } from "/assets/markdown.js";
import { ask, askNode } from "/assets/server.js";
import { lines, markedWords, rangesOf, visible } from "/assets/text.js";
import { ago, counted, cut, grouped, labelOf, pathOf, PROSE } from "/assets/words.js";

const AROUND = 30;
const MORE = 200;
const MOST = 2000;
// What is longer is not marked as a whole, only the lines that were found.
const LONG = 80;
const LONGEST_LINE = 4000;
const LONGEST_TEXT = 400_000;
// Of what is known beside the text, what a reader of a note or a task wants.
const SAID = [
  "status",
  "priority",
  "due",
  "assignee",
  "author",
  "lastAuthor",
  "lastModified",
  "version",
  "created",
  "updated",
];

// Keys of front matter whose values are links, with brackets or without.
const LINKING = new Set(["links", "related", "epic", "see", "depends_on", "blocks", "parent", "up"]);
const MOST_LINKS = 12;

let turning = null;

/** Show more of it, or show it otherwise: what was asked for last is what is shown. */
async function turned(panel, show) {
  turning?.abort();
  const { signal } = (turning = new AbortController());
  try {
    await show(signal);
  } catch (error) {
    if (error.name !== "AbortError") fill(panel, el("p", { class: "failed", role: "alert" }, error.message));
  }
}

export async function showPreview(panel, node, context) {
  if (PROSE.has(node.kind) && !context.asSource) return showProse(panel, node, context);
  const file = pathOf(node);
  const first = node.source?.startLine ?? 1;
  const last = Math.max(first, node.source?.endLine ?? first);
  const focus = node.snippetLine ?? first;
  const marked =
    last - first < LONG ? [first, last] : [focus, focus + Math.max(0, (node.snippet ?? "").split("\n").length - 1)];
  if (!file || node.type === "directory") return showText(panel, node, context);
  const shown = {
    start: Math.max(1, Math.min(first, focus) - AROUND),
    end: Math.min(Math.max(last, focus), Math.max(first, focus) + MOST / 2) + AROUND,
  };
  await showLines(panel, node, { ...context, file, marked, focus }, shown);
}

async function showLines(panel, node, at, shown) {
  let part;
  try {
    part = await ask("/api/file", {
      params: { path: at.file, start: shown.start, end: shown.end, collection: at.collection },
      signal: at.signal,
    });
  } catch (error) {
    if (error.name === "AbortError" || error.isGone) throw error;
    return showText(panel, node, at);
  }
  const language = part.language || node.language;
  const text = clipped(part.text);
  const rows = lines(text, { language, marks: rangesOf(text, markedWords(node)) });
  const body = rows.map((row, index) => {
    const number = part.startLine + index;
    const isHit = number >= at.marked[0] && number <= at.marked[1];
    const isFocus = number === at.focus;
    return el(
      "div",
      { class: `row${isHit ? " of-hit" : ""}${isFocus ? " focus" : ""}`, "data-line": number },
      row.length ? row : "\u00a0",
    );
  });
  const more = (words, change) =>
    el(
      "button",
      {
        class: "more",
        onclick: () =>
          turned(panel, async (signal) => {
            const before = { top: code.scrollTop, height: code.scrollHeight };
            await showLines(panel, node, { ...at, signal, keeps: true }, change);
            // What was read stays where it was, whichever end has grown.
            const grown = panel.querySelector(".code");
            grown.scrollTop = change.start < shown.start ? before.top + grown.scrollHeight - before.height : before.top;
            grown.focus({ preventScroll: true });
          }),
      },
      words,
    );
  const code = el(
    "div",
    {
      class: "code",
      tabindex: "0",
      role: "region",
      "aria-label": `${at.file}, lines ${part.startLine} to ${part.endLine}`,
      dir: "ltr",
    },
    part.startLine > 1 &&
      more(`${counted(part.startLine - 1, "line")} above`, { ...shown, start: Math.max(1, part.startLine - MORE) }),
    el("div", { class: "rows" }, body),
    part.endLine < part.totalLines &&
      more(`${counted(part.totalLines - part.endLine, "line")} below`, { ...shown, end: part.endLine + MORE }),
  );
  fill(
    panel,
    PROSE.has(node.kind) && switcher(panel, node, at, true),
    code,
    part.masked ? el("p", { class: "aside" }, `${counted(Number(part.masked), "secret")} masked`) : null,
  );
  const bring = () => {
    const target = code.querySelector(".row.focus") ?? code.querySelector(".row.of-hit");
    if (target && !at.keeps) code.scrollTop = target.offsetTop - code.clientHeight / 3;
  };
  // Where the pane covers the list, it is filled before it is seen: what has no height cannot scroll.
  const seen = new ResizeObserver(() => {
    if (!code.clientHeight) return;
    seen.disconnect();
    bring();
  });
  seen.observe(code);
}

/** A line that nobody reads to its end would keep the browser busy. */
function clipped(text) {
  if (text.length <= LONGEST_LINE) return text;
  return text
    .split("\n")
    .map((line) =>
      line.length > LONGEST_LINE
        ? `${line.slice(0, LONGEST_LINE)} … ${grouped(line.length - LONGEST_LINE)} more`
        : line,
    )
    .join("\n");
}

async function nodeOf(node, context) {
  if (typeof node.text === "string") return node;
  return askNode(node.id, context.collection, context.signal);
}

async function showProse(panel, node, context) {
  const [whole, near] = await Promise.all([nodeOf(node, context), linksOf(node, context)]);
  const to = linker(whole, near, context);
  const rows = factsOf(whole, near, to);
  fill(
    panel,
    switcher(panel, node, context, false),
    el(
      "article",
      { class: "reading", tabindex: "0", "aria-label": whole.title || whole.name },
      rows.length > 0 && facts(rows),
      rendered((whole.text ?? "").slice(0, LONGEST_TEXT), to),
      whole.sections?.length > 1 &&
        !whole.text &&
        el(
          "ul",
          {},
          whole.sections.map((one) => el("li", {}, visible(one.heading))),
        ),
    ),
  );
}

/** What is known of a note beside its text: its facts, what it is linked with, its tags. */
function factsOf(node, near, to) {
  const known = node.metadata ?? {};
  const isSaid = (value) => ["string", "number"].includes(typeof value) && value !== "";
  const said = SAID.filter((name) => isSaid(known[name])).map((name) => [wordsOf(name), visible(shown(known[name]))]);
  const links = Object.entries(known)
    .map(([name, value]) => [name, [value].flat().filter((one) => typeof one === "string")])
    .filter(([name, values]) => LINKING.has(name) || values.some((one) => /\[\[.+\]\]/.test(one)))
    .map(([name, values]) => [wordsOf(name), listed(values.slice(0, MOST_LINKS).map((one) => linkOf(name, one, to)))]);
  const from = linkedFrom(node, near).slice(0, MOST_LINKS);
  return [
    ...said,
    ...links.filter(([, values]) => values.length),
    ...(from.length ? [["linked from", listed(from.map((one) => to(one.id, cut(labelOf(one), LONG))))]] : []),
  ];
}

/** A link of the front matter: [[Soil]], `blocks task:ship`, soil; a key may say what it is. */
function linkOf(name, value, to) {
  if (value.includes("[[")) return inline(value, to);
  const [, type, target] =
    /^(?:to:\s*)?([\w-]+\s+(?=(?:doc|note|task|skill|file|code):))?(\S.*?)(?:\s+type:.*)?$/.exec(value.trim()) ?? [];
  return target ? [visible(type ?? ""), to(target, target)] : visible(value);
}

const listed = (values) => values.map((one, at) => (at ? [", ", one] : one));

const shown = (value) =>
  /^\d{4}-\d\d-\d\dT/.test(value) ? `${value.slice(0, 10)}, ${ago(value)}` : String(value);
const wordsOf = (name) =>
  ({ lastAuthor: "last changed by", lastModified: "last changed" })[name] ?? name.replaceAll("_", " ");

function switcher(panel, node, context, isSource) {
  const button = (words, asSource) =>
    el(
      "button",
      {
        "aria-pressed": String(isSource === asSource),
        onclick: () => turned(panel, (signal) => showPreview(panel, node, { ...context, signal, asSource })),
      },
      words,
    );
  return el(
    "div",
    { class: "switch", role: "group", "aria-label": "How to show it" },
    button("Read", false),
    button("Source", true),
  );
}

/** What has no lines in the index: a folder, a page of an office file. */
async function showText(panel, node, context) {
  const whole = await nodeOf(node, context);
  const text = whole.text || whole.description || "There is no text to show.";
  fill(
    panel,
    el(
      "div",
      { class: "code", tabindex: "0", role: "region", "aria-label": whole.name, dir: "auto" },
      el(
        "div",
        { class: "rows plain" },
        lines(clipped(text.slice(0, LONGEST_TEXT)), { language: whole.language }).map((row) =>
          el("div", { class: "row" }, row.length ? row : "\u00a0"),
        ),
      ),
    ),
  );
}
