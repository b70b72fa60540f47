// Text of a language -> ranges to colour: comments, strings, numbers, keywords, types, calls.
// One scanner for all languages, one pass, never more than a look ahead: hostile text costs no
// more than other text of its length.

const list = (words) => new Set(words.split(" "));
const HASH = list("python ruby shell toml yaml make r elixir dockerfile julia perl");
const SLASH = list("c c++ c# java javascript typescript go rust swift kotlin scala dart zig php jsonc");
const DASH = list("sql lua haskell");
const TRIPLE = list("python swift kotlin scala java toml elixir dart");
const BACKTICK = list("javascript typescript go");
const MARKUP = list("html xml vue svelte");
const PROSE = list("markdown text restructuredtext asciidoc");
// Where ' also marks a lifetime, a type or a name: a character at most.
const SHORT_QUOTE = list("rust haskell scala");
const KEYWORDS = {
  python:
    "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield self cls",
  javascript:
    "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace never new null number of private protected public readonly return set static string super switch this throw true try type typeof undefined unknown var void while with yield",
  go: "any bool break case chan const continue default defer else error fallthrough false for func go goto if import int interface iota map nil package range return select string struct switch true type var",
  rust: "as async await bool break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u8 u32 u64 usize i32 i64 unsafe use where while",
  sql: "add all alter and as asc begin between by case check commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references right rollback select set table then trigger union unique update using values view when where with",
  shell:
    "case do done elif else esac exit export fi for function if in local readonly return set shift then trap unset until while",
  ruby: "alias and begin break case class def defined do else elsif end ensure false for if in include module next nil not or private protected public raise require rescue return self super then true unless until when while yield",
  lua: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
  haskell: "case class data deriving do else if import in infix instance let module newtype of then type where",
  data: "true false null yes no on off",
  c: "abstract as auto base bool boolean break byte case catch char class const constexpr continue default defer delete do double else enum explicit extends extern false final finally float fn for foreach friend fun func goto guard if implements import in inline int interface internal is let long mut mutable namespace new nil null nullptr object open operator out override package private protected public pub readonly register return sealed short signed sizeof static std string struct super suspend switch template this throw throws true try type typedef typename union unsigned using val var virtual void volatile when where while yield",
};
const OF_KEYWORDS = {
  typescript: "javascript",
  toml: "data",
  yaml: "data",
  json: "data",
  jsonl: "data",
  elixir: "ruby",
  make: "shell",
  dockerfile: "shell",
  r: "python",
  julia: "python",
};
const known = new Map();

function keywordsOf(language) {
  const name = OF_KEYWORDS[language] ?? (Object.hasOwn(KEYWORDS, language) ? language : "c");
  if (!known.has(name)) known.set(name, list(KEYWORDS[name]));
  return known.get(name);
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\w.]*/y;
const ATTRIBUTE = /@[\p{L}_][\p{L}\p{N}_.]*/uy;
const TAG = /<\/?[A-Za-z][\w:-]*|\/?>/y;
// Colour is for reading; beyond this nobody reads, and the text is shown plain.
const LONGEST = 400_000;

/** Return `[start, end, sort]` in order, without overlap, in units of JavaScript strings. */
export function tokens(text, language) {
  const name = (language ?? "").toLowerCase();
  if (text.length > LONGEST || !name) return [];
  if (PROSE.has(name)) return name === "markdown" ? markdownTokens(text) : [];
  return MARKUP.has(name) ? scanned(text, name, markupAt) : scanned(text, name, codeAt);
}

function scanned(text, language, at) {
  const found = [];
  const keywords = keywordsOf(language);
  let place = 0;
  while (place < text.length) {
    const token = at(text, place, language, keywords);
    if (token === null) {
      place += 1;
      continue;
    }
    if (token[1]) found.push([place, token[0], token[1]]);
    place = token[0];
  }
  return found;
}

function codeAt(text, at, language, keywords) {
  const char = text[at];
  const next = text[at + 1];
  if (char === "#" && HASH.has(language)) return [lineEnd(text, at), "comment"];
  if (char === "/" && SLASH.has(language) && next === "/") return [lineEnd(text, at), "comment"];
  if (char === "/" && next === "*" && !HASH.has(language)) return [after(text, "*/", at + 2), "comment"];
  if (char === "-" && next === "-" && DASH.has(language)) return [lineEnd(text, at), "comment"];
  if (char === '"' || char === "'") return quoted(text, at, language);
  if (char === "`" && BACKTICK.has(language)) return [afterQuote(text, at, "`", true), "string"];
  if (char === "@" || (char === "#" && next === "[")) return matched(ATTRIBUTE, text, at, "attribute");
  if (char >= "0" && char <= "9") return matched(NUMBER, text, at, "number");
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return null;
  const end = at + name.length;
  if (keywords.has(language === "sql" ? name.toLowerCase() : name)) return [end, "keyword"];
  if (text[end] === "(") return [end, "call"];
  return [end, /^\p{Lu}[^_]*\p{Ll}/u.test(name.slice(0, 40)) ? "type" : ""];
}

function markupAt(text, at) {
  if (text.startsWith("<!--", at)) return [after(text, "-->", at + 4), "comment"];
  if (text[at] === '"') return [afterQuote(text, at, '"', false), "string"];
  return text[at] === "<" || text[at] === ">" || text[at] === "/" ? matched(TAG, text, at, "keyword") : null;
}

function matched(pattern, text, at, sort) {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found ? [at + found[0].length, sort] : null;
}

function quoted(text, at, language) {
  const quote = text[at];
  if (TRIPLE.has(language) && text.startsWith(quote.repeat(3), at))
    return [after(text, quote.repeat(3), at + 3), "string"];
  if (quote === "'" && SHORT_QUOTE.has(language)) {
    const end = afterQuote(text, at, quote, false);
    return end - at <= 4 && text[end - 1] === quote ? [end, "string"] : [at + 1, ""];
  }
  return [afterQuote(text, at, quote, false), "string"];
}

function afterQuote(text, at, quote, runsOn) {
  for (let place = at + 1; place < text.length; place += 1) {
    if (text[place] === "\\") place += 1;
    else if (text[place] === quote) return place + 1;
    else if (text[place] === "\n" && !runsOn) return place;
  }
  return text.length;
}

function after(text, end, from) {
  const at = text.indexOf(end, from);
  return at < 0 ? text.length : at + end.length;
}

function lineEnd(text, at) {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

const DECORATED =
  /`([^`\n]{1,500})`|!?\[([^\]\n]{1,300})\]\([^()\n]{0,500}\)|\[\[(?:[^\]|\n]{1,300}\|)?([^\]|\n]{1,300})\]\]/g;

/** Ranges of a passage of prose: its code, and the signs around words, which are left out. */
export function proseTokens(text) {
  const found = [];
  const code = [];
  // A list's own sign is left to the page.
  for (const sign of text.matchAll(/^[ \t]*[-*+][ \t]+(?=\S)/gm))
    found.push([sign.index, sign.index + sign[0].length, "drop"]);
  for (const row of text.matchAll(/^[ \t]*\|[^\n]*/gm)) {
    const [, open, inside, close] = /^([ \t]*\|[ \t]*)(.*?)([ \t]*\|?[ \t]*)$/.exec(row[0]);
    found.push([row.index, row.index + open.length, "drop"]);
    for (const { index, 0: bars } of inside.matchAll(/(?<!\\)\|(?:[ \t]*\|)*/g))
      found.push([row.index + open.length + index, row.index + open.length + index + bars.length, "bar"]);
    found.push([row.index + open.length + inside.length, row.index + row[0].length, "drop"]);
    if (!close) found.pop();
  }
  for (const { index } of text.matchAll(/[ \t]\|$/gm)) found.push([index, index + 2, "drop"]);
  for (const { index, 0: sign } of text.matchAll(/<br ?\/?>/gi)) found.push([index, index + sign.length, "gap"]);
  for (const one of text.matchAll(DECORATED)) {
    const inside = one[1] ?? one[2] ?? one[3];
    const start = one.index + (one[3] === undefined ? one[0].indexOf(inside) : one[0].lastIndexOf(inside));
    const end = start + inside.length;
    if (one[1] !== undefined) code.push([start, end]);
    found.push([one.index, start, "drop"], [start, end, one[1] === undefined ? "" : "code"]);
    found.push([end, one.index + one[0].length, "drop"]);
  }
  let at = 0;
  for (const { index } of text.matchAll(/\*\*/g)) {
    while (at < code.length && code[at][1] <= index) at += 1;
    const isCode = at < code.length && code[at][0] <= index;
    if (!isCode) found.push([index, index + 2, "drop"]);
  }
  return found;
}

export const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#-]*)/;

/**
 * Rows of Markdown -> for each "fence" or "end" where it is one, "code" where it stands between them
 * or is set in by four, else "". A part of a text may begin in a fence.
 */
export function codeRows(rows, { isPart = false } = {}) {
  let fence = isPart ? beganBefore(rows) : "";
  let isInList = false;
  let isFree = true;
  return rows.map((row) => {
    if (fence) {
      if (!row.trimStart().startsWith(fence)) return "code";
      fence = "";
      isFree = true;
      return "end";
    }
    fence = FENCE.exec(row)?.[1] ?? "";
    if (fence) return "fence";
    // What goes on in a list is set in as well.
    const isCode = isFree && (isInList ? /^ {8}/ : /^(?: {4}|\t)(?!\s*(?:[-*+]|\d+[.)])\s)/).test(row);
    if (/^\s*(?:[-*+]|\d+[.)])\s/.test(row)) isInList = true;
    else if (/^\S/.test(row)) isInList = false;
    isFree = isCode || !row.trim();
    return isCode && row.trim() ? "code" : "";
  });
}

/** The fence that a part began in: its first names no language, ends what is above it and is apart below. */
function beganBefore(rows) {
  const at = rows.findIndex((row) => FENCE.test(row));
  if (at < 1 || !rows[at - 1].trim() || (rows[at + 1] ?? "").trim()) return "";
  const [, fence, language] = FENCE.exec(rows[at]);
  return language ? "" : fence;
}

function markdownTokens(text) {
  const found = [];
  const rows = text.split("\n");
  const sorts = codeRows(rows);
  let at = 0;
  for (const [row, line] of rows.entries()) {
    const end = at + line.length;
    if (sorts[row] === "fence" || sorts[row] === "end") found.push([at, end, "comment"]);
    else if (/^#{1,6}\s/.test(line) && !sorts[row]) found.push([at, end, "heading"]);
    // Code is shown plain: its language is another.
    else if (!sorts[row])
      for (const code of line.matchAll(/`[^`]+`/g))
        found.push([at + code.index, at + code.index + code[0].length, "string"]);
    at = end + 1;
  }
  return found;
}
