// Numbers, times, places and nodes -> words for a reader.

const GROUPED = new Intl.NumberFormat("en");
const MINUTE = 60,
  HOUR = 3600,
  DAY = 86400;

export const grouped = (number) => GROUPED.format(number);
export const counted = (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
export const percent = (share) => `${Math.floor(share * 100 + 1e-9)} %`;

export function took(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Text that may be of any length, as much of it as a heading holds. */
export const cut = (text, most = 80) => (text.length > most ? `${[...text].slice(0, most).join("").trimEnd()}…` : text);

/** How long ago a time was: "just now", "4 minutes ago". */
export function ago(text, now = Date.now()) {
  const at = Date.parse(text ?? "");
  if (Number.isNaN(at)) return "never";
  const seconds = Math.max(0, (now - at) / 1000);
  if (seconds < 10) return "just now";
  if (seconds < MINUTE) return `${Math.floor(seconds)} seconds ago`;
  if (seconds < HOUR) return `${counted(Math.floor(seconds / MINUTE), "minute")} ago`;
  if (seconds < DAY) return `${counted(Math.floor(seconds / HOUR), "hour")} ago`;
  return `${counted(Math.floor(seconds / DAY), "day")} ago`;
}

/** The name that tells a node from its neighbours: Guard.check, Install / From source. */
export function labelOf(node) {
  const at = node.id.indexOf("#");
  if (at >= 0) {
    const inside = nodeOf(node.id).slice(at + 1);
    return node.kind === "code" ? inside : inside.replaceAll("/", " / ");
  }
  // A note without a title is called by its first words, links and all.
  return (node.title || node.name || node.id).replaceAll(/\[\[|\]\]/g, "");
}

/** The node that a hit is of: some profiles rank chunks, whose ids end in @ and a number. */
export const nodeOf = (id) => id.replace(/@\d+$/, "");

/** What tells a hit from all others: in two collections, two may have one id. */
export const keyOf = (hit) => (hit.collection ? `${hit.collection} ${hit.id}` : hit.id);

export const PROSE = new Set(["doc", "note", "task", "skill"]);

export const pathOf = (node) => node.source?.filePath ?? "";

/** The line a hit is about: of its snippet, else where it starts. */
export const lineOf = (node) => node.snippetLine ?? node.source?.startLine ?? 1;

export const placeOf = (node) => `${pathOf(node)}:${lineOf(node)}`;

/** Whether the folder was still being indexed for the first time when this was answered. */
export const isPartial = (answer) =>
  answer.degraded.some(({ stage, reason }) => stage === "sync" && reason.includes("The folder is being indexed"));

export function means(answer) {
  if (answer.method === "hybrid") return `words and meaning (${answer.embedder})`;
  if (answer.method === "degree") return "links";
  return answer.method === "vector" ? `meaning (${answer.embedder})` : "words";
}
