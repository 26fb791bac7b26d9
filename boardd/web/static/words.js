// Own the page's language: the catalogue and the translation of messages. Knows no message itself.
//
// Messages are written in English where they are used: `t` translates now, `mark` only says that the text
// belongs into the catalogue (for tables, which are translated when shown). The catalogue's template is made by
// looking for these two calls and for `data-t` in the page.

const STORED = "konakis.language";
const NATIVE = { en: "English", ru: "Русский" };

let messages = {};
let current = "en";

/** Translate a message; `{name}` in it is replaced from `fields`. */
export function t(message, fields = {}) {
  const text = messages[message] ?? message;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in fields ? String(fields[name]) : whole));
}

/** Mark a message for the catalogue without translating it. */
export const mark = (message) => message;

/** Give the language in use. */
export const language = () => current;

/** Choose the language: what was chosen here before, else what the browser told the server, else its own list. */
export function preferred() {
  let stored = null;
  try {
    stored = localStorage.getItem(STORED);
  } catch {
    // storage may be forbidden; the browser's wish is good enough
  }
  return stored ?? (document.documentElement.lang || navigator.language.slice(0, 2));
}

/** Load a language and translate the page's fixed texts. Returns the codes of all languages. */
export async function speak(wanted, { remember = false } = {}) {
  let answer = await fetch(`catalogue/${encodeURIComponent(wanted)}.json`);
  if (!answer.ok) answer = await fetch("catalogue/en.json");
  const catalogue = await answer.json();
  messages = catalogue.messages;
  current = catalogue.language;
  document.documentElement.lang = current;
  if (remember) {
    try {
      localStorage.setItem(STORED, current);
    } catch {
      // then it is chosen anew next time
    }
  }
  translateFixed();
  return catalogue.languages;
}

/** Give a language's name in that language. */
export const nativeName = (code) => NATIVE[code] ?? code;

/** Join words as a list: "a, b and c". */
export function list(words) {
  return new Intl.ListFormat(current, { type: "conjunction" }).format(words);
}

function translateFixed() {
  for (const node of document.querySelectorAll("[data-t]")) {
    node.dataset.t ||= node.textContent.trim();
    node.textContent = t(node.dataset.t);
  }
  for (const node of document.querySelectorAll("[data-t-label]")) {
    node.setAttribute("aria-label", t(node.dataset.tLabel));
    if (node.tagName === "BUTTON") node.title = t(node.dataset.tLabel);
  }
}
