// What was asked lately, kept in this browser alone.

const RECENT = "trivium.recent";
const MOST = 5;

export function recent() {
  try {
    return JSON.parse(localStorage.getItem(RECENT) ?? "[]")
      .filter((one) => typeof one === "string")
      .slice(0, MOST);
  } catch {
    return [];
  }
}

export function remember(query) {
  const text = query.trim();
  if (!text) return;
  // What was typed on the way to it is not worth keeping.
  const others = recent().filter((one) => !text.startsWith(one));
  try {
    localStorage.setItem(RECENT, JSON.stringify([text, ...others].slice(0, MOST)));
  } catch {
    /* Not kept. */
  }
}
