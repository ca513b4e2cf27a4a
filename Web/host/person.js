// ---- The person and the browser, as events of the page.

const numberOf = (name) => Math.max(0, names.indexOf(name ?? ""));
/** A button: its id; or in a row the list's id, the row's key and the part. */
function place(button) {
  if (button.id) return [0, pack(numberOf(button.id), 0)];
  const row = button.closest("[data-key]");
  if (!row) return [0, pack(0, 0)];
  return [Number(row.dataset.key), pack(numberOf(row.parentElement.id), numberOf(button.dataset.part))];
}

function listenToPage() {
  addEventListener("click", (event) => {
    const button = event.target.closest?.("button");
    if (button) tell(EventKind.clicked, 0, nothing, event.timeStamp, () => place(button));
  });
  // Names have numbers only once the module has told them.
  const tellOf = (event, { id }, bytes) => tell(event, 0, bytes, now(), () => [numberOf(id)]);
  addEventListener("input", ({ target }) => {
    tellOf(EventKind.typed, target);
    keepDraft();
  });
  addEventListener("change", ({ target }) => {
    const value = target.type === "checkbox" ? (target.checked ? "on" : "") : target.value;
    tellOf(EventKind.chosen, target, utf8.encode(value));
  });
  addEventListener("focusout", ({ target }) => leaveField(target));
  addEventListener("keydown", (event) => {
    const { key, target } = event, isChord = (event.ctrlKey || event.metaKey) && key === "Enter";
    // 229: the key is the input method's. Some tell of the one that ends a composition too late.
    if (event.isComposing || event.keyCode === 229 || event.repeat) return;
    if (!isChord && key !== "Escape") return;
    if (isChord) event.preventDefault();
    tell(EventKind.pressed, 0, nothing, event.timeStamp,
      () => [numberOf(target.id), pack(key, isChord ? target.value ?? "" : "")]);
  });
  addEventListener("submit", (event) => event.preventDefault());
  addEventListener("close", ({ target }) => tellOf(EventKind.closed, target), true);
  addEventListener("popstate", () => tell(EventKind.navigated, 0, utf8.encode(location.hash)));
  const network = () => tell(EventKind.networkChanged, connection());
  addEventListener("online", network);
  addEventListener("offline", network);
  navigator.connection?.addEventListener("change", network);
  const visibility = () => tell(
    EventKind.visibilityChanged,
    (document.visibilityState === "visible" ? 1 : 0) + (document.hasFocus() ? 2 : 0));
  addEventListener("visibilitychange", visibility, true);
  addEventListener("visibilitychange", () => keepDraft(0), true);
  // A page that comes back as it was left has missed what the others said.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  for (const name of ["pagehide", "pageshow", "focus", "blur", "freeze", "resume"]) {
    addEventListener(name, (event) => { if (event.target === window || event.target === document) visibility(); });
  }
  const size = () => {
    const { style } = document.documentElement, view = visualViewport;
    const isCovered = view.scale === 1 && innerHeight - view.height > 1;
    for (const [name, value] of [["height", view.height], ["top", view.offsetTop]]) {
      if (isCovered) style.setProperty(`--viewport-${name}`, `${value}px`);
      else style.removeProperty(`--viewport-${name}`);
    }
  };
  globalThis.visualViewport?.addEventListener("resize", size);
  globalThis.visualViewport?.addEventListener("scroll", size);
}
