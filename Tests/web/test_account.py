"""A revoked device, and what the settings do to the mail."""
from browser import wait_until
from journey import everywhere


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
        other.click("#device-list [data-part=revoke]:not([hidden])")
        wait_until(lambda: len(other.texts("#device-list li")) == 1, "it is revoked")
        self.send(page, "after it was revoked")
        page.waits("return ['warning', 'error'].includes($.notice.dataset.state)", what="it is said")
        self.assertTrue(page.text("notice"))
        self.assertEqual(self.memos(), [])
        self.sign_in(page)
        self.arrives("after it was revoked")

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
