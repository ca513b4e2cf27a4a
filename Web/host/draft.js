// ---- The draft of this page before its module writes, and after the module's end: sealed as the
// module seals it, under the browser's key. While the browser has no key, the text is in the field
// alone. The module takes the record over by its identifier.

/** A UUIDv7. */
function makeID() {
  const id = randomBytes(16), view = new DataView(id.buffer), time = Date.now();
  view.setUint16(0, time / 2 ** 32);
  view.setUint32(2, time);
  id[6] = (id[6] & 0x0f) | 0x70;
  id[8] = (id[8] & 0x3f) | 0x80;
  return id;
}
const draftID = onPage ? makeID() : nothing;
const draftLock = "draft-" + Array.from(draftID, (byte) => byte.toString(16).padStart(2, "0"))
  .join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** Whether the script keeps the draft, and not the module; whether the module knows the record. */
let keepsDraft = onPage, isDraftKnown = false;
/** The text of the record, as far as the script knows; the lock of the record; the writes in their
    order; the pause before the next one. */
let keptText = "", draftHeld = null, draftWritten = Promise.resolve(), draftPause = null;
const fieldText = () => document.getElementById("memo").value;

function keepDraft(pause = 150) {
  if (!keepsDraft || fieldText() === keptText || (draftPause && pause)) return;
  clearTimeout(draftPause);
  draftPause = setTimeout(() => {
    draftPause = null;
    writeDraft(() => keepsDraft && fieldText());
  }, pause);
}

/** The module writes from now on. One that does not know the record has another for the text. */
function handDraftOver() {
  if (keepsDraft && !isDraftKnown && keptText) writeDraft(() => "");
  keepsDraft = false;
  keptText = null;
}

/** The module has ended: nobody else keeps the draft, nor what was typed since its last save. */
function takeDraftBack() {
  keepsDraft = true;
  keepDraft(0);
}

/** Writes the text that is wanted when it is sealed, and again when it is written, unless `false`. */
function writeDraft(wanted) {
  const write = async (database) => {
    const keys = await settled(database.transaction("key").objectStore("key").getAll());
    const text = wanted();
    if (text === false || !keys.length || database.version !== Database.version) return;
    const { key, value } = keys.at(-1), name = bytesOf(key);
    const head = new Uint8Array(8), iv = randomBytes(12);
    new DataView(head.buffer).setBigUint64(0, BigInt(Date.now()));
    const additionalData = joined([1], name, draftID, head, utf8.encode("memo.draft"));
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData }, value, utf8.encode(text));
    if (wanted() === false) return;
    draftHeld ??= navigator.locks?.request(draftLock, () => new Promise(() => {})).catch(() => {});
    const run = database.transaction(["drafts", "key"], "readwrite");
    // A page that signs out deletes the keys.
    if (!await settled(run.objectStore("key").count(name))) return;
    const drafts = run.objectStore("drafts");
    const body = joined([1], name, iv, bytesOf(sealed));
    await settled(text ? drafts.put({ key: draftID, head, body }) : drafts.delete(draftID));
    keptText = text;
  };
  draftWritten = draftWritten.then(async () => {
    const opening = indexedDB.open("memo");
    // There is no database yet, and so no key.
    opening.onupgradeneeded = () => opening.transaction.abort();
    const database = await settled(opening);
    await write(database).finally(() => database.close());
  }).catch(() => {});
}

function joined(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
