// Notes, tasks and skills <-> the server that keeps them: what each kind has, and every way to read
// and change one. A change says which version it is of, so that nobody's words are written over.

import { ask, askBytes } from "/assets/server.js";

export const PLURAL = { note: "notes", task: "tasks", skill: "skills" };
export const BODY = { note: "content", task: "description", skill: "description" };
export const FIELDS = {
  note: ["title", "content", "tags", "links"],
  task: "title description type status priority dueDate estimate assignee epic tags links".split(" "),
  skill: "title description steps triggers inputHints filePatterns source confidence tags links".split(" "),
};
export const WORDS = {
  backlog: "Backlog",
  todo: "To do",
  in_progress: "In progress",
  review: "Review",
  done: "Done",
  cancelled: "Cancelled",
  open: "Open",
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
  user: "A person",
  learned: "Learned",
  dueDate: "Due",
  inputHints: "Needs to know",
  filePatterns: "Files",
  content: "Text",
};
export const STATUSES = {
  task: ["backlog", "todo", "in_progress", "review", "done", "cancelled"],
  epic: ["open", "in_progress", "done", "cancelled"],
};
export const PRIORITIES = ["critical", "high", "medium", "low"];
// What the views of the page are called, and what they list.
export const VIEWS = { tasks: "task", epics: "task", notes: "note", skills: "skill" };

export const worded = (name) => WORDS[name] ?? name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
export const kindOf = (id) => id.slice(0, id.indexOf(":"));
export const viewOf = (item) => (item.type === "epic" ? "epics" : PLURAL[item.kind]);
export const isOver = (status) => status === "done" || status === "cancelled";

const placeOf = (id) => `/api/${PLURAL[kindOf(id)]}/${encodeURIComponent(id)}`;

const fileOf = (id, name) => `${placeOf(id)}/attachments/${encodeURIComponent(name)}`;

/** What a person may change of something, and no more. */
export const valuesOf = (item) =>
  Object.fromEntries(FIELDS[item.kind].map((name) => [name, item[name] ?? (name === BODY[item.kind] ? "" : null)]));

// Nothing is nothing, whether as no words, no entries or no value.
const plain = (value) => JSON.stringify(value === "" || (Array.isArray(value) && !value.length) ? null : (value ?? null));
export const isSame = (one, other) => plain(one) === plain(other);

export function shelf(collection) {
  const params = { collection };
  return {
    list: (kind, asked, signal) => ask(`/api/${PLURAL[kind]}`, { params: { ...params, ...asked }, signal }),
    read: (id, signal) => ask(placeOf(id), { params, signal }),
    links: async (id, signal) => (await ask(`${placeOf(id)}/links`, { params, signal })).links,
    files: async (id, signal) => (await ask(`${placeOf(id)}/attachments`, { params, signal })).results,
    create: (kind, values) => ask(`/api/${PLURAL[kind]}`, { params, method: "POST", body: given(values) }),
    change: (id, values, version) => ask(placeOf(id), { params, method: "PATCH", body: values, version }),
    remove: (id, version) => ask(placeOf(id), { params, method: "DELETE", version }),
    put: (id, where, version) => ask(`${placeOf(id)}/reorder`, { params, method: "POST", body: where, version }),
    many: (act, body) => ask(`/api/tasks/bulk/${act}`, { params, method: "POST", body }),
    attach: (id, name, data) => ask(fileOf(id, name), { params, method: "PUT", data }),
    attached: (id, name) => askBytes(fileOf(id, name), { params }),
    detach: (id, name) => ask(fileOf(id, name), { params, method: "DELETE" }),
    use: (id) => ask(`${placeOf(id)}/bump`, { params, method: "POST" }),
    link: (id, one, version) => ask(`${placeOf(id)}/links`, { params, method: "POST", body: one, version }),
    unlink: (id, one, version) =>
      ask(`${placeOf(id)}/links`, { params: { ...params, ...one }, method: "DELETE", version }),
  };
}

/** Something new says only what there is to say. */
function given(values) {
  const isSaid = (value) => value !== null && value !== "" && !(Array.isArray(value) && !value.length);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isSaid(value)));
}
