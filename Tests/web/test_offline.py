"""Without a network, with one that comes and goes, and with a relay that stays away."""
import random
import time

from browser import wait_until
from journey import WebTest, everywhere
from seeds import seed_of


@everywhere
class Offline:
    def test_memos_written_without_a_network_leave_the_field_and_arrive_when_it_is_back(self):
        page = self.signed_in()
        self.go_offline()
        place = page.run("const box = $.memo.getBoundingClientRect(); return [box.x, box.y, box.width]")
        for number in range(3):
            self.send(page, f"offline {number}")
        self.assertEqual(
            place, page.run("const box = $.memo.getBoundingClientRect(); return [box.x, box.y, box.width]"),
            "the field has moved")
        if "offline" not in self.browser.lacks:
            page.wait_seen("offline")
        self.assertNotEqual(page.run("return $.notice.dataset.state"), "error")
        self.go_online()
        self.arrives("offline 0", "offline 1", "offline 2")
        page.wait_gone("offline")

    def test_from_the_second_load_on_the_app_needs_no_network(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        self.go_offline()
        page.reload()
        self.ready(page)
        wait_until(lambda: page.focus() == "memo", "the field has the focus")
        self.send(page, "without any network")
        page.click("open-history")
        wait_until(
            lambda: page.texts("#history-list [data-part=text]") == ["without any network"],
            "the history shows it")
        self.go_online()
        self.arrives("without any network")

    def test_a_network_that_comes_and_goes_neither_loses_nor_doubles(self):
        seed = seed_of("browser-flapping")
        print(f"seed {seed}", end=" ", flush=True)
        chance = random.Random(seed)
        page = self.signed_in()
        is_online, sent = True, []
        for number in range(24):
            if chance.random() < 0.6:
                is_online = not is_online
                if is_online:
                    self.go_online()
                elif chance.random() < 0.5:
                    self.go_offline()
                else:
                    # The browser is not told: requests fail, perhaps in the middle.
                    self.relay.kill()
            sent.append(f"flapping {number}")
            self.send(page, sent[-1])
            time.sleep(chance.uniform(0, 0.1))
        if not is_online:
            self.go_online()
        self.retry(page)
        self.arrives(*sent)

    def retry(self, page):
        page.click("open-settings")
        page.wait_seen("open-diagnostics")
        page.click("open-diagnostics")
        page.wait_seen("diagnostics")
        # Gone as soon as nothing waits any more.
        page.run("($['retry-now'].checkVisibility() ? $['retry-now']\n                : document.querySelector('#queue-list [data-part=retry]'))?.click()")


class AnotherNetwork(WebTest):
    #: What Chromium has on a telephone.
    CONNECTION = """
        Object.defineProperty(navigator, "connection", {
            value: Object.assign(new EventTarget(), { type: "wifi" }) })"""

    def test_a_connection_of_another_kind_is_tried_at_once(self):
        page = self.browser.open()
        page.before_scripts(self.CONNECTION)
        page.page.clock.install()
        page.go(self.relay.url)
        self.ready(page)
        self.sign_in(page)
        # No timer fires any more, and so no wait for another attempt ends by itself.
        page.page.clock.pause_at(time.time() + 3600)
        self.relay.stop()
        self.send(page, "between two networks")
        page.waits("return !$.offline.hidden", what="the relay is missed")
        self.relay.start()
        page.run("navigator.connection.type = 'cellular'")
        page.run("navigator.connection.dispatchEvent(new Event('change'))")
        self.arrives("between two networks")


class AnHour(WebTest):
    def test_only_after_an_hour_something_is_said_and_then_it_is_delivered(self):
        page = self.browser.open()
        page.page.clock.install()
        page.go(self.relay.url)
        self.ready(page)
        self.sign_in(page)
        self.relay.stop()
        self.send(page, "patient")
        page.waits("return $.notice.textContent === ''", what="the word of the sending has gone")
        for _ in range(11):
            page.page.clock.fast_forward("05:00")
            # A notice that comes too early would need the database, and so real time.
            time.sleep(0.1)
            self.assertEqual(page.text("notice"), "")
        self.passes(
            page, lambda: page.run("return $.notice.dataset.state") == "warning", "it is said")
        self.assertTrue(page.text("notice"))
        self.assertTrue(page.seen("notice"))
        self.send(page, "one more")
        self.relay.start()
        self.passes(page, lambda: len(self.memos()) == 2, "both arrive")
        self.arrives("patient", "one more")
        self.passes(
            page, lambda: page.run("return $.notice.dataset.state") != "warning", "it is taken back")

    def passes(self, page, condition, what):
        """Lets minutes pass until it is so."""
        def look():
            page.page.clock.fast_forward("01:00")
            page.page.wait_for_timeout(100)
            return condition()
        wait_until(look, what)
