"""What lies over the app: the privacy overlay, the rating, the draft of a tab that was killed."""
import time
import unittest

from browser import wait_until
from journey import WebTest, everywhere

SEND_MANY = """
    const field = document.getElementById("memo");
    for (let number = a[0]; number < a[1]; number += 1) {
        field.value = `memo ${number}`;
        field.dispatchEvent(new InputEvent("input", {bubbles: true}));
        field.dispatchEvent(new KeyboardEvent(
            "keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true}));
        while (field.value) await new Promise((done) => setTimeout(done, 5));
    }"""


class Overlay(WebTest):
    def test_the_text_is_covered_the_moment_the_app_is_left_and_uncovered_on_return(self):
        page = self.open()
        self.write(page, "private")
        self.assertFalse(page.seen("overlay"))
        page.run("dispatchEvent(new Event('blur')); document.hasFocus = () => false;")
        page.run("""
            Object.defineProperty(document, "visibilityState", {value: "hidden", configurable: true});
            document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));""")
        page.wait_seen("overlay")
        covered = page.run("""
            const box = $.memo.getBoundingClientRect();
            return document.elementFromPoint(box.x + box.width / 2, box.y + 20)?.closest("#overlay") !== null
                && getComputedStyle($.overlay).backgroundColor;""")
        self.assertTrue(covered)
        page.run("""
            delete document.visibilityState;
            delete document.hasFocus;
            document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));
            dispatchEvent(new Event("focus"));""")
        page.wait_gone("overlay")
        self.assertEqual(page.value("memo"), "private")


class Rating(WebTest):
    def many(self):
        page = self.signed_in()
        page.click("memo")
        page.run(SEND_MANY, 0, 99)
        wait_until(lambda: len(self.memos()) == 99, "99 memos have arrived", 60)
        time.sleep(0.5)
        self.assertFalse(page.seen("rating"))
        page.run(SEND_MANY, 99, 100)
        page.wait_seen("rating")
        return page

    def test_after_a_hundred_memos_it_is_asked_once_and_few_stars_are_thanked_for(self):
        page = self.many()
        for star in range(1, 6):
            box = page.run("""
                const {width, height} = document.getElementById(a[0]).getBoundingClientRect();
                return [width, height];""", f"rate-{star}")
            self.assertGreaterEqual(min(box), 44, f"star {star}")
        page.click("rate-3")
        page.wait_seen("rating-thanks")
        page.waits("return !$.rating.open || document.getElementById('rating-dismiss').checkVisibility()")
        if page.run("return $.rating.open"):
            page.press("Escape")
        page.wait_gone("rating")
        page.click("memo")
        page.run(SEND_MANY, 100, 105)
        time.sleep(0.5)
        self.assertFalse(page.seen("rating"))


@everywhere
class Draft:
    def test_a_draft_is_there_after_closing_the_tab_and_gone_once_sent(self):
        page = self.signed_in()
        self.write(page, "to be continued")
        page.run("await new Promise((done) => setTimeout(done, 500))")
        page.close()
        page = self.open()
        wait_until(lambda: page.value("memo") == "to be continued", "the draft is back")
        page.click("memo")
        page.press("Control+Enter")
        self.cleared(page)
        page.close()
        page = self.open()
        time.sleep(0.5)
        self.assertEqual(page.value("memo"), "")
        self.arrives("to be continued")

    def test_what_is_typed_while_a_memo_is_being_stored_is_the_next_memo(self):
        page = self.signed_in()
        page.click("memo")
        for number in range(5):
            page.type(f"quick {number}")
            page.press("Control+Enter")
        self.cleared(page)
        wait_until(lambda: "".join(self.memos()).count("quick") >= 5, "all of it arrives")
        self.assertEqual(
            sorted("".join(self.memos()).replace("quick", " quick").split()),
            sorted("quick 0 quick 1 quick 2 quick 3 quick 4".split()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
