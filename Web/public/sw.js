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
    KEPT.map((path) => new Request(path, { cache: path.includes(".") ? "default" : "reload" })))));
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

async function share(request) {
  try {
    const form = await request.formData();
    const parts = ["title", "text", "url"].map((name) => String(form.get(name) ?? "").trim());
    const text = parts.filter((part, index) => part && parts.indexOf(part) === index).join("\n");
    if (!text || await host.share(text)) return Response.redirect("/", 303);
  } catch {
    // Said below.
  }
  return Response.redirect("/?share=missed", 303);
}

self.addEventListener("sync", (event) => event.waitUntil(host.sync().then((isDone) => {
  if (!isDone) throw new Error("not everything is delivered yet");
})));
