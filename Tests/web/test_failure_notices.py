"""A memo that did not arrive, told by a notification: the real browser shows it on a desktop of the tests' own,
over a session bus, whose person presses it."""
import os
import pathlib
import tempfile

from browser import wait_until
from chromium import WindowedChromium
from journey import WebTest
from notifications import Notifications
from session_bus import SessionBus
from test_history import Entries

NOT_ARRIVED = "A memo did not arrive. Its text is kept."

#: Runs before the app: counts the questions for a permission. The window that asks the person is none of the page's:
#: the answer is there when the browser has it.
COUNT_QUESTIONS = """
    window.questions = 0;
    Notification.requestPermission = async function () {
        window.questions += 1;
        while (Notification.permission === "default") await new Promise((done) => setTimeout(done, 10));
        return Notification.permission;
    };"""

#: The number of memos of which the person knows that they did not arrive.
KNOWN = """
    const [{name}] = await indexedDB.databases();
    const open = indexedDB.open(name);
    const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
    const range = IDBKeyRange.bound(new Uint8Array([9]), new Uint8Array([10]));
    const count = database.transaction("things").objectStore("things").count(range);
    await new Promise((done) => { count.onsuccess = done; });
    database.close();
    return count.result;"""

#: The answer of a relay that refuses a memo for good.
REFUSAL = {
    "status": 413, "content_type": "application/problem+json",
    "body": '{"code":"too-large","retryable":false,"status":413}'}


class ChromiumOnADesktop(WindowedChromium):
    """Its person has a desktop that shows notifications."""

    name = "ChromiumOnADesktop"
    bus = None

    def __init__(self, profile, language="en"):
        super().__init__(profile, language, env={**os.environ, **self.bus.environment})


class NoticesTest(Entries, WebTest):
    engine = ChromiumOnADesktop

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.engine.bus = cls.enterClassContext(SessionBus(pathlib.Path(folder.name) / "session"))
        cls.desktop = cls.enterClassContext(Notifications(cls.engine.bus, "any"))
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.before = len(self.desktop.shown())
        self.cleanup.callback(self.browser.context.unroute_all)

    def allow(self):
        self.browser.context.grant_permissions(["notifications"], origin=self.relay.url)

    def shown(self):
        """The notifications of this test so far: number, replaced number, text, buttons, urgency."""
        return self.desktop.shown()[self.before:]

    def told(self, number=1):
        """Waits for as many notifications. None has a memo's text."""
        # Answers to the requests that the test refuses are given while the browser is asked something.
        shown = wait_until(
            lambda: self.browser._blank.wait_for_timeout(5)
            or len(found := self.shown()) >= number and found, lambda: f"told: {self.shown()}")
        for _, _, text, _, _ in shown:
            self.assertIn(NOT_ARRIVED, text)
            self.assertNotIn("secret", text)
        self.assertEqual(len({each[0] for each in shown}), number, shown)
        return shown

    def bounce(self, page, text):
        """Sends a memo that bounces."""
        self.server.answer = "550 never"
        self.send(page, text)
        wait_until(
            lambda: page.run("return $['open-history'].dataset.state") == "attention",
            "the memo bounces")
        self.server.answer = None

    def noted(self, page, number=1):
        wait_until(lambda: page.run(KNOWN) == number, "it is noted that the person was told")

    def worker_is_ready(self, page):
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")


class Told(NoticesTest):
    def test_two_tabs_tell_once_of_a_bounced_memo_and_the_button_sends_it_again_once(self):
        self.allow()
        page = self.signed_in()
        self.worker_is_ready(page)
        other = self.open()
        self.bounce(page, "secret words")
        [[number, _, _, buttons, _]] = self.told()
        for each in (page, other):
            wait_until(lambda: "did not arrive" in each.text("notice"), "the line is in each tab")
        self.noted(page)
        [button] = [name for name, label in buttons.items() if label == "Send again"]
        self.desktop.press(number, button)
        self.arrives("secret words")
        page.click("open-history")
        wait_until(lambda: self.entries(page) == ["delivered", "resent"], "it was sent again")
        other.reload()
        self.ready(other)
        self.assertEqual(len(self.told()), 1)

    def test_a_notification_that_was_dismissed_does_not_come_again_in_any_tab(self):
        self.allow()
        page = self.signed_in()
        self.worker_is_ready(page)
        self.bounce(page, "secret words")
        [[number, *_]] = self.told()
        self.noted(page)
        self.desktop.dismiss(number)
        self.open()
        self.send(page, "another")
        self.arrives("another")
        page.reload()
        self.ready(page)
        wait_until(lambda: "did not arrive" in page.text("notice"), "the line stays")
        self.assertEqual(len(self.told()), 1)

    def test_a_click_shows_the_open_page_at_the_entry_and_with_no_page_opens_one(self):
        self.allow()
        page = self.signed_in()
        self.worker_is_ready(page)
        self.bounce(page, "secret words")
        [[number, *_]] = self.told()
        self.send(page, "another")
        self.desktop.press(number, "default")
        page.wait_seen("#history-list > li:nth-of-type(2) [data-part=resend]")
        self.assertEqual(page.run("return document.activeElement.localName"), "summary")
        page.click("history-back")
        self.bounce(page, "secret words again")
        number = self.told(2)[-1][0]
        self.noted(page, 2)
        page.close()
        with self.browser.context.expect_page() as opening:
            self.desktop.press(number, "default")
        opened = opening.value
        self.cleanup.callback(opened.close)
        opened.wait_for_selector("#history-list > li:nth-of-type(1) [data-part=resend]")

    def test_a_background_sync_tells_of_a_parked_memo_and_its_button_tries_it_again(self):
        self.allow()
        page = self.signed_in()
        self.worker_is_ready(page)
        self.go_offline()
        self.send(page, "secret words")
        page.close()
        self.browser.context.route("**/v1/memos/*", lambda route: route.fulfill(**REFUSAL))
        self.go_online()
        self.browser.sync(self.relay.url, "drain")
        [[number, _, _, buttons, _]] = self.told()
        self.browser.context.unroute_all()
        [button] = [name for name, label in buttons.items() if label == "Send again"]
        self.desktop.press(number, button)
        self.arrives("secret words")


class Asked(NoticesTest):
    """In a browser whose person never answered the question."""

    def test_nobody_is_asked_before_a_memo_did_not_arrive_and_then_by_a_button(self):
        page = self.browser.open()
        page.before_scripts(COUNT_QUESTIONS)
        page.go(self.relay.url)
        self.ready(page)
        self.sign_in(page)
        self.worker_is_ready(page)
        self.send(page, "arrives")
        self.arrives("arrives")
        page.click("open-history")
        wait_until(lambda: self.entries(page) == ["delivered"], "it is delivered")
        self.assertFalse(page.seen("notify"))
        page.click("history-back")
        self.bounce(page, "secret words")
        page.click("open-history")
        page.wait_seen("notify")
        self.assertEqual(page.run("return window.questions"), 0)
        page.click("notify")
        wait_until(lambda: page.run("return window.questions") == 1, "the person is asked")
        self.allow()
        page.wait_gone("notify")
        self.assertEqual(page.run("return window.questions"), 1)
        self.noted(page)
        page.click("history-back")
        self.bounce(page, "secret words again")
        self.assertEqual(len(self.told()), 1)
