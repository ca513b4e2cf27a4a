"""Letters that are typed from the first frame on, whenever the module comes, and if it never does."""
import os
import random
import re
import string

from browser import wait_until
from gate import GatedRelay
from journey import everywhere
from person import DRAFT_LENGTHS
from seeds import seed_of

#: How many visits each test makes.
VISITS = int(os.environ.get("MEMO_BROWSER_VISITS", 4))


def without_draft(script):
    """The host script as if the module did not know of the page's draft."""
    changed, count = re.subn(r"(Math\.round\(\w+\(\)\),\w+\(\)),\w+\)", r"\1)", script)
    assert count == 1, "the event of the start is not found in the script"
    return changed


@everywhere
class EarlyTyping:
    make_relay = GatedRelay

    def setUp(self):
        super().setUp()
        self.chance = random.Random(seed_of("early-typing"))
        self.sent = []
        page = self.signed_in()
        page.close()

    def text(self):
        """Letters of which none is typed twice in the same order."""
        letters = self.chance.choices(string.ascii_lowercase, k=self.chance.randint(8, 40))
        return "".join(letters)

    def begin(self):
        """A page into which a person types as soon as its field has the focus."""
        page = self.browser.open(self.relay.url + "/healthz")
        page.run("setTimeout(() => location.replace(a[0]))", self.relay.url + "/")
        wait_until(lambda: page.focus() == "memo", "the field takes typing")
        return page

    def sends(self, page, text):
        self.ready(page)
        wait_until(lambda: page.value("memo") == text, "every letter is in the field")
        page.press("Control+Enter")
        self.cleared(page)
        wait_until(lambda: page.run(DRAFT_LENGTHS) == [], "no draft is left")
        page.close()
        self.sent.append(text)

    def come_back(self, page, text):
        """Another visit, after the first one ended with a text that was kept."""
        self.draft_kept(page, text)
        page.close()
        self.relay.delay, self.relay.change = 0, lambda script: script
        self.sends(self.begin(), text)

    def visit(self, late=0, change=lambda script: script):
        self.relay.delay, self.relay.change = late, change
        page, text = self.begin(), self.text()
        page.type(text)
        return page, text

    def ends(self):
        # No service worker is served here: a page that is closed as soon as its field is empty may leave
        # its memo to the next visit.
        self.relay.delay, self.relay.change = 0, lambda script: script
        self.ready(self.begin())
        self.arrives(*self.sent)
        self.browser.close_pages()
        for path in self.browser.profile.rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                for text in self.sent:
                    self.assertFalse(
                        text.encode() in content or text.encode("utf-16-le") in content,
                        f"{path.name} has what was typed")

    def test_a_module_that_is_late_finds_every_letter(self):
        for _ in range(VISITS):
            self.sends(*self.visit(self.chance.uniform(0, 5)))
        self.ends()

    def test_a_page_that_ends_before_its_module_came_leaves_every_letter(self):
        for _ in range(VISITS):
            self.come_back(*self.visit(60))
        self.ends()

    def test_a_page_without_a_module_leaves_every_letter(self):
        for _ in range(VISITS):
            self.come_back(*self.visit(None))
        self.ends()

    def test_a_module_of_an_older_build_finds_every_letter_and_leaves_no_draft(self):
        for _ in range(VISITS):
            self.sends(*self.visit(self.chance.uniform(0, 5), without_draft))
        self.ends()
