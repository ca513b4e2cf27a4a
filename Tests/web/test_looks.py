"""Each screen, in each language, narrow, with large text, by day and by night: nothing lies on something
else, nothing is cut off, and everything can be read.

`scripts/explore` runs it: `MEMO_LOOKS=all` looks at all of that, `MEMO_LOOKS=part` at a small part, always the
same. It finds overlaps that are not mended yet, so that `scripts/test` does not load it.
"""
import itertools
import os

from axe_playwright_python.sync_playwright import Axe
from browser import wait_until
from journey import WebTest
from test_languages import LANGUAGES, choose

WIDTHS, SIZES, SCHEMES = (320, 390), (100, 200), ("light", "dark")
#: Long words and texts, another direction, other letters.
PART = [("de", 390, 200, "light"), ("ar", 320, 200, "dark"), ("fr", 320, 100, "dark")]
LOOKS = (
    PART if os.environ.get("MEMO_LOOKS") != "all"
    else list(itertools.product(LANGUAGES, WIDTHS, SIZES, SCHEMES)))

#: Pairs of texts and controls of which one lies upon the other.
OVERLAPS = """
    const top = [...document.querySelectorAll("dialog[open]")].pop() ?? document.body;
    const seen = [...top.querySelectorAll("button, input, select, textarea, h1, h2, label, p, dt, dd, time, span, bdi")]
        .filter((e) => e.checkVisibility({opacityProperty: true, visibilityProperty: true})
            && !e.closest(".unseen, #ghost, svg")
            && (e.matches("button, input, select, textarea") || [...e.childNodes].some(
                (child) => child.nodeType === 3 && child.data.trim())));
    const boxes = seen.map((e) => {
        let {left, top, right, bottom} = e.getBoundingClientRect();
        // What is scrolled out of sight lies upon nothing.
        for (let at = e.parentElement; at; at = at.parentElement) {
            const {overflowY, display} = getComputedStyle(at);
            if (overflowY === "visible" || display === "contents") continue;
            const box = at.getBoundingClientRect();
            [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
        }
        return {e, left, top, right, bottom};
    }).filter((box) => box.bottom - box.top > 1 && box.right - box.left > 1);
    const named = (e) => e.id || e.dataset.part || e.textContent.trim().slice(0, 30) || e.tagName;
    const found = [];
    for (const [index, a] of boxes.entries()) {
        for (const b of boxes.slice(index + 1)) {
            if (a.e.contains(b.e) || b.e.contains(a.e)) continue;
            const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (width > 2 && height > 2) found.push([named(a.e), named(b.e)]);
        }
    }
    return found;"""

#: Texts of which a part is cut off at a side. A text that ends in an ellipsis, below, is not.
CLIPPED = """
    const top = [...document.querySelectorAll("dialog[open]")].pop() ?? document.body;
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT), found = [];
    for (let node; (node = walker.nextNode());) {
        const parent = node.parentElement;
        if (!node.data.trim() || !parent.checkVisibility({opacityProperty: true, visibilityProperty: true})
            || parent.closest(".unseen, #ghost, svg, option, textarea")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const {left, right, width} of range.getClientRects()) {
            if (!width) continue;
            let [from, to] = [0, innerWidth];
            for (let at = parent; at; at = at.parentElement) {
                const {overflowX, display} = getComputedStyle(at);
                if (overflowX === "visible" || display === "contents") continue;
                const box = at.getBoundingClientRect();
                [from, to] = [Math.max(from, box.left), Math.min(to, box.right)];
            }
            if (left < from - 1 || right > to + 1) {
                found.push(node.data.trim().slice(0, 40));
                break;
            }
        }
    }
    return found;"""


class Looks(WebTest):
    relay_options = (*WebTest.relay_options, "--bounce-address", "bounce@relay.example")

    @property
    def is_wanted(self):
        return "MEMO_LOOKS" in os.environ and super().is_wanted

    def look(self, page, where):
        page.still()
        self.seen += 1
        for name, script in (("overlap", OVERLAPS), ("are cut off", CLIPPED)):
            if found := page.run(script):
                self.found.append(f"{where}: {name}: {found}")
        for violation in Axe().run(page.page).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                targets = [node["target"] for node in violation["nodes"]]
                self.found.append(f"{where}: {violation['id']}: {targets}")

    def screens(self, page, where):
        page.click("memo")
        self.look(page, f"{where}, compose")
        page.click("open-history")
        page.wait_seen("#history-list li")
        page.click("#history-list > li:nth-of-type(1) summary")
        self.look(page, f"{where}, history")
        page.click("#history-list > li:nth-of-type(1) [data-part=delete]")
        page.wait_seen("confirm")
        self.look(page, f"{where}, delete")
        page.press("Escape")
        page.wait_gone("confirm")
        page.click("history-back")
        page.click("open-settings")
        page.wait_seen("settings")
        page.run("""
            $["subject-template"].value = "{";
            $["subject-template"].dispatchEvent(new Event("change", {bubbles: true}));""")
        page.waits("return $['subject-error'].textContent !== ''", what="the mistake is said")
        self.look(page, f"{where}, settings")
        page.click("sign-out")
        page.wait_seen("wipe-confirm")
        self.look(page, f"{where}, sign out")
        page.press("Escape")
        page.wait_gone("wipe-confirm")
        page.click("open-diagnostics")
        page.wait_seen("#queue-list li")
        page.wait_seen("#log-list li")
        self.look(page, f"{where}, diagnostics")
        page.click("diagnostics-back")
        page.click("settings-back")

    def test_nothing_overlaps_or_is_cut_off_and_all_can_be_read(self):
        self.seen, self.found = 0, []
        page = self.open()
        page.page.emulate_media(reduced_motion="reduce")
        for language, width, size, scheme in LOOKS:
            self.dress(page, language, width, size, scheme)
            where = f"{language} {width} px {size} % {scheme}"
            if not page.seen("open-history"):
                page.click("settings-back")
            self.look(page, f"{where}, first visit")
            self.send_signed_out(page)
            self.look(page, f"{where}, signed out")
            page.click("open-settings")
            page.wait_seen("address")
            self.look(page, f"{where}, sign in")
        page.click("settings-back")
        self.sign_in(page)
        wait_until(lambda: len(self.memos()) == len(LOOKS), "they arrive")
        self.go_offline()
        self.send(page, "Waits, and has a line that is long enough to be broken in any list of memos")
        for language, width, size, scheme in LOOKS:
            self.dress(page, language, width, size, scheme)
            page.click("settings-back")
            self.screens(page, f"{language} {width} px {size} % {scheme}")
        self.assertFalse(self.found, "\n".join([f"in {self.seen} looks:", *self.found]))

    def send_signed_out(self, page):
        page.click("memo")
        page.insert("Written before anybody has signed in")
        page.press("Control+Enter")
        self.cleared(page)
        page.waits("return !$['notice-action'].hidden", what="signing in is offered")

    def dress(self, page, language, width, size, scheme):
        page.resize(width, 844)
        page.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.run("document.documentElement.style.fontSize = `${a[0]}%`", size)
        if not page.seen("settings"):
            page.click("open-settings")
            page.wait_seen("settings")
        choose(page, language)
