"""A revoked device, a new one, and what the settings do to the mail."""
import re

from browser import wait_until
from chromium import Chromium
from journey import WebTest, everywhere

#: What the engines call themselves, and what lists of devices call them.
BROWSERS = {"chromium": "Chrome", "firefox": "Firefox", "webkit": "Safari"}
#: Runs before the app: in place of mailing a code, the relay sends the browser elsewhere.
REDIRECT = """
    const own = fetch;
    window.fetch = (path, options) => path === "/v1/verifications"
        ? own("/review", {...options, method: "GET", headers: {}, body: undefined})
        : own(path, options);"""


@everywhere
class Account:
    def test_a_revoked_device_keeps_its_memos_says_so_and_delivers_after_signing_in_again(self):
        page = self.signed_in()
        # The same relay under another name is another origin: a second device of the same person.
        other = self.browser.open(self.relay.url.replace("127.0.0.1", "localhost"))
        self.ready(other)
        self.sign_in(other)
        other.click("open-settings")
        other.wait_seen("#device-list li")
        wait_until(lambda: len(other.texts("#device-list li")) == 2, "both devices are listed")
        names = other.texts("#device-list [data-part=name]")
        self.assertRegex(names[0], rf"^{BROWSERS[self.engine.family]} \(.+\)$")
        other.click("#device-list [data-part=revoke]:not([hidden])")
        other.wait_seen("confirm")
        other.click("confirm-accept")
        wait_until(lambda: len(other.texts("#device-list li")) == 1, "it is revoked")
        self.send(page, "after it was revoked")
        page.waits("return ['warning', 'error'].includes($.notice.dataset.state)", what="it is said")
        self.assertTrue(page.text("notice"))
        self.assertEqual(self.memos(), [])
        self.sign_in(page)
        self.arrives("after it was revoked")

    def test_a_code_is_taken_by_a_page_that_was_reloaded_since_it_was_asked_for(self):
        page = self.open()
        self.ask_code(page)
        page.reload()
        page.wait_seen("code")
        self.give_code(page)
        page.click("settings-back")
        self.send(page, "from the page that was reloaded")
        self.arrives("from the page that was reloaded")

    def test_subject_and_signature_are_the_person_s_own(self):
        page = self.signed_in()
        page.click("open-settings")
        page.wait_seen("subject-template")
        page.click("subject-template")
        page.run("document.activeElement.select()")
        page.type("[memo] {line}")
        page.click("signature")
        page.type("Sent by me")
        page.click("settings-back")
        self.send(page, "a subject of its own")
        wait_until(lambda: self.memos(), "it arrives")
        message = [m for m in self.inbox.messages() if m["Reply-To"]][0]
        self.assertEqual(message["Subject"], "[memo] a subject of its own")
        self.assertEqual(self.memos(), ["a subject of its own\n-- \nSent by me"])
        page.reload()
        self.ready(page)
        page.click("open-settings")
        wait_until(lambda: page.value("signature") == "Sent by me", "the settings were kept")


class Redirected(WebTest):
    def test_a_redirect_is_not_followed_and_told_as_an_answer_of_something_else(self):
        page = self.browser.open()
        page.before_scripts(REDIRECT)
        page.go(self.relay.url)
        self.ready(page)
        page.click("open-settings")
        page.wait_seen("address")
        page.click("address")
        page.type("somebody@example.org")
        page.click("ask-code")
        page.waits("return $.address.getAttribute('aria-invalid') === 'true'", what="it is said")
        self.assertIn("Something other than the server answered", page.text("address-error"))


@everywhere
class NewDevice:
    relay_options = (*WebTest.relay_options, "--public-url", "https://relay.example.org",
                     "--trusted-proxies", "1")

    def link(self):
        for message in self.inbox.messages():
            text = message.get_payload(decode=True).decode()
            if link := re.search(r"^https://relay\.example\.org(/\S+)$", text, re.M):
                return link[1]
        return None

    def test_the_button_of_the_mail_s_page_signs_the_new_device_out_and_no_other(self):
        page = self.signed_in()
        other = self.browser.open(self.relay.url.replace("127.0.0.1", "localhost"))
        self.ready(other)
        self.sign_in(other)
        link = wait_until(self.link, "a mail tells of the second device")
        asked = self.browser.open(self.relay.url + link)
        asked.wait_seen("form button")
        question = asked.texts("p")
        self.looks_like_the_app(asked)
        # It names the device that is about to be signed out, with the time of the mail.
        self.assertRegex(asked.texts(".device")[0], r"^\S.* \d{4}-\d\d-\d\d \d\d:\d\d UTC$")
        asked.click("form button")
        asked.waits(
            "return document.readyState === 'complete' && !document.querySelector('form')",
            what="the device is signed out")
        self.assertNotEqual(asked.texts("p"), question)
        self.send(other, "from the device that is signed out")
        other.waits("return ['warning', 'error'].includes($.notice.dataset.state)", what="it is said")
        self.send(page, "from the other device")
        self.arrives("from the other device")

    def looks_like_the_app(self, page):
        """Has its name, its colours in light and dark, and a button that a thumb finds."""
        self.assertEqual(page.texts("h1"), ["Simple Memo"])
        height, paper = page.run("""
            const button = document.querySelector("form button");
            return [button.getBoundingClientRect().height,
                getComputedStyle(document.documentElement).backgroundColor]""")
        self.assertGreaterEqual(height, 44)
        self.assertEqual(paper, "rgb(253, 253, 251)")
        if issubclass(self.engine, Chromium):
            page.page.emulate_media(color_scheme="dark")
            dark = page.run(
                "return getComputedStyle(document.documentElement).backgroundColor")
            self.assertEqual(dark, "rgb(20, 21, 23)")
            page.page.emulate_media(color_scheme="light")

    def test_the_page_for_an_unknown_address_leads_to_the_app(self):
        page = self.browser.open(self.relay.url + "/nothing")
        page.wait_seen(".action")
        self.assertEqual(page.texts("h1"), ["Simple Memo"])
        page.click(".action")
        page.wait_seen("memo")
