// What a person chose for this browser, kept there: theme, editor, keys. Theme: auto, light, dark.

import { byId, el, fill, icon } from "/assets/element.js";
import { keepToken, token } from "/assets/server.js";

const EDITORS = {
  "VS Code": "vscode://file/{path}:{line}",
  "VS Code Insiders": "vscode-insiders://file/{path}:{line}",
  Cursor: "cursor://file/{path}:{line}",
  Zed: "zed://file/{path}:{line}",
  JetBrains: "idea://open?file={path}&line={line}",
  "Sublime Text": "subl://open?url=file://{path}&line={line}",
  Emacs: "org-protocol://open-source?url=file://{path}&line={line}",
};
const THEMES = ["auto", "light", "dark"];
// An address that would run something in this page is none for an editor.
const REFUSED = /^\s*(javascript|data|vbscript|blob|about):/i;

function kept(name, otherwise) {
  try {
    return localStorage.getItem(`trivium.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`trivium.${name}`, value);
  } catch {
    /* Then it holds for this page. */
  }
}

let theme = kept("theme", "auto");
export const editor = () => kept("editor", EDITORS["VS Code"]);
export const hasLetterKeys = () => kept("keys", "on") === "on";

/** The address that opens a line in the chosen editor, or "" where none may. */
export function editorLink(root, path, line) {
  const whole = `${root.replace(/[\\/]+$/, "")}/${path}`.replaceAll("\\", "/");
  const escaped = whole
    .split("/")
    .map(encodeURIComponent)
    .join("/")
    .replace(/^([A-Za-z])%3A/, "/$1:");
  const template = editor();
  if (!template.includes("{path}") || REFUSED.test(template)) return "";
  // vscode://file/ and its kin bring the first slash themselves.
  const placed = template.replace("file/{path}", "file{path}");
  return placed.replaceAll("{path}", escaped).replaceAll("{line}", String(line)).replaceAll("{column}", "1");
}

export function showTheme() {
  const root = document.documentElement;
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  const words = `Theme: ${theme}. Switch.`;
  const button = byId("theme");
  button.setAttribute("aria-label", words);
  button.title = words;
  fill(button, icon({ auto: "auto", light: "sun", dark: "moon" }[theme]));
}

export function nextTheme() {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  keep("theme", theme);
  showTheme();
}

/** Show a dialog with a title; Esc and the button close it. */
export function dialog(title, ...children) {
  const place = byId("dialog");
  fill(
    place,
    el(
      "header",
      {},
      el("h2", { id: "dialog-title" }, title),
      el(
        "button",
        { class: "round", "aria-label": "Close", onclick: () => place.close() },
        icon("close"),
      ),
    ),
    children,
  );
  if (!place.open) place.showModal();
  return place;
}

export function openSettings(changed) {
  const field = el("input", {
    id: "editor",
    type: "text",
    value: editor(),
    spellcheck: "false",
    autocomplete: "off",
    dir: "ltr",
  });
  const choice = el(
    "select",
    { id: "editors" },
    Object.entries(EDITORS).map(([name, template]) =>
      el("option", { value: template, selected: template === editor() }, name),
    ),
    el("option", { value: "", selected: !Object.values(EDITORS).includes(editor()) }, "Other"),
  );
  choice.addEventListener("change", () => {
    if (choice.value) field.value = choice.value;
  });
  const themes = el(
    "select",
    { id: "themes" },
    THEMES.map((one) => el("option", { value: one, selected: one === theme }, one === "auto" ? "as the system" : one)),
  );
  const letters = el("input", { id: "letters", type: "checkbox", checked: hasLetterKeys() });
  const secret = el("input", { id: "token", type: "password", value: token(), autocomplete: "off" });
  const place = dialog(
    "Settings",
    el(
      "form",
      {
        class: "settings",
        method: "dialog",
        onsubmit: () => {
          keep("editor", field.value.trim());
          keep("keys", letters.checked ? "on" : "off");
          theme = themes.value;
          keep("theme", theme);
          keepToken(secret.value.trim());
          showTheme();
          changed();
        },
      },
      el("label", { for: "themes" }, "Theme"),
      themes,
      el("label", { for: "editors" }, "Editor"),
      choice,
      el("label", { for: "editor" }, "Link to a line"),
      field,
      el("p", {}, "{path} is the file's whole path, {line} the line."),
      el("label", { for: "letters" }, "Single-letter keys"),
      el("span", {}, letters, " j, k, e, g and so on"),
      el("label", { for: "token" }, "Access token"),
      secret,
      el("p", {}, "Only for a server that asks for one. Kept in this browser."),
      el("button", { type: "submit", class: "main" }, "Save"),
    ),
  );
  place.querySelector("select").focus();
}
