"""Memos through Resend, which a fake stands for: each is one mail, whatever happens on the way (R8).

Resend tells of bounces by signed events (R9)."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest
import unittest.mock
import urllib.error
import urllib.request

from fake_resend import SIGNING_SECRET, FakeResend, is_code
from processes import BIN, Device, Relay
from waiting import wait_until

KEY = "re_the_key_of_this_test"
MEMOS = ["plain", "日本語の件名 👩‍👩‍👧‍👦\nمرحبا\r\nline ends\r", "dots\n.\n..\nFrom here\n= =3D", "x" * 5000]


class Resend(unittest.TestCase):
    def setUp(self):
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        self.folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        cleanup.enter_context(unittest.mock.patch.dict(
            os.environ, MEMO_RELAY_RESEND_KEY=KEY,
            MEMO_RELAY_RESEND_WEBHOOK_SECRET=SIGNING_SECRET))
        self.resend = FakeResend(KEY)
        cleanup.callback(self.resend.close)
        self.relay = Relay(
            self.folder / "relay", f"resend:{self.resend.url}", "--mail-retry-base", "0.1")
        cleanup.callback(lambda: self.relay.stop())
        self.device = Device(self.folder / "device")
        cleanup.callback(self.device.kill_agents)
        self.device.sign_in("owner@example.org", self.relay, self.codes)

    def codes(self):
        mails = [mail["text"] for mail in list(self.resend.mails) if is_code(mail)]
        return [code for text in mails for code in re.findall(r"^(\d{6,10})$", text, re.M)]

    def send(self, *memos):
        for memo in memos:
            self.device.run("--", memo)

    def arrive(self, *memos):
        """Waits until these have arrived, and nothing is in the relay's queue any more."""
        wait_until(
            lambda: len(self.resend.memos()) >= len(memos)
            and not self.statistics()["queuedMemos"], lambda: f"all arrive: {self.statistics()}")
        self.assertCountEqual([text for _, text in self.resend.memos()], memos)

    def statistics(self):
        return json.loads(subprocess.run(
            [BIN / "memo-relay", "stats", "--json", "--data", self.relay.folder],
            check=True, capture_output=True).stdout)

    def readiness(self):
        try:
            with urllib.request.urlopen(f"{self.relay.url}/readyz") as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def test_memos_are_mailed_with_their_exact_texts_to_their_owner(self):
        self.send(*MEMOS)
        self.arrive(*MEMOS)
        for mail in self.resend.mails:
            self.assertEqual(mail["to"], ["owner@example.org"])
        self.assertIn("日本語の件名 👩‍👩‍👧‍👦", [subject for subject, _ in self.resend.memos()])
        # Each mail under a key of its own, once.
        self.assertEqual(set(self.resend.requests.values()), {1})
        self.assertEqual(len(self.resend.requests), len(self.resend.mails))

    def test_each_memo_is_mailed_once_whatever_resend_answers(self):
        faults = [
            "cut", "taken and cut", "html", "taken and html", "rate", "quota", "concurrent",
            "taken and cut", "rate", "rate", "taken and html"]
        self.resend.faults.extend(faults)
        self.send(*MEMOS)
        self.arrive(*MEMOS)
        self.assertFalse(self.resend.faults)
        self.assertEqual(
            sum(self.resend.requests.values()), len(faults) + len(self.resend.requests))

    def test_an_answer_that_cannot_be_read_and_one_that_never_comes_double_no_memo(self):
        self.resend.faults.extend(["taken and empty", "taken and empty"])
        self.send("taken")
        self.arrive("taken")
        self.resend.faults.append("hung")
        self.send("hangs")
        self.assertTrue(self.resend.held.wait(60))
        # A stop does not wait for Resend: the key makes the repetition harmless.
        begun = time.monotonic()
        self.assertEqual(self.relay.stop(), 0)
        self.assertLess(time.monotonic() - begun, 15)
        self.resend.release()
        self.relay.start()
        self.arrive("taken", "hangs")

    def test_a_relay_that_is_killed_while_resend_answers_mails_the_memo_once(self):
        self.resend.faults.append("held")
        self.send("held")
        self.assertTrue(self.resend.held.wait(60))
        self.relay.kill()
        self.resend.release()
        self.relay.start()
        self.arrive("held")
        self.assertEqual(sorted(self.resend.requests.values()), [1, 2])

    def test_a_wrong_key_makes_mails_wait_visibly_and_stands_nowhere(self):
        self.resend.key = "re_another_key"
        self.send("waits")
        wait_until(
            lambda: self.readiness()["waits"] == ["resend.relay.api-key"],
            lambda: f"the cause is told: {self.readiness()}")
        self.assertTrue(self.readiness()["ready"])
        self.assertEqual(self.resend.memos(), [])
        self.resend.key = KEY
        self.arrive("waits")
        self.relay.stop()
        for path in [self.relay.log_path, *self.folder.glob("**/*")]:
            if path.is_file():
                self.assertNotIn(KEY.encode(), path.read_bytes(), path)

    def test_a_recipient_that_resend_refuses_makes_a_dead_letter(self):
        self.resend.faults.append("recipient")
        self.send("refused")
        wait_until(
            lambda: self.statistics()["deadLetters"], lambda: f"it is one: {self.statistics()}")
        listed = subprocess.run(
            [BIN / "memo-relay", "dead-letters", "list", "--data", self.relay.folder],
            check=True, capture_output=True).stdout
        self.assertIn(b"resend.recipient", listed)
        self.assertEqual(self.resend.memos(), [])


    def mailed(self, text):
        return next(mail for mail in self.resend.mails if mail["text"] == text)

    def statuses(self):
        """What the person's history says of each memo."""
        return {memo["text"]: memo["status"] for memo in self.device.json("history")}

    def test_a_bounce_that_is_told_twice_and_late_is_in_the_history_once(self):
        self.send("arrives", "bounces", "is full")
        self.arrive("arrives", "bounces", "is full")
        permanent, transient = {"bounce": {"type": "Permanent"}}, {"bounce": {"type": "Transient"}}
        bring = [
            ("arrives", "email.delivered", {}), ("bounces", "email.bounced", permanent),
            ("bounces", "email.bounced", permanent), ("is full", "email.bounced", transient),
            ("arrives", "email.complained", {})]
        for text, kind, data in bring:
            self.assertEqual(
                self.resend.bring(self.relay.url, self.mailed(text), kind, **data), 204)
        expected = {"arrives": "delivered", "bounces": "bounced", "is full": "expired"}
        wait_until(lambda: self.statuses() == expected, lambda: f"all told: {self.statuses()}")
        # A day later, after a restart.
        self.relay.kill()
        self.relay.start()
        self.assertEqual(self.resend.bring(
            self.relay.url, self.mailed("bounces"), "email.bounced", **transient), 204)
        self.assertEqual(self.statuses(), expected)

    def test_a_bounce_that_is_told_before_the_answer_of_the_mail_is_told_again(self):
        self.resend.faults.append("held")
        self.send("bounces")
        self.assertTrue(self.resend.held.wait(60))
        told = self.relay.url, self.mailed("bounces"), "email.bounced"
        self.assertEqual(self.resend.bring(*told), 503)
        self.resend.release()
        wait_until(
            lambda: self.resend.bring(*told) == 204, lambda: f"taken: {self.statistics()}")
        wait_until(
            lambda: self.statuses() == {"bounces": "bounced"},
            lambda: f"told: {self.statuses()}")
        self.assertEqual(len(self.resend.memos()), 1)

    def test_an_event_with_another_signature_changes_nothing_and_stands_in_no_log(self):
        self.send("canary")
        self.arrive("canary")
        status = self.resend.bring(
            self.relay.url, self.mailed("canary"), "email.bounced", signing_key=b"another")
        self.assertEqual(status, 400)
        self.assertEqual(self.resend.bring(
            self.relay.url, self.mailed("canary"), "email.bounced", padding="x" * 40000), 413)
        wait_until(
            lambda: self.statuses() == {"canary": "delivered"},
            lambda: f"still delivered: {self.statuses()}")
        self.relay.stop()
        log = self.relay.log_path.read_text()
        for secret in ("canary", "owner@", SIGNING_SECRET):
            self.assertNotIn(secret, log)


class Settings(unittest.TestCase):
    def check(self, *options, **environment):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(
                [BIN / "memo-relay", "check-config", "--data", folder, "--from",
                 "memo@relay.example", *options], capture_output=True, text=True,
                env={"PATH": os.environ["PATH"], **environment})

    def test_the_key_is_no_option_and_is_not_shown(self):
        done = self.check(
            "--mail", "resend:", MEMO_RELAY_RESEND_KEY=KEY,
            MEMO_RELAY_RESEND_WEBHOOK_SECRET=SIGNING_SECRET)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, secret in [("resend-key", KEY), ("resend-webhook-secret", SIGNING_SECRET)]:
            self.assertIn(f"{name} = not shown", done.stdout)
            self.assertNotIn(secret, done.stdout + done.stderr)

    def test_a_part_of_a_signing_secret_is_refused(self):
        done = self.check(
            "--mail", "resend:", MEMO_RELAY_RESEND_KEY=KEY,
            MEMO_RELAY_RESEND_WEBHOOK_SECRET=SIGNING_SECRET.removeprefix("whsec_"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("signing secret", done.stderr)
        self.assertNotIn(SIGNING_SECRET.removeprefix("whsec_"), done.stdout + done.stderr)

    def test_contradictions_are_refused(self):
        for options in (
                ["--mail", "resend:"],
                ["--mail", "resend:http://api.example.org"],
                ["--mail", "resend:", "--bounce-address", "bounce@relay.example"],
                ["--mail", "resend:", "--smtp-starttls", "try"],
                ["--mail", "resend:", "--from", "memo@localhost"]):
            key = {} if options == ["--mail", "resend:"] else {"MEMO_RELAY_RESEND_KEY": KEY}
            done = self.check(*options, **key)
            self.assertNotEqual(done.returncode, 0, options)
            self.assertNotIn(KEY, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
