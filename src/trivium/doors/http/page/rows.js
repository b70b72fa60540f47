// Notes and skills -> a list of them: title, tags, when it changed, and of a skill when it helps and
// how often it did.

import { drafted } from "/assets/drafts.js";
import { el, fill, kindIcon } from "/assets/element.js";
import { openLink } from "/assets/linking.js";
import { asked, isNarrowed, knowledge } from "/assets/narrowing.js";
import { VIEWS } from "/assets/shelf.js";
import { FROM_THE_TOP, go, state } from "/assets/state.js";
import { named } from "/assets/text.js";
import { ago, counted, grouped, percent } from "/assets/words.js";

const PAGE = 50;
const MOST = 500;

/** Fill the place with the list; return how many there are. */
export async function showRows(place, told, signal) {
  const kind = VIEWS[state().view];
  const limit = Math.min(MOST, PAGE * told.pages);
  const { results, total } = await told.shelf.list(kind, { ...asked(), limit }, signal);
  if (signal.aborted) return 0;
  knowledge.of(results);
  const drafts = drafted(told.collection);
  const had = place.contains(document.activeElement) ? document.activeElement.closest("[data-id]")?.dataset.id : null;
  fill(
    place,
    total
      ? el(
          "ol",
          { class: "rows-of", "aria-label": counted(total, kind), onkeydown: step },
          results.map((one) => row(one, drafts)),
        )
      : nothing(kind),
    results.length < total &&
      el(
        "p",
        { class: "rest" },
        `${grouped(results.length)} of ${grouped(total)} shown. `,
        limit < MOST
          ? el("button", { type: "button", class: "link", id: "more-rows", onclick: told.more }, "Show more")
          : "Filter to see the others.",
      ),
  );
  if (had) place.querySelector(`[data-id="${CSS.escape(had)}"] a`)?.focus({ preventScroll: true });
  return total;
}

function row(one, drafts) {
  return el(
    "li",
    { class: `row-of${state().item === one.id ? " selected" : ""}`, "data-id": one.id },
    el(
      "h2",
      {},
      kindIcon(one),
      openLink(one, named(one.title)),
      drafts.has(one.id) && el("span", { class: "weak-label" }, "draft"),
      one.problems?.length ? el("span", { class: "weak-label", title: one.problems.join("\n") }, "cannot be read whole") : null,
    ),
    one.kind === "skill" && one.triggers.length ? el("p", { class: "when" }, named(one.triggers.join(" · "))) : null,
    el(
      "p",
      { class: "about" },
      el("span", {}, `changed ${ago(one.updatedAt)}`),
      one.kind === "skill" && el("span", {}, one.usageCount ? `used ${counted(one.usageCount, "time")}` : "not used yet"),
      one.kind === "skill" && one.confidence < 1 && el("span", {}, `${percent(one.confidence)} certain`),
      one.links.length ? el("span", {}, counted(one.links.length, "link")) : null,
      tagButtons(one.tags),
    ),
  );
}

export function tagButtons(tags) {
  return tags.map((tag) =>
    el(
      "button",
      { type: "button", class: "tag", "aria-label": `Only with the tag ${tag}`, onclick: () => go({ label: tag }) },
      named(tag),
    ),
  );
}

function nothing(kind) {
  const { find } = state();
  if (isNarrowed())
    return el(
      "div",
      { class: "none" },
      el("p", {}, `No ${kind} is called so, or has what was chosen. `),
      find &&
        el(
          "button",
          { type: "button", class: "link", onclick: () => go({ ...FROM_THE_TOP, q: find, kind: [kind] }) },
          "Search the texts for it",
        ),
    );
  return el(
    "div",
    { class: "none" },
    el("p", {}, `There is no ${kind} yet.`),
    el(
      "p",
      { class: "aside" },
      kind === "note"
        ? "Write down what was decided and why, and link it to the code it is about: a search that finds the code shows it."
        : "Write down how something is done, and when: agents recall it when they are about to do it.",
    ),
  );
}

/** Arrows go from one title to the next. */
function step(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...event.currentTarget.querySelectorAll("h2 a")];
  const at = links.indexOf(document.activeElement.closest("[data-id]")?.querySelector("h2 a"));
  event.preventDefault();
  links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
}
