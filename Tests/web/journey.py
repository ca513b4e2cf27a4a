"""What every test of the web app stands on: a real relay, a real mail server, a real browser."""
import contextlib
import os
import pathlib
import re
import sys
import tempfile
import unittest

from chromium import Chromium
from firefox import Firefox
from inbox import Inbox, MailServer
from person import Person
from ports import quiet_port
from processes import Relay
from required import required
from webkit import WebKit

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
#: The browsers whose tests run, separated by spaces: "chromium" for a short run.
BROWSERS = os.environ.get("MEMO_BROWSERS", "chromium firefox webkit").split()
if not BROWSERS or not {*BROWSERS} <= {"chromium", "firefox", "webkit"}:
    sys.exit("MEMO_BROWSERS names chromium, firefox or webkit, separated by spaces.")
WEB = pathlib.Path(os.environ.get("MEMO_WEB_DIR", ROOT / ".build-web/public"))


class EngineTest(unittest.TestCase):
    """Tests in one browser."""

    engine = Chromium

    @property
    def is_wanted(self):
        """Whether run.py runs the test: its browser is one of `MEMO_BROWSERS`."""
        return self.engine.family in BROWSERS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        required(cls.engine.is_installed(), f"the browser {cls.engine.family}")


class WebTest(EngineTest, Person):
    """One browser for a class of tests; one relay, and so one origin, for each test."""

    make_relay = Relay
    language = "en"
    relay_options = ("--device-minute", "100000", "--device-day", "100000")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.profiles = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.profiles.cleanup)
        cls.browser = cls.engine(f"{cls.profiles.name}/profile", cls.language)
        cls.addClassCleanup(lambda: cls.browser.close())

    def setUp(self):
        self.cleanup = contextlib.ExitStack()
        self.addCleanup(self.cleanup.close)
        self.folder = self.cleanup.enter_context(tempfile.TemporaryDirectory())
        self.inbox = Inbox()
        self.server = self.cleanup.enter_context(MailServer(self.inbox))
        self.relay = self.make_relay(
            f"{self.folder}/relay", self.server.url, "--port", str(quiet_port()),
            "--mail-retry-base", "0.2", "--web", str(WEB), *self.relay_options)
        self.cleanup.callback(lambda: self.relay.stop())
        self.cleanup.callback(self.leave)

    def leave(self):
        """What holds for every test, whatever it was about."""
        self.browser.set_offline(False)
        self.browser.close_pages()
        self.assertEqual(self.browser.violations(), [], "the security policy was violated")
        if issubclass(self.engine, Chromium):
            # A worker of the test before may still be at it: any relay of these tests will do.
            foreign = [
                url for url in self.browser.requests
                if not re.match(r"http://(127\.0\.0\.1|localhost):\d+/", url)]
            self.browser.requests.clear()
            self.assertEqual(foreign, [], "requests left the origin")

    # The network.

    def go_offline(self):
        self.browser.set_offline(True)
        self.relay.stop()

    def go_online(self):
        self.relay.start()
        self.browser.set_offline(False)


def in_engines(*engines, base=WebTest):
    """Makes a test case of a class for each of the engines, under its own name."""
    def make(tests):
        module = sys.modules[tests.__module__]
        for engine in engines:
            name = f"{tests.__name__}In{engine.name}"
            setattr(module, name, type(
                name, (tests, base), {"engine": engine, "__module__": tests.__module__}))
        return tests
    return make


everywhere = in_engines(Chromium, Firefox, WebKit)
