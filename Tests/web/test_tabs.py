"""Two tabs, and none at all."""
from browser import wait_until
from chromium import WindowedChromium
from counted_relay import CountedRelay
from journey import WebTest, everywhere
from test_storage import RECORDS

#: Whether a page or the worker waits until it may deliver, because another one does.
ANOTHER_WAITS = """
    return (await navigator.locks.query()).pending.some(({name}) => name === "drain");"""


class Counted:
    make_relay = CountedRelay

    def another_would_deliver(self, page):
        """Waits, while deliveries are held, until a second context has come to deliver them."""
        wait_until(
            lambda: self.relay.has_repetition
            or self.relay.deliveries and page.run(ANOTHER_WAITS),
            "a second context waits for its turn")

    def each_was_delivered_once(self, *texts):
        self.arrives(*texts)
        self.assertEqual(list(self.relay.deliveries.values()), [1] * len(texts))
        self.assertEqual(self.inbox.collapsed, 0)


@everywhere
class TwoTabs(Counted):
    def test_both_send_and_each_memo_arrives_once(self):
        first = self.signed_in()
        second = self.open()
        sent = []

        def both_send(number):
            for page, name in ((first, "first"), (second, "second")):
                sent.append(f"{name} {number}")
                self.send(page, sent[-1])
        self.relay.hold()
        both_send(0)
        self.another_would_deliver(first)
        self.relay.let_pass()
        for number in range(1, 8):
            both_send(number)
        self.each_was_delivered_once(*sent)

    def test_each_keeps_its_own_draft(self):
        first = self.signed_in()
        self.write(first, "draft of the first")
        second = self.open()
        self.write(second, "draft of the second")
        self.draft_kept(first, "draft of the first")
        self.draft_kept(second, "draft of the second")
        self.assertEqual(first.value("memo"), "draft of the first")
        self.assertEqual(second.value("memo"), "draft of the second")
        first.press("Control+Enter")
        self.cleared(first)
        self.assertEqual(second.value("memo"), "draft of the second")
        self.arrives("draft of the first")

    def test_what_one_sends_the_other_lists(self):
        first = self.signed_in()
        second = self.open()
        second.click("open-history")
        self.send(first, "seen in both")
        wait_until(
            lambda: second.texts("#history-list [data-part=text]") == ["seen in both"],
            "the other tab lists it")
        self.arrives("seen in both")

    def test_when_the_one_that_delivers_is_closed_the_other_goes_on(self):
        first = self.signed_in()
        second = self.open()
        self.go_offline()
        self.send(first, "left behind")
        self.send(second, "carried on")
        first.close()
        self.go_online()
        self.arrives("left behind", "carried on")


class NoTab(Counted, WebTest):
    """Background Sync, which Chromium alone has."""

    engine = WindowedChromium

    def test_the_service_worker_delivers_with_no_page_open(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        self.go_offline()
        self.send(page, "delivered by nobody")
        self.send(page, "delivered by nobody either")
        page.waits("""
            const {sync} = await navigator.serviceWorker.ready;
            return (await sync.getTags()).length > 0;""", what="a sync is asked for")
        tag = page.run("return (await (await navigator.serviceWorker.ready).sync.getTags())[0]")
        page.close()
        self.go_online()
        # Chromium rings by itself, at a moment of its own choosing; the test does not wait for it.
        self.browser.sync(self.relay.url, tag)
        self.each_was_delivered_once("delivered by nobody", "delivered by nobody either")

    def test_with_a_page_open_the_worker_and_the_page_do_not_both_deliver(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        sent = [f"race {number}" for number in range(10)]
        for text in sent:
            self.relay.deliveries.clear()
            self.relay.hold()
            self.send(page, text)
            self.browser.sync(self.relay.url, "any")
            self.another_would_deliver(page)
            self.relay.let_pass()
            wait_until(lambda: text in self.memos(), "it arrives")
            self.assertEqual(list(self.relay.deliveries.values()), [1])
        self.arrives(*sent)
        self.assertEqual(self.inbox.collapsed, 0)


#: Runs before the app: sealing waits, and other tabs are not heard, until the test lets them.
HOLD_SEALING = """
    const encrypt = SubtleCrypto.prototype.encrypt;
    let passed = new Promise((pass) => { window.letSealingPass = pass; });
    window.sealing = 0;
    SubtleCrypto.prototype.encrypt = async function (...all) {
        window.sealing += 1;
        const sealed = await encrypt.apply(this, all);
        if (window.isSealingHeld) await passed;
        return sealed;
    };
    window.BroadcastChannel = class { postMessage() {} };"""


class SigningOutMeanwhile(WebTest):
    def test_what_one_tab_seals_is_not_stored_after_another_has_deleted_the_key(self):
        first = self.browser.open()
        first.before_scripts(HOLD_SEALING)
        first.go(self.relay.url)
        self.ready(first)
        self.sign_in(first)
        second = self.open()
        self.write(first, "sealed too early")
        self.draft_kept(first, "sealed too early")
        first.run("window.sealing = 0; window.isSealingHeld = true")
        first.press("Control+Enter")
        first.waits("return window.sealing > 0", what="the memo is sealed")
        second.click("open-settings")
        second.wait_seen("sign-out")
        second.click("sign-out")
        second.wait_seen("wipe-confirm")
        second.waits_for_another(lambda: second.click("wipe-accept"))
        self.ready(second)
        first.run("window.letSealingPass()")
        wait_until(
            lambda: "Another tab signed out" in first.text("notice"), lambda: first.text("notice"))
        self.assertEqual(first.value("memo"), "sealed too early")
        self.assertEqual(first.run(RECORDS)["outbox"], 0)
        first.close()
        self.sign_in(second)
        self.send(second, "afresh")
        self.arrives("afresh")
