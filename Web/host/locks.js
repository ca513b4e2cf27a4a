// ---- Timers, bell, locks.

const timers = new Map();
function setTimer(id, milliseconds) {
  clearTimeout(timers.get(id));
  if (milliseconds < 0) return;
  timers.set(id, setTimeout(() => tell(EventKind.timerFired, id), Math.min(milliseconds, 0x7fffffff)));
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
if (bell) bell.onmessage = ({ data }) => { if (loading) tell(EventKind.rung, 0, data); };

// Where there are no Web Locks, one context at least does nothing twice.
const held = new Map(), queues = new Map();
function takeLock(request, name, ifAvailable) {
  // A module that waits for the lock takes the record for another page's.
  if (name === draftLock && ifAvailable) isDraftKnown = true;
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
