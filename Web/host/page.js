// ---- The page.

/** Adds what the first frame does not show, and its style. The browser reads the file as markup itself. */
async function addScreens() {
  const screens = await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", SCREENS);
    request.responseType = "document";
    request.onload = () => (request.status === 200 ? resolve(request.response) : reject(new TypeError()));
    request.onerror = () => reject(new TypeError());
    request.send();
  });
  const style = screens.querySelector("link");
  // Screens without their style are better than none.
  const styled = new Promise((resolve) => { style.onload = style.onerror = resolve; });
  document.head.append(style);
  document.getElementById("foot").before(...screens.querySelector("main").children);
  screens.querySelector("main").remove();
  document.body.append(...screens.body.children);
  await styled;
}

function setValue(element, value, keepsCaret) {
  const caret = keepsCaret ? [element.selectionStart, element.selectionEnd] : null;
  element.value = value;
  if (caret) element.setSelectionRange(...caret);
  if (offered.has(element)) offered.set(element, [element.value, value]);
}

/** Of each field with an offer: the text that the app has given it, and the latest offer. */
const offered = new Map();
/** Gives a field a text, unless a person is writing another one there. */
function offerValue(element, value) {
  const given = offered.get(element)?.[0] ?? "";
  offered.set(element, [given, value]);
  if (element.value === given) setValue(element, value);
}

/** A person leaves a field: as it was, if what the person wrote was not told before. */
function leaveField(element) {
  if (offered.has(element)) offerValue(element, offered.get(element)[1]);
}

/** Empties a field that holds exactly this; answers whether, and what else it holds. */
function take(request, field, text) {
  // An input method owns the text that it is composing: changed below it, the text would come twice.
  if (composed && field.value !== text) return composed.then(() => take(request, field, text));
  later(request, () => {
    const { value } = field;
    if (value !== text) return pack(0, 0, value);
    setValue(field, "");
    giveFocus(field);
    return pack(0, 1);
  });
}

/** Settles when the composition that is under way has ended. */
let composed = null;
function listenToComposing() {
  let end = null;
  addEventListener("compositionstart", () => {
    composed ??= new Promise((resolve) => { end = resolve; });
  });
  addEventListener("compositionend", () => {
    composed = null;
    setTimeout(end);
  });
}

/** Where the focus is already, asking for it would lay the page out for nothing. */
function giveFocus(element) {
  if (document.activeElement !== element) element.focus();
}

function addRow(list, template, key, before) {
  const row = document.getElementById(template).content.firstElementChild.cloneNode(true);
  row.dataset.key = key;
  list.insertBefore(row, before ? list.querySelector(`:scope > [data-key="${before}"]`) : null);
}

function setOpen(dialog, isOpen) {
  if (dialog.localName === "details") {
    dialog.open = true;
    return dialog.firstElementChild.focus();
  }
  if (!isOpen) return dialog.open && dialog.close();
  try {
    if (!dialog.open) dialog.showModal();
  } catch {
    dialog.open = true;
  }
}

function navigate(place, replaces) {
  try {
    if (replaces) history.replaceState(null, "", place);
    else history.pushState(null, "", place);
  } catch {
    // Some browsers allow only so many changes in a while; the screen changes all the same.
  }
}

function copy(request, text) {
  const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
  written.then(() => answer(request), (error) => fail(request, error));
}
