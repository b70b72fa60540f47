// The parts of a score -> a bar that adds up to it, each part with its words; and what the
// confidence is made of. Nothing is computed but sums: the parts are those of the server.

import { el, fill } from "/assets/element.js";
import { state, go, FROM_THE_TOP } from "/assets/state.js";
import { visible } from "/assets/text.js";
import { percent } from "/assets/words.js";

// Names of parts -> what they mean to a reader; others are shown as they are.
const MEANS = {
  text: "words of the query in its text",
  vectors: "its text means something similar",
  instant: "means something similar, by the instant model",
  degree: "well linked",
  "file is called so": "its file is called so",
  "words in its path and names": "words of the query in its path and names",
  "words in its path and headings": "words of the query in its path and headings",
  "others of its file": "other passages of its file match",
  "many of its file": "many passages of its file match",
  "folders above its file": "lies below other folders: the fewer, the better",
  "test, example or kept for old callers": "is a test, an example or kept for old callers",
  "the same for every hit of this list": "the same for every hit here: sets where the scores begin, not the order",
  "is no code": "is a page, not code",
};
const STRUCTURE =
  /degree|linked|folder|file|path|symbol|deep|depth|is no code|settings or data|\bby .* of\b|graph|repeats|near the best/;
const MEANING = /^(vectors|instant|meaning|ann)|vectors rank|means/;
const WORDS = /^(text|words|bm25|sparse|points)|text rank|phrase|name is the query|words in|heading/;

function family(name) {
  if (MEANING.test(name)) return "meaning";
  if (WORDS.test(name)) return "words";
  return STRUCTURE.test(name) ? "structure" : "other";
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;

export function showExplain(panel, node, context) {
  const parts = node.scoreBreakdown?.parts;
  fill(
    panel,
    profiles(context),
    parts
      ? scored(node, parts)
      : el(
          "p",
          { class: "aside" },
          context.isHit
            ? "This list was not ranked by a question, so there is no score to explain."
            : "This is not among the hits, so it has no score.",
        ),
    node.evidence && confident(node),
  );
}

function profiles(context) {
  const now = state().profile || context.profiles.default;
  const one = context.profiles.profiles.find(({ name }) => name === now);
  return el(
    "div",
    { class: "ranked" },
    el("label", { for: "ranked-by" }, "Ranked by"),
    el(
      "select",
      {
        id: "ranked-by",
        onchange: (event) =>
          go(
            {
              ...FROM_THE_TOP,
              hit: state().hit,
              open: state().open,
              profile: event.target.value === context.profiles.default ? "" : event.target.value,
            },
            { why: "profile" },
          ),
      },
      context.profiles.profiles.map(({ name }) => el("option", { value: name, selected: name === now }, name)),
    ),
    el("p", {}, one?.description ?? ""),
  );
}

function scored(node, parts) {
  const above = parts.filter(({ value }) => value > 0);
  const below = parts.filter(({ value }) => value < 0);
  const most = above.reduce((sum, { value }) => sum + value, 0);
  const sum = parts.reduce((total, { value }) => total + value, 0);
  const lowest = below.reduce((total, { value }) => total + value, 0);
  const span = Math.max(most, most - sum, -lowest, 1e-9);
  const share = (value, whole = span) => `${(Math.abs(value) / whole) * 100}%`;
  const segment = ({ name, value }, whole = span) =>
    el("i", {
      class: `${family(name)}${value < 0 ? " less" : ""}`,
      style: { width: share(value, whole) },
      title: `${name} ${signed(value)}`,
    });
  const words = `${parts.length} parts add up to ${node.score.toFixed(4)}`;
  let reached = 0;
  const rows = parts.map((part) => {
    const from = Math.min(reached, reached + part.value);
    reached += part.value;
    return el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        el("span", { class: `key ${family(part.name)}` }),
        el("span", {}, visible(MEANS[part.name] ?? part.name)),
      ),
      el(
        "td",
        { class: "steps" },
        el("i", {
          class: `${family(part.name)}${part.value < 0 ? " less" : ""}`,
          style: { width: `max(2px, ${share(part.value)})`, left: share(Math.max(0, from)) },
        }),
      ),
      el("td", { class: "figure" }, signed(part.value)),
    );
  });
  return el(
    "section",
    { class: "score" },
    el("h3", {}, "Score ", el("strong", { id: "score" }, node.score.toFixed(4)), el("span", {}, ` ${node.scoreType}`)),
    el(
      "div",
      { class: "stack", role: "img", "aria-label": words },
      el("div", { class: "gains" }, above.map((part) => segment(part))),
      below.length > 0 &&
        el(
          "div",
          { class: "losses", style: { width: share(most) } },
          below.map((part) => segment(part, Math.max(most, 1e-9))),
        ),
    ),
    legend(parts),
    el(
      "table",
      { class: "parts" },
      el("caption", { class: "unseen" }, "The parts of the score"),
      el("tbody", {}, rows),
      el(
        "tfoot",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "row" }, "Score"),
          el("td", { class: "steps" }, el("i", { class: "total", style: { width: share(Math.max(0, sum)) } })),
          el("td", { class: "figure", id: "sum" }, sum.toFixed(4)),
        ),
      ),
    ),
    inMode(node),
  );
}

function legend(parts) {
  const there = new Set(parts.map(({ name }) => family(name)));
  return el(
    "p",
    { class: "legend" },
    ["words", "meaning", "structure", "other"]
      .filter((name) => there.has(name))
      .map((name) => el("span", {}, el("span", { class: `key ${name}` }), name)),
  );
}

function inMode(node) {
  const own = node.scoreBreakdown.rrf?.inMode;
  if (!own) return null;
  return el(
    "p",
    { class: "aside" },
    `In ${own.mode} its score was ${own.score.toFixed(4)}: `,
    own.parts.map((part) => `${signed(part.value)} ${MEANS[part.name] ?? part.name}`).join(", "),
    ".",
  );
}

function confident(node) {
  const said = node.evidence;
  const rows = [
    ["holds of the query", said.coverage, percent(said.coverage)],
    ["in its name, title and path", said.named, percent(Math.min(1, said.named))],
    ["terms that the collection knows", said.known, percent(said.known)],
    ["strength of words (rare ones, of 3)", Math.min(1, said.strength / 3), said.strength.toFixed(1)],
    ["closeness in meaning (cosine)", said.cosine, said.cosine?.toFixed(2)],
    [
      "above what is usual (deviations, of 10)",
      said.nearness === null ? null : said.nearness / 10,
      said.nearness?.toFixed(1),
    ],
    ["is what was asked for by name", said.exact, said.exact === 1 ? "yes" : said.exact ? "in part" : "no"],
  ].filter(([, share]) => share !== null && share !== undefined);
  return el(
    "section",
    { class: "evidence" },
    el(
      "h3",
      {},
      "Confidence ",
      el("strong", {}, percent(node.confidence)),
      node.weak && el("span", { class: "weak-label" }, "weak"),
    ),
    el(
      "table",
      { class: "signs" },
      el("caption", { class: "unseen" }, "What the confidence is made of"),
      el(
        "tbody",
        {},
        rows.map(([words, share, shown]) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, words),
            el(
              "td",
              { class: "steps" },
              el("i", { class: "sign", style: { width: `${Math.max(0, Math.min(1, share)) * 100}%` } }),
            ),
            el("td", { class: "figure" }, shown),
          ),
        ),
      ),
    ),
  );
}
