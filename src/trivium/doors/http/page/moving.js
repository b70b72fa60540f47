// A task and where it is to go -> there: at once in the page, then on the server, one move after the
// other. Each names the version it was made of, and can be taken back.

import { shown } from "/assets/board.js";
import { el } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { worded } from "/assets/shelf.js";
import { state } from "/assets/state.js";
import { counted, grouped } from "/assets/words.js";

const CONFLICT = 409;

let moving = Promise.resolve();

/** Move a task by a key: to the next column, or past the one above or below it. */
export function shifted(at, [across, down], columns, told) {
  const id = at.dataset.id;
  const mine = columns.indexOf(at.closest(".column"));
  if (across) {
    const to = columns[mine + across];
    if (to) move(id, { status: to.dataset.status }, told);
    return;
  }
  const others = [...columns[mine].querySelectorAll(".task")].filter((one) => one !== at);
  const row = [...at.parentElement.children].indexOf(at);
  const place = row + down;
  if (place < 0 || place > others.length) return;
  move(id, { status: columns[mine].dataset.status, before: others[place]?.dataset.id }, told);
}

/** Put a task before another, or at the end of a column: at once in the page, then on the server. */
export async function move(id, { status, before }, told) {
  const task = shown.tasks.get(id);
  const card = document.querySelector(`.task[data-id="${CSS.escape(id)}"]`);
  const list = document.querySelector(`.column[data-status="${status}"] .tasks`);
  if (!task || !card || !list) return;
  const next = before ? list.querySelector(`[data-id="${CSS.escape(before)}"]`) : null;
  if (next === card || (list === card.parentElement && next === card.nextElementSibling)) return;
  const had = card.contains(document.activeElement);
  const count = (of, by) => {
    const place = of.closest(".column").querySelector(".count");
    place.textContent = grouped(Number(place.textContent.replaceAll(",", "")) + by);
  };
  count(card.parentElement, -1);
  list.insertBefore(card, next);
  count(list, 1);
  card.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (had) card.querySelector("h3 a").focus({ preventScroll: true });
  const isOther = status !== task.status;
  // One after the other: each is made to the version that the one before has left.
  const send = (where) => async () => {
    const made = await told.shelf.put(id, where, shown.tasks.get(id)?.version);
    if (shown.tasks.has(id)) shown.tasks.set(id, made);
  };
  const inTurn = (act) => (moving = moving.then(act, act));
  try {
    await inTurn(send({ status, ...(before && { before }) }));
    const place = [...list.children].indexOf(card) + 1;
    say(isOther ? `Moved to ${worded(status)}` : `Place ${place} of ${counted(list.children.length, "task")}`);
    told.offer(isOther ? ["Moved to ", el("strong", {}, worded(status))] : "Moved", () =>
      inTurn(send({ status: task.status, ...(task.order !== null && { order: task.order }) })),
    );
  } catch (error) {
    if (error.status === CONFLICT) {
      told.offer("Somebody changed it meanwhile. This is how it is now: move it again.");
      shown.tasks.delete(id);
    } else told.failed(error);
  }
  await told.refresh();
  if (state().item === id && state().edit !== "1") told.reopen();
}
