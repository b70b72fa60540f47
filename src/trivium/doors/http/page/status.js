// The state of the index -> a view of it: how much, how fresh, what is under way, what was passed
// over and why, what was slow. Asked for again while it is looked at, often while something runs.

import { byId, el, facts, fill } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { ask, listen } from "/assets/server.js";
import { go, state } from "/assets/state.js";
import { named, visible } from "/assets/text.js";
import { ago, counted, grouped, percent, took } from "/assets/words.js";

const BUSY_MS = 1000;
const CALM_MS = 10_000;

let timer = 0;
let latest = 0;
let syncing = null;

export async function readStatus(collection, signal) {
  return ask("/api/status", { params: { collection }, signal });
}

/** Show the view and keep it fresh until another is shown. */
export function openStatus(context) {
  const again = async () => {
    clearTimeout(timer);
    if (state().view !== "status") return;
    const mine = ++latest;
    const isWanted = () => mine === latest && state().view === "status";
    try {
      const status = await readStatus(context.collection());
      if (!isWanted()) return;
      context.heard(status);
      show(status, context, again);
      timer = setTimeout(again, status.progress || syncing ? BUSY_MS : CALM_MS);
    } catch (error) {
      if (error.name === "AbortError" || !isWanted()) return;
      context.failed(error);
      timer = setTimeout(again, CALM_MS);
    }
  };
  again();
}

function show(status, context, again) {
  const place = byId("wide");
  const had = place.contains(document.activeElement) ? document.activeElement.id : "";
  const folded = new Set([...place.querySelectorAll("details[open]")].map((one) => one.id));
  fill(
    place,
    el(
      "header",
      {},
      el("h1", {}, visible(status.name)),
      el("p", { class: "place", dir: "ltr" }, named(status.root ?? "")),
      el("span", { class: "space" }),
      el(
        "button",
        { class: "small", id: "leave", onclick: () => go({ view: "" }) },
        "Back to the search",
      ),
      el(
        "button",
        {
          class: "main",
          id: "sync",
          disabled: Boolean(syncing),
          onclick: () => sync(status.name, context, again),
        },
        syncing ? "Syncing" : "Sync now",
      ),
    ),
    progress(syncing ?? status.progress),
    el(
      "div",
      { class: "cards" },
      card(grouped(status.files), "files", `${grouped(status.edges ?? 0)} links between them`),
      card(grouped(status.nodes), "nodes", `cut into ${counted(status.chunks, "chunk")}`),
      card(
        status.dirtyFiles ? grouped(status.dirtyFiles) : "fresh",
        status.dirtyFiles ? "changed files wait" : "",
        `indexed ${ago(status.indexedAt)}`,
      ),
      card(percent(coverage(status)), "embedded", said(status)),
    ),
    status.modelProblem && el("p", { class: "warned" }, visible(status.modelProblem)),
    el(
      "div",
      { class: "columns" },
      el(
        "div",
        {},
        shares("Languages", status.languages, "file"),
        shares("Kinds", status.kinds, "node"),
        shares("Links", status.edgeTypes, "link"),
      ),
      el("div", {}, skipped(status), slow(status.slowQueries), more(status)),
    ),
  );
  for (const id of folded) byId(id)?.setAttribute("open", "");
  if (had) byId(had)?.focus();
}

function coverage(status) {
  return status.filling?.embedded ?? Math.max(0, ...(status.spaces ?? []).map((one) => one.coverage));
}

const said = (status) => (status.model === "none" ? "no model is set: words alone" : `by ${status.model}`);

function card(number, noun, words) {
  return el("div", { class: "card" }, el("strong", {}, number), el("span", {}, noun), el("small", {}, words));
}

function progress(running) {
  if (!running) return null;
  const { stage, done, total } = running;
  const words = total ? `${stage}: ${grouped(done)} of ${grouped(total)}` : `${stage}…`;
  return el(
    "div",
    { class: "progress" },
    el("span", { id: "stage" }, words),
    el("progress", { "aria-labelledby": "stage", ...(total ? { max: total, value: Math.min(done, total) } : {}) }),
  );
}

/** Counts as bars, the largest first. */
function shares(title, counts, noun) {
  const values = Object.entries(counts ?? {}).sort((a, b) => b[1] - a[1]);
  if (!values.length) return null;
  const most = values[0][1];
  const row = ([name, count]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, visible(name)),
      el("td", { class: "steps" }, el("i", { class: "sign", style: { width: `${(count / most) * 100}%` } })),
      el("td", { class: "figure" }, grouped(count)),
    );
  const first = values.slice(0, 7),
    rest = values.slice(7);
  const table = (rows) =>
    el(
      "table",
      { class: "signs" },
      el("caption", { class: "unseen" }, `${title}, by ${noun}s`),
      el("tbody", {}, rows.map(row)),
    );
  return el(
    "section",
    { class: "shares" },
    el("h2", {}, title),
    table(first),
    rest.length ? el("details", { id: `more-${title}` }, el("summary", {}, `${rest.length} more`), table(rest)) : null,
  );
}

function skipped(status) {
  const counts = Object.entries(status.skipped ?? {}).sort((a, b) => b[1] - a[1]);
  const files = status.skippedFiles ?? [];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return el(
    "section",
    {},
    el("h2", {}, "Passed over"),
    total
      ? el("p", {}, `${counted(total, "file")}: ${counts.map(([why, count]) => `${count} ${why}`).join(", ")}.`)
      : el("p", {}, "No file was passed over."),
    files.length
      ? el(
          "details",
          { id: "skipped", open: files.length <= 8 },
          el("summary", {}, files.length < total ? `The first ${files.length}` : "Which ones"),
          el(
            "ul",
            { class: "files" },
            files.map((one) =>
              el(
                "li",
                {},
                el("span", { class: "place", dir: "ltr" }, named(one.path)),
                el("span", { class: "tag" }, visible(one.reason)),
              ),
            ),
          ),
        )
      : null,
    status.maskedSecrets ? el("p", {}, `${counted(status.maskedSecrets, "secret")} masked.`) : null,
  );
}

function slow(queries) {
  if (!queries) return null;
  return el(
    "section",
    {},
    el("h2", {}, "Slow queries"),
    queries.length
      ? el(
          "ul",
          { class: "slow" },
          queries.map((one) =>
            el(
              "li",
              {},
              el("span", { class: "figure" }, took(one.tookMs)),
              el(
                "button",
                { class: "link", dir: "auto", onclick: () => go({ q: one.query, view: "" }) },
                one.query.trim() ? visible(one.query) : "without words",
              ),
              el("time", { datetime: one.at }, ago(one.at)),
            ),
          ),
        )
      : el("p", {}, "None took more than 100 ms since the server started."),
  );
}

function more(status) {
  const rows = [
    ["branch", status.branch],
    [
      "vectors",
      (status.spaces ?? []).map((one) => `${one.model}, ${one.dimension} numbers, ${percent(one.coverage)}`).join("; "),
    ],
    ["files to be linked", status.unlinkedFiles ? grouped(status.unlinkedFiles) : ""],
    ["queries kept", status.queriesKept ? grouped(status.queriesKept) : ""],
    ["kept in", status.folder],
  ].filter(([, value]) => value);
  return el(
    "section",
    {},
    el("h2", {}, "More"),
    facts(rows.map(([name, value]) => [name, visible(String(value))])),
  );
}

async function sync(name, context, again) {
  if (syncing) return;
  syncing = { stage: "looking", done: 0, total: 0 };
  say("Syncing");
  again();
  let report = null;
  let failure = null;
  try {
    await listen(`/api/collections/${encodeURIComponent(name)}/sync`, (event, data) => {
      if (event === "progress") {
        syncing = data;
        const shown = document.querySelector(".progress");
        if (shown) shown.replaceWith(progress(data));
      } else if (event === "done") report = data;
      else if (event === "error") failure = data.error ?? data;
    });
  } catch (error) {
    failure = error;
  }
  syncing = null;
  if (failure) context.failed(failure);
  else
    say(
      report
        ? `Synced: ${report.added ?? 0} added, ${report.changed ?? 0} changed, ${report.removed ?? 0} removed`
        : "Synced",
    );
  again();
}
