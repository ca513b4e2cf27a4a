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
from mail_servers import ADDRESS, PASSWORD, Dovecot, Mailbox, require_mail_servers
from processes import BIN, Device, Relay, mailed_codes
from test_mail_servers import MEMOS
from waiting import SECONDS, wait_until

#: The memos for each fault.
COUNT = int(os.environ.get("MEMO_TEST_IMAP_MEMOS", 8))
#: What the proxy draws its faults from.
SEED = int(os.environ.get("MEMO_TEST_IMAP_SEED", 0))


class Counted:
    """Counts the memos of `relay`."""

    def memos(self):
        """How many memos the relay has, by their statuses."""
        stats = subprocess.run(
            [BIN / "memo-relay", "stats", "--data", self.relay.folder, "--json"], check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS)
        return json.loads(stats.stdout)["memos"]


class IMAP(Counted, unittest.TestCase):
    def setUp(self):
        require_mail_servers()
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        self.folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        self.dovecot = cleanup.enter_context(Dovecot(self.folder / "dovecot", False))
        self.proxy = cleanup.enter_context(IMAPProxy(self.dovecot.port, SEED))
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
                # Attempts that all fail wait longer and longer: disturbed for ever, one of many mails does so
                # for minutes.
                wait_until(lambda: sum(self.memos().values()) == len(sent), lambda: (
                    f"the relay has {len(sent)} memos: {self.memos()}"))
                self.proxy.disturb(0)
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


class Connections(IMAP):
    FOLDER = "Memos"

    def mailbox(self):
        return Mailbox(self.dovecot.port, folder=self.FOLDER)

    def make_folder(self):
        with self.dovecot.opened() as connection:
            self.assertEqual(connection.create(self.FOLDER)[0], "OK")

    def make_folder_anew(self):
        with self.dovecot.opened() as connection:
            self.assertEqual(connection.delete(self.FOLDER)[0], "OK")
        self.make_folder()

    def restart_into_the_folder(self):
        self.relay.stop()
        self.relay.use_mail(f"{self.proxy.url}/{self.FOLDER}")
        self.relay.start()

    def append(self, *mails):
        with self.dovecot.opened() as connection:
            for mail in mails:
                self.assertEqual(connection.append(self.FOLDER, None, None, mail)[0], "OK")

    def left_by_a_killed_relay(self, name, count):
        """Memos that a relay has when it is killed, before it has handed any over."""
        self.dovecot.stop()
        memos = self.send(name, count)
        wait_until(lambda: sum(self.memos().values()) == count, lambda: (
            f"the relay has {count} memos: {self.memos()}"))
        self.relay.kill()
        self.dovecot.go_on()
        return memos

    def test_the_looks_for_late_copies_share_connections(self):
        count = 8
        memos = self.left_by_a_killed_relay("looked after", count)
        before = self.dovecot.log().count("Login: ")
        self.relay.start()
        self.delivers(count)
        # Each mail has an attempt and five looks.
        self.assertLessEqual(self.dovecot.log().count("Login: ") - before, 3 * count)
        self.assertEqual(sorted(self.dovecot.memos()), sorted(memos))

    def test_a_folder_that_is_made_anew_has_each_later_memo_once(self):
        self.make_folder()
        self.restart_into_the_folder()
        self.send("before", 1)
        self.device.run("outbox", "retry")
        self.delivers(1)
        # The relay has a connection that has the former folder open.
        self.make_folder_anew()
        after = self.send("after", COUNT)
        self.delivers(1 + COUNT)
        self.assertEqual(sorted(self.mailbox().memos()), sorted(after))

    def test_in_a_folder_that_is_made_anew_nothing_is_removed_by_an_identifier_of_the_former_one(self):
        others = [b"Subject: other\r\nMessage-ID: <%d@other>\r\n\r\nother" % n for n in range(9)]
        hits = []

        def searched(name, found):
            if hits:
                return False
            if not found:
                # The relay appends one more, and then finds three.
                self.append(*2 * [b"Message-ID: " + name + b"\r\n\r\na copy"])
                return False
            hits.append(name)
            self.make_folder_anew()
            self.append(*others)
            return True

        self.make_folder()
        memos = self.left_by_a_killed_relay("of a killed relay", 1)
        self.proxy.searched = searched
        self.relay.use_mail(f"{self.proxy.url}/{self.FOLDER}")
        self.relay.start()
        self.delivers(1)
        self.assertEqual(len(hits), 1)
        with self.dovecot.opened() as connection:
            connection.select(self.FOLDER, readonly=True)
            kept = connection.search(None, "UNDELETED", "SUBJECT", "other")[1][0].split()
        self.assertEqual(len(kept), len(others))
        self.assertEqual(self.mailbox().memos(), memos)


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


class OwnMailboxes(Counted, unittest.TestCase):
    """Two people with mailboxes of their own, on a relay that has none for all."""

    PEOPLE = ["max@example.org", "eve@example.org"]

    def setUp(self):
        require_mail_servers()
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        self.dovecot = self.enterContext(Dovecot(folder / "dovecot", False))
        self.proxy = self.enterContext(IMAPProxy(self.dovecot.port, SEED))
        self.relay = Relay(folder / "relay", self.proxy.url, "--mail-retry-base", "0.05")
        self.addCleanup(lambda: self.relay.stop())
        self.mailboxes = {name: Mailbox(self.dovecot.port, name) for name in self.PEOPLE}
        self.devices = {}
        for name in self.PEOPLE:
            self.add(name)
            device = self.devices[name] = Device(folder / name)
            self.addCleanup(device.kill_agents)
            device.sign_in(name, self.relay, lambda: mailed_codes(self.mailboxes[name]))

    def operate(self, *arguments, stdin="", status=0):
        result = subprocess.run(
            [BIN / "memo-relay", *arguments, "--data", self.relay.folder], input=stdin.encode(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual(result.returncode, status, result.stderr.decode())
        return (result.stdout + result.stderr).decode()

    def add(self, name, *options, password=PASSWORD):
        self.operate("mailbox", "add", name, *options, stdin=f"{name}\n{password}\n")

    def waits(self):
        with urllib.request.urlopen(self.relay.url + "/readyz", timeout=SECONDS) as answer:
            return json.load(answer)["waits"]

    def delivers(self, name, memos, folder="INBOX"):
        mailbox = Mailbox(self.dovecot.port, name, folder)
        wait_until(lambda: sorted(mailbox.memos()) == sorted(memos), lambda: (
            f"{memos} are in the mailbox of {name}: {mailbox.memos()}, {self.waits()}"))

    def test_each_memo_is_in_the_mailbox_of_its_owner_once(self):
        sent = {name: [] for name in self.PEOPLE}
        self.proxy.disturb(0.3, ["answer lost", "late", "later"])
        for number in range(COUNT):
            for name in self.PEOPLE:
                text = f"{name} {number}"
                self.devices[name].run(text)
                sent[name].append(text.encode())
        self.proxy.disturb(0)
        # Until then a late copy may come and go.
        delivered = {"delivered": sum(map(len, sent.values()))}
        wait_until(lambda: self.memos() == delivered, lambda: (
            f"all memos are delivered: {self.memos()}, {self.proxy.faults}"))
        for name in self.PEOPLE:
            self.assertEqual(sorted(self.mailboxes[name].memos()), sorted(sent[name]))
        listed = self.operate("mailbox", "list")
        for name in self.PEOPLE:
            self.assertIn(f"{name}\t-\n", listed)
        self.assertNotIn(PASSWORD, listed)

    def test_a_wrong_password_a_gone_folder_and_no_mailbox_concern_one_person_alone(self):
        one, other = self.PEOPLE
        memos = []
        for change, cause in [
            (lambda: self.add(one, password="wrong"), "imap.login"),
            (lambda: self.add(one, "--folder", "Gone & away"), "imap.folder"),
            (lambda: self.operate("mailbox", "remove", one), "imap.mailbox"),
        ]:
            change()
            self.devices[one].run(cause)
            wait_until(lambda: cause in self.waits(), lambda: f"{cause}: {self.waits()}")
            self.devices[other].run(cause)
            memos.append(cause.encode())
            self.delivers(other, memos)
        self.assertIn("no mailbox", self.operate("mailbox", "remove", one, status=1))
        self.assertEqual(self.mailboxes[one].memos(), [])
        with self.mailboxes[one].opened() as connection:
            connection.create("Kept")
        # The relay that runs takes the change.
        self.add(one, "--folder", "Kept")
        self.delivers(one, memos, "Kept")
        self.assertEqual(self.mailboxes[one].memos(), [])
        wait_until(lambda: not self.waits(), lambda: f"nothing waits: {self.waits()}")
        self.assertNotIn("wrong", self.relay.log_path.read_text())

    def test_a_mailbox_is_there_after_a_rotation_and_in_a_backup(self):
        one = self.PEOPLE[0]
        self.relay.stop()
        self.operate("rotate-key")
        copy = self.relay.folder.parent / "copy"
        self.operate("backup", str(copy))
        listed = subprocess.run(
            [BIN / "memo-relay", "mailbox", "list", "--data", copy], check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS).stdout.decode()
        self.assertEqual(sorted(listed.splitlines()), sorted(
            self.operate("mailbox", "list").splitlines()))
        self.assertIn(one, listed)
        self.relay.start()
        self.devices[one].run("after")
        self.devices[one].run("outbox", "retry")
        self.delivers(one, [b"after"])

    def test_input_that_is_no_user_and_password_changes_nothing(self):
        before = self.operate("mailbox", "list")
        for stdin in ["", "user\n", "user\n\n", "\npassword\n", f"user\n{'p' * 1001}\n"]:
            message = self.operate("mailbox", "add", self.PEOPLE[0], stdin=stdin, status=1)
            self.assertIn("Nothing was changed", message)
        for arguments in [("no address",), (self.PEOPLE[0], "--folder", 'a"b')]:
            self.operate("mailbox", "add", *arguments, stdin="u\np\n", status=64)
        self.assertEqual(self.operate("mailbox", "list"), before)
