"use strict";
// The device below the app. It executes what the Swift module decides and tells it what happened;
// it knows no memo, no screen and no rule. scripts/build-web joins the chapters in this folder into
// one script, whose names are its own, and puts the numbers of Sources/WebClient/Border in the
// places of `Command.…`, `EventKind.…` and `Step.…`. Web/README.md lists them.

const MODULE = "/app.wasm", SCREENS = "/screens.html", WORKER = "/sw.js", WORDS = {};
const onPage = typeof document === "object";
const utf8 = new TextEncoder(), decoder = new TextDecoder();
const nothing = new Uint8Array(0);
const now = () => performance.now();

// ---- Border: events in, commands out.

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
  if (request.life === life) tell(EventKind.answered, request.number, pack(...parts));
};
const later = ({ number, life: asked }, bytes) => {
  if (asked === life) tell(EventKind.answered, number, nothing, 0, () => [number, bytes(), now()]);
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
    return this.view.byteLength > 0 && this.view.getUint8(0) === Command.beginTransition;
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
