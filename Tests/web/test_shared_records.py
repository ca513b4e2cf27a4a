"""What all devices of one person share, in two real browsers and in two tabs of one."""
import tempfile

from browser import wait_until
from chromium import Chromium
from journey import in_engines
from person import Person


@in_engines(Chromium)
class SharedByTwoBrowsers:
    def another(self):
        """The same person's other browser, signed in."""
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.cleanup.callback(profile.cleanup)
        browser = self.engine(f"{profile.name}/profile", self.language)
        self.cleanup.callback(browser.close)
        return Person(browser, self.relay, self.inbox)

    def set(self, page, name, value):
        """Changes a setting, and leaves its field."""
        page.click(name)
        page.run("document.activeElement.select()")
        page.type(value)
        page.click("settings-title")

    def has(self, page, name, value):
        wait_until(lambda: page.value(name) == value, lambda: f"{name}: {page.value(name)!r}")

    def test_edits_made_offline_meet_and_agree(self):
        first, other = self.signed_in(), self.another()
        second = other.signed_in()
        for page in (first, second):
            page.click("open-settings")
            page.wait_seen("signature")
        self.relay.stop()
        for browser in (self.browser, other.browser):
            browser.set_offline(True)
        self.set(first, "signature", "Sent by Ada")
        self.set(second, "subject-template", "[memo] {line}")
        for page in (first, second):
            wait_until(
                lambda: page.text("sync-state") == "Changes not confirmed yet: \u20681\u2069",
                lambda: page.text("sync-state"))
        self.relay.start()
        for browser in (self.browser, other.browser):
            browser.set_offline(False)
        for page in (first, second):
            self.has(page, "signature", "Sent by Ada")
            self.has(page, "subject-template", "[memo] {line}")
            wait_until(
                lambda: page.text("sync-state").startswith("Last synced: "),
                lambda: page.text("sync-state"))

    def test_of_two_signatures_the_person_chooses(self):
        first, other = self.signed_in(), self.another()
        second = other.signed_in()
        for page in (first, second):
            page.click("open-settings")
            page.wait_seen("signature")
        other.browser.set_offline(True)
        self.set(first, "signature", "Ada")
        self.set(second, "signature", "Grace")
        wait_until(
            lambda: first.text("sync-state").startswith("Last synced: "),
            lambda: first.text("sync-state"))
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


@in_engines(Chromium)
class SharedByTwoTabs:
    def test_both_change_settings_and_none_is_lost(self):
        first = self.signed_in()
        second = self.open()
        for page in (first, second):
            page.click("open-settings")
            page.wait_seen("signature")
        SharedByTwoBrowsers.set(self, first, "signature", "Ada")
        SharedByTwoBrowsers.set(self, second, "subject-template", "[memo] {line}")
        for page in (first, second):
            SharedByTwoBrowsers.has(self, page, "signature", "Ada")
            SharedByTwoBrowsers.has(self, page, "subject-template", "[memo] {line}")
        first.reload()
        self.ready(first)
        first.wait_seen("signature")
        SharedByTwoBrowsers.has(self, first, "signature", "Ada")
        SharedByTwoBrowsers.has(self, first, "subject-template", "[memo] {line}")
