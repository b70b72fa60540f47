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

let acting = Promise.resolve();

// One after the other: each is made to the version that the one before has left.
const inTurn = (act) => (acting = acting.then(act, act));
const offer = (told, words, undo) => told.offer(words, () => inTurn(undo));

/** Do something to it; where somebody was faster, show how it is now. */
async function doing(told, act) {
  try {
    await inTurn(act);
  } catch (error) {
    if (error.status === CONFLICT) {
      told.offer("Somebody changed it meanwhile. This is how it is now: choose again.");
    } else told.failed(error);
  }
  told.refresh();
  told.reopen();
}

/** Know the version that a change has made: the next may come before the pane is painted again. */
async function known(item, made) {
  item.version = (await made).version;
}

export const set = (item, name, value, told) =>
  doing(told, async () => {
    const was = item[name];
    const put = (where) => told.shelf.put(item.id, where, item.version);
    const change = (to) => told.shelf.change(item.id, { [name]: to }, item.version);
    await known(item, name === "status" ? put({ status: value }) : change(value));
    offer(told, [`${worded(name)}: `, el("strong", {}, worded(value))], async () => {
      const place = { status: was, ...(item.order !== null && { order: item.order }) };
      await known(item, name === "status" ? put(place) : change(was));
      told.reopen();
    });
  });

export const link = (item, one, told) =>
  doing(told, async () => {
    await known(item, told.shelf.link(item.id, one, item.version));
    offer(told, "Linked", async () => {
      await known(item, told.shelf.unlink(item.id, one, item.version));
      told.reopen();
    });
  });

export const unlink = (item, { type, target }, told) =>
  doing(told, async () => {
    await known(item, told.shelf.unlink(item.id, { type, target }, item.version));
    offer(told, "Link taken away", async () => {
      await known(item, told.shelf.link(item.id, { type, target }, item.version));
      told.reopen();
    });
  });

/** A field for files to be kept beside it. */
export function fileField(item, told) {
  const field = el("input", {
    type: "file",
    multiple: true,
    class: "unseen",
    id: "add-files",
    onchange: () => attach(item, [...field.files], told),
  });
  return el("p", {}, field, el("label", { class: "small", for: "add-files" }, "Add files"));
}

const attach = (item, files, told) =>
  doing(told, async () => {
    const kept = [];
    const undo = async () => {
      for (const name of kept) await told.shelf.detach(item.id, name);
      told.reopen();
    };
    try {
      for (const one of files) {
        const { filename } = await told.shelf.attach(item.id, one.name, one);
        kept.push(filename);
      }
    } finally {
      // Of several, those before the one that was refused are there.
      if (kept.length) offer(told, [`${counted(kept.length, "file")} added`], undo);
    }
  });

export const detach = (item, name, told) =>
  doing(told, async () => {
    const data = await told.shelf.attached(item.id, name);
    await told.shelf.detach(item.id, name);
    offer(told, ["Removed ", el("strong", {}, named(name))], async () => {
      await told.shelf.attach(item.id, name, data);
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
      await inTurn(() => told.shelf.remove(item.id, item.version));
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

/** Something as it was, written anew; links to what is gone cannot be made again. */
export function written(item, told) {
  const gone = new Set(item.brokenLinks ?? []);
  const values = { ...valuesOf(item), links: item.links.filter((one) => !gone.has(one.target)) };
  return told.shelf.create(item.kind, { ...values, ...(item.order && { order: item.order }) });
}

/** Write down again what was deleted, and open it. */
async function again(item, told) {
  const made = await written(item, told);
  go({ view: viewOf(made), item: made.id });
  if (made.id !== item.id) told.offer(`It is back as ${made.id}; links to ${item.id} do not lead to it.`);
}
