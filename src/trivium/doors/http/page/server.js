// A question -> what the server says to it, or a Failure with words for a person. The only place
// that talks to the server; a token, where one is needed, is kept by the browser and sent along.

const TOKEN = "trivium.token";
const UNAUTHORIZED = 401;

export class Failure extends Error {
  constructor(type, message, status) {
    super(message);
    this.type = type;
    this.status = status;
  }

  get isGone() {
    return this.status === 0;
  }
  get needsToken() {
    return this.status === UNAUTHORIZED;
  }
}

export function token() {
  try {
    return localStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}

export function keepToken(text) {
  try {
    if (text) localStorage.setItem(TOKEN, text);
    else localStorage.removeItem(TOKEN);
  } catch {
    /* Without storage it is asked for again. */
  }
}

function headers(more = {}) {
  const known = token();
  return known ? { ...more, Authorization: `Bearer ${known}` } : more;
}

async function sent(path, { params = {}, signal, method = "GET", body, data, version } = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) query.append(name, one);
    }
  }
  const address = query.size ? `${path}?${query}` : path;
  const sending = body === undefined ? undefined : JSON.stringify(body);
  let reply;
  try {
    reply = await fetch(address, {
      method,
      signal,
      body: data ?? sending,
      headers: headers({
        ...(sending && { "Content-Type": "application/json" }),
        ...(version && { "If-Match": `"${version}"` }),
      }),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("ServerGone", "The server does not answer.", 0);
  }
  if (!reply.ok) throw await failureOf(reply);
  return reply;
}

async function failureOf(reply) {
  let said = null;
  try {
    said = (await reply.json()).error;
  } catch {
    /* Not ours: a proxy's page. */
  }
  return new Failure(said?.type ?? "RequestFailed", said?.message ?? `The server said ${reply.status}.`, reply.status);
}

/** Ask for JSON. Raises Failure, or AbortError when the signal ended it. */
export async function ask(path, options) {
  const reply = await sent(path, options);
  try {
    return await reply.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("ServerGone", "The server's answer broke off.", 0);
  }
}

/** Ask for bytes. */
export const askBytes = async (path, options) => (await sent(path, options)).blob();

export const askNode = (id, collection, signal) =>
  ask(`/api/nodes/${encodeURIComponent(id)}`, { params: { collection }, signal });

/** Post, and hand each server-sent event to `heard(name, data)` until the stream ends. */
export async function listen(path, heard, { signal, params } = {}) {
  const reply = await sent(path, { method: "POST", signal, params });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = "";
  for (;;) {
    const { value, done } = await reader.read();
    kept += (value ?? "").replaceAll("\r\n", "\n");
    let end;
    while ((end = kept.indexOf("\n\n")) >= 0) {
      const event = eventOf(kept.slice(0, end));
      kept = kept.slice(end + 2);
      if (event) heard(event.name, event.data);
    }
    if (done) return;
  }
}

function eventOf(text) {
  let name = "message";
  const data = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trim());
  }
  if (!data.length) return null;
  try {
    return { name, data: JSON.parse(data.join("\n")) };
  } catch {
    return null;
  }
}
