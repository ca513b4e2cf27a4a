"""Three relays of one database behind nginx, as `deploy/` sets it up; one of them is killed under load."""
import contextlib
import pathlib
import shutil
import tempfile
import unittest

from memo_senders import MemoSenders, numbers_of
from postgresql import PROGRAMS, PostgreSQL
from proxies import Certificate, Nginx, replaced
from required import required
from test_relay_postgresql import ADDRESS, SharingRelay
from test_restored_database import PATIENT
from waiting import wait_until


class Interrupted(Exception):
    """nginx does not know what became of a request."""


class Front:
    """The relays, as a device reaches them."""

    def __init__(self, proxy):
        self._proxy = proxy
        #: How often nginx did not know what became of a request.
        self.interrupted = 0

    def exchange(self, method, path, body, token=None):
        fields = {"Authorization": f"Bearer {token}"} if token else {}
        answer = self._proxy.exchange(method, path, body, fields)
        if answer.status == 502:
            self.interrupted += 1
            raise Interrupted
        return answer


class RelaysBehindNginx(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        required(shutil.which(Nginx.program), Nginx.program)
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        self.folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.database = cleanup.enter_context(contextlib.closing(PostgreSQL()))
        # Beside the relays' key.
        (self.folder / "tls").mkdir()
        self.proxy = Nginx(self.folder / "proxy", Certificate(self.folder / "tls"))
        self.addCleanup(self.proxy.stop)
        self.relays = [self.relay(name) for name in ("one", "two", "three")]

    def relay(self, name):
        folder = self.folder / name
        folder.mkdir()
        relay = SharingRelay(
            folder, self.database, self.folder / "key", *PATIENT, "--lease-seconds", "5", "--public-url",
            self.proxy.url, "--behind-https", "--trusted-proxies", "1")
        self.addCleanup(relay.stop)
        return relay

    def example_with_three(self, text):
        """The example with all relays, and without limits for the only network."""
        lines = "".join(f"    server {relay.url.split('//')[1]};\n" for relay in self.relays)
        text = replaced(text, r"^ *server 127\.0\.0\.1:\d+;\n", lines)
        return replaced(text, r"rate=\d+r/s", "rate=10000r/s", 2)

    def sign_in(self, front):
        """The token of a new device."""
        asked = front.exchange("POST", "/v1/verifications", {"address": ADDRESS}).json()
        code = wait_until(
            lambda: [code for relay in self.relays for code in relay.codes(ADDRESS)], "a code is mailed")[0]
        return front.exchange("POST", "/v1/verifications/confirm", {
            "address": ADDRESS, "code": code, "device": "test", "handle": asked["handle"]}).json()["token"]

    def test_only_requests_that_the_killed_relay_had_begun_are_interrupted(self):
        self.proxy.start(self.relays[0], self.example_with_three)
        front = Front(self.proxy)
        senders = MemoSenders([front], self.sign_in(front), (Interrupted,))
        senders.wait_for_more(5)
        self.assertEqual(front.interrupted, 0)
        self.relays[1].kill()
        senders.wait_for_more(20)
        # Each sender has one request under way.
        self.assertLessEqual(front.interrupted, 4)
        after_the_kill = front.interrupted
        senders.wait_for_more(20)
        self.assertEqual(front.interrupted, after_the_kill)
        self.relays[1].start()
        senders.wait_for_more(20)
        accepted = senders.end()
        self.assertEqual([answer.status for answer in senders.refused], [])
        self.assertEqual(front.interrupted, after_the_kill)
        self.assertEqual(len(accepted), len(set(accepted)))
        wait_until(
            lambda: self.database.ask("SELECT count(*) FROM outbox_operation") == "0", "every mail is sent")
        mailed = numbers_of(self.folder.glob("*/mail/new/*"))
        self.assertEqual(sorted(set(mailed)), accepted)
        # The killed relay may have handed a mail over whose outcome it did not record.
        self.assertLessEqual(len(mailed) - len(accepted), 8)


if __name__ == "__main__":
    unittest.main()
