"""Memos into a mailbox by IMAP: Dovecot, which keeps equal Message-IDs, behind a proxy that lies."""
import contextlib
import imaplib
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
import urllib.request

from imap_proxy import FAULTS, IMAPProxy
from mail_servers import ADDRESS, PASSWORD, Dovecot, require_mail_servers
from processes import BIN, Device, Relay, mailed_codes
from test_mail_servers import MEMOS
from waiting import SECONDS, wait_until

#: The memos for each fault.
COUNT = int(os.environ.get("MEMO_TEST_IMAP_MEMOS", 8))


class IMAP(unittest.TestCase):
    def setUp(self):
        require_mail_servers()
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        self.folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        self.dovecot = cleanup.enter_context(Dovecot(self.folder / "dovecot", False))
        self.proxy = cleanup.enter_context(IMAPProxy(self.dovecot.port))
        self.sign_in_with(PASSWORD)
        self.relay = Relay(
            self.folder / "relay", self.proxy.url, "--mail-retry-base", "0.05",
            "--device-minute", "1000000", "--device-day", "1000000",
            "--account-day-megabytes", "10000")
        cleanup.callback(lambda: self.relay.stop())
        self.device = Device(self.folder / "device")
        cleanup.callback(self.device.kill_agents)
        self.device.sign_in(ADDRESS, self.relay, lambda: mailed_codes(self.dovecot))

    def sign_in_with(self, password):
        """Gives a relay that is started from now on this password of the mailbox."""
        self.enterContext(unittest.mock.patch.dict(os.environ, {
            "MEMO_RELAY_IMAP_USER": ADDRESS, "MEMO_RELAY_IMAP_PASSWORD": password}))

    def memos(self):
        """How many memos the relay has, by their statuses."""
        stats = subprocess.run(
            [BIN / "memo-relay", "stats", "--data", self.relay.folder, "--json"], check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS)
        return json.loads(stats.stdout)["memos"]

    def delivers(self, count):
        wait_until(lambda: self.memos() == {"delivered": count}, lambda: (
            f"{count} memos are delivered: {self.memos()}, {self.proxy.faults}\n"
            f"{self.relay.log_path.read_text()[-2000:]}\n{self.dovecot.log()[-2000:]}"))

    def send(self, name, count=COUNT):
        memos = [f"{name} {number}" for number in range(count)]
        for memo in memos:
            self.device.run(memo)
        return [memo.encode() for memo in memos]

    def unread(self):
        with imaplib.IMAP4("127.0.0.1", self.dovecot.port, timeout=SECONDS) as connection:
            connection.login(ADDRESS, PASSWORD)
            connection.select("INBOX", readonly=True)
            return len(connection.search(None, "UNSEEN")[1][0].split())


class ExactlyOnce(IMAP):
    def test_memos_are_in_the_mailbox_with_their_exact_texts_and_unread(self):
        for memo in MEMOS.values():
            self.device.run(stdin=memo)
        self.delivers(len(MEMOS))
        arrived = sorted(
            (message["Subject"], message.get_payload(decode=True))
            for message in self.dovecot.messages() if "code" not in message["Subject"])
        expected = {subject: memo.removesuffix(b"\n") for subject, memo in MEMOS.items()}
        self.assertEqual(arrived, sorted(expected.items()))
        self.assertEqual(self.unread(), 1 + len(MEMOS))

    def test_each_fault_of_an_append_leaves_each_memo_there_once(self):
        sent = []
        for fault in FAULTS:
            with self.subTest(fault=fault):
                # The first append suffers, whatever chance makes of the others.
                self.proxy.disturb(1, [fault])
                sent += self.send(fault)
                wait_until(lambda: self.proxy.faults[fault], f"{fault} has happened")
                self.proxy.disturb(0.6, [fault])
                self.delivers(len(sent))
                self.assertEqual(self.proxy.holds(), 0)
                self.assertEqual(sorted(self.dovecot.memos()), sorted(sent))
        self.assertEqual(self.unread(), 1 + len(sent))

    def test_a_mailbox_killed_between_the_append_and_its_answer_has_each_memo_once(self):
        def kill():
            self.proxy.taken = lambda: None
            self.dovecot.kill()
            self.dovecot.start()

        sent = []
        for number in range(COUNT):
            # While this runs, the answer waits; then there is nobody to give it.
            self.proxy.taken = kill
            sent += self.send(f"killed {number}", 1)
            self.delivers(len(sent))
            self.assertNotEqual(self.proxy.taken, kill)
        self.assertEqual(sorted(self.dovecot.memos()), sorted(sent))
        self.assertEqual(self.unread(), 1 + len(sent))

    def test_a_relay_killed_while_appends_run_late_has_each_memo_there_once(self):
        self.proxy.disturb(0.5, ["answer lost", "late", "later"])
        sent = self.send("relay killed", 2 * COUNT)
        for _ in range(COUNT):
            taken = threading.Event()
            self.proxy.taken = taken.set
            taken.wait(0.2)
            self.relay.kill()
            self.relay.start()
        self.proxy.taken = lambda: None
        self.device.run("outbox", "retry")
        self.delivers(len(sent))
        self.assertEqual(sorted(self.dovecot.memos()), sorted(sent))
        self.assertEqual(self.unread(), 1 + len(sent))


class Causes(IMAP):
    """Causes that a person has to remove: the memo waits, and the readiness page names them."""

    def waits(self):
        with urllib.request.urlopen(self.relay.url + "/readyz", timeout=SECONDS) as answer:
            return json.load(answer)["waits"]

    def test_a_full_mailbox(self):
        self.proxy.disturb(1, ["full"])
        self.device.run("waits")
        wait_until(lambda: "imap.quota" in self.waits(), lambda: f"{self.waits()}")
        self.proxy.disturb(0)
        self.delivers(1)
        self.assertEqual(self.dovecot.memos(), [b"waits"])

    def test_a_wrong_password_and_a_folder_that_is_gone(self):
        folder = self.proxy.url + "/Memos%20%26-%20more"
        for mail, password, cause in [
            (self.proxy.url, "wrong", "imap.login"), (folder, PASSWORD, "imap.folder"),
        ]:
            self.relay.stop()
            self.relay.use_mail(mail)
            self.sign_in_with(password)
            self.relay.start()
            self.device.run(cause)
            self.device.run("outbox", "retry")
            wait_until(lambda: cause in self.waits(), lambda: f"{cause}: {self.waits()}")
            self.assertNotIn("wrong", self.relay.log_path.read_text())
        with imaplib.IMAP4("127.0.0.1", self.dovecot.port, timeout=SECONDS) as connection:
            connection.login(ADDRESS, PASSWORD)
            connection.create('"Memos &- more"')
        self.delivers(2)
        self.assertEqual(self.dovecot.memos(), [])
        with imaplib.IMAP4("127.0.0.1", self.dovecot.port, timeout=SECONDS) as connection:
            connection.login(ADDRESS, PASSWORD)
            self.assertEqual(connection.select('"Memos &- more"', readonly=True)[1], [b"2"])
