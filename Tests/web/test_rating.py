"""The question for a rating, over weeks of faked time."""
import os

from browser import wait_until
from journey import WebTest
from test_storage import RECORDS

DAY = 86_400_000
#: Nothing answers there; that the browser asks is enough.
REVIEW_PAGE = "https://127.0.0.1:9/review-of-simple-memo"

#: Begins to send as a person does, one memo after the other; `isSending` says how long.
SEND_MANY = """
    window.isSending = true;
    (async () => {
        $.memo.focus();
        for (let number = a[0]; number < a[1]; number += 1) {
            $.memo.value = `memo ${number}`;
            $.memo.dispatchEvent(new InputEvent("input", {bubbles: true}));
            $.memo.dispatchEvent(new KeyboardEvent(
                "keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true}));
            while ($.memo.value) await new Promise((done) => setTimeout(done, 5));
        }
        window.isSending = false;
    })();"""

#: Counts memos that nobody sent, in the app's own record, while no page changes it; answers whether
#: there is such a record. The app makes it some seconds after the first memo was sent.
COUNT = """
    const ended = (request) => new Promise((done, fail) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => fail(request.error);
    });
    return await navigator.locks.request("rating", async () => {
        for (const {name} of await indexedDB.databases()) {
            const database = await ended(indexedDB.open(name));
            try {
                const things = database.transaction("things", "readwrite").objectStore("things");
                for (const record of await ended(things.getAll())) {
                    const text = new TextDecoder().decode(record.body);
                    if (!text.startsWith("{") || !("sentAtShowing" in JSON.parse(text))) continue;
                    const counted = {...JSON.parse(text), sent: JSON.parse(text).sent + a[0]};
                    const body = new TextEncoder().encode(JSON.stringify(counted));
                    await ended(things.put({...record, body}));
                    return true;
                }
            } finally {
                database.close();
            }
        }
        return false;
    });"""
#: The number of memos that a page really sends at a time; the others before them are only counted.
REALLY_SENT = int(os.environ.get("MEMO_RATED_SENDS", "1000"))


class RatingTest(WebTest):
    def setUp(self):
        super().setUp()
        self.sent = 0

    def opened(self):
        page = self.browser.open()
        page.page.clock.install()
        page.go(self.relay.url)
        self.ready(page)
        return page

    def ready(self, page):
        # The app begins after a frame, and a clock that was put forward gives a new page none.
        wait_until(lambda: self.pass_time(page, 500) or page.run("return $.overlay"), "the app begins")
        super().ready(page)

    def send_many(self, count, *pages):
        """Each of the pages sends as many, all at once."""
        if self.sent and count > REALLY_SENT:
            unsent = (count - REALLY_SENT) * len(pages)
            wait_until(lambda: self.counted(pages[0], unsent), "memos that nobody sent are counted")
            count = REALLY_SENT
        for page in pages:
            page.run(SEND_MANY, self.sent, self.sent + count)
            self.sent += count
        for page in pages:
            page.waits("return !window.isSending", what="all are sent")
        wait_until(lambda: len(self.memos()) == self.sent, "all have arrived")
        wait_until(lambda: pages[0].run(RECORDS)["outbox"] == 0, "nothing waits")

    def counted(self, page, count):
        self.pass_time(page, 1000)
        return page.run(COUNT, count)

    def pass_time(self, page, milliseconds):
        page.page.clock.fast_forward(milliseconds)

    def is_asked(self, page):
        """Whether the question comes, given all the time that it needs."""
        for _ in range(10):
            self.pass_time(page, 1000)
            # What comes with the second needs the database: real time.
            page.run("await indexedDB.databases()")
            page.page.wait_for_timeout(50)
            if page.seen("rating"):
                return True
        return False

    def asked(self, page):
        wait_until(lambda: self.is_asked(page), "it is asked")


class Rating(RatingTest):
    def test_every_hundred_memos_at_least_fourteen_days_apart_and_thirty_after_a_dismissal(self):
        page = self.opened()
        self.sign_in(page)
        self.send_many(1, page)
        self.send_many(98, page)
        self.assertFalse(self.is_asked(page), "after 99")
        self.send_many(1, page)
        self.asked(page)
        for star in range(1, 6):
            width, height = page.run("""
                const {width, height} = document.getElementById(a[0]).getBoundingClientRect();
                return [width, height];""", f"rate-{star}")
            self.assertGreaterEqual(min(width, height), 44, f"star {star}")
            self.assertAlmostEqual(width, height, delta=1, msg=f"star {star}")
        page.click("rate-3")
        page.wait_seen("rating-thanks")
        self.pass_time(page, 4000)
        page.wait_gone("rating")
        self.assertEqual(page.focus(), "memo")

        self.send_many(100, page)
        self.assertFalse(self.is_asked(page), "a hundred more on the same day")
        self.pass_time(page, 13 * DAY)
        self.send_many(1, page)
        self.assertFalse(self.is_asked(page), "after thirteen days")
        self.pass_time(page, DAY)
        self.send_many(1, page)
        self.asked(page)
        page.click("rating-dismiss")
        page.wait_gone("rating")

        self.send_many(100, page)
        self.pass_time(page, 29 * DAY)
        self.send_many(1, page)
        self.assertFalse(self.is_asked(page), "29 days after it was dismissed")
        # The number of days that counts is the device's, whatever page asks.
        page.reload()
        self.ready(page)
        self.pass_time(page, 31 * DAY)
        self.send_many(1, page)
        self.asked(page)
        # This relay has no page for reviews.
        pages = len(self.browser.context.pages)
        page.click("rate-5")
        page.wait_seen("rating-thanks")
        self.pass_time(page, 4000)
        page.wait_gone("rating")
        self.assertEqual(page.focus(), "memo")
        self.assertEqual(len(self.browser.context.pages), pages)

    def test_two_tabs_count_together_and_one_of_them_asks(self):
        pages = [self.opened(), self.opened()]
        self.sign_in(pages[0])
        self.send_many(1, *pages)
        self.send_many(49, *pages)
        wait_until(lambda: any([self.is_asked(page) for page in pages]), "it is asked")
        self.assertEqual([self.is_asked(page) for page in pages].count(True), 1)


class ReviewPage(RatingTest):
    relay_options = (*WebTest.relay_options, "--review-page", REVIEW_PAGE)

    def test_five_stars_lead_to_the_review_page_and_fewer_do_not(self):
        page = self.opened()
        self.sign_in(page)
        self.send_many(1, page)
        self.send_many(99, page)
        self.asked(page)
        page.click("rate-3")
        page.wait_seen("rating-thanks")
        self.pass_time(page, 4000)
        page.wait_gone("rating")
        self.assertNotIn(REVIEW_PAGE, self.browser.requests)

        self.pass_time(page, 14 * DAY)
        self.send_many(100, page)
        self.asked(page)
        with self.browser.context.expect_page() as opened:
            page.click("rate-5")
        wait_until(
            lambda: opened.value.wait_for_timeout(20) or REVIEW_PAGE in self.browser.requests,
            lambda: f"the review page is asked for: {self.browser.requests[-5:]}")
        opened.value.close()
        page.wait_gone("rating")
        self.assertEqual(page.focus(), "memo")
        self.browser.requests[:] = [url for url in self.browser.requests if url != REVIEW_PAGE]
