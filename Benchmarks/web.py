"""Compares the web app with pages that do nothing else, in Chromium with its processor slowed down.

usage: web.py FOLDER_OF_MEMO_RELAY FOLDER_OF_THE_WEB_APP SCRATCH_FOLDER [ROUNDS [PART ...]]
Parts are first, later, sending and typing; without any, all of them.

One relay serves both, under two names, so that the app's service worker has no part in the other
page. Each round measures one and then the other; figures are medians.

- From navigating to the field having the focus and the frame after that: with the service worker
  of an earlier visit, and on a first visit.
- From the key that sends to the field being empty and focused, against a page that encrypts,
  writes one strict IndexedDB record and clears.
- The longest task of the page's main thread while somebody types into a memo of 100 KB, a thousand
  memos having been sent before.
- All bytes that the first visit transfers, headers and the service worker's own requests included.
"""
import contextlib
import os
import pathlib
import shutil
import socket
import statistics
import sys
import threading
import time

programs, app, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 40
PARTS = sys.argv[5:] or ["first", "later", "sending", "typing"]
#: A run of a few rounds only shows that the benchmark works.
MEASURES = ROUNDS >= 40
SENT_BEFORE, WARM_UP, SLOWDOWN = (1000, 3, 4) if MEASURES else (20, 1, 1)
#: Milliseconds that a person takes between typing and sending, and before the next memo. The app's
#: animation ends within the one, its draft is saved within the other.
PAUSE = 300

folder = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(folder.parent / "Tests" / part) for part in ("web", "EndToEnd", "")]
os.environ["MEMO_BIN_DIR"] = str(programs)

from browser import SECONDS, wait_until  # noqa: E402
from chromium import EXECUTABLE, Chromium, playwright  # noqa: E402
from inbox import Inbox, MailServer  # noqa: E402
from person import Person  # noqa: E402
from processes import Relay  # noqa: E402

#: Runs in every document before its own scripts, of either page.
WATCH = """
    const {get, set} = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
    const watch = window.watch = {};
    addEventListener("focusin", ({target}) => {
        if (target.id !== "memo" || watch.ready) return;
        watch.ready = NaN;
        requestAnimationFrame(() => setTimeout(() => { watch.ready = performance.now(); }));
    });
    addEventListener("keydown", (event) => {
        if (event.key === "Enter") [watch.pressed, watch.cleared] = [event.timeStamp, 0];
    }, true);
    Object.defineProperty(HTMLTextAreaElement.prototype, "value", {
        get, set(text) {
            set.call(this, text);
            if (this.id === "memo" && text === "") watch.cleared = performance.now();
        },
    });
"""

#: The app has taken the page over: it has filled in a word of its own.
HAS_WORDS = "document.querySelector('[data-text]').textContent !== ''"

#: A service worker is active only with all that it keeps.
HAS_WORKER = "navigator.serviceWorker.getRegistration().then((found) => Boolean(found?.active))"


class CountingProxy:
    """Passes connections on to the relay and counts the bytes that come back."""

    def __init__(self, port):
        self.count = 0
        self.last = time.monotonic()
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                for source, sink, counts in ((near, far, False), (far, near, True)):
                    threading.Thread(
                        target=self._pass, args=(source, sink, counts), daemon=True).start()

    def _pass(self, source, sink, counts):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if counts:
                    self.count += len(data)
                    self.last = time.monotonic()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def close(self):
        self._listener.close()


def slowed(page):
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.add_init_script(WATCH)
    return page


def alternate(name, title, ours, theirs, rounds):
    """Prints the ratio of the medians; answers what was measured."""
    measured = ([], [])
    for turn in range(rounds + WARM_UP):
        for times, measure in zip(measured, (ours, theirs)):
            taken = measure()
            if turn >= WARM_UP:
                times.append(taken)
    middle = [statistics.median(times) for times in measured]
    last = [sorted(times)[max(0, -(-len(times) * 99 // 100) - 1)] for times in measured]
    print(
        f"  {title}: app {middle[0]:.1f} ms (p99 {last[0]:.1f}), "
        f"bare page {middle[1]:.1f} ms (p99 {last[1]:.1f}); {rounds} rounds")
    print(f"{name}: {middle[0] / middle[1]:.2f} x", flush=True)


def time_to_text(page, url):
    page.goto("about:blank")
    page.goto(url)
    wait_until(lambda: page.evaluate("watch.ready > 0"), "the field has the focus")
    taken = page.evaluate("watch.ready")
    page.keyboard.type("x")
    assert page.input_value("#memo").endswith("x"), "the field cannot be typed into"
    page.keyboard.press("Backspace")
    return taken


def first_visits(relay):
    browser = playwright().chromium.launch(
        executable_path=EXECUTABLE, args=["--no-sandbox"], timeout=SECONDS * 1000)

    def new_context():
        context = browser.new_context()
        context.set_default_timeout(SECONDS * 1000)
        return context

    def visit(url):
        context = new_context()
        try:
            return time_to_text(slowed(context.new_page()), url)
        finally:
            context.close()

    alternate(
        "web.time_to_text_cold_vs_bare", "from navigating to a focused field, first visit",
        lambda: visit(app_url(relay)), lambda: visit(bare_url(relay, "text.html")), ROUNDS)
    proxy = CountingProxy(int(relay.url.rsplit(":", 1)[1]))
    page = new_context().new_page()
    page.goto(proxy.url)
    wait_until(lambda: page.evaluate(HAS_WORKER), "the service worker has all it needs")
    wait_until(lambda: time.monotonic() - proxy.last > 3, "the first visit is over", 60)
    print(f"web.transfer_kb: {proxy.count / 1000:.1f} KB", flush=True)
    browser.close()
    proxy.close()


def app_url(relay):
    return relay.url + "/"


def bare_url(relay, name):
    """The same server under another name: another origin, to which no service worker belongs."""
    return relay.url.replace("127.0.0.1", "localhost") + f"/bare/{name}"


def later_visits(relay, browser):
    pages = [slowed(browser.context.new_page()) for _ in range(2)]
    alternate(
        "web.time_to_text_vs_bare", "from navigating to a focused field, later visit",
        lambda: time_to_text(pages[0], app_url(relay)),
        lambda: time_to_text(pages[1], bare_url(relay, "text.html")), ROUNDS)
    for page in pages:
        page.close()


def send(page):
    """Milliseconds from the key press on. Nothing of what was typed, or of the memo before, is
    still to be drawn: neither page is to wait for what it has not to do with sending."""
    page.bring_to_front()
    page.wait_for_timeout(PAUSE)
    page.keyboard.insert_text("Buy milk, and ask about the window. " * 5)
    page.wait_for_timeout(PAUSE)
    page.keyboard.press("Control+Enter")
    wait_until(
        lambda: page.evaluate("watch.cleared > 0 && document.activeElement.id === 'memo'"),
        "the field is empty and has the focus")
    assert page.input_value("#memo") == ""
    return page.evaluate("watch.cleared - watch.pressed")


def sending(relay, browser):
    ours, theirs = (slowed(browser.context.new_page()) for _ in range(2))
    ours.goto(app_url(relay))
    theirs.goto(bare_url(relay, "send.html"))
    wait_until(lambda: theirs.evaluate("document.documentElement.dataset.ready"), "it is ready")
    wait_until(lambda: ours.evaluate(HAS_WORDS), "the app runs")
    for page in (ours, theirs):
        page.focus("#memo")
    alternate(
        "web.send_to_reset_vs_bare", "from the key press to an empty, focused field",
        lambda: send(ours), lambda: send(theirs), ROUNDS * 3)
    ours.close()
    theirs.close()


def send_many(relay, browser):
    """A thousand memos, by the keys that a person presses."""
    page = browser.context.new_page()
    page.goto(app_url(relay))
    wait_until(lambda: page.evaluate(HAS_WORDS), "the app runs")
    page.evaluate("""async (count) => {
        const field = document.getElementById("memo");
        for (let number = 0; number < count; number += 1) {
            field.value = `Memo ${number} of many`;
            field.dispatchEvent(new InputEvent("input", {bubbles: true}));
            field.dispatchEvent(new KeyboardEvent(
                "keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true}));
            while (field.value) await new Promise((done) => setTimeout(done));
        }
    }""", SENT_BEFORE)
    page.close()


def longest_task(page, browser):
    """Milliseconds of the longest task of the page's main thread while somebody types."""
    page.bring_to_front()
    page.focus("#memo")
    session = browser.context.browser.new_browser_cdp_session()
    chunks = []
    session.on("Tracing.dataCollected", lambda event: chunks.extend(event["value"]))
    ended = []
    session.on("Tracing.tracingComplete", lambda event: ended.append(event))
    page.evaluate("performance.mark('typing')")
    session.send("Tracing.start", {"traceConfig": {
        "includedCategories": ["toplevel", "blink.user_timing", "__metadata"],
        "excludedCategories": ["*"]}})
    page.evaluate("performance.mark('typing begins')")
    page.keyboard.press("Control+End")
    page.keyboard.type("typed at the end, ", delay=30)
    page.keyboard.press("Control+Home")
    page.keyboard.type("and at the start. ", delay=30)
    page.wait_for_timeout(500)
    session.send("Tracing.end")
    wait_until(lambda: page.wait_for_timeout(5) or ended, "the trace is complete")
    session.detach()
    mark = next(e for e in chunks if e.get("name") == "typing begins")
    return max(
        event["dur"] / 1000 for event in chunks
        if event.get("name") == "ThreadControllerImpl::RunTask" and event.get("dur")
        and (event["pid"], event["tid"]) == (mark["pid"], mark["tid"])
        and event["ts"] > mark["ts"])


def typing(relay, browser):
    text = "".join(f"Line {n} of a long text: ä 日本\n" for n in range(3000))[:100_000]
    pages = [slowed(browser.context.new_page()) for _ in range(2)]
    for page, url in zip(pages, (app_url(relay), bare_url(relay, "text.html"))):
        page.goto(url)
        page.wait_for_timeout(500)
        page.evaluate("""(text) => {
            const field = document.getElementById("memo");
            field.value = text;
            field.dispatchEvent(new InputEvent("input", {bubbles: true}));
        }""", text)
        page.wait_for_timeout(2000)
    alternate(
        "web.longest_task_vs_bare",
        f"the longest task while typing in 100 KB, {SENT_BEFORE} memos sent before",
        lambda: longest_task(pages[0], browser), lambda: longest_task(pages[1], browser),
        ROUNDS // 4 if MEASURES else 1)


def main():
    [module] = app.glob("*.wasm.gz")
    print(f"web.wasm_gzip_kb: {module.stat().st_size / 1000:.1f} KB")
    public = scratch / "public"
    shutil.copytree(app, public)
    shutil.copytree(folder / "web", public / "bare")
    with MailServer(Inbox()) as server:
        relay = Relay(
            scratch / "relay", server.url, "--web", str(public), "--device-minute", "100000",
            "--device-day", "100000")
        try:
            if "first" in PARTS:
                first_visits(relay)
            browser = Chromium(scratch / "profile")
            try:
                person = Person(browser, relay, server.inbox)
                person.sign_in(person.open())
                browser.close_pages()
                if "later" in PARTS:
                    later_visits(relay, browser)
                if "sending" in PARTS:
                    sending(relay, browser)
                if "typing" in PARTS:
                    send_many(relay, browser)
                    typing(relay, browser)
            finally:
                browser.close()
        finally:
            relay.stop()


main()
