"""From the first visit to the first mail, and the field as a person meets it."""
from browser import wait_until
from journey import WebTest, everywhere


@everywhere
class FirstVisit:
    def test_the_field_takes_keys_at_once_and_the_first_memo_is_the_first_mail(self):
        page = self.open()
        self.assertEqual(page.focus(), "memo")
        page.type("my first memo")
        self.sign_in(page)
        self.assertEqual(page.value("memo"), "my first memo")
        page.click("send")
        self.cleared(page)
        self.arrives("my first memo")
        message = [m for m in self.inbox.messages() if m["Reply-To"]][0]
        self.assertEqual(message["Subject"], "my first memo")
        page.type("the next at once")
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives("my first memo", "the next at once")

    def test_a_memo_sent_before_anybody_has_signed_in_is_kept_and_arrives_after(self):
        page = self.open()
        self.send(page, "written first")
        self.sign_in(page)
        self.arrives("written first")

    def test_what_is_sent_is_what_arrives_whatever_its_script(self):
        page = self.signed_in()
        texts = ["Grüße, 日本語のメモ", "مرحبا بالعالم", "two\n\nparagraphs\n.\n.."]
        page.click("memo")
        for text in texts:
            page.run("""
                const field = document.getElementById("memo");
                field.value = a[0];
                field.dispatchEvent(new InputEvent("input", {bubbles: true}));""", text)
            page.press("Control+Enter")
            self.cleared(page)
        self.arrives(*texts)

    def test_a_wrong_code_is_said_and_the_right_one_still_signs_in(self):
        page = self.open()
        page.click("open-settings")
        page.wait_seen("address")
        page.click("address")
        page.type("owner@example.org")
        page.press("Enter")
        code = wait_until(self.codes, "a code is mailed")[0]
        page.wait_seen("code")
        page.click("code")
        wrong = f"{(int(code) + 1) % 1_000_000:06}"
        page.type(wrong)
        wait_until(lambda: page.text("code-error"), "the refusal is said")
        self.assertFalse(page.seen("signed-in-as"))
        wait_until(lambda: (page.value("code"), page.focus()) == ("", "code"), "it waits for another")
        page.type(code)
        page.wait_seen("signed-in-as")


class Pasting(WebTest):
    def test_a_code_can_be_pasted_with_what_stands_around_it(self):
        page = self.open()
        page.click("open-settings")
        page.wait_seen("address")
        page.click("address")
        page.type("owner@example.org")
        page.press("Enter")
        code = wait_until(self.codes, "a code is mailed")[0]
        page.wait_seen("code")
        self.assertEqual(page.run("return $.code.autocomplete"), "one-time-code")
        page.click("code")
        page.insert(f" {code[:3]} {code[3:]} ")
        page.wait_seen("signed-in-as")
