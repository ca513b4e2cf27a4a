"""What every test of the web app stands on: a real relay, a real mail server, a real browser."""
import contextlib
import os
import pathlib
import re
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path.insert(0, str(FOLDER.parent / "EndToEnd"))

from chromium import Chromium  # noqa: E402
from firefox import Firefox  # noqa: E402
from inbox import Inbox, MailServer  # noqa: E402
from person import Person  # noqa: E402
from ports import quiet_port  # noqa: E402
from processes import Relay  # noqa: E402
from webkit import WebKit  # noqa: E402

WEB = pathlib.Path(os.environ.get("MEMO_WEB_DIR", ROOT / ".build-web/public"))


class WebTest(unittest.TestCase, Person):
    """One browser for a class of tests; one relay, and so one origin, for each test."""

    engine = Chromium
    language = "en"
    relay_options = ("--device-minute", "100000", "--device-day", "100000")

    @classmethod
    def setUpClass(cls):
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
        self.relay = Relay(
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


def in_engines(*engines):
    """Makes a test case of a class for each of the engines, under its own name."""
    def make(tests):
        module = sys.modules[tests.__module__]
        for engine in engines:
            name = f"{tests.__name__}In{engine.name}"
            setattr(module, name, type(
                name, (tests, WebTest), {"engine": engine, "__module__": tests.__module__}))
        return tests
    return make


everywhere = in_engines(Chromium, Firefox, WebKit)
