"""Memos through the mail servers that people run: Postfix, and Dovecot behind it."""
import contextlib
import os
import pathlib
import pwd
import tempfile
import unittest

from hostile_proxy import HostileProxy
from mail_servers import ADDRESS, OWNER, Dovecot, Postfix, require_mail_servers
from processes import BIN, Device, Relay, mailed_codes
from soak import Sent
from waiting import wait_until

MEMOS = {
    "plain": b"plain",
    "日本語の件名 é 👩‍👩‍👧‍👦": "日本語の件名 é 👩‍👩‍👧‍👦\nمرحبا بالعالم\n".encode(),
    "dots": b"dots\n.\n..\n. \n.QUIT\n\nFrom here\n>From there\n",
    "a long line": b"a long line\n" + b"x" * 5000 + b"\n" + "長い".encode() * 700 + b"\n  end  ",
    "line ends": b"line ends\r\nof\rall\nkinds\t \n\n",
}


class MailServers(unittest.TestCase):
    collapses = True
    #: The part of the relay that speaks SMTP.
    client = "nio"

    def setUp(self):
        require_mail_servers()
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        self.dovecot = cleanup.enter_context(Dovecot(folder / "dovecot", self.collapses))
        self.postfix = cleanup.enter_context(Postfix(folder / "postfix", self.dovecot.transport))
        self.proxy = cleanup.enter_context(HostileProxy(self.postfix.port))
        self.relay = Relay(
            folder / "relay", self.proxy.url, "--mail-retry-base", "0.2", "--smtp-client",
            self.client)
        cleanup.callback(lambda: self.relay.stop())
        self.device = Device(folder / "device")
        cleanup.callback(self.device.kill_agents)
        self.device.sign_in(ADDRESS, self.relay, lambda: mailed_codes(self.dovecot))

    def arrives(self, count):
        """Waits until Postfix has taken so many mails, the code's too, and has delivered them."""
        wait_until(lambda: self.proxy.taken == count and not self.postfix.waiting(), lambda: (
            f"{count} mails are delivered: {self.proxy.taken} taken, {self.postfix.waiting()} wait"
            f"\n{self.postfix.log()[-2000:]}\n{self.dovecot.log()[-2000:]}"))

    def hand_over_twice(self):
        """Kills the relay between the final dot's answer and its recording; it mails again."""
        self.proxy.hold_answers = True
        self.device.run("handed over twice")
        self.arrives(2)
        self.relay.kill()
        self.proxy.hold_answers = False
        self.relay.start()
        self.arrives(3)


class Collapsing(MailServers):
    def test_memos_are_in_the_mailbox_once_with_their_exact_texts_and_subjects(self):
        for memo in MEMOS.values():
            self.device.run(stdin=memo)
        self.arrives(1 + len(MEMOS))
        arrived = sorted(
            (message["Subject"], message.get_payload(decode=True))
            for message in self.dovecot.messages() if "code" not in message["Subject"])
        # Of standard input one line end at the end does not belong to the memo.
        expected = {subject: memo.removesuffix(b"\n") for subject, memo in MEMOS.items()}
        self.assertEqual(arrived, sorted(expected.items()))
        self.assertEqual(self.dovecot.collapsed, 0)

    def test_a_memo_that_the_relay_mails_twice_is_in_the_mailbox_once(self):
        self.hand_over_twice()
        self.assertEqual(self.dovecot.memos(), [b"handed over twice"])
        self.assertEqual(self.dovecot.collapsed, 1)

    def test_a_memo_that_postfix_takes_and_dies_with_is_in_the_mailbox_once(self):
        self.device.run("held by a mail server that is killed")
        wait_until(lambda: self.proxy.taken == 2, "Postfix has taken the mail")
        self.postfix.kill()
        self.postfix.start()
        self.arrives(2)
        self.assertEqual(self.dovecot.memos(), [b"held by a mail server that is killed"])


class NotCollapsing(MailServers):
    collapses = False

    def test_a_mailbox_that_collapses_nothing_shows_the_same_mail_twice(self):
        self.hand_over_twice()
        self.assertEqual(self.dovecot.memos(), [b"handed over twice"] * 2)
        first, second = [
            message for message in self.dovecot.messages() if "code" not in message["Subject"]]
        # Each server on the way adds headers of its own; the mail's own are equal.
        for header in ("Message-ID", "Date", "Subject", "From", "To"):
            self.assertEqual(first[header], second[header], header)


class CollapsingByLibcurl(Collapsing):
    client = "curl"


class NotCollapsingByLibcurl(NotCollapsing):
    client = "curl"


#: The lines of docs/operating.md, with a folder of the test's.
BOUNCING_MAIN = """
transport_maps = inline:{ relay.example=memo-bounce: }
relay_domains = relay.example
memo-bounce_destination_recipient_limit = 1
"""
BOUNCING_SERVICES = """
memo-bounce unix - n n - 2 pipe
  flags=DORq user={owner} argv={bin}/memo-relay bounce --data {data}
nobody-there unix - n n - - pipe
  user={owner} argv=/bin/sh -c {{exit 67}}
"""


class Bouncing(unittest.TestCase):
    def test_a_bounce_that_postfix_makes_and_pipes_reaches_the_history(self):
        require_mail_servers()
        with contextlib.ExitStack() as cleanup:
            folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
            folder.chmod(0o755)
            data = folder / "relay"
            dovecot = cleanup.enter_context(Dovecot(folder / "dovecot", False))
            postfix = cleanup.enter_context(Postfix(
                folder / "postfix", dovecot.transport, BOUNCING_MAIN,
                BOUNCING_SERVICES.format(owner=OWNER, bin=BIN, data=data)))
            relay = Relay(
                data, f"smtp://127.0.0.1:{postfix.port}", "--mail-retry-base", "0.2",
                "--bounce-address", "bounce@relay.example")
            cleanup.callback(relay.stop)
            device = Device(folder / "device")
            cleanup.callback(device.kill_agents)
            device.sign_in(ADDRESS, relay, lambda: mailed_codes(dovecot))
            # The mailbox is closed after its owner has signed in.
            postfix.kill()
            postfix.set_transport("nobody-there")
            # Postfix pipes to nobody who may be root; in production the relay is this user.
            owner = pwd.getpwnam(OWNER)
            for path in [data, *data.iterdir()]:
                os.chown(path, owner.pw_uid, owner.pw_gid)
            postfix.start()
            device.run("bounces")
            wait_until(
                lambda: device.json("history")[0]["status"] == "bounced",
                lambda: f"the memo is bounced\n{postfix.log()[-2000:]}")
            self.assertEqual(device.json("history")[0]["reason"], "dsn.5.1.1")
            self.assertIn("recorded: the memo has bounced", postfix.log())
            wait_until(lambda: not postfix.waiting(), "nothing waits")


class SoakJudgement(unittest.TestCase):
    def test_a_soak_tells_lost_doubled_and_changed_memos(self):
        sent = Sent(acknowledged={b"a", b"b"}, uncertain={b"killed", b"never stored"})
        whole = [b"b", b"killed", b"a"]
        for arrived, expected in [
            (whole, {}),
            ([b"a", b"killed"], {"lost": [b"b"]}),
            ([*whole, b"a"], {"doubled": [b"a"]}),
            ([*whole, b"killed"], {"doubled": [b"killed"]}),
            ([b"a", b"B"], {"lost": [b"b"], "changed": [b"B"]}),
        ]:
            found = {name: memos for name, memos in sent.judge(arrived).items() if memos}
            self.assertEqual(found, expected, arrived)
