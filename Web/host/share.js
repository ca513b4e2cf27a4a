// ---- Service worker, seen from the page and from within: updates, background syncs, shared texts,
// notifications.

let worker = null;
const trusted = onPage ? globalThis.trustedTypes?.createPolicy("host", { createScriptURL: (url) => url }) : null;
async function registerWorker() {
  if (!navigator.serviceWorker) return;
  // A notification was pressed, which has a place in the app.
  navigator.serviceWorker.onmessage = ({ data }) => { location.hash = data; };
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

const findRegistration = async () =>
  onPage ? navigator.serviceWorker?.getRegistration() : globalThis.registration;
async function registerSync(tag) {
  const registration = await findRegistration();
  await registration?.sync?.register(tag).catch(() => {});
}

/** Whether notifications are allowed: 0 no, 1 yes, 2 the person was not asked. They are a worker's. */
const permission = () => onPage && !navigator.serviceWorker ? 0
  : Math.max(0, ["", "granted", "default"].indexOf(globalThis.Notification?.permission));
async function askToNotify(request) {
  await Notification.requestPermission().catch(() => {});
  answer(request);
}
/** Shows one notification for each tag that is to be shown, and closes those of other tags. */
async function notify(request, language, text, label, notices) {
  try {
    if (permission() === 1) {
      const registration = await findRegistration();
      // The page has its words.
      if (!onPage) await readWords(language);
      for (const shown of await registration.getNotifications()) {
        if (!notices.some(([tag]) => tag === shown.tag)) shown.close();
      }
      for (const [tag, kind] of notices) {
        if (kind) await registration.showNotification(words[text], {
          tag, lang: language, silent: true, icon: "/icons/icon-192.png",
          actions: kind === 2 ? [{ action: "resend", title: words[label] }] : [],
        });
      }
    }
    answer(request, permission());
  } catch (error) {
    fail(request, error);
  }
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
