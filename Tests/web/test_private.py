"""Browsers that do not keep what is stored, or let nothing be stored."""
from browser import wait_until
from chromium import Chromium, ForbiddingChromium, PrivateChromium
from firefox import Firefox, ForbiddingFirefox, PrivateFirefox, RefusingFirefox
from journey import WebTest, in_engines
from webkit import WebKit

REFUSED = "the browser may delete memos that have not left yet"


@in_engines(Chromium, PrivateChromium, RefusingFirefox, PrivateFirefox, WebKit)
class NotForGood:
    def test_the_settings_say_that_the_browser_may_delete_memos_and_the_answer_to_a_memo_does_not(self):
        page = self.signed_in()
        self.send(page, "while it lasts")
        self.assertNotIn(REFUSED, page.text("notice"))
        page.click("open-settings")
        page.wait_seen("storage-hint")
        self.assertIn(REFUSED, page.text("storage-hint"))
        self.arrives("while it lasts")


class ForGood(WebTest):
    engine = Firefox

    def test_nothing_is_said_where_the_browser_keeps_what_is_stored(self):
        page = self.signed_in()
        self.write(page, "kept")
        page.press("Control+Enter")
        page.waits(
            "return await navigator.storage.persisted()", what="the browser has agreed")
        self.cleared(page)
        self.assertTrue(page.run("return $['storage-hint'].hidden"))
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
