"""What lies over the app: the privacy overlay; and the draft of a tab that was closed."""
from browser import wait_until
from journey import WebTest, everywhere
from person import DRAFT_LENGTHS
from test_history import TEXTS

#: The corners and the middle of the window, as far as something else than the overlay is there.
UNCOVERED = """
    const [width, height] = [innerWidth - 1, innerHeight - 1];
    return [[0, 0], [width, 0], [0, height], [width, height], [width / 2, height / 2]].filter(
        (point) => !document.elementFromPoint(...point)?.closest("#overlay"));"""

#: How much the overlay hides, from 0 to 1: its colour's alpha, as a canvas paints it, less what it
#: and all around it let through.
OPACITY = """
    const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
    const context = canvas.getContext("2d");
    context.fillStyle = getComputedStyle($.overlay).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    let opacity = context.getImageData(0, 0, 1, 1).data[3] / 255;
    for (let each = $.overlay; each; each = each.parentElement)
        opacity *= getComputedStyle(each).opacity;
    return opacity;"""

#: Takes over the lock of the one draft, and gives it up as soon as somebody else asks for it.
HOLD_DRAFTS_LOCK = """
    const open = indexedDB.open("memo");
    await new Promise((done) => { open.onsuccess = done; });
    const all = open.result.transaction("drafts").objectStore("drafts").getAllKeys();
    await new Promise((done) => { all.onsuccess = done; });
    open.result.close();
    const digits = [...new Uint8Array(all.result[0])]
        .map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const name = digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "draft-$1-$2-$3-$4-$5");
    navigator.locks.request(name, async () => {
        window.isHeld = true;
        const isAskedFor = async () =>
            (await navigator.locks.query()).pending.some((each) => each.name === name);
        while (!await isAskedFor()) await new Promise((done) => setTimeout(done, 10));
    });"""

LEAVE = """
    dispatchEvent(new Event("blur"));
    document.hasFocus = () => false;
    Object.defineProperty(document, "visibilityState", {value: "hidden", configurable: true});
    document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));"""

#: Whether the browser asks before the page is left.
ASKED = "return !dispatchEvent(new Event('beforeunload', {cancelable: true}))"

LOSE_KEY = """
    const open = indexedDB.open("memo");
    await new Promise((done) => { open.onsuccess = done; });
    const work = open.result.transaction("key", "readwrite");
    work.objectStore("key").clear();
    await new Promise((done) => { work.oncomplete = done; });
    open.result.close();"""

RETURN = """
    delete document.visibilityState;
    delete document.hasFocus;
    document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));
    dispatchEvent(new Event("focus"));"""

#: Runs before the app: its module traps as soon as the test says so.
TRAP = """
    const instantiate = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...all) => {
        const {instance: {exports}} = await instantiate.apply(WebAssembly, all);
        const event = (...all) => {
            if (window.isTrapping) throw new WebAssembly.RuntimeError("canary");
            return exports.event(...all);
        };
        return {instance: {exports: {...exports, event}}};
    };"""


class Overlay(WebTest):
    def test_the_text_is_covered_the_moment_the_app_is_left_and_uncovered_on_return(self):
        page = self.open()
        self.write(page, "private")
        self.assertFalse(page.seen("overlay"))
        page.run(LEAVE)
        page.wait_seen("overlay")
        self.assertEqual(page.run(UNCOVERED), [])
        self.assertEqual(page.run(OPACITY), 1)
        page.run(RETURN)
        page.wait_gone("overlay")
        self.assertEqual(page.value("memo"), "private")


class TrappedModule(WebTest):
    def trapped(self, text):
        page = self.browser.open()
        page.before_scripts(TRAP)
        page.go(self.relay.url)
        self.ready(page)
        self.write(page, text)
        self.draft_kept(page, text)
        return page

    def test_the_console_gets_the_kind_of_the_error_and_not_its_message(self):
        page = self.trapped("kept")
        self.browser.console.clear()
        page.run("window.isTrapping = true; dispatchEvent(new Event('offline'));")
        wait_until(lambda: "The app has stopped" in page.text("notice"), "it is said")
        self.assertEqual(
            [text for text in self.browser.console if "canary" in text or "Error" in text],
            ["RuntimeError"])

    def test_the_text_stays_in_the_field_and_is_still_covered_when_the_app_is_left(self):
        page = self.trapped("private")
        page.run(LEAVE)
        page.wait_seen("overlay")
        page.run("window.isTrapping = true; dispatchEvent(new Event('offline'));")
        wait_until(lambda: "The app has stopped" in page.text("notice"), "it is said")
        self.assertTrue(page.seen("overlay"), "it was covered")
        page.run(RETURN)
        page.wait_gone("overlay")
        self.assertTrue(page.seen("notice"))
        self.assertEqual(page.value("memo"), "private")
        self.write(page, " still")
        self.assertEqual(page.value("memo"), "private still")
        page.run(LEAVE)
        page.wait_seen("overlay")
        self.assertEqual(page.run(UNCOVERED), [])
        self.draft_kept(page, "private still")
        wait_until(lambda: not page.run(ASKED), "a text that is kept may be left")
        page.run(RETURN)
        page.wait_gone("overlay")
        page.run(LOSE_KEY)
        self.write(page, " more")
        self.assertTrue(page.run(ASKED), "leaving is asked about")


@everywhere
class Draft:
    def test_a_draft_is_there_after_closing_the_tab_and_gone_once_sent(self):
        page = self.signed_in()
        self.write(page, "to be continued")
        self.draft_kept(page, "to be continued")
        page.close()
        page = self.open()
        wait_until(lambda: page.value("memo") == "to be continued", "the draft is back")
        page.click("memo")
        page.press("Control+Enter")
        self.cleared(page)
        page.close()
        page = self.open()
        wait_until(lambda: page.run(DRAFT_LENGTHS) == [], "no draft is kept")
        self.assertEqual(page.value("memo"), "")
        self.arrives("to be continued")

    def test_what_is_typed_while_a_memo_is_being_stored_is_the_next_memo(self):
        page = self.signed_in()
        page.click("memo")
        for number in range(5):
            page.type(f"quick {number}")
            page.press("Control+Enter")
        self.cleared(page)
        page.click("open-history")
        typed = [f"quick {number}" for number in range(5)]
        wait_until(lambda: sorted(page.texts(TEXTS)) == typed, lambda: page.texts(TEXTS))
        self.arrives(*typed)


class DyingTab(WebTest):
    def test_a_draft_is_there_although_its_tab_is_not_quite_gone_yet(self):
        # It holds what a dying process would, until the next page asks for it.
        dying = self.signed_in()
        page = self.open()
        self.write(page, "to be continued")
        self.draft_kept(page, "to be continued")
        dying.run(HOLD_DRAFTS_LOCK)
        page.close()
        dying.waits("return window.isHeld", what="the draft's lock is held")
        page = self.open()
        wait_until(lambda: page.value("memo") == "to be continued", "the draft is back")
