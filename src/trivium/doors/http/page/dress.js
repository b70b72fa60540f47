// The address of a sheet of style -> that sheet in the page, once what needs it is opened.

import { el } from "/assets/element.js";

export const dressedIn = (href) =>
  new Promise((done) => document.head.append(el("link", { rel: "stylesheet", href, onload: done, onerror: done })));
