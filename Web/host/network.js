// ---- Network.

const CONNECTIONS = ["wifi", "cellular", "ethernet"];
/** The connection: bit 0, and bits 7 and 8 for the kind, where the browser tells it. */
const connection = () =>
  bit(navigator.onLine, 0) | (CONNECTIONS.indexOf(navigator.connection?.type) + 1) << 7;

function exchange(c) {
  const [request, method, path, token, body] = [c.request(), c.text(), c.text(), c.text(), c.bytes()];
  const [condition, value, time, longest] = [c.text(), c.text(), c.number(), c.number()];
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), time);
  (async () => {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    if (body.length) headers["Content-Type"] = "application/json";
    if (condition) headers[condition] = value;
    const response = await fetch(path, {
      method, headers, body: body.length ? body : undefined, signal: stop.signal,
      credentials: "omit", cache: "no-store", redirect: "manual", referrerPolicy: "no-referrer",
    });
    const bytes = await bodyOf(response, longest);
    const header = (name) => response.headers.get(name) ?? "";
    // The browser follows no redirect, and tells no redirect from another.
    const status = response.type === "opaqueredirect" ? 302 : response.status;
    answer(
      request, status, header("content-type"), header("retry-after"), header("ratelimit"),
      header("date"), header("relay-time"), header("relay-version"), bytes);
  })().catch((error) => {
    // An answer that is too long is not read to its end.
    stop.abort();
    fail(request, error);
  }).finally(() => clearTimeout(timer));
}

async function bodyOf(response, longest) {
  const reader = response.body?.getReader(), parts = [];
  let length = 0;
  for (let part; reader && !(part = await reader.read()).done; parts.push(part.value)) {
    length += part.value.length;
    if (length > longest) throw new RangeError();
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
