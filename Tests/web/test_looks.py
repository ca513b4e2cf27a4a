"""Each screen, in each language, narrow, with large text, by day and by night: nothing lies on something
else, nothing is cut off, and everything can be read.

`MEMO_LOOKS` chooses languages: some of them, separated by spaces, in all their looks; `all`; a number, which
draws one. Without it two languages have one look each, of which `test_accessibility.py` knows that axe finds
nothing: long words, and another direction.
"""
import itertools
import os
import re
import subprocess

from axe_playwright_python.sync_playwright import Axe
from browser import SECONDS, wait_until
from delivery_reports import report
from journey import WebTest
from processes import BIN
from test_languages import LANGUAGES, choose

WANTED = os.environ.get("MEMO_LOOKS", "")
HEIGHT, TALL = 844, 4000
LONG = "Waits, and has a line that is long enough to be broken in any list of memos. " * 10


def looks():
    """Language, width, size of the text in percent, colours."""
    if not WANTED:
        return [("de", 320, 200, "light"), ("ar", 320, 200, "dark")]
    languages = LANGUAGES if WANTED == "all" else WANTED.split()
    if WANTED.isdigit():
        languages = [LANGUAGES[int(WANTED) % len(LANGUAGES)]]
    return list(itertools.product(languages, (320, 390), (100, 200), ("light", "dark")))


#: The part of the page that lies above the others.
TOP = """
    const top = document.querySelector("#overlay:not([hidden])")
        ?? [...document.querySelectorAll("dialog[open]")].pop() ?? document.body;"""

#: Pairs of texts and controls of which one lies upon the other.
OVERLAPS = TOP + """
    const seen = [...top.querySelectorAll(
        "button, input, select, textarea, h1, h2, label, p, dt, dd, time, span, bdi, small, a")]
        .filter((e) => e.checkVisibility({opacityProperty: true, visibilityProperty: true})
            && !e.closest(".unseen, #ghost, svg")
            && (e.matches("button, input, select, textarea") || [...e.childNodes].some(
                (child) => child.nodeType === 3 && child.data.trim())));
    const boxes = seen.flatMap((e) => {
        const {display, lineHeight} = getComputedStyle(e);
        // A text within a line has a box in each line. The box of a font may be higher than the line.
        const isText = display === "inline";
        return [...(isText ? e.getClientRects() : [e.getBoundingClientRect()])].map((box) => {
            const above = isText ? Math.max(0, (box.height - parseFloat(lineHeight)) / 2) : 0;
            let [top, bottom] = [box.top + above, box.bottom - above];
            // What is scrolled out of sight, or below the head that stays, lies upon nothing.
            const head = e.closest("section")?.querySelector(":scope > header");
            if (head && !head.contains(e) && getComputedStyle(head).position === "sticky")
                top = Math.max(top, head.getBoundingClientRect().bottom);
            for (let at = e.parentElement; at; at = at.parentElement) {
                const {overflowY, display} = getComputedStyle(at);
                if (overflowY === "visible" || display === "contents") continue;
                const around = at.getBoundingClientRect();
                [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
            }
            return {e, left: box.left, top, right: box.right, bottom};
        });
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
CLIPPED = TOP + """
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT), found = [];
    for (let node; (node = walker.nextNode());) {
        const parent = node.parentElement;
        if (!node.data.trim() || !parent.checkVisibility({opacityProperty: true, visibilityProperty: true})
            || parent.closest(".unseen, #ghost, svg, option, textarea")) continue;
        let [from, to] = [0, innerWidth];
        for (let at = parent; at; at = at.parentElement) {
            const {overflowX, display} = getComputedStyle(at);
            if (overflowX === "visible" || display === "contents") continue;
            const box = at.getBoundingClientRect();
            [from, to] = [Math.max(from, box.left), Math.min(to, box.right)];
        }
        // Word by word: the space at the end of a line may hang over its side.
        const isCut = [...node.data.matchAll(/\\S+/g)].some(({0: word, index}) => {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            return [...range.getClientRects()].some(
                ({left, right, width}) => width && (left < from - 1 || right > to + 1));
        });
        if (isCut) found.push(node.data.trim().slice(0, 40));
    }
    return found;"""

#: The numbers of lines that the texts on the screen take.
LINES = """
    return [...document.querySelectorAll(a[0])].filter((e) => e.checkVisibility())
        .map((e) => new Set([...e.getClientRects()].map((box) => box.top)).size);"""


class Looks(WebTest):
    relay_options = (
        *WebTest.relay_options, "--bounce-address", "bounce@relay.example",
        "--public-url", "https://relay.example.org", "--trusted-proxies", "1")

    def test_nothing_overlaps_or_is_cut_off_and_all_can_be_read(self):
        self.seen, self.found = 0, []
        # Told even if a step fails.
        self.addCleanup(self.nothing_is_found)
        self.keep_senders()
        page = self.open()
        page.page.emulate_media(reduced_motion="reduce")
        # The mail about the second device speaks the language of the sign-in.
        page.click("open-settings")
        choose(page, looks()[0][0])
        page.click("settings-back")
        self.each(page, self.nothing_sent)
        self.send_signed_out(page)
        self.each(page, self.signed_out)
        self.ask_code(page)
        self.each(page, self.code_asked)
        self.give_code(page)
        link = self.second_device()
        page.click("settings-back")
        wait_until(self.memos, "it arrives")
        self.each(page, self.signed_in)
        self.let_one_bounce(page)
        self.go_offline()
        page.click("memo")
        page.insert(LONG)
        page.press("Control+Enter")
        self.cleared(page)
        self.each(page, self.offline)
        self.each(page, self.lists)
        self.each(page, self.bars_and_dialogs)
        self.go_online()
        page.close()
        self.each(self.browser.open(), lambda page, look: self.relay_s_own(page, link, *look))

    def nothing_is_found(self):
        kinds = ("overlap", "are cut off", "color-contrast")
        counts = [sum(f": {kind}: " in found for found in self.found) for kind in kinds]
        print("{} looks: {} with overlaps, {} with cut texts, {} with weak contrast, {} others".format(
            self.seen, *counts, len(self.found) - sum(counts)))
        self.assertFalse(self.found, "\n".join([f"in {self.seen} looks:", *self.found]))

    # Looking.

    def each(self, page, screens):
        for look in looks():
            language, width, size, scheme = self.dressed = look
            page.resize(width, HEIGHT)
            page.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            if page.page.url.startswith("http"):
                self.enlarge(page)
                choose(page, language)
            screens(page, look)

    def enlarge(self, page):
        page.run("document.documentElement.style.fontSize = `${a[0]}%`", self.dressed[2])

    def look(self, page, what, is_scrolled=False):
        """Looks at the screen, at all of it if it scrolls."""
        language, width, size, scheme = self.dressed
        where = f"{language} {width} px {size} % {scheme}, {what}"
        if is_scrolled:
            page.resize(width, TALL)
        page.still()
        self.seen += 1
        for name, script in (("overlap", OVERLAPS), ("are cut off", CLIPPED)):
            if found := page.run(script):
                self.found.append(f"{where}: {name}: {found}")
        for violation in Axe().run(page.page).response["violations"] if WANTED else ():
            if violation["impact"] in ("serious", "critical"):
                targets = [node["target"] for node in violation["nodes"]]
                self.found.append(f"{where}: {violation['id']}: {targets}")
        if is_scrolled:
            page.resize(width, HEIGHT)

    # The screens.

    def nothing_sent(self, page, _):
        self.look(page, "first visit")
        page.click("open-history")
        page.wait_seen("history-empty")
        self.look(page, "no history")
        page.click("history-back")
        page.click("open-settings")
        page.wait_seen("address")
        self.look(page, "sign in", is_scrolled=True)
        page.run("$.address.value = 'nobody'")
        page.click("ask-code")
        page.waits("return $['address-error'].textContent !== ''", what="the address is refused")
        self.look(page, "address refused", is_scrolled=True)
        page.click("open-diagnostics")
        page.wait_seen("queue-empty")
        self.look(page, "nothing waits", is_scrolled=True)
        page.click("diagnostics-back")
        page.click("settings-back")

    def signed_out(self, page, _):
        page.waits("return !$['notice-action'].hidden", what="signing in is offered")
        self.look(page, "signed out")
        self.history(page, "signed out, history")

    def code_asked(self, page, _):
        self.look(page, "code asked", is_scrolled=True)
        page.run("$.code.value = '12'")
        page.click("confirm-code")
        page.waits("return $['code-error'].textContent !== ''", what="the code is refused")
        self.look(page, "code refused", is_scrolled=True)
        page.run("$.code.value = ''; $.code.dispatchEvent(new Event('input', {bubbles: true}))")

    def signed_in(self, page, _):
        page.click("memo")
        self.look(page, "compose")
        page.click("open-settings")
        wait_until(lambda: len(page.texts("#device-list li")) == 2, "both devices are listed")
        page.run("""
            $["subject-template"].value = "{";
            $["subject-template"].dispatchEvent(new Event("change", {bubbles: true}));""")
        page.waits("return $['subject-error'].textContent !== ''", what="the mistake is said")
        self.look(page, "settings", is_scrolled=True)
        page.click("#device-list [data-part=revoke]:not([hidden])")
        self.asks(page, "confirm", "sign out a device")
        page.click("sign-out")
        self.asks(page, "wipe-confirm", "sign out")
        page.click("settings-back")

    def offline(self, page, _):
        page.wait_seen("#offline")
        self.look(page, "offline")

    def lists(self, page, _):
        self.history(page, "history")
        page.click("open-history")
        page.wait_seen("#history-list li")
        if not page.seen("#history-list > li:nth-of-type(1) [data-part=delete]"):
            page.click("#history-list > li:nth-of-type(1) summary")
        page.click("#history-list > li:nth-of-type(1) [data-part=delete]")
        self.asks(page, "confirm", "delete")
        page.click("history-back")
        page.click("open-settings")
        page.click("open-diagnostics")
        page.wait_seen("#queue-list li")
        page.wait_seen("#log-list li")
        self.look(page, "diagnostics", is_scrolled=True)
        if self.dressed[2] == 100:
            lines = page.run(LINES, "[data-part=id]")
            self.assertEqual(set(lines), {1}, f"{self.dressed}: an identifier is broken")
        page.click("diagnostics-back")
        page.click("settings-back")

    def history(self, page, what):
        page.click("open-history")
        page.wait_seen("#history-list li")
        for number in range(len(page.texts("#history-list > li"))):
            row = f"#history-list > li:nth-of-type({number + 1})"
            if not page.seen(f"{row} .actions"):
                page.click(f"{row} summary")
            page.wait_seen(f"{row} .actions")
            self.look(page, f"{what}, entry {number + 1}", is_scrolled=True)
        page.click("history-back")

    def asks(self, page, dialog, what):
        page.wait_seen(dialog)
        self.look(page, what)
        page.press("Escape")
        page.wait_gone(dialog)

    def bars_and_dialogs(self, page, _):
        """States that need another app, a newer build or months."""
        page.run("""
            $["share-text"].textContent = a[0];
            $.share.hidden = $["update-ready"].hidden = false;""", LONG)
        self.look(page, "a shared text and a newer build, offline")
        page.run("$.share.hidden = $['update-ready'].hidden = true; $.overlay.hidden = false")
        self.look(page, "covered")
        page.run("$.overlay.hidden = true; $.rating.showModal()")
        self.look(page, "the question for a rating")
        page.run("$.rating.dataset.state = 'thanks'; $.rating.dataset.stars = 4")
        self.look(page, "thanks for a rating")
        page.run("$.rating.dataset.state = 'ask'; $.rating.close()")

    def relay_s_own(self, page, link, language, *_):
        page.page.set_extra_http_headers({"Accept-Language": language})
        for path, what in ((link, "the mail's page"), (f"{link}x", "a link that is not valid"),
                           ("/nothing", "an unknown address")):
            page.go(self.relay.url + path)
            self.enlarge(page)
            self.look(page, what)
        page.go("about:blank")

    # What leads there.

    def send_signed_out(self, page):
        page.click("memo")
        page.insert("Written before anybody has signed in")
        page.press("Control+Enter")
        self.cleared(page)

    def second_device(self):
        """Signs in under another name of the relay; answers the path of the mail's link."""
        other = self.browser.open(self.relay.url.replace("127.0.0.1", "localhost"))
        self.ready(other)
        self.sign_in(other)
        other.close()
        return wait_until(
            lambda: re.search(r"^https://relay\.example\.org(/\S+)$", "\n".join(
                message.get_payload(decode=True).decode()
                for message in self.inbox.messages()), re.M), "a mail tells of it")[1]

    def keep_senders(self):
        self.senders = []
        deliver = self.server.handle_DATA

        async def handle(server, session, envelope):
            self.senders.append(envelope.mail_from)
            return await deliver(server, session, envelope)

        self.server.handle_DATA = handle

    def let_one_bounce(self, page):
        self.send(page, "Comes back")
        wait_until(lambda: "Comes back" in self.memos(), "it arrives")
        subprocess.run(
            [BIN / "memo-relay", "bounce", "--data", self.relay.folder, "--recipient", self.senders[-1]],
            input=report(), check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)
        page.click("open-history")
        wait_until(lambda: page.seen("#history-list li[data-state=attention]"), "it has bounced")
        page.click("history-back")
