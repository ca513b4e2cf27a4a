"""Going from one screen to the next."""
from chromium import Chromium
from journey import in_engines
from webkit import WebKit

NEVER_DRAWN = """
    window.skipped = 0;
    document.startViewTransition = () => {
        const never = new Promise(() => {});
        return { ready: never, finished: never, skipTransition: () => { window.skipped += 1; } };
    };"""


# Firefox keeps what a test puts into a page's objects from the page's own scripts.
@in_engines(Chromium, WebKit)
class Transitions:
    def test_a_transition_that_begins_too_late_takes_no_presses(self):
        page = self.open()
        page.run(NEVER_DRAWN)
        page.click("open-settings")
        page.wait_seen("address")
        self.assertEqual(page.run("return window.skipped"), 1)
