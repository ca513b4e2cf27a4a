// ---- Start.

const random = (at, length) => {
  const bytes = new Uint8Array(app.memory.buffer, at, length);
  for (let start = 0; start < length; start += pool.length) {
    bytes.set(randomBytes(Math.min(length - start, pool.length)), start);
  }
  return 0;
};
let loading = null;
function load() {
  loading ??= (async () => {
    const imports = { random_get: random };
    const missing = new Proxy(imports, { get: (known, name) => known[name] ?? (() => 52) });
    // A module that cannot be loaded leaves a page that is whole.
    const [module, screens] = await Promise.allSettled([
      WebAssembly.instantiateStreaming(get(MODULE), { wasi_snapshot_preview1: missing }),
      onPage && addScreens(),
    ]);
    for (const { reason } of [module, screens]) if (reason) throw reason;
    app = module.value.instance.exports;
    app._initialize?.();
    run();
  })().catch(stop);
}
/** A worker's own request passes through no worker: the worker looks into the kept files itself. */
const get = async (path) =>
  (!onPage && await caches.match(path)) || fetch(path, { credentials: "same-origin" });

const bit = (is, place) => (is ? 1 << place : 0);
const begin = () => tell(
  EventKind.started, bit(true, 0) | bit(crypto?.subtle, 2) | bit(navigator.locks, 3),
  pack(1, (navigator.languages ?? []).join()));
/** The names of browsers, by their words in `navigator.userAgent`: others borrow a word of these. */
const BROWSERS = [
  ["Edg", "Edge"], ["OPR", "Opera"], ["SamsungBrowser", "Samsung Internet"], ["Firefox", "Firefox"],
  ["FxiOS", "Firefox"], ["Chrome", "Chrome"], ["CriOS", "Chrome"], ["Safari", "Safari"]];
const deviceName = () => {
  const system = navigator.userAgentData?.platform || navigator.platform || "";
  const browser = BROWSERS.find(([word]) => navigator.userAgent.includes(word))?.[1] ?? "Web";
  return system ? `${browser} (${system})` : browser;
};
if (onPage) {
  const flags = connection() | bit(document.visibilityState === "visible", 1) |
    bit(globalThis.isSecureContext && crypto?.subtle, 2) | bit(navigator.locks, 3) |
    bit(matchMedia("(display-mode: standalone)").matches, 4) |
    bit(matchMedia("(pointer: coarse)").matches, 5) |
    bit(document.activeElement?.localName === "textarea", 6) | bit(permission() === 1, 9);
  tell(EventKind.started, flags, pack(
    0, (navigator.languages ?? [navigator.language]).join(), location.search, location.hash,
    Math.round(now()), deviceName(), draftID));
  listenToPage();
  listenToComposing();
  // Letters that were typed before the script came.
  keepDraft();
  load();
} else {
  begin();
  globalThis.host = {
    sync: () => serve(EventKind.synced),
    share: (text) => serve(EventKind.shared, utf8.encode(text)),
    resend: (id) => serve(EventKind.resendAsked, utf8.encode(id)),
  };
}
