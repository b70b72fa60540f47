// A pointer on a card -> the place it is dropped at. A mouse drags at once, a finger after resting,
// so that a swipe still scrolls; Esc or a lost pointer puts it back.

import { el } from "/assets/element.js";

const STARTS_PX = 5;
const RESTS_MS = 280;
const EDGE_PX = 60;
const STEP_PX = 14;

let drag = null;

/** Let the cards of a board be dragged; `dropped(id, status, before)` is told where to. */
export function draggable(board, dropped) {
  board.addEventListener("pointerdown", (event) => {
    const card = event.target.closest(".task");
    if (!card || event.button || drag) return;
    const { clientX: x, clientY: y, pointerId } = event;
    drag = { board, card, x, y, pointerId, dropped, isOn: false, timer: 0 };
    if (event.pointerType === "touch") drag.timer = setTimeout(() => begin(), RESTS_MS);
    drag.isTouch = event.pointerType === "touch";
  });
  // A link brings a drag of its own.
  board.addEventListener("dragstart", (event) => event.preventDefault());
  board.addEventListener("touchmove", (event) => drag?.isOn && event.preventDefault(), { passive: false });
}

function begin() {
  const { card } = drag;
  const { left, top, width, height } = card.getBoundingClientRect();
  drag.isOn = true;
  drag.offset = [drag.x - left, drag.y - top];
  drag.gap = el("li", { class: "gap", style: { height: `${height}px` }, "aria-hidden": "true" });
  drag.next = card.nextElementSibling;
  drag.list = card.parentElement;
  drag.ghost = card.cloneNode(true);
  drag.ghost.removeAttribute("data-id");
  drag.ghost.classList.add("ghost");
  drag.ghost.style.setProperty("width", `${width}px`);
  document.body.append(drag.ghost);
  card.classList.add("dragged");
  card.before(drag.gap);
  document.body.classList.add("is-dragging");
  follow();
}

function follow() {
  const { ghost, offset, board, x, y, gap, card } = drag;
  ghost.style.setProperty("translate", `${x - offset[0]}px ${y - offset[1]}px`);
  const bounds = board.getBoundingClientRect();
  if (x < bounds.left + EDGE_PX) board.scrollLeft -= STEP_PX;
  else if (x > bounds.right - EDGE_PX) board.scrollLeft += STEP_PX;
  const over = [...board.querySelectorAll(".column")].find((one) => {
    const { left, right } = one.getBoundingClientRect();
    return x >= left && x <= right;
  });
  if (!over) return;
  const list = over.querySelector(".tasks");
  const next = [...list.querySelectorAll(".task:not(.dragged)")].find((one) => {
    const { top, height } = one.getBoundingClientRect();
    return y < top + height / 2;
  });
  if (gap.parentElement !== list || gap.nextElementSibling !== (next ?? null)) list.insertBefore(gap, next ?? null);
  for (const one of board.querySelectorAll(".column")) one.classList.toggle("aimed", one === over);
  card.classList.add("dragged");
}

function end(isDropped) {
  clearTimeout(drag.timer);
  const { card, gap, ghost, board, dropped, isOn } = drag;
  drag = null;
  if (!isOn) return;
  let next = gap.nextElementSibling;
  while (next?.matches(".dragged")) next = next.nextElementSibling;
  const status = gap.closest(".column").dataset.status;
  gap.remove();
  ghost.remove();
  card.classList.remove("dragged");
  document.body.classList.remove("is-dragging");
  for (const one of board.querySelectorAll(".aimed")) one.classList.remove("aimed");
  // The click that ends a drag opens nothing.
  addEventListener("click", stopped, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stopped, { capture: true }), 0);
  if (isDropped) dropped(card.dataset.id, status, next?.dataset.id);
}

function stopped(event) {
  event.preventDefault();
  event.stopPropagation();
}

addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.pointerId) return;
  const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
  if (!drag.isOn && far < STARTS_PX) return;
  // A finger that moves before it has rested scrolls.
  if (!drag.isOn && drag.isTouch) return end(false);
  if (!drag.isOn) begin();
  drag.x = event.clientX;
  drag.y = event.clientY;
  follow();
});
addEventListener("pointerup", (event) => drag?.pointerId === event.pointerId && end(true));
addEventListener("pointercancel", (event) => drag?.pointerId === event.pointerId && end(false));
addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "Escape" || !drag?.isOn) return;
    event.preventDefault();
    end(false);
  },
  true,
);
