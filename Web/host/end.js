// ---- End.

/** The module is gone: what it held is free for others, and whoever waits for it hears that. */
function end() {
  life += 1;
  app = loading = null;
  isRunning = false;
  waiting.length = 0;
  for (const timer of timers.values()) clearTimeout(timer);
  for (const free of held.values()) free();
  for (const done of finishing.values()) done(false);
  for (const map of [timers, held, finishing, keys]) map.clear();
  // The next event of the worker meets a module that knows nothing.
  if (!onPage) begin();
}

/** The module cannot be loaded or has died: what is stored is safe, what is typed stays. */
function stop(error) {
  // Its message may quote what was being handled.
  console.error(String(error?.name ?? "Error"));
  hasStopped = onPage;
  end();
  if (!onPage) return;
  takeDraftBack();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  document.body.dataset.screen = "compose";
  for (const id of ["share", "notice-action"]) document.getElementById(id).hidden = true;
  coverWhileAway();
  // The browser asks before a text in the field is lost that could not be kept.
  addEventListener("beforeunload", (event) => {
    if (fieldText() && fieldText() !== keptText) event.preventDefault();
  });
  const notice = document.getElementById("notice");
  notice.dataset.state = "error";
  notice.textContent = document.getElementById("stopped").textContent;
}

/** Does the module's work after its end: the overlay hides the text while the app is left. */
function coverWhileAway() {
  const overlay = document.getElementById("overlay");
  // The screens cannot be loaded either.
  if (!overlay) return;
  const isWanted = document.getElementById("privacy-overlay-setting").checked;
  const canBeBeside = !matchMedia("(pointer: coarse)").matches;
  const cover = () => {
    const isSeen = document.visibilityState === "visible" && (document.hasFocus() || canBeBeside);
    overlay.hidden = isSeen || !isWanted;
  };
  for (const name of ["visibilitychange", "focus", "blur"]) addEventListener(name, cover, true);
  cover();
}
