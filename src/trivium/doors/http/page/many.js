// Tasks that are chosen on the board -> one change to all of them: another column, another priority,
// or their end. Each can be taken back.

import { written } from "/assets/acting.js";
import { el, fill } from "/assets/element.js";
import { dialog } from "/assets/settings.js";
import { PRIORITIES, STATUSES, worded } from "/assets/shelf.js";
import { counted } from "/assets/words.js";

const ids = new Set();

/** Give each task a box to choose it by, and fill the bar with what can be done to the chosen. */
export function choose(board, bar, { tasks, type, told, leave }) {
  const chosen = () => [...ids].map((id) => tasks.get(id)).filter(Boolean);
  for (const card of board.querySelectorAll(".task")) {
    const { id } = card.dataset;
    const picked = () => {
      if (box.checked) ids.add(id);
      else ids.delete(id);
      show();
    };
    const label = `Choose ${tasks.get(id)?.title ?? id}`;
    const box = el("input", { type: "checkbox", "aria-label": label, checked: ids.has(id), onchange: picked });
    card.prepend(box);
  }
  const acts = { tasks: chosen, told };
  const show = () => {
    const count = chosen().length;
    fill(
      bar,
      el("span", { role: "status" }, `${counted(count, "task")} chosen`),
      choice("Move to", "move", "status", STATUSES[type], count, acts),
      choice("Priority", "priority", "priority", PRIORITIES, count, acts),
      el("button", { class: "small", id: "delete-chosen", disabled: !count, onclick: () => confirmed(acts) }, "Delete"),
      el("button", { class: "small", id: "chosen-done", onclick: () => (ids.clear(), leave()) }, "Done"),
    );
  };
  show();
}

function choice(label, act, name, values, count, acts) {
  const place = el(
    "select",
    { "aria-label": label, id: `chosen-${name}`, disabled: !count, onchange: () => change(act, name, values, place.value, acts) },
    el("option", { value: "", selected: true, disabled: true }, label),
    values.map((one) => el("option", { value: one }, worded(one))),
  );
  return place;
}

async function change(act, name, values, value, { tasks, told }) {
  const before = tasks();
  const of = (some) => some.map((one) => one.id);
  try {
    await told.shelf.many(act, { ids: of(before), [name]: value });
    told.offer([`${counted(before.length, "task")}: `, el("strong", {}, worded(value))], async () => {
      for (const was of values) {
        const some = of(before.filter((one) => one[name] === was));
        if (some.length) await told.shelf.many(act, { ids: some, [name]: was });
      }
    });
  } catch (error) {
    told.failed(error);
  }
  told.refresh();
}

/** Ask whether they are to go. */
function confirmed({ tasks, told }) {
  const chosen = tasks();
  const box = dialog(
    `Delete ${counted(chosen.length, "task")}?`,
    el(
      "div",
      { class: "asks" },
      el("p", {}, "Links to them will lead to nothing, and files beside them will go for good."),
      el(
        "p",
        { class: "buttons" },
        el("button", { class: "main danger", id: "delete-now", onclick: () => remove() }, "Delete"),
        el("button", { class: "small", onclick: () => box.close() }, "Keep them"),
      ),
    ),
  );
  box.querySelector(".small").focus();
  async function remove() {
    box.close();
    try {
      const whole = await Promise.all(chosen.map((one) => told.shelf.read(one.id)));
      await told.shelf.many("delete", { ids: chosen.map((one) => one.id) });
      told.offer(`${counted(whole.length, "task")} deleted`, async () => {
        for (const one of whole) await written(one, told);
      });
    } catch (error) {
      told.failed(error);
    }
    told.refresh();
  }
}
