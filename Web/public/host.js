"use strict";
// The device below the app. It executes what the Swift module decides and tells it what happened;
// it knows no memo, no screen and no rule. Web/README.md lists what crosses the border.
(() => {
  const MODULE = "/app.wasm", WORKER = "/sw.js", WORDS = {};
  const onPage = typeof document === "object";
  const utf8 = new TextEncoder(), decoder = new TextDecoder();
  const nothing = new Uint8Array(0);
  const now = () => performance.now();

  // ---- Border: events in, commands out.

  const happened = {
    started: 1, answered: 2, clicked: 3, typed: 4, chosen: 5, pressed: 6, fired: 7, online: 8,
    visible: 9, rung: 10, navigated: 11, synced: 12, shared: 13, updateReady: 14, closed: 15,
    updated: 16,
  };
  const waiting = [];
  /** Counts the modules that ended: what was asked by one of them is not answered to the next. */
  let life = 0;
  let app = null, isRunning = false, hasStopped = false;

  /** Numbers become four bytes; bytes and text are preceded by their length. */
  function pack(...parts) {
    let size = 0, at = 0;
    for (const index of parts.keys()) {
      if (typeof parts[index] === "string") parts[index] = utf8.encode(parts[index]);
      size += 4 + (parts[index].length ?? 0);
    }
    const bytes = new Uint8Array(size), view = new DataView(bytes.buffer);
    for (const part of parts) {
      view.setUint32(at, part.length ?? part, true);
      if (part.length) bytes.set(part, at + 4);
      at += 4 + (part.length ?? 0);
    }
    return bytes;
  }

  /** Tells the module an event. `late` answers with its number, bytes and moment in the event's turn. */
  function tell(event, number = 0, bytes = nothing, at = now(), late = null) {
    if (hasStopped) return;
    waiting.push([event, number, bytes, at, late]);
    if (app && !isRunning) run();
  }

  function run(drawn) {
    isRunning = true;
    try {
      drawn?.run();
      while (app && waiting.length) {
        let [event, number, bytes, at, late] = waiting.shift();
        if (late) [number, bytes = bytes, at = at] = late();
        // Asking for room may move the memory: ask first.
        const room = app.input_buffer(bytes.length);
        new Uint8Array(app.memory.buffer, room, bytes.length).set(bytes);
        const length = app.event(event, number, Date.now(), at), start = app.output_buffer();
        const commands = new Commands(new DataView(app.memory.buffer, start, length));
        if (commands.startsWithTransition && canTransition()) {
          commands.copy();
          return transit(() => run(commands));
        }
        commands.run();
      }
      isRunning = false;
    } catch (error) {
      stop(error);
    }
  }

  /**
   * The browser calls back when it has drawn; where it draws nothing just now, nobody waits for it. A
   * transition that begins later would only take the presses on what is shown by then.
   */
  function transit(change) {
    let isDone = false;
    const once = () => {
      if (isDone) return;
      isDone = true;
      change();
    };
    const transition = document.startViewTransition(once);
    for (const end of [transition.ready, transition.finished]) end.catch(() => {});
    setTimeout(() => {
      if (!isDone) transition.skipTransition();
      once();
    }, 200);
  }

  const canTransition = () =>
    onPage && document.startViewTransition && document.visibilityState === "visible" &&
    !matchMedia("(prefers-reduced-motion: reduce)").matches;

  const reply = (request, ...parts) => {
    if (request.life === life) tell(happened.answered, request.number, pack(...parts));
  };
  const later = ({ number, life: asked }, bytes) => {
    if (asked === life) tell(happened.answered, number, nothing, 0, () => [number, bytes(), now()]);
  };
  const answer = (request, ...parts) => reply(request, 0, ...parts);
  const fail = (request, error) => reply(request, 1, String(error?.name ?? "Error"));

  class Commands {
    constructor(view) {
      this.view = view;
      this.at = 0;
      this.life = life;
    }
    get startsWithTransition() {
      return this.view.byteLength > 0 && this.view.getUint8(0) === transition;
    }
    copy() {
      const { buffer, byteOffset, byteLength } = this.view;
      this.view = new DataView(buffer.slice(byteOffset, byteOffset + byteLength));
    }
    run() {
      while (this.life === life && this.at < this.view.byteLength) execute[this.byte()](this);
    }
    byte() {
      return this.view.getUint8(this.at++);
    }
    number() {
      this.at += 4;
      return this.view.getUint32(this.at - 4, true);
    }
    request() {
      return { number: this.number(), life: this.life };
    }
    fraction() {
      this.at += 8;
      return this.view.getFloat64(this.at - 8, true);
    }
    /** Bytes of their own: the module's memory moves on. */
    bytes() {
      const length = this.number(), start = this.view.byteOffset + this.at;
      this.at += length;
      return new Uint8Array(this.view.buffer.slice(start, start + length));
    }
    text() {
      const length = this.number();
      this.at += length;
      return decoder.decode(
        new Uint8Array(this.view.buffer, this.view.byteOffset + this.at - length, length));
    }
    list(read) {
      return Array.from({ length: this.number() }, () => read(this));
    }
    /** The name of a thing that goes by its number. */
    name() {
      return names[this.byte()];
    }
    /** An element: its id, the key of a row in it, a part of that row. */
    target() {
      const id = this.name(), key = this.number(), part = this.name();
      let element = id === "root" ? document.documentElement
        : id === "body" ? document.body : document.getElementById(id);
      if (key) element = element?.querySelector(`:scope > [data-key="${key}"]`);
      if (part) element = element?.querySelector(`[data-part="${part}"]`);
      return element ?? document.createElement("i");
    }
  }

  const transition = 20;
  const execute = {
    // The page.
    1: (c) => { c.target().textContent = c.text(); },
    2: (c) => setValue(c.target(), c.text(), c.byte()),
    3: (c) => c.target().setAttribute(c.name(), c.text()),
    4: (c) => c.target().removeAttribute(c.name()),
    5: (c) => addRow(c.target(), c.name(), c.number(), c.number()),
    6: (c) => c.target().remove(),
    8: (c) => giveFocus(c.target()),
    9: (c) => { const request = c.request(); answer(request, c.target().value ?? ""); },
    10: (c) => setOpen(c.target(), c.byte()),
    11: (c) => loadWords(c.request(), c.text()),
    12: (c) => setTime(c.target(), c.fraction(), words[c.byte()] ?? "{1}"),
    13: (c) => c.target().classList.toggle(c.name(), c.byte() === 1),
    14: (c) => { c.target().checked = c.byte() === 1; },
    15: (c) => navigate(c.text(), c.byte()),
    16: (c) => window.open(c.text(), "_blank", "noopener"),
    17: (c) => { names = c.text().split(" "); },
    18: (c) => setWords(c.target(), c.name(), c.byte(), c.list((c) => c.text())),
    [transition]: () => {},
    // The device.
    30: (c) => setTimer(c.number(), c.fraction()),
    31: (c) => { database = openDatabase(c.text(), c.number(), c.list((c) => c.text())); },
    32: (c) => transact(c, c.request()),
    33: (c) => makeKey(c.request(), c.bytes()),
    34: (c) => seal(c.request(), c.list((c) => [c.bytes(), c.bytes(), c.bytes()])),
    35: (c) => open(c.request(), c.list((c) => [c.bytes(), c.bytes(), c.bytes()])),
    36: (c) => exchange(c),
    37: (c) => takeLock(c.request(), c.text(), c.byte() === 1),
    38: (c) => freeLock(c.text()),
    39: (c) => bell?.postMessage(c.bytes()),
    40: (c) => copy(c.request(), c.text()),
    41: (c) => registerSync(c.text()),
    42: (c) => persist(c.request()),
    43: () => (onPage ? location.reload() : end()),
    44: () => worker?.waiting?.postMessage("activate"),
    45: (c) => finish(c.number(), c.byte() === 1),
    46: () => registerWorker(),
    47: (c) => answer(c.request(), ...today()),
    48: (c) => answer(c.request(), ...characterEnds(c.text())),
    49: (c) => {
      const [request, field, text] = [c.request(), c.target(), c.text()];
      transact(c, request, () => take(request, field, text));
    },
  };

  // ---- The page.

  function setValue(element, value, keepsCaret) {
    const caret = keepsCaret ? [element.selectionStart, element.selectionEnd] : null;
    element.value = value;
    if (caret) element.setSelectionRange(...caret);
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
    if (!isOpen) return dialog.open && dialog.close();
    try {
      if (!dialog.open) dialog.showModal();
    } catch {
      dialog.open = true;
    }
  }

  let names = [""], words = [];
  async function loadWords(request, language) {
    try {
      const response = await get(WORDS[language]);
      if (!response.ok) throw new TypeError();
      words = await response.json();
      const templates = [...document.querySelectorAll("template")].map(({ content }) => content);
      for (const root of [document, ...templates]) {
        for (const element of root.querySelectorAll("[data-text], [data-label]")) {
          const { text, label } = element.dataset;
          if (text in words) element.textContent = words[text];
          if (label in words) element.setAttribute("aria-label", words[label]);
        }
      }
      answer(request);
    } catch (error) {
      fail(request, error);
    }
  }

  /** Puts values where a text says {1} and so on, each in its own direction. */
  function setWords(element, attribute, index, values) {
    const text = (words[index] ?? "").replace(
      /\{([1-9])\}/g, (all, place) => (place > values.length ? all : `\u2068${values[place - 1]}\u2069`));
    if (attribute) element.setAttribute(attribute, text);
    else element.textContent = text;
  }

  let times = null;
  function setTime(element, milliseconds, text) {
    const { lang } = document.documentElement, date = new Date(milliseconds);
    if (times?.lang !== lang) {
      const format = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" });
      times = { lang, format };
    }
    // A number from outside may be no moment of any calendar.
    const isMoment = !Number.isNaN(date.getTime());
    element.textContent = isMoment ? text.replace("{1}", () => times.format.format(date)) : "";
    if (isMoment && element.localName === "time") element.setAttribute("datetime", date.toISOString());
  }

  function today() {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  }

  function characterEnds(line) {
    const characters = globalThis.Intl?.Segmenter
      ? Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment) : Array.from(line);
    let end = 0;
    const ends = characters.map((character) => (end += utf8.encode(character).length));
    return [ends.length, ...ends];
  }

  function navigate(place, replaces) {
    try {
      if (replaces) history.replaceState(null, "", place);
      else history.pushState(null, "", place);
    } catch {
      // Some browsers allow only so many changes in a while; the screen changes all the same.
    }
  }

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
      if (button) tell(happened.clicked, 0, nothing, event.timeStamp, () => place(button));
    });
    // Names have numbers only once the module has told them.
    const tellOf = (event, { id }, bytes) => tell(event, 0, bytes, now(), () => [numberOf(id)]);
    addEventListener("input", ({ target }) => tellOf(happened.typed, target));
    addEventListener("change", ({ target }) => {
      const value = target.type === "checkbox" ? (target.checked ? "on" : "") : target.value;
      tellOf(happened.chosen, target, utf8.encode(value));
    });
    addEventListener("keydown", (event) => {
      const { key, target } = event, isChord = (event.ctrlKey || event.metaKey) && key === "Enter";
      // 229: the key is the input method's. Some tell of the one that ends a composition too late.
      if (event.isComposing || event.keyCode === 229 || event.repeat) return;
      if (!isChord && key !== "Escape") return;
      if (isChord) event.preventDefault();
      tell(happened.pressed, 0, nothing, event.timeStamp,
        () => [numberOf(target.id), pack(key, isChord ? target.value ?? "" : "")]);
    });
    addEventListener("submit", (event) => event.preventDefault());
    addEventListener("close", ({ target }) => tellOf(happened.closed, target), true);
    addEventListener("popstate", () => tell(happened.navigated, 0, utf8.encode(location.hash)));
    const network = () => tell(happened.online, navigator.onLine ? 1 : 0);
    addEventListener("online", network);
    addEventListener("offline", network);
    const visibility = () => tell(
      happened.visible,
      (document.visibilityState === "visible" ? 1 : 0) + (document.hasFocus() ? 2 : 0));
    addEventListener("visibilitychange", visibility, true);
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

  // ---- Timers, bell, locks, clipboard.

  const timers = new Map();
  function setTimer(id, milliseconds) {
    clearTimeout(timers.get(id));
    if (milliseconds < 0) return;
    timers.set(id, setTimeout(() => tell(happened.fired, id), Math.min(milliseconds, 0x7fffffff)));
  }

  /** Where a site may keep nothing, some browsers do not even give it a channel. */
  function openChannel(name) {
    try {
      return new BroadcastChannel(name);
    } catch {
      return null;
    }
  }
  const bell = openChannel("bell");
  // A module that is still to come reads everything anyway.
  if (bell) bell.onmessage = ({ data }) => { if (loading) tell(happened.rung, 0, data); };

  // Where there are no Web Locks, one context at least does nothing twice.
  const held = new Map(), queues = new Map();
  function takeLock(request, name, ifAvailable) {
    const hold = (lock) => {
      if (!lock) return fail(request, { name: "NotAvailable" });
      if (request.life !== life) return;
      return new Promise((free) => {
        held.set(name, free);
        answer(request);
      });
    };
    if (navigator.locks) {
      // A page that has just died may hold its locks for a moment.
      const options = ifAvailable ? { signal: AbortSignal.timeout(2000) } : {};
      navigator.locks.request(name, options, hold).catch((error) => fail(request, error));
    } else if (ifAvailable && held.has(name)) hold(null);
    else queues.set(name, (queues.get(name) ?? Promise.resolve()).then(() => hold({})));
  }
  function freeLock(name) {
    held.get(name)?.();
    held.delete(name);
  }

  function copy(request, text) {
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
    written.then(() => answer(request), (error) => fail(request, error));
  }

  // ---- IndexedDB: stores of records {key, head, body}, indexed by head, and one of keys.

  let database = null;
  function openDatabase(name, version, stores) {
    const opened = new Promise((resolve, reject) => {
      const request = indexedDB.open(name, version);
      request.onupgradeneeded = () => {
        const has = request.result.objectStoreNames;
        for (const store of stores) {
          if (has.contains(store)) continue;
          request.result.createObjectStore(store, { keyPath: "key" }).createIndex("head", "head");
        }
        if (!has.contains("key")) request.result.createObjectStore("key", { keyPath: "key" });
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
    0: (c) => {
      const [key, head, body, sealer] = [c.bytes(), c.bytes(), c.bytes(), c.bytes()];
      return Object.assign((store) => store.put({ key, head, body }), { sealer });
    },
    1: (c) => {
      const key = c.bytes();
      return (store) => store.delete(key);
    },
    2: (c) => {
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
    3: (c) => {
      const key = c.bytes();
      return (store, found) => {
        store.get(key).onsuccess = ({ target: { result } }) => {
          if (result) found.push([bytesOf(result.key), result.head, result.body]);
        };
      };
    },
    4: (c) => {
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
    5: (c) => {
      const [lower, upper] = [c.bytes(), c.bytes()];
      return (store, found) => {
        store.index("head").count(range(lower, upper)).onsuccess = ({ target }) => {
          found.count = target.result;
        };
      };
    },
    6: () => (store) => store.clear(),
    7: () => (store, found) => {
      store.getAll().onsuccess = ({ target }) => {
        for (const key of rememberKeys(target.result)) found.push([key, nothing, nothing]);
      };
    },
  };

  /** Of the operations, those that read nothing: put, delete and clear. */
  const writing = new Set([0, 1, 6]);

  /** Where `finish` is given, it answers when all is stored. */
  function transact(c, request, finish) {
    const mode = c.byte();
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
            thrown = { name: "UnknownKey" };
            run.abort();
          };
        }
        for (const { store, step, found } of steps) step(run.objectStore(store), found);
        commit();
      } catch (error) {
        thrown = error;
        run.abort();
      }
    };
    database.then(perform).catch((error) => fail(request, error));
  }

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

  async function readKeys() {
    const store = (await database).transaction("key").objectStore("key");
    await new Promise((resolve, reject) => {
      const all = store.getAll();
      all.onsuccess = () => resolve(rememberKeys(all.result));
      all.onerror = () => reject(all.error);
    });
  }

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

  // ---- Network.

  function exchange(c) {
    const [request, method, path, token, body] = [c.request(), c.text(), c.text(), c.text(), c.bytes()];
    const [time, longest] = [c.number(), c.number()];
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), time);
    (async () => {
      const headers = token ? { Authorization: `Bearer ${token}` } : {};
      if (body.length) headers["Content-Type"] = "application/json";
      const response = await fetch(path, {
        method, headers, body: body.length ? body : undefined, signal: stop.signal,
        credentials: "omit", cache: "no-store", redirect: "manual", referrerPolicy: "no-referrer",
      });
      const bytes = await bodyOf(response, longest);
      const header = (name) => response.headers.get(name) ?? "";
      // The browser follows no redirect, and tells no redirect from another.
      const status = response.type === "opaqueredirect" ? 302 : response.status;
      answer(
        request, status, header("content-type"), header("retry-after"), header("ratelimit"),
        header("date"), bytes);
    })().catch((error) => {
      // An answer that is too long is not read to its end.
      stop.abort();
      fail(request, error);
    }).finally(() => clearTimeout(timer));
  }

  async function bodyOf(response, longest) {
    const reader = response.body?.getReader(), parts = [];
    let length = 0;
    for (let part; reader && !(part = await reader.read()).done; parts.push(part.value)) {
      length += part.value.length;
      if (length > longest) throw new RangeError();
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  function persist(request) {
    const granted = navigator.storage?.persist?.() ?? Promise.resolve(false);
    granted.then((is) => answer(request, is ? 1 : 0), (error) => fail(request, error));
  }

  // ---- Service worker, seen from the page and from within.

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
      const look = () => { if (found?.state === "installed") tell(happened.updateReady); };
      found?.addEventListener("statechange", look);
      look();
    };
    watch(worker.waiting);
    worker.addEventListener("updatefound", () => watch(worker.installing));
    navigator.serviceWorker.addEventListener("controllerchange", () => tell(happened.updated));
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
      const { instance } = await WebAssembly.instantiateStreaming(
        get(MODULE), { wasi_snapshot_preview1: missing });
      app = instance.exports;
      app._initialize?.();
      run();
    })().catch(stop);
  }
  /** A worker's own request passes through no worker: the worker looks into the kept files itself. */
  const get = async (path) =>
    (!onPage && await caches.match(path)) || fetch(path, { credentials: "same-origin" });

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
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    document.body.dataset.screen = "compose";
    for (const id of ["share", "notice-action"]) document.getElementById(id).hidden = true;
    coverWhileAway();
    // The draft is not saved any more: the browser asks before the text in the field is lost.
    addEventListener("beforeunload", (event) => {
      if (document.getElementById("memo").value) event.preventDefault();
    });
    const notice = document.getElementById("notice");
    notice.dataset.state = "error";
    notice.textContent = document.getElementById("stopped").textContent;
  }

  /** Does the module's work after its end: the overlay hides the text while the app is left. */
  function coverWhileAway() {
    const isWanted = document.getElementById("privacy-overlay-setting").checked;
    const canBeBeside = !matchMedia("(pointer: coarse)").matches;
    const cover = () => {
      const isSeen = document.visibilityState === "visible" && (document.hasFocus() || canBeBeside);
      document.getElementById("overlay").hidden = isSeen || !isWanted;
    };
    for (const name of ["visibilitychange", "focus", "blur"]) addEventListener(name, cover, true);
    cover();
  }

  const bit = (is, place) => (is ? 1 << place : 0);
  const begin = () => tell(
    happened.started, bit(true, 0) | bit(crypto?.subtle, 2) | bit(navigator.locks, 3), pack(1));
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
    const flags = bit(navigator.onLine, 0) | bit(document.visibilityState === "visible", 1) |
      bit(globalThis.isSecureContext && crypto?.subtle, 2) | bit(navigator.locks, 3) |
      bit(matchMedia("(display-mode: standalone)").matches, 4) |
      bit(matchMedia("(pointer: coarse)").matches, 5) |
      bit(document.activeElement?.localName === "textarea", 6);
    tell(happened.started, flags, pack(
      0, (navigator.languages ?? [navigator.language]).join(), location.search, location.hash,
      Math.round(now()), deviceName()));
    listenToPage();
    listenToComposing();
    load();
  } else {
    begin();
    globalThis.host = {
      sync: () => serve(happened.synced),
      share: (text) => serve(happened.shared, utf8.encode(text)),
    };
  }
})();
