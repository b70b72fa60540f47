// What frames the page -> its signs: that something is under way, that something went wrong, and how
// the index is.

import { byId, el, fill, icon } from "/assets/element.js";
import { ago, counted } from "/assets/words.js";

export function busy(isBusy) {
  document.body.classList.toggle("busy", isBusy);
}

export function notify(...words) {
  const place = byId("notice");
  fill(
    place,
    el("p", {}, words),
    el("button", { class: "round", "aria-label": "Dismiss", onclick: quiet }, icon("close")),
  );
  place.hidden = false;
}

export function quiet() {
  byId("notice").hidden = true;
}

/** Tell a screen reader; what was said before is said again, for which it has to differ. */
export function say(words) {
  const place = byId("said");
  place.textContent = place.textContent === words ? `${words}\u00a0` : words;
}

export function dot(sort, words) {
  const button = byId("state");
  button.dataset.sort = sort;
  button.lastElementChild.textContent = words;
  button.setAttribute("aria-label", `Index status: ${words}`);
}

export function showIndexState(found) {
  if (found.progress)
    dot(
      "busy",
      found.progress.total
        ? `${found.progress.stage} ${Math.floor((100 * found.progress.done) / found.progress.total)} %`
        : found.progress.stage,
    );
  else if (found.dirtyFiles) dot("stale", `${counted(found.dirtyFiles, "file")} to take in`);
  else dot("fresh", counted(found.files, "file"));
  byId("state").title = `Indexed ${ago(found.indexedAt)}`;
}
