"""What a person does with the app and finds in the inbox, in any browser."""
import re

from browser import SECONDS, wait_until

OWNER = "owner@example.org"

#: What a sealed record has besides the text, see docs/wire-format.md.
SEALED_WITH = 1 + 8 + 12 + 16

DRAFT_LENGTHS = """
    const [{name}] = await indexedDB.databases();
    const open = indexedDB.open(name);
    const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
    const all = database.transaction("drafts").objectStore("drafts").getAll();
    await new Promise((done) => { all.onsuccess = done; });
    database.close();
    return all.result.map(({body}) => body.byteLength);"""


class Person:
    def __init__(self, browser, relay, inbox):
        self.browser, self.relay, self.inbox = browser, relay, inbox

    # What a person does.

    def open(self, path="/"):
        page = self.browser.open(self.relay.url + path)
        self.ready(page)
        return page

    def ready(self, page):
        """Waits until the app has taken the page over: it has filled in a word of its own."""
        page.waits("return document.querySelector('[data-text]')?.textContent", what="the app runs")

    def sign_in(self, page, address=OWNER):
        self.ask_code(page, address)
        self.give_code(page, address)
        page.click("settings-back")
        page.wait_seen("memo")

    def ask_code(self, page, address=OWNER):
        self.known = len(self.codes(address))
        page.click("open-settings")
        page.wait_seen("address")
        page.click("address")
        page.run("document.activeElement.select()")
        page.type(address)
        page.click("ask-code")
        page.wait_seen("code")

    def give_code(self, page, address=OWNER):
        code = wait_until(lambda: self.codes(address)[self.known:], "a code is mailed")[0]
        page.click("code")
        page.type(code)
        page.wait_seen("signed-in-as")
        assert page.text("signed-in-as") == address

    def signed_in(self):
        page = self.open()
        self.sign_in(page)
        return page

    def write(self, page, text):
        page.click("memo")
        page.type(text)

    def send(self, page, text):
        """Types a memo, presses the keys that send, and waits for the empty field."""
        self.write(page, text)
        page.press("Control+Enter")
        self.cleared(page)

    def cleared(self, page):
        wait_until(lambda: page.value("memo") == "", "the field is empty")
        assert page.focus() == "memo", "the focus was lost"

    def draft_kept(self, page, text):
        """Waits until all of a text lies sealed in the browser's database."""
        length = len(text.encode()) + SEALED_WITH
        wait_until(lambda: length in page.run(DRAFT_LENGTHS), "the draft is kept")

    # What is in the inbox.

    def codes(self, address=OWNER):
        found = []
        for message in self.inbox.messages():
            if message["Reply-To"] is None and address in message["To"]:
                body = message.get_payload(decode=True).decode()
                found += re.findall(r"^(\d{6,10})$", body, re.M)
        return found

    def memos(self, address=OWNER):
        """The texts of the memos that arrived, in the order in which they did."""
        return [
            message.get_payload(decode=True).decode()
            for message in self.inbox.messages()
            if message["Reply-To"] is not None and address in message["To"]
        ]

    def arrives(self, *texts, seconds=SECONDS):
        """Each of these memos arrives, once, and no other does."""
        expected = sorted(texts)
        wait_until(
            lambda: len(self.memos()) >= len(expected),
            lambda: f"{len(expected)} memos arrive: {len(self.memos())} did", seconds)
        self.inbox.wait_for_quiet()
        assert sorted(self.memos()) == expected, f"{sorted(self.memos())} arrived"
