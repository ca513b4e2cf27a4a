"""The history: by identifier, with statuses, and what can be done with an entry."""
import subprocess

from browser import SECONDS, wait_until
from delivery_reports import report
from journey import WebTest, everywhere
from processes import BIN

STATUSES = "#history-list [data-part=status]"
TEXTS = "#history-list [data-part=text]"

#: Counts or deletes the state of what all devices share.
SHARED_STATE = """
    const [{name}] = await indexedDB.databases();
    const open = indexedDB.open(name);
    const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
    const run = database.transaction("shared", "readwrite");
    const complete = new Promise((done) => { run.oncomplete = done; });
    const request = run.objectStore("shared")[a[0]](new Uint8Array([0]));
    await complete;
    database.close();
    return request.result ?? null;"""


class Entries:
    def entries(self, page):
        return page.run(
            "return [...document.querySelectorAll('#history-list > li')].map((e) => e.dataset.state)")

    def press(self, page, number, part):
        """Opens an entry and presses one of its buttons."""
        row = f"#history-list > li:nth-of-type({number + 1})"
        if not page.seen(f"{row} [data-part={part}]"):
            page.click(f"{row} summary")
        page.click(f"{row} [data-part={part}]")


@everywhere
class History(Entries):
    def test_equal_memos_are_two_entries_with_statuses_of_their_own(self):
        page = self.signed_in()
        self.send(page, "the same")
        self.arrives("the same")
        page.click("open-history")
        wait_until(lambda: self.entries(page) == ["delivered"], "the first is delivered")
        page.click("history-back")
        self.go_offline()
        self.send(page, "the same")
        page.click("open-history")
        wait_until(lambda: self.entries(page) == ["queued", "delivered"], "the second waits")
        self.go_online()
        wait_until(lambda: self.entries(page) == ["delivered"] * 2, "both are delivered")
        self.assertEqual(page.texts(TEXTS), ["the same", "the same"])
        statuses = page.texts(STATUSES)
        self.assertTrue(all(statuses), "a status is not said in words")
        self.arrives("the same", "the same")

    def test_a_memo_that_has_arrived_can_be_deleted_and_not_sent_again(self):
        page = self.signed_in()
        for text in ("first", "second"):
            self.send(page, text)
        self.arrives("first", "second")
        page.click("open-history")
        wait_until(lambda: self.entries(page) == ["delivered"] * 2, "both are delivered")
        self.press(page, 0, "delete")
        self.assertFalse(page.seen("#history-list [data-part=resend]"), "it could be doubled")
        page.click("confirm-accept")
        wait_until(lambda: page.texts(TEXTS) == ["first"], "it is gone")
        wait_until(lambda: page.text("notice") == "Deleted", "it is said")
        self.assertEqual(page.focus(), "history-title")
        page.reload()
        self.ready(page)
        if not page.seen("history"):
            page.click("open-history")
        wait_until(lambda: page.texts(TEXTS) == ["first"], "the other is still there")
        self.press(page, 0, "delete")
        page.click("confirm-accept")
        page.wait_seen("history-empty")

    def test_a_memo_that_waits_says_why_and_can_be_tried_now(self):
        page = self.signed_in()
        self.go_offline()
        self.send(page, "impatient")
        page.click("open-history")
        wait_until(
            lambda: any("Waiting" in text for text in page.texts("#history-list [data-part=reason]")),
            "the reason is said")
        self.press(page, 0, "retry")
        self.go_online()
        self.arrives("impatient")

    def test_all_of_a_long_memo_can_be_read(self):
        page = self.signed_in()
        text = "".join(f"Line {number} of a long memo\n" for number in range(400))
        page.click("memo")
        page.insert(text)
        page.press("Control+Enter")
        self.cleared(page)
        page.click("open-history")
        wait_until(lambda: page.texts(TEXTS) and page.texts(TEXTS)[0].endswith("…"), "it is cut")
        self.press(page, 0, "whole")
        wait_until(lambda: page.texts(TEXTS) == [text.strip()], "all of it is shown")

    def test_an_entry_says_when_it_was_sent(self):
        page = self.signed_in()
        before = page.run("return Date.now()")
        self.send(page, "dated")
        after = page.run("return Date.now()")
        page.click("open-history")
        page.wait_seen("#history-list time")
        self.assertTrue(page.texts("#history-list time")[0])
        sent = page.run("""
            return Date.parse(document.querySelector("#history-list time").dateTime)""")
        # The entry may name whole seconds.
        self.assertLessEqual(before // 1000 * 1000, sent)
        self.assertLessEqual(sent, after)
        self.arrives("dated")

    def test_the_shortcut_opens_the_history(self):
        page = self.signed_in()
        self.send(page, "listed")
        page = self.open("/#history")
        page.wait_seen("history")
        wait_until(lambda: page.texts(TEXTS) == ["listed"], "it is listed")


class Copying(Entries, WebTest):
    """Only Chromium lets a test look into the clipboard."""

    def test_an_entry_can_be_copied_as_it_was_written(self):
        self.browser.context.grant_permissions(
            ["clipboard-read", "clipboard-write"], origin=self.relay.url)
        page = self.signed_in()
        page.click("memo")
        page.insert("first line\n\n  日本語\tend")
        page.press("Control+Enter")
        self.cleared(page)
        page.click("open-history")
        page.wait_seen("#history-list li")
        self.press(page, 0, "copy")
        wait_until(
            lambda: page.run("return await navigator.clipboard.readText()")
            == "first line\n\n  日本語\tend", "it is in the clipboard")
        wait_until(lambda: page.text("notice") == "Copied", "it is said")
        self.arrives("first line\n\n  日本語\tend")


class Bounced(Entries, WebTest):
    relay_options = (*WebTest.relay_options, "--bounce-address", "bounce@relay.example")

    def bounce(self, address):
        subprocess.run(
            [BIN / "memo-relay", "bounce", "--data", self.relay.folder, "--recipient", address],
            input=report(), check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)

    def test_a_memo_that_bounces_after_its_delivery_can_be_sent_again_once(self):
        senders = []
        deliver = self.server.handle_DATA

        async def handle(server, session, envelope):
            senders.append(envelope.mail_from)
            return await deliver(server, session, envelope)

        self.server.handle_DATA = handle
        page = self.signed_in()
        self.send(page, "comes back")
        self.arrives("comes back")
        page.click("open-history")
        wait_until(lambda: self.entries(page) == ["delivered"], "it is delivered")
        page.click("history-back")
        self.bounce(senders[-1])
        page.reload()
        self.ready(page)
        wait_until(lambda: "did not arrive" in page.text("notice"), "it is told beside the field")
        self.assertEqual(page.run("return $['open-history'].dataset.state"), "attention")
        page.click("notice-action")
        wait_until(lambda: self.entries(page) == ["attention"], "it has bounced")
        self.assertEqual(page.run("return $['open-history'].dataset.state"), "")
        self.assertEqual(page.texts(STATUSES), ["Bounced"])
        self.assertIn("dsn.5.1.1", page.texts("#history-list [data-part=reason]")[0])
        self.press(page, 0, "resend")
        self.arrives("comes back", "comes back")
        wait_until(
            lambda: self.entries(page) == ["delivered", "resent"], "the old entry was sent again")
        self.assertEqual(page.texts(STATUSES)[1], "Sent again")
        page.reload()
        self.ready(page)
        if not page.seen("history"):
            page.click("open-history")
        wait_until(lambda: self.entries(page) == ["delivered", "resent"], "it stays so")
        # Without the state of what is shared the page reads everything again that the relay has told.
        page.run(SHARED_STATE, "delete")
        page.reload()
        self.ready(page)
        wait_until(lambda: page.run(SHARED_STATE, "count") == 1, "the changes were read again")
        if not page.seen("history"):
            page.click("open-history")
        wait_until(lambda: self.entries(page) == ["delivered", "resent"], "it stays so")
        row = "#history-list > li:nth-of-type(2)"
        if not page.seen(f"{row} [data-part=copy]"):
            page.click(f"{row} summary")
        page.wait_seen(f"{row} [data-part=copy]")
        self.assertFalse(page.seen(f"{row} [data-part=resend]"), "it can be sent a third time")
