"""What all devices of one person share, in two real browsers, in two tabs of one, and with two real terminals."""
import subprocess
import tempfile
import time

from browser import SECONDS, wait_until
from chromium import Chromium
from journey import WebTest, in_engines
from person import OWNER, Person
from processes import BIN, Device

#: How many kills, of a terminal and of a page in turn.
ROUNDS = 12

#: Has a page say what it shows of its changes whenever that becomes another one.
TELL_STATE = """
    new MutationObserver(() => console.log($["sync-state"].textContent))
        .observe($["sync-state"], {characterData: true, childList: true, subtree: true});"""


class SharingTest(WebTest):
    """Changes the settings of a person's devices."""

    def another(self):
        """The same person's other browser, signed in."""
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.cleanup.callback(profile.cleanup)
        browser = self.engine(f"{profile.name}/profile", self.language)
        self.cleanup.callback(browser.close)
        return Person(browser, self.relay, self.inbox)

    def fill(self, page, name, value):
        page.click(name)
        page.run("document.activeElement.select()")
        page.type(value)

    def set(self, page, name, value):
        """Changes a setting, and leaves its field."""
        self.fill(page, name, value)
        page.click("settings-title")

    def has(self, page, name, value):
        wait_until(lambda: page.value(name) == value, lambda: f"{name}: {page.value(name)!r}")

    def open_settings(self, page):
        page.click("open-settings")
        page.wait_seen("signature")

    def wait_unconfirmed(self, page, count=1):
        """Waits until the browser keeps so many changes that the relay has not confirmed."""
        wait_until(
            lambda: page.text("sync-state") == f"Changes not confirmed yet: \u2068{count}\u2069",
            lambda: page.text("sync-state"))

    def wait_synced(self, page):
        """Waits until the relay has confirmed each change that the browser keeps."""
        wait_until(
            lambda: page.text("sync-state").startswith("Last synced: "),
            lambda: page.text("sync-state"))


@in_engines(Chromium, base=SharingTest)
class SharedByTwoBrowsers:
    def test_edits_made_offline_meet_and_agree(self):
        first, other = self.signed_in(), self.another()
        second = other.signed_in()
        for page in (first, second):
            self.open_settings(page)
        self.relay.stop()
        for browser in (self.browser, other.browser):
            browser.set_offline(True)
        self.set(first, "signature", "Sent by Ada")
        self.set(second, "subject-template", "[memo] {line}")
        for page in (first, second):
            self.wait_unconfirmed(page)
        self.relay.start()
        for browser in (self.browser, other.browser):
            browser.set_offline(False)
        for page in (first, second):
            self.has(page, "signature", "Sent by Ada")
            self.has(page, "subject-template", "[memo] {line}")
            self.wait_synced(page)

    def test_of_two_signatures_the_person_chooses(self):
        first, other = self.signed_in(), self.another()
        second = other.signed_in()
        for page in (first, second):
            self.open_settings(page)
        other.browser.set_offline(True)
        self.set(first, "signature", "Ada")
        self.set(second, "signature", "Grace")
        self.wait_synced(first)
        other.browser.set_offline(False)
        wait_until(
            lambda: second.texts("#change-list [data-part=text]") == ["Grace"],
            "the change waits for the person")
        self.assertEqual(
            second.texts("#change-list [data-part=reason]"),
            ["Another device has changed this, too. There: \u2068Ada\u2069"])
        second.click("#change-list [data-part=delete]")
        self.has(second, "signature", "Ada")
        wait_until(
            lambda: second.texts("#change-list [data-part=text]") == [], "nothing waits any more")
        self.has(first, "signature", "Ada")

    def test_a_text_that_is_being_written_outlives_the_other_s_changes(self):
        first, other = self.signed_in(), self.another()
        second = other.signed_in()
        for page in (first, second):
            self.open_settings(page)
        self.fill(first, "subject-template", "[memo] {line}")
        self.set(second, "signature", "Ada")
        self.has(first, "signature", "Ada")
        first.click("settings-title")
        for page in (first, second):
            self.has(page, "subject-template", "[memo] {line}")
        # What was written and taken is being written no more.
        self.set(second, "subject-template", "{line}")
        self.has(first, "subject-template", "{line}")

        self.fill(first, "signature", "Grace")
        self.set(second, "signature", "Edith")
        self.wait_synced(second)
        second.click("privacy-overlay-setting")
        first.waits("return !document.getElementById('privacy-overlay-setting').checked")
        self.assertEqual(first.value("signature"), "Grace")
        # Whoever leaves the field as it was has written nothing.
        self.fill(first, "signature", "Ada")
        first.click("settings-title")
        for page in (first, second):
            self.has(page, "signature", "Edith")
            self.wait_synced(page)
            self.assertEqual(page.texts("#change-list [data-part=text]"), [])

    def test_a_memo_of_one_is_in_the_history_of_the_other(self):
        first, other = self.signed_in(), self.another()
        second = other.signed_in()
        second.click("open-history")
        self.send(first, "only here")
        self.arrives("only here")
        wait_until(
            lambda: second.texts("#history-list [data-part=status]") == ["In your inbox"]
            or second.texts("#history-list [data-part=status]") == ["Delivered"],
            lambda: str(second.texts("#history-list [data-part=status]")), 10)
        self.assertNotIn("only here", second.run("return document.body.textContent"))


@in_engines(Chromium, base=SharingTest)
class SharedByTwoTabs:
    def test_both_change_settings_and_none_is_lost(self):
        first = self.signed_in()
        second = self.open()
        for page in (first, second):
            self.open_settings(page)
        self.set(first, "signature", "Ada")
        self.set(second, "subject-template", "[memo] {line}")
        for page in (first, second):
            self.has(page, "signature", "Ada")
            self.has(page, "subject-template", "[memo] {line}")
        first.reload()
        self.ready(first)
        first.wait_seen("signature")
        self.has(first, "signature", "Ada")
        self.has(first, "subject-template", "[memo] {line}")


@in_engines(Chromium, base=SharingTest)
class SharedByTwoTerminalsAndTwoBrowsers:
    def setUp(self):
        super().setUp()
        self.terminals = [self.terminal("one"), self.terminal("two")]
        self.other = self.another()
        self.pages = [self.signed_in(), self.other.signed_in()]
        for page in self.pages:
            self.open_settings(page)

    def terminal(self, name):
        device = Device(f"{self.folder}/{name}")
        device.sign_in(OWNER, self.relay, self.codes)
        self.cleanup.callback(device.kill_agents)
        return device

    def sync(self, *terminals):
        for terminal in terminals:
            self.assertEqual(terminal.json("sync")["status"], "synced")

    def is_kept(self):
        """Whether the first page has said since the console was cleared that it keeps a change."""
        return any(
            word in text for text in self.browser.console for word in ("Changes not confirmed yet", "Syncing"))

    def agree(self, subject_template, signature):
        """Waits until all devices have both, and nothing waits for the relay or for a person."""
        for page in self.pages:
            self.has(page, "subject-template", subject_template)
            self.has(page, "signature", signature)
            self.wait_synced(page)
            self.assertEqual(page.texts("#change-list [data-part=text]"), [])
        for terminal in self.terminals:
            self.sync(terminal)
            settings = terminal.json("settings")
            self.assertEqual(
                [settings["subjectTemplate"] or "", settings["signature"], settings["notConfirmed"],
                 settings["questions"]],
                [subject_template, signature, 0, []])

    def test_edits_made_offline_on_all_four_meet_and_agree(self):
        one, two = self.terminals
        first, second = self.pages
        self.sync(one, two)
        self.relay.stop()
        for browser in (self.browser, self.other.browser):
            browser.set_offline(True)
        one.run("settings", "--signature", "Sent by Ada")
        two.run("settings", "--language", "en")
        self.set(first, "subject-template", "[memo] {line}")
        second.click("privacy-overlay-setting")
        for page in self.pages:
            self.wait_unconfirmed(page)
        self.relay.start()
        for browser in (self.browser, self.other.browser):
            browser.set_offline(False)
        self.sync(one, two)
        self.agree("[memo] {line}", "Sent by Ada")
        for page in self.pages:
            self.has(page, "language", "en")
            page.waits("return !document.getElementById('privacy-overlay-setting').checked")
        self.assertEqual(one.json("settings")["language"], "en")

    def test_of_the_signatures_of_a_terminal_and_of_a_browser_the_person_chooses(self):
        one, (first, second) = self.terminals[0], self.pages
        self.sync(one)
        self.set(first, "signature", "Ada")
        self.has(second, "signature", "Ada")
        one.run("settings", "--signature", "Grace")
        asked = wait_until(lambda: one.json("sync")["questions"], "the terminal asks")
        self.assertEqual(asked, [{"setting": "signature", "mine": "Grace", "theirs": "Ada"}])
        one.run("sync", "--mine", "signature")
        self.agree("", "Grace")

        self.other.browser.set_offline(True)
        self.set(second, "signature", "Edith")
        self.wait_unconfirmed(second)
        one.run("settings", "--signature", "Hedy")
        self.sync(one)
        self.has(first, "signature", "Hedy")
        self.other.browser.set_offline(False)
        wait_until(
            lambda: second.texts("#change-list [data-part=reason]")
            == ["Another device has changed this, too. There: \u2068Hedy\u2069"],
            "the browser asks")
        second.click("#change-list [data-part=retry]")
        self.agree("", "Edith")

    def test_one_that_is_killed_while_the_others_meet_loses_and_doubles_nothing(self):
        one, two = self.terminals
        self.sync(one, two)
        shown = ""
        for step in range(ROUNDS):
            page, subject = self.pages[0], f"{step} {{line}}"
            one.run("settings", "--signature", f"A{step}")
            # What the page says from now on is about the change that comes.
            self.wait_synced(page)
            if step % 2:
                page.run(TELL_STATE)
            self.fill(page, "subject-template", subject)
            meeting = subprocess.Popen(
                [BIN / "memo", "sync"], env=one.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.browser.console.clear()
            page.click("settings-title")
            # The moments of their meeting, from its start to beyond its end. Only the last one is waited for.
            time.sleep(step // 2 * 0.02)
            if step % 2:
                if step == ROUNDS - 1:
                    wait_until(lambda: page.text("sync-state") and self.is_kept(), "the page keeps its change")
                page.crash()
                is_kept = self.is_kept()
                page = self.pages[0] = self.open()
                self.open_settings(page)
                if not is_kept:
                    wait_until(
                        lambda: page.value("subject-template") in (shown, subject), "the page shows a value")
                    subject = page.value("subject-template")
            else:
                meeting.kill()
                one.kill_agents()
            meeting.wait(SECONDS)
            self.sync(two)
            self.assertEqual(one.json("settings")["signature"], f"A{step}", "no edit is lost")
            self.has(page, "subject-template", subject)
            shown = subject
        self.set(self.pages[0], "subject-template", "{line}!")
        self.sync(one)
        self.agree("{line}!", f"A{ROUNDS - 1}")
