// ---- WebCrypto: AES-GCM with keys that cannot be read out.

// A call of the browser for a few bytes takes as long as for many. None of these is a secret.
const pool = new Uint8Array(1024);
let drawn = pool.length;
/** Random bytes, at most as many as the pool holds, each given out once. */
function randomBytes(length) {
  if (drawn + length > pool.length) {
    crypto.getRandomValues(pool);
    drawn = 0;
  }
  drawn += length;
  return pool.slice(drawn - length, drawn);
}

const readKeys = async () =>
  rememberKeys(await settled((await database).transaction("key").objectStore("key").getAll()));

function makeKey(request, name) {
  (async () => {
    const made = await crypto.subtle.generateKey(
      { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    const run = (await database).transaction("key", "readwrite", { durability: "strict" });
    const store = run.objectStore("key");
    // Another tab may have been first: one key, whoever made it.
    store.count().onsuccess = ({ target }) => {
      if (target.result === 0) store.put({ key: name, value: made });
      store.getAll().onsuccess = ({ target }) => { run.found = target.result; };
    };
    run.oncomplete = () => answer(request, ...rememberKeys(run.found));
    run.onabort = () => fail(request, run.error);
  })().catch((error) => fail(request, error));
}

const keyNamed = (name) => keys.get(nameOf(name));

async function seal(request, records) {
  try {
    const sealing = records.flatMap(([name, additionalData, bytes]) => {
      const iv = randomBytes(12), key = keyNamed(name);
      if (!key) throw new DOMException("", "UnknownKey");
      return [iv, crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, bytes)];
    });
    const sealed = await Promise.all(sealing);
    answer(request, ...sealed.map(bytesOf));
  } catch (error) {
    fail(request, error);
  }
}

/** Each by itself: 1 and the bytes, 0 for what no key will ever open, 2 for what may open later. */
async function open(request, records) {
  // Another context may have made the key since this one read them.
  if (!records.every(([name]) => keyNamed(name))) await readKeys().catch(() => {});
  const opened = await Promise.all(records.map(async ([name, additionalData, record]) => {
    const key = keyNamed(name), iv = record.subarray(0, 12);
    if (!key) return [2, nothing];
    try {
      const bytes = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv, additionalData }, key, record.subarray(12));
      return [1, new Uint8Array(bytes)];
    } catch (error) {
      return [error.name === "OperationError" ? 0 : 2, nothing];
    }
  }));
  answer(request, ...opened.flat());
}
