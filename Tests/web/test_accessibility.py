"""For everybody: by keyboard, by screen reader, with big fingers, in the dark, from right to left."""
from axe_playwright_python.sync_playwright import Axe
from browser import wait_until
from journey import WebTest
from test_languages import choose

#: Each control that is seen, and how much room a finger has: its own box, or the label's or row's
#: that works for it.
TARGETS = """
    return [...document.querySelectorAll("button, input, select, textarea, summary, a[href]")]
        .filter((element) => element.checkVisibility({opacityProperty: true, visibilityProperty: true}))
        .map((element) => {
            const {width, height} = element.getBoundingClientRect();
            return [element.id || element.dataset.part || element.tagName, width, height];
        });"""

FOCUS_RING = """
    const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(document.activeElement);
    return outlineStyle !== "none" && parseFloat(outlineWidth) > 0 || boxShadow !== "none";"""

#: From now on `longest` is the longest animation that a frame has shown, in milliseconds.
WATCH_MOTION = """
    window.longest = 0;
    const look = () => {
        for (const each of document.getAnimations())
            window.longest = Math.max(window.longest, each.effect.getComputedTiming().duration);
        requestAnimationFrame(look);
    };
    look();"""


class Accessibility(WebTest):
    def screens(self, page):
        """Goes to each screen in turn."""
        yield "compose"
        page.click("open-history")
        page.wait_seen("history")
        page.wait_seen("#history-list li")
        page.click("#history-list > li:nth-of-type(1) summary")
        yield "history"
        page.click("history-back")
        page.click("open-settings")
        page.wait_seen("settings")
        yield "settings"
        if page.seen("sign-out"):
            page.click("sign-out")
            page.wait_seen("wipe-confirm")
            yield "wipe-confirm"
            page.press("Escape")
            page.wait_gone("wipe-confirm")
        page.click("open-diagnostics")
        page.wait_seen("diagnostics")
        yield "diagnostics"
        page.click("diagnostics-back")
        page.click("settings-back")

    def prepared(self):
        """Signed in, with one memo delivered and one that waits."""
        page = self.signed_in()
        self.send(page, "delivered")
        self.arrives("delivered")
        self.go_offline()
        self.send(page, "waiting")
        return page

    def axe(self, page, where):
        page.still()
        found = [
            (violation["id"], violation["impact"], [node["target"] for node in violation["nodes"]])
            for violation in Axe().run(page.page).response["violations"]
            if violation["impact"] in ("serious", "critical")]
        self.assertEqual(found, [], where)

    def each_screen(self, page, look):
        """In light, dark and Arabic."""
        for scheme, language in (("light", "en"), ("dark", "en"), ("light", "ar")):
            page.page.emulate_media(color_scheme=scheme)
            page.click("open-settings")
            choose(page, language)
            page.click("settings-back")
            for screen in self.screens(page):
                look(f"{screen}, {scheme}, {language}")

    def test_axe_finds_nothing_serious_on_any_screen(self):
        page = self.open()
        page.click("open-settings")
        page.wait_seen("address")
        self.axe(page, "settings before signing in")
        page.click("settings-back")
        self.sign_in(page)
        self.send(page, "delivered")
        self.arrives("delivered")
        self.go_offline()
        self.send(page, "waiting")
        self.each_screen(page, lambda where: self.axe(page, where))

    def test_whatever_can_be_pressed_is_large_enough(self):
        page = self.prepared()
        for width in (320, 1280):
            page.resize(width, 700)
            for screen in self.screens(page):
                small = [
                    (name, round(w, 1), round(h, 1)) for name, w, h in page.run(TARGETS)
                    if w < 44 or h < 44]
                self.assertEqual(small, [], f"{screen} at {width}")

    def test_nothing_is_wider_than_the_screen_from_320_to_1920(self):
        page = self.prepared()
        for width in (320, 768, 1920):
            page.resize(width, 700)
            for screen in self.screens(page):
                wide = page.run(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(wide, 0, f"{screen} at {width}")

    def test_whatever_can_be_used_has_a_name_for_screen_readers(self):
        page = self.prepared()
        roles = {"button", "textbox", "combobox", "switch", "checkbox", "link", "listbox"}
        for screen in self.screens(page):
            nodes = page.command("Accessibility.getFullAXTree")["nodes"]
            named = [
                (node["role"]["value"], node.get("name", {}).get("value", ""))
                for node in nodes
                if not node.get("ignored") and node.get("role", {}).get("value") in roles]
            self.assertTrue(named, screen)
            self.assertEqual([each for each in named if not each[1].strip()], [], screen)

    def test_everything_can_be_done_with_the_keyboard_alone(self):
        page = self.open()
        wait_until(lambda: page.focus() == "memo", "the field has the focus")
        self.reach(page, "open-settings")
        page.press("Enter")
        page.wait_seen("settings")
        self.reach(page, "address")
        page.type("owner@example.org")
        page.press("Enter")
        code = wait_until(self.codes, "a code is mailed")[0]
        wait_until(lambda: page.focus() == "code", "the focus is in the field for the code")
        page.type(code)
        page.wait_seen("signed-in-as")
        page.press("Escape")
        wait_until(lambda: page.focus() == "memo", "Escape leads back to the field")
        page.type("by keyboard")
        self.reach(page, "send")
        page.press("Space")
        self.cleared(page)
        self.arrives("by keyboard")
        self.reach(page, "open-history")
        page.press("Enter")
        page.wait_seen("#history-list li")
        self.assertTrue(page.run(
            "return document.getElementById('history').contains(document.activeElement)"),
            "the focus went along to the history")
        for _ in range(10):
            if page.run("return document.activeElement.tagName") == "SUMMARY":
                break
            page.press("Tab")
        page.press("Enter")
        wait_until(lambda: page.seen("#history-list [data-part=copy]"), "the entry opens")
        page.press("Escape")
        wait_until(lambda: page.focus() == "memo", "Escape leads back to the field")

    def reach(self, page, identifier):
        """Presses the tab key until the element has the focus, and sees that it shows it."""
        for _ in range(40):
            if page.focus() == identifier:
                break
            page.press("Tab")
        self.assertEqual(page.focus(), identifier)
        if identifier != "memo":
            self.assertTrue(page.run(FOCUS_RING), f"{identifier} does not show its focus")

    def test_less_motion_is_honoured(self):
        page = self.signed_in()
        page.run(WATCH_MOTION)
        self.send(page, "lively")
        page.waits("return longest > 1", what="the memo is seen leaving")
        page.still()
        page.page.emulate_media(reduced_motion="reduce")
        page.run("window.longest = 0")
        self.send(page, "calm")
        self.arrives("lively", "calm")
        # A person does not see an animation of a millisecond.
        self.assertLessEqual(page.run("return longest"), 1)

    def test_what_happened_is_announced_politely(self):
        page = self.signed_in()
        self.assertEqual(page.run(
            "return $.notice.getAttribute('role') || $.notice.getAttribute('aria-live')"), "status")
