"use strict";
// Keeps the app, answers from what is kept, and lends the host its life when no page is open.
const CACHE = "app-VERSION", KEPT = ["FILES"], HOST = "/host.js";

const policy = self.trustedTypes?.createPolicy("host", { createScriptURL: (url) => url });
importScripts(policy?.createScriptURL(HOST) ?? HOST);

self.addEventListener("install", (event) => {
  // Navigations and files straight from the cache, without waiting for this worker to start.
  event.addRoutes?.([
    { condition: { requestMethod: "GET", urlPattern: new URLPattern({ pathname: "/", search: "" }) },
      source: { cacheName: CACHE } },
    ...KEPT.filter((path) => path !== "/").map((pathname) => ({
      condition: { requestMethod: "GET", urlPattern: new URLPattern({ pathname }) },
      source: { cacheName: CACHE },
    })),
  ])?.catch?.(() => {});
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(
    KEPT.map((path) => new Request(path, { cache: path.includes(".") ? "default" : "no-cache" })))));
});

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  await self.clients.claim();
})()));

self.addEventListener("message", ({ data }) => { if (data === "activate") self.skipWaiting(); });

self.addEventListener("fetch", (event) => {
  const { request } = event, { pathname, origin } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.method === "POST" && pathname === "/share") return event.respondWith(share(request));
  if (request.method !== "GET" || !KEPT.includes(pathname)) return;
  event.respondWith(caches.open(CACHE).then((cache) => cache.match(pathname))
    .then((kept) => kept ?? fetch(request)));
});

/** The longest text that is taken: as long as a memo may be. */
const LONGEST = 1 << 20;

/** The body, of which no more is read than a text and what the browser puts around it may be. */
async function bodyOf(request) {
  // Where a body is no stream, the browser keeps it outside of this worker.
  const reader = (request.body ?? (await request.blob()).stream()).getReader(), parts = [];
  let length = 0;
  for (let part; !(part = await reader.read()).done; parts.push(part.value)) {
    length += part.value.length;
    if (length <= LONGEST + 4096) continue;
    reader.cancel();
    throw new RangeError();
  }
  return new Blob(parts);
}

async function share(request) {
  let reason = "missed";
  try {
    const headers = { "Content-Type": request.headers.get("Content-Type") ?? "" };
    const form = await new Response(await bodyOf(request), { headers }).formData();
    const parts = ["title", "text", "url"].map((name) => String(form.get(name) ?? "").trim());
    const text = parts.filter((part, index) => part && parts.indexOf(part) === index).join("\n");
    if (text.length > LONGEST) throw new RangeError();
    if (!text || await host.share(text)) return Response.redirect("/", 303);
  } catch (error) {
    if (error instanceof RangeError) reason = "too-long";
  }
  return Response.redirect(`/?share=${reason}`, 303);
}

self.addEventListener("sync", (event) => event.waitUntil(host.sync().then((isDone) => {
  if (!isDone) throw new Error("not everything is delivered yet");
})));

self.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  notification.close();
  event.waitUntil((async () => {
    if (action && await host.resend(notification.tag)) return;
    const place = `#history/${notification.tag}`;
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const page = windows.find(({ url }) => new URL(url).pathname === "/");
    if (!page) return self.clients.openWindow(`/${place}`);
    page.postMessage(place);
    await page.focus();
  })());
});
