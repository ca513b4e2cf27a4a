"""What each engine has of what the app uses: the table in README.md, seen in the engines."""
import functools
import http.server
import pathlib
import re
import tempfile
import threading

from browser import Navigated
from chromium import Chromium
from firefox import Firefox
from journey import EngineTest, in_engines
from webkit import WebKit

FOLDER = pathlib.Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
    "connect-src 'self'; require-trusted-types-for 'script'; trusted-types memo")

PROBES = {
    "strict IndexedDB": """
        const open = indexedDB.open("probe", 1);
        open.onupgradeneeded = () => open.result.createObjectStore("records");
        const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
        const work = database.transaction("records", "readwrite", {durability: "strict"});
        work.objectStore("records").put("value", "name");
        await new Promise((done) => { work.oncomplete = done; });
        return work.durability === "strict";""",
    "keys that cannot be read": """
        const algorithm = {name: "AES-GCM", length: 256};
        const key = await crypto.subtle.generateKey(algorithm, false, ["encrypt", "decrypt"]);
        const open = indexedDB.open("keys", 1);
        open.onupgradeneeded = () => open.result.createObjectStore("keys");
        const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
        const work = database.transaction("keys", "readwrite");
        work.objectStore("keys").put(key, "key");
        await new Promise((done) => { work.oncomplete = done; });
        const read = database.transaction("keys").objectStore("keys").get("key");
        await new Promise((done) => { read.onsuccess = done; });
        const vector = {name: "AES-GCM", iv: new Uint8Array(12)};
        const sealed = await crypto.subtle.encrypt(vector, read.result, new Uint8Array(5));
        const refused = await crypto.subtle.exportKey("raw", read.result).then(() => false, () => true);
        return sealed.byteLength === 21 && refused;""",
    "service worker": "return Boolean((await navigator.serviceWorker.ready).active)",
    "Web Locks": "return await navigator.locks.request('name', () => true)",
    "Background Sync": "return 'sync' in ServiceWorkerRegistration.prototype",
    "Trusted Types": """
        try { document.createElement("div").innerHTML = "<b>text</b>"; return false; }
        catch { return Boolean(window.trustedTypes); }""",
    "persistent storage": "return Boolean(navigator.storage?.persist)",
    "storage estimate": "return (await navigator.storage?.estimate?.())?.quota > 0",
    "view transitions": "return Boolean(document.startViewTransition)",
    "launch with autofocus": """
        for (let frame = 0; frame < 30 && document.activeElement.id !== "memo"; frame += 1)
            await new Promise(requestAnimationFrame);
        return document.activeElement.id === "memo";""",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_):
        pass


@in_engines(Chromium, Firefox, WebKit, base=EngineTest)
class Engines:
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=FOLDER / "probe"))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)

    def test_the_engine_has_what_the_readme_says(self):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            browser = self.engine(f"{folder}/profile")
            try:
                page = browser.open(f"http://127.0.0.1:{self.server.server_address[1]}/")
                found = {name: bool(page.run(probe)) for name, probe in PROBES.items()}
                page.type("typed")
                self.assertEqual(page.value("memo"), "typed")
            finally:
                browser.close()
        self.assertEqual(found, self.documented(self.engine.name))

    def test_a_question_to_a_page_that_goes_elsewhere_has_no_answer(self):
        """`wait_until` relies on it: whatever error the engine has for this is `Navigated`."""
        elsewhere = f"http://127.0.0.1:{self.server.server_address[1]}/"
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            browser = self.engine(f"{folder}/profile")
            try:
                page = browser.open()
                # From a page without an origin, which changes the process, and within one origin.
                for address in [elsewhere, f"{elsewhere}probe.js"]:
                    with self.assertRaises(Navigated):
                        page.run("location.href = a[0]; await new Promise(() => {});", address)
            finally:
                browser.close()

    @staticmethod
    def documented(engine):
        rows = [
            [cell.strip() for cell in row.strip("|").split("|")]
            for row in re.findall(r"^\|.*\|$", (FOLDER / "README.md").read_text(), re.M)]
        header = next(row for row in rows if engine in row)
        column = header.index(engine)
        return {row[0]: row[column] == "yes" for row in rows if row[0] in PROBES}
