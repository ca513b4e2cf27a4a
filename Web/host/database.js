// ---- IndexedDB: stores of records {key, head, body}, indexed by head, and one of keys.

let database = null;
function openDatabase(name, migrations) {
  const opened = new Promise((resolve, reject) => {
    const request = indexedDB.open(name, migrations.length);
    request.onupgradeneeded = ({ oldVersion }) => {
      for (const store of migrations.slice(oldVersion).flat()) {
        const made = request.result.createObjectStore(store, { keyPath: "key" });
        if (store !== "key") made.createIndex("head", "head");
      }
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new DOMException("", "BlockedError"));
    request.onsuccess = () => {
      // Closed below us: by a newer build in another tab, or by the browser clearing its data.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
  });
  opened.catch(() => {});
  return opened;
}

const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

const keys = new Map();
const bytesOf = (key) => new Uint8Array(key);
const nameOf = (bytes) => bytes.join();
const rememberKeys = (records) => {
  keys.clear();
  for (const { key, value } of records) keys.set(nameOf(bytesOf(key)), value);
  return records.map(({ key }) => bytesOf(key));
};

function range(lower, upper) {
  if (lower.length && upper.length) return IDBKeyRange.bound(lower, upper, false, true);
  if (lower.length) return IDBKeyRange.lowerBound(lower);
  return upper.length ? IDBKeyRange.upperBound(upper, true) : undefined;
}

const operations = {
  [Step.put]: (c) => {
    const [key, head, body, sealer] = [c.bytes(), c.bytes(), c.bytes(), c.bytes()];
    return Object.assign((store) => store.put({ key, head, body }), { sealer });
  },
  [Step.delete]: (c) => {
    const key = c.bytes();
    return (store) => store.delete(key);
  },
  [Step.setHead]: (c) => {
    const [key, head, expected, kept] = [c.bytes(), c.bytes(), c.bytes(), c.bytes()];
    return (store) => {
      store.get(key).onsuccess = ({ target: { result } }) => {
        if (!result) return;
        const before = nameOf(result.head);
        const isExpected = !expected.length || before === nameOf(expected);
        const isKept = kept.length && before === nameOf(kept);
        if (isExpected && !isKept) store.put({ ...result, head });
      };
    };
  },
  [Step.get]: (c) => {
    const key = c.bytes();
    return (store, found) => {
      store.get(key).onsuccess = ({ target: { result } }) => {
        if (result) found.push([bytesOf(result.key), result.head, result.body]);
      };
    };
  },
  [Step.find]: (c) => {
    const [byHead, isDescending, withBody] = [c.byte(), c.byte(), c.byte()];
    const [lower, upper, limit] = [c.bytes(), c.bytes(), c.number()];
    return (store, found) => {
      const source = byHead ? store.index("head") : store;
      const direction = isDescending ? "prev" : "next";
      const request = withBody || !byHead
        ? source.openCursor(range(lower, upper), direction)
        : source.openKeyCursor(range(lower, upper), direction);
      request.onsuccess = () => {
        const cursor = request.result;
        if (!cursor || found.length >= limit) return;
        found.push([
          bytesOf(cursor.primaryKey), byHead ? bytesOf(cursor.key) : cursor.value.head,
          withBody ? cursor.value.body : nothing,
        ]);
        if (found.length < limit) cursor.continue();
      };
    };
  },
  [Step.count]: (c) => {
    const [lower, upper] = [c.bytes(), c.bytes()];
    return (store, found) => {
      store.index("head").count(range(lower, upper)).onsuccess = ({ target }) => {
        found.count = target.result;
      };
    };
  },
  [Step.clear]: () => (store) => store.clear(),
  [Step.require]: (c) => {
    const [key, head] = [c.bytes(), c.bytes()];
    return (store, found, abort) => {
      store.get(key).onsuccess = ({ target: { result } }) => {
        if (nameOf(result?.head ?? nothing) !== nameOf(head)) abort({ name: "OvertakenError" });
      };
    };
  },
  [Step.readKeys]: () => (store, found) => {
    store.getAll().onsuccess = ({ target }) => {
      for (const key of rememberKeys(target.result)) found.push([key, nothing, nothing]);
    };
  },
};

/** Of the operations, those that read nothing: put, delete and clear. */
const writing = new Set([Step.put, Step.delete, Step.clear]);

/** Where `finish` is given, it answers when all is stored. */
function transact(c, request, finish) {
  const mode = c.byte();
  if (mode) handDraftOver();
  const steps = c.list((c) => {
    const kind = c.byte(), store = c.text();
    return { store, onlyWrites: writing.has(kind), step: operations[kind](c), found: [] };
  });
  const sealers = new Map(
    steps.filter(({ step }) => step.sealer?.length)
      .map(({ step: { sealer } }) => [nameOf(sealer), sealer]));
  const perform = (database) => {
    const stores = [...new Set(steps.map(({ store }) => store))];
    if (sealers.size) stores.push("key");
    const run = database.transaction(
      stores, mode ? "readwrite" : "readonly",
      { durability: mode === 2 ? "strict" : "relaxed" });
    run.oncomplete = () => {
      if (finish) return finish();
      answer(request, steps.length, ...steps.flatMap(
        ({ found }) => [found.count ?? found.length, found.length, ...found.flat()]));
    };
    let thrown = null;
    const abort = (error) => {
      thrown = error;
      run.abort();
    };
    run.onabort = () => fail(request, thrown ?? run.error ?? { name: "AbortError" });
    let unchecked = sealers.size;
    // Saves a round trip: nothing has to be read before more is written.
    const commit = () => { if (!unchecked && steps.every(({ onlyWrites }) => onlyWrites)) run.commit?.(); };
    try {
      // A page that signs out deletes the keys: nothing may be stored that was sealed before.
      for (const sealer of sealers.values()) {
        run.objectStore("key").count(sealer).onsuccess = ({ target }) => {
          unchecked -= 1;
          if (target.result) return commit();
          abort({ name: "UnknownKey" });
        };
      }
      for (const { store, step, found } of steps) step(run.objectStore(store), found, abort);
      commit();
    } catch (error) {
      abort(error);
    }
  };
  database.then(perform).catch((error) => fail(request, error));
}

function persist(request) {
  const granted = navigator.storage?.persist?.() ?? Promise.resolve(false);
  granted.then((is) => answer(request, is ? 1 : 0), (error) => fail(request, error));
}
