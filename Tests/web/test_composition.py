"""Text that an input method is still composing, as for Japanese, Korean and Chinese."""
from browser import wait_until
from journey import WebTest

#: Holds back, while `isHeld`, that a transaction is complete: as if the disk were slow.
SLOW_DISK = """
    window.held = [];
    Object.defineProperty(IDBTransaction.prototype, "oncomplete", {set(complete) {
        this.addEventListener("complete", (event) => {
            const go = () => complete.call(this, event);
            if (window.isHeld) held.push(go);
            else go();
        });
    }});"""
RELEASE = "window.isHeld = false; for (const go of held.splice(0)) go();"


class Composition(WebTest):
    """Chromium's driver can compose; the others' cannot."""

    def compose(self, page, text):
        """What the input method shows underlined just now."""
        page.command(
            "Input.imeSetComposition", text=text, selectionStart=len(text), selectionEnd=len(text))

    def commit(self, page, text):
        """What the person has picked among the candidates, in place of what was underlined."""
        page.command("Input.insertText", text=text)

    def test_keys_that_send_send_nothing_while_a_word_is_being_composed(self):
        page = self.signed_in()
        page.click("memo")
        page.insert("買い物：")
        self.compose(page, "ぎゅう")
        page.press("Control+Enter")
        self.compose(page, "ぎゅうにゅう")
        page.press("Control+Enter")
        self.commit(page, "牛乳")
        self.assertEqual(page.value("memo"), "買い物：牛乳")
        self.assertEqual(self.memos(), [])
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives("買い物：牛乳")

    def test_the_send_button_takes_the_word_as_it_stands(self):
        page = self.signed_in()
        page.click("memo")
        page.insert("買い物：")
        self.compose(page, "ぎゅうにゅう")
        page.click("send")
        self.cleared(page)
        self.arrives("買い物：ぎゅうにゅう")
        page.insert("次")
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives("買い物：ぎゅうにゅう", "次")

    def test_what_is_composed_while_a_memo_is_being_stored_is_the_next_memo(self):
        page = self.browser.open()
        page.before_scripts(SLOW_DISK)
        page.go(self.relay.url)
        self.ready(page)
        self.sign_in(page)
        self.write(page, "first")
        page.run("window.isHeld = true")
        page.press("Control+Enter")
        page.waits("return held.length > 0", what="it is being stored")
        self.compose(page, "に")
        page.run(RELEASE)
        self.compose(page, "にほ")
        self.commit(page, "日本")
        wait_until(lambda: page.value("memo") == "日本", lambda: page.value("memo"))
        self.arrives("first")
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives("first", "日本")

    def test_a_draft_of_a_word_being_composed_survives_the_tab(self):
        page = self.signed_in()
        page.click("memo")
        page.insert("買い物：")
        self.compose(page, "ぎゅうにゅう")
        self.draft_kept(page, "買い物：ぎゅうにゅう")
        page.crash()
        page = self.open()
        wait_until(lambda: page.value("memo") == "買い物：ぎゅうにゅう", "the draft is back")
