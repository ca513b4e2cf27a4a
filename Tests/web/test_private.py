"""Browsers that do not keep what is stored, or let nothing be stored."""
from browser import wait_until
from chromium import Chromium, ForbiddingChromium, PrivateChromium
from firefox import Firefox, ForbiddingFirefox, PrivateFirefox, RefusingFirefox
from journey import WebTest, in_engines
from webkit import WebKit

REFUSED = "the browser may delete memos that have not left yet"


@in_engines(Chromium, PrivateChromium, RefusingFirefox, PrivateFirefox, WebKit)
class NotForGood:
    def test_with_the_first_memo_it_is_said_that_the_browser_may_delete_it(self):
        page = self.signed_in()
        self.write(page, "while it lasts")
        page.press("Control+Enter")
        wait_until(lambda: REFUSED in page.text("notice"), lambda: page.text("notice"))
        self.assertTrue(page.seen("notice"))
        self.cleared(page)
        self.arrives("while it lasts")
        page.waits("return $.notice.textContent === ''", what="the notice goes by itself")
        self.send(page, "not said twice")
        self.assertNotIn(REFUSED, page.text("notice"))
        self.arrives("while it lasts", "not said twice")

    def test_who_sends_before_signing_in_is_told_with_the_next_memo(self):
        page = self.open()
        self.send(page, "before")
        wait_until(lambda: "signed in" in page.text("notice"), "what is to be done is said first")
        self.sign_in(page)
        self.write(page, "after")
        page.press("Control+Enter")
        wait_until(lambda: REFUSED in page.text("notice"), lambda: page.text("notice"))
        self.arrives("before", "after")


class ForGood(WebTest):
    engine = Firefox

    def test_nothing_is_said_where_the_browser_keeps_what_is_stored(self):
        page = self.signed_in()
        self.write(page, "kept")
        page.press("Control+Enter")
        page.waits(
            "return await navigator.storage.persisted()", what="the browser has agreed")
        self.cleared(page)
        self.assertNotIn(REFUSED, page.text("notice"))
        self.arrives("kept")


@in_engines(ForbiddingChromium, ForbiddingFirefox)
class Forbidden:
    def test_that_nothing_can_be_saved_is_said_at_once_and_the_text_stays(self):
        page = self.open()
        wait_until(
            lambda: "does not let Simple Memo save anything" in page.text("notice"),
            lambda: page.text("notice"))
        page.type("to be copied")
        page.press("Control+Enter")
        self.assertEqual(page.run("return $.notice.dataset.state"), "error")
        self.assertEqual(page.value("memo"), "to be copied")
        self.assertEqual(page.focus(), "memo")
