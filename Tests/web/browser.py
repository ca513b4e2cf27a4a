"""What the tests ask of any browser: three engines answer it in their own ways."""
import pathlib

import waiting
from waiting import SECONDS

#: Begins each script: `$.memo` is the element of that id.
ELEMENTS = "const $ = new Proxy({}, {get: (_, id) => document.getElementById(id)});"
#: The same where a driver's scripts answer by calling a function.
CALLING = """
    const [a, done] = [arguments[0], arguments[arguments.length - 1]];
    (async () => {%s})()
        .then((value) => done({value}), (error) => done({error: String(error)}));"""


class Navigated(Exception):
    """The page went elsewhere while it was asked."""


def wait_until(condition, what, seconds=SECONDS):
    """Like waiting's, for conditions that ask a page: one that navigates has no answer yet."""
    return waiting.wait_until(lambda: answer(condition), what, seconds)


def answer(condition):
    try:
        return condition()
    except Navigated:
        return None


class Browser:
    """A browser with a profile folder of its own, in a process that this object started."""

    name = ""
    #: The name by which `MEMO_BROWSERS` chooses it.
    family = ""
    #: What of the app this engine cannot show, see README.md: `test_engines.py` checks each.
    lacks = frozenset()

    def __init__(self, profile, language="en"):
        self.profile = pathlib.Path(profile)
        self.profile.mkdir(parents=True, exist_ok=True)
        self.language = language
        self.pages = []
        #: What the browser complained of; `violations` finds what the security policy forbade.
        self.console = []
        self.start()

    @classmethod
    def is_installed(cls):
        raise NotImplementedError

    def start(self):
        raise NotImplementedError

    def close(self):
        """Ends it as a person would."""
        raise NotImplementedError

    def kill(self):
        """Ends it as a power cut would; `start` starts it again on the same profile."""
        raise NotImplementedError

    def open(self, url="about:blank"):
        """A new page in a tab of its own."""
        raise NotImplementedError

    def close_pages(self):
        for page in list(self.pages):
            page.close()

    def violations(self):
        """What the content security policy or Trusted Types stopped, since the last call."""
        found = [
            text for text in self.console
            if any(word in text for word in (
                "Content Security Policy", "Content-Security-Policy", "TrustedScript",
                "TrustedHTML", "trusted-types"))
        ]
        self.console.clear()
        return found

    def set_offline(self, offline):
        """Tells the browser that there is no network, where the engine can be told."""


class Page:
    """One tab. Elements are named by their id."""

    def run(self, body, *arguments):
        """The value of the body of an asynchronous function; its arguments are `a`, a list."""
        raise NotImplementedError

    def go(self, url):
        raise NotImplementedError

    def reload(self):
        raise NotImplementedError

    def type(self, text):
        """Presses the keys of a text, wherever the focus is."""
        raise NotImplementedError

    def press(self, keys):
        """One key, with others held: "Control+Enter"."""
        raise NotImplementedError

    def click(self, selector):
        """Presses with the mouse on the middle of what is seen."""
        raise NotImplementedError

    def screenshot(self, path):
        raise NotImplementedError

    def close(self):
        raise NotImplementedError

    # What a person sees.

    def value(self, identifier):
        return self.run("return document.getElementById(a[0]).value", identifier)

    def text(self, identifier):
        return self.run(
            "return document.getElementById(a[0]).textContent.trim()", identifier)

    def seen(self, selector):
        """Whether anything of it is drawn; an identifier or a CSS selector."""
        return self.run(
            """const e = document.querySelector(a[0]);
               const box = e && e.getBoundingClientRect();
               return Boolean(e && box.width && box.height
                   && e.checkVisibility({opacityProperty: true, visibilityProperty: true}));""",
            self.selector(selector))

    def focus(self):
        """The id of what has the focus."""
        return self.run("return document.activeElement?.id || ''")

    def texts(self, selector):
        return self.run(
            "return [...document.querySelectorAll(a[0])].map((e) => e.textContent.trim())",
            selector)

    def waits(self, body, *arguments, what=None, seconds=SECONDS):
        return wait_until(
            lambda: self.run(body, *arguments), what or f"{body} {arguments}", seconds)

    def waits_for_another(self, act):
        """Does what makes the page load once more, or another one, and waits until that is loaded."""
        before = self.run("return performance.timeOrigin")
        act()
        self.waits(
            "return performance.timeOrigin !== a[0] && document.readyState === 'complete'", before,
            what="it is loaded")

    def still(self):
        """Waits until nothing moves."""
        self.waits(
            "return document.getAnimations().every((each) => each.playState !== 'running')")

    def wait_pressable(self, selector):
        """Waits until a press on the middle of an element would meet it; answers where that is.

        One script finds and looks: between two questions a list may have been drawn anew.
        """
        return self.waits(
            """const element = document.querySelector(a[0]);
               if (!element?.checkVisibility()) return false;
               element.scrollIntoView({block: "center", behavior: "instant"});
               const {x, y, width, height} = element.getBoundingClientRect();
               const middle = [Math.round(x + width / 2), Math.round(y + height / 2)];
               return document.getAnimations().every((each) => each.playState !== "running")
                   && element.contains(document.elementFromPoint(...middle)) && middle;""",
            self.selector(selector), what=f"{selector} can be pressed")

    def wait_seen(self, selector, seconds=SECONDS):
        wait_until(lambda: self.seen(selector), f"{selector} is seen", seconds)

    def wait_gone(self, selector, seconds=SECONDS):
        wait_until(lambda: not self.seen(selector), f"{selector} is not seen", seconds)

    @staticmethod
    def selector(name):
        return name if name[0] in "#.[*" or " " in name else f"#{name}"
