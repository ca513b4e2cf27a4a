"""The sentences of the terminal are true: of the account, of the way out, and of what became of memos."""
import contextlib
import json
import pathlib
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "terminal"))

from inbox import Inbox, MailServer  # noqa: E402
from processes import BIN, Device, Relay, mailed_codes  # noqa: E402
from terminal import READY, Terminal  # noqa: E402
from waiting import SECONDS, wait_until  # noqa: E402

ADDRESS = "owner@example.org"
AGAIN = "This device is no longer signed in"


class Told(unittest.TestCase):
    def setUp(self):
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        self.folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.inbox = Inbox()
        self.server = cleanup.enter_context(MailServer(self.inbox))
        self.relay = Relay(self.folder / "relay", self.server.url, "--mail-retry-base", "0.2")
        cleanup.callback(lambda: self.relay.stop())
        self.device = Device(self.folder / "device")
        cleanup.callback(self.device.kill_agents)

    def sign_in(self, device=None):
        (device or self.device).sign_in(ADDRESS, self.relay, lambda: mailed_codes(self.inbox))

    def typed(self, *arguments, keys=b""):
        """The output of a command in a terminal."""
        environment = dict(self.device.environment, TERM="xterm-256color")
        terminal = Terminal([str(BIN / "memo"), *arguments], environment, columns=300)
        self.addCleanup(terminal.close)
        if keys:
            terminal.read(until=READY)
            for key in keys.split(b"|"):
                terminal.type(key)
        self.assertIsNotNone(terminal.wait())
        return terminal.output.decode()

    def output(self, *arguments):
        result = self.device.run(*arguments, check=False)
        return result.stdout.decode() + result.stderr.decode(), result.returncode

    def call(self, method, path, body=None, token=None):
        request = urllib.request.Request(
            self.relay.url + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}"} if token else {})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.loads(answer.read() or b"null")

    def sign_out_elsewhere(self):
        """Signs the device out by another device of the same person."""
        known = len(mailed_codes(self.inbox))
        asked = self.call("POST", "/v1/verifications", {"address": ADDRESS})
        wait_until(lambda: mailed_codes(self.inbox)[known:], "a code is mailed")
        token = self.call("POST", "/v1/verifications/confirm", {
            "address": ADDRESS, "code": mailed_codes(self.inbox)[known], "device": "page",
            "handle": asked["handle"]})["token"]
        for device in self.call("GET", "/v1/devices", token=token)["devices"]:
            if not device["current"]:
                self.call("DELETE", f"/v1/devices/{device['id']}", token=token)

    def test_a_device_that_was_signed_out_elsewhere_says_so_everywhere(self):
        self.sign_in()
        self.assertIn("in your inbox shortly", self.typed("arrives"))
        wait_until(lambda: self.inbox.memos() == [b"arrives"], "the memo arrives")
        self.sign_out_elsewhere()
        self.device.run("first")
        self.device.deliver()
        for _ in range(2):
            answer = self.typed("kept")
            self.assertIn(AGAIN, answer)
            self.assertIn("memo login ADDRESS", answer)
            self.assertNotIn("shortly", answer)
            self.device.wait_for_agents()
        doctor, code = self.output("doctor")
        self.assertEqual(code, 69)
        self.assertRegex(doctor, "Signed in +no longer; run: memo login ADDRESS")
        self.assertIn(AGAIN, doctor)
        self.assertNotIn("Entries of the outbox that need you", doctor)
        self.assertIs(self.device.json("doctor", check=False)["isSignedIn"], False)
        outbox, _ = self.output("outbox")
        self.assertIn("Kept here until you sign in (unauthorized).", outbox)
        self.assertIn(AGAIN, outbox)
        self.assertNotIn("Needs attention", outbox)
        self.assertIn("Kept here until you sign in (unauthorized).", self.output("history")[0])
        retried, code = self.output("outbox", "retry")
        self.assertEqual(code, 69)
        self.assertIn(AGAIN, retried)
        self.assertIn(AGAIN, self.typed(keys=b"composed|\x04|\x03"), "the composer says so, too")
        self.device.wait_for_agents()
        self.sign_in()
        memos = [b"arrives", b"first", b"kept", b"kept", b"composed"]
        wait_until(lambda: sorted(self.inbox.memos()) == sorted(memos), "all memos arrive")
        doctor, _ = self.output("doctor")
        self.assertRegex(doctor, "Signed in +yes")
        self.assertNotIn(AGAIN, doctor)

    def test_a_bounce_is_told_by_the_first_history_the_next_send_and_doctor(self):
        self.sign_in()
        self.server.answer = "450 later"
        self.device.run("never")
        wait_until(lambda: self.entry()["status"] == "sent", "the relay has the memo")
        self.server.answer = "550 never"
        wait_until(
            lambda: "status=bounced" in self.relay.log_path.read_text(), "the memo bounces")
        history, _ = self.output("history")
        self.assertIn("Bounced", history, "the first look tells it")
        self.assertIn("The mail server refused it (smtp.550).", history)
        self.assertIn("memo history resend ", history)

    def test_a_bounce_that_nobody_has_seen_is_told_after_the_next_send_and_by_doctor(self):
        self.sign_in()
        self.server.answer = "550 never"
        self.device.run("never")
        # As a program looks at the history: a person has seen nothing by that.
        wait_until(lambda: self.entry()["status"] == "bounced", "the memo bounces")
        self.server.answer = None
        told = "Memos that did not arrive, and that you have not seen: 1"
        self.assertIn(told, self.typed("next"))
        doctor, code = self.output("doctor")
        self.assertEqual(code, 69)
        self.assertIn(told, doctor)
        self.assertIn(told, self.typed(keys=b"\x03"))
        self.output("history")
        self.assertNotIn(told, self.output("doctor")[0])
        self.assertNotIn(told, self.typed("one more"))

    def entry(self):
        return self.device.json("history")[-1]

    def test_a_relay_that_is_away_is_told_with_its_time_and_not_after_a_success(self):
        self.sign_in()
        self.relay.kill()
        self.device.run("waits")
        wait_until(
            lambda: "network.unreachable" in self.output("doctor")[0], "the agent has tried")
        doctor, code = self.output("doctor")
        self.assertEqual(code, 69)
        self.assertIn(f"The server {self.relay.url} has not taken a memo since 20", doctor)
        self.assertIn("Memos that wait: 1.", doctor)
        self.assertRegex(doctor, r"Agent errors +20\d\d-.* Waiting for the connection")
        self.assertIn("It leaves once the server can be reached.", self.typed("waits, too"))
        outbox, _ = self.output("outbox")
        self.assertIn("Waiting for the connection (network.unreachable).", outbox)
        self.assertRegex(outbox, r"Next attempt in \d+ (s|min)")
        self.assertEqual(self.output("outbox", "retry"), ("Memos that are tried now: 2\n", 0))
        self.relay.start()
        self.device.run("outbox", "retry")
        wait_until(lambda: len(self.inbox.memos()) == 2, "both arrive")
        self.device.wait_for_agents()
        doctor, code = self.output("doctor")
        self.assertEqual(code, 0, doctor)
        self.assertRegex(doctor, "Agent errors +none")
        self.assertIn("in your inbox shortly", self.typed("arrives"))

    def test_news_that_cannot_be_had_are_as_of_the_last_time(self):
        self.sign_in()
        self.server.answer = "450 later"
        self.device.run("memo")
        wait_until(lambda: self.entry()["status"] == "sent", "the relay has the memo")
        self.assertNotIn("could not be asked", self.output("history")[0])
        self.relay.kill()
        history, code = self.output("history")
        self.assertEqual(code, 0)
        self.assertIn("Sent", history)
        self.assertRegex(history, r"could not be asked for news\. .* as of 20\d\d-\d\d-\d\d \d\d:\d\d")

    def test_an_abandoned_sign_in_goes_on_with_the_mailed_code_and_tells_where_memos_go(self):
        first = self.device.run("login", ADDRESS, "--relay", self.relay.url, check=False)
        self.assertEqual(first.returncode, 65)
        wait_until(lambda: mailed_codes(self.inbox), "a code is mailed")
        self.assertRegex(self.output("doctor")[0], "Signed in +not yet; to enter the mailed code")
        self.assertIn("It leaves once you have signed in", self.typed("before"))
        [code] = mailed_codes(self.inbox)
        wrong = "000000" if code != "000000" else "000001"
        second = self.device.run(
            "login", ADDRESS, "--relay", self.relay.url, stdin=f"{wrong}\n{code}\n".encode())
        errors = second.stderr.decode()
        self.assertIn("A code was mailed at ", errors)
        self.assertIn("This code is wrong. Tries left: 4.", errors)
        self.assertIn(f"Memos go to {ADDRESS} through the server {self.relay.url}", errors)
        self.assertEqual(mailed_codes(self.inbox), [code], "no second code")
        for command in ("doctor", "settings"):
            shown, _ = self.output(command)
            self.assertIn(ADDRESS, shown)
            self.assertIn(self.relay.url, shown)
        wait_until(lambda: self.inbox.memos() == [b"before"], "the memo arrives")

    def test_five_wrong_codes_are_told_apart_from_one(self):
        self.device.run("login", ADDRESS, "--relay", self.relay.url, check=False)
        wait_until(lambda: mailed_codes(self.inbox), "a code is mailed")
        [code] = mailed_codes(self.inbox)
        wrong = "000000" if code != "000000" else "000001"
        result = self.device.run(
            "login", ADDRESS, "--relay", self.relay.url, check=False,
            stdin=f"{wrong}\n".encode() * 5)
        self.assertEqual(result.returncode, 65)
        self.assertIn("no tries are left", result.stderr.decode())

    def test_a_relay_that_cannot_be_reached_is_named(self):
        self.relay.kill()
        result = self.device.run("login", ADDRESS, "--relay", self.relay.url, check=False)
        self.assertEqual(result.returncode, 69)
        self.assertIn(f"The server {self.relay.url} cannot be reached.", result.stderr.decode())


if __name__ == "__main__":
    unittest.main()
