// What a person does to a note, a task or a skill in its pane -> the server: its column, its links, a
// use, its end. Each is offered to be taken back.

import { dropDraft } from "/assets/drafts.js";
import { el } from "/assets/element.js";
import { say } from "/assets/frame.js";
import { dialog } from "/assets/settings.js";
import { valuesOf, viewOf, worded } from "/assets/shelf.js";
import { go } from "/assets/state.js";
import { named } from "/assets/text.js";
import { counted } from "/assets/words.js";

export { dressed, picker } from "/assets/picking.js";

const CONFLICT = 409;

/** Do something to it; where somebody was faster, show how it is now. */
async function doing(told, act) {
  try {
    await act();
  } catch (error) {
    if (error.status === CONFLICT) {
      told.offer("Somebody changed it meanwhile. This is how it is now: choose again.");
    } else told.failed(error);
  }
  told.refresh();
  told.reopen();
}

export const set = (item, name, value, told) =>
  doing(told, async () => {
    const was = item[name];
    if (name === "status") await told.shelf.put(item.id, { status: value });
    else await told.shelf.change(item.id, { [name]: value }, item.version);
    told.offer([`${worded(name)}: `, el("strong", {}, worded(value))], async () => {
      if (name === "status") await told.shelf.put(item.id, { status: was, ...(item.order !== null && { order: item.order }) });
      else await told.shelf.change(item.id, { [name]: was });
      told.reopen();
    });
  });

export const link = (item, one, told) =>
  doing(told, async () => {
    await told.shelf.link(item.id, one);
    told.offer("Linked", async () => {
      await told.shelf.unlink(item.id, one);
      told.reopen();
    });
  });

export const unlink = (item, { type, target }, told) =>
  doing(told, async () => {
    await told.shelf.unlink(item.id, { type, target });
    told.offer("Link taken away", async () => {
      await told.shelf.link(item.id, { type, target });
      told.reopen();
    });
  });

export const use = (item, told) =>
  doing(told, async () => {
    const { usageCount } = await told.shelf.use(item.id);
    say(`Used ${counted(usageCount, "time")}`);
  });

/** Ask whether it is to go, and say what goes with it. */
export function confirmed({ item, links, files }, told) {
  const from = links.filter((one) => one.direction === "in").length;
  const word = item.type === "epic" ? "epic" : item.kind;
  const box = dialog(
    `Delete this ${word}?`,
    el(
      "div",
      { class: "asks" },
      el("p", {}, el("strong", { dir: "auto" }, named(item.title))),
      from ? el("p", {}, `${counted(from, "link")} from elsewhere will lead to nothing.`) : null,
      files.length ? el("p", {}, `${counted(files.length, "file")} beside it will go for good.`) : null,
      el(
        "p",
        { class: "buttons" },
        el("button", { type: "button", class: "main danger", id: "delete-now", onclick: () => remove() }, "Delete"),
        el("button", { type: "button", class: "small", onclick: () => box.close() }, "Keep it"),
      ),
    ),
  );
  box.querySelector(".small").focus();
  async function remove() {
    box.close();
    try {
      await told.shelf.remove(item.id, item.version);
    } catch (error) {
      if (error.status !== CONFLICT) return told.failed(error);
      told.offer("Somebody changed it meanwhile. Read it again before you delete it.");
      return told.reopen();
    }
    dropDraft(told.collection, item.id);
    told.leave();
    told.refresh();
    told.offer(["Deleted ", el("strong", {}, named(item.title))], () => again(item, told));
  }
}

/** Write down again what was deleted; links to what is gone cannot be made again. */
async function again(item, told) {
  const gone = new Set(item.brokenLinks ?? []);
  const values = { ...valuesOf(item), links: item.links.filter((one) => !gone.has(one.target)) };
  const made = await told.shelf.create(item.kind, { ...values, ...(item.order && { order: item.order }) });
  go({ view: viewOf(made), item: made.id });
  if (made.id !== item.id) told.offer(`It is back as ${made.id}; links to ${item.id} do not lead to it.`);
}
