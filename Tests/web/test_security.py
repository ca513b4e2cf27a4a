"""Text is only ever text, stays sealed, and goes nowhere but to the relay."""
import base64
import pathlib

from browser import wait_until
from journey import Chromium, WebTest, everywhere

MARKUP = (
    "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
    "<a href='javascript:window.pwned=1'>x</a>${window.pwned=1}{{pwned}}&lt;b&gt;"
    "<svg onload=window.pwned=1><style>*{display:none}</style></textarea><iframe src=/>")
CONTROLS = "".join(map(chr, [*range(1, 9), 11, 12, *range(14, 32), *range(127, 160)])) + (
    "\u2028\u2029\u202e\u2066\u200f\ufeff\ufffe")
CANARY = "kanarienvogel-im-bergwerk-9c41"

STORED = """
    const found = [];
    const add = (place, value) => found.push([place, value]);
    const text = (value) => {
        if (value instanceof ArrayBuffer) value = new Uint8Array(value);
        if (ArrayBuffer.isView(value)) {
            const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
            return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
        }
        if (value instanceof CryptoKey) return value.extractable ? "extractable" : "";
        if (value && typeof value === "object") return Object.values(value).map(text).join(" ");
        return btoa(unescape(encodeURIComponent(String(value))));
    };
    for (const {name} of await indexedDB.databases()) {
        const open = indexedDB.open(name);
        const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
        for (const store of database.objectStoreNames) {
            const all = database.transaction(store).objectStore(store).getAll();
            await new Promise((done) => { all.onsuccess = done; });
            for (const record of all.result) add(`IndexedDB ${store}`, text(record));
        }
        database.close();
    }
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
            add("cache", text(request.url));
            add("cache", text(await (await cache.match(request)).text()));
        }
    }
    for (const storage of [localStorage, sessionStorage])
        for (const [key, value] of Object.entries(storage)) add("web storage", text(key + value));
    for (const entry of performance.getEntries()) add("URL", text(entry.name));
    add("URL", text(location.href));
    add("cookie", text(document.cookie));
    return found;"""


def forms(text):
    """How a text may lie in bytes."""
    return [text.encode(), text.encode("utf-16-le"), base64.b64encode(text.encode())]


@everywhere
class Text:
    def test_script_markup_and_control_characters_are_sent_and_shown_as_they_are(self):
        page = self.signed_in()
        page.click("memo")
        for text in (MARKUP, f"controls {CONTROLS} end"):
            page.run("""
                $.memo.value = a[0];
                $.memo.dispatchEvent(new InputEvent("input", {bubbles: true}));""", text)
            text = page.value("memo")
            page.press("Control+Enter")
            self.cleared(page)
            wait_until(lambda: text in self.memos(), "it arrives as it is")
        page.click("open-history")
        wait_until(lambda: len(page.texts("#history-list [data-part=text]")) == 2, "both are listed")
        shown = page.texts("#history-list [data-part=text]")
        self.assertTrue(shown[1].startswith(MARKUP[:40]), shown[1])
        self.assertEqual(page.run("""
            return document.querySelectorAll(
                "#history-list :is(script, img, a, style, iframe, [onload], [onerror])").length"""), 0)
        self.assertIsNone(page.run("return (window.wrappedJSObject ?? window).pwned ?? null"))
        self.assertTrue(page.seen("history"))


class Canary(WebTest):
    relay_options = (*WebTest.relay_options, "--log-level", "trace")

    def test_a_memo_is_readable_in_no_store_cache_address_or_log(self):
        browser = Chromium(f"{self.folder}/canary")
        shared, self.browser = self.browser, browser
        self.addCleanup(setattr, self, "browser", shared)
        try:
            page = self.signed_in()
            page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
            self.send(page, f"{CANARY} sent")
            self.arrives(f"{CANARY} sent")
            self.go_offline()
            self.send(page, f"{CANARY} waiting")
            self.write(page, f"{CANARY} draft")
            self.draft_kept(page, f"{CANARY} draft")
            stored = page.run(STORED)
            self.assertGreaterEqual(
                {place for place, _ in stored}, {"IndexedDB outbox", "IndexedDB history", "cache"})
            self.assertIn("IndexedDB drafts", {place for place, _ in stored})
            for secret in (CANARY, "owner@example.org"):
                found = [
                    place for place, value in stored
                    if secret.encode() in b"".join(
                        base64.b64decode(part, validate=False) for part in value.split(" "))]
                self.assertEqual(found, [], secret)
            self.assertEqual(
                [url for url in browser.requests if CANARY in url or "%40" in url or "@" in url], [])
            self.assertEqual([text for text in browser.console if CANARY in text], [])
            self.go_online()
            self.arrives(f"{CANARY} sent", f"{CANARY} waiting")
        finally:
            violations = browser.violations()
            browser.close()
        self.assertEqual(violations, [])
        self.assertEqual(self.readable(browser.profile), [])
        self.relay.stop()
        self.assertEqual(self.readable(pathlib.Path(self.folder) / "relay"), [])
        log = self.relay.log_path.read_bytes()
        self.assertTrue(log)
        self.assertNotIn(CANARY.encode(), log)
        self.relay.start()

    @staticmethod
    def readable(folder):
        return [
            str(path.relative_to(folder)) for path in folder.rglob("*")
            if path.is_file() and any(form in path.read_bytes() for form in forms(CANARY))]


class Headers(WebTest):
    def test_the_browser_enforces_the_policy(self):
        """A policy that stops nothing would make every other test pass."""
        page = self.open()
        self.assertEqual(self.browser.violations(), [])
        stopped = page.run("""
            const violation = new Promise((done) => document.addEventListener(
                "securitypolicyviolation", (event) => done(event.effectiveDirective), {once: true}));
            const image = document.createElement("img");
            image.src = "https://elsewhere.invalid/pixel.png";
            document.body.append(image);
            return await violation;""")
        self.assertEqual(stopped, "img-src")
        for attempt in (
            "document.body.innerHTML = '<b>x</b>'", "setTimeout('window.pwned = 1')",
            "document.body.append(Object.assign(document.createElement('script'), {text: '1'}))",
            "trustedTypes.createPolicy('another', {})",
        ):
            self.assertTrue(page.run(
                f"try {{ await (async () => {{ {attempt} }})(); return false; }} catch {{ return true; }}"),
                attempt)
        self.browser.violations()
        self.browser.requests[:] = [
            url for url in self.browser.requests if "elsewhere.invalid" not in url]
