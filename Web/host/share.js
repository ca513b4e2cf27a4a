// ---- Service worker, seen from the page and from within: updates, background syncs, shared texts.

let worker = null;
const trusted = onPage ? globalThis.trustedTypes?.createPolicy("host", { createScriptURL: (url) => url }) : null;
async function registerWorker() {
  if (!navigator.serviceWorker) return;
  const isUpdate = navigator.serviceWorker.controller !== null;
  worker = await navigator.serviceWorker
    .register(trusted?.createScriptURL(WORKER) ?? WORKER, { updateViaCache: "none" })
    .catch(() => null);
  if (!worker || !isUpdate) return;
  const watch = (found) => {
    const look = () => { if (found?.state === "installed") tell(EventKind.updateReady); };
    found?.addEventListener("statechange", look);
    look();
  };
  watch(worker.waiting);
  worker.addEventListener("updatefound", () => watch(worker.installing));
  navigator.serviceWorker.addEventListener("controllerchange", () => tell(EventKind.updated));
}

async function registerSync(tag) {
  const registration = onPage
    ? await navigator.serviceWorker?.getRegistration() : globalThis.registration;
  await registration?.sync?.register(tag).catch(() => {});
}

const finishing = new Map();
let lastRequest = 0;
function finish(request, isDone) {
  finishing.get(request)?.(isDone);
  finishing.delete(request);
}
/** Tells the module of a worker's event; settles when the module has finished with it. */
function serve(event, bytes) {
  load();
  const request = ++lastRequest;
  return new Promise((resolve) => {
    finishing.set(request, resolve);
    tell(event, request, bytes);
  });
}
