import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
import urllib.error
import urllib.request
import uuid

from delivery_reports import report
from inbox import Inbox, MailServer
from processes import BIN, Device, Relay, mailed_codes
from waiting import SECONDS, wait_until

CANARY = "kanarienvogel-7f3a-im-bergwerk"
ADDRESS = "canary.owner@example.org"


def finds(folder, needle):
    return [
        str(path) for path in pathlib.Path(folder).rglob("*")
        if path.is_file() and needle.encode() in path.read_bytes()
    ]


class Canary(unittest.TestCase):
    def test_neither_memo_nor_address_is_readable_at_rest_in_logs_or_in_arguments(self):
        inbox = Inbox()
        with tempfile.TemporaryDirectory() as folder, MailServer(inbox) as server:
            relay = Relay(f"{folder}/relay", server.url, "--log-level", "trace")
            device = Device(f"{folder}/device")
            arguments = set()
            watching = threading.Event()
            watcher = threading.Thread(target=self.watch, args=(device, arguments, watching))
            watcher.start()
            try:
                device.sign_in(ADDRESS, relay, lambda: mailed_codes(inbox))
                token_holders = finds(folder, ADDRESS)
                server.hang = True
                device.run(stdin=CANARY.encode())
                wait_until(
                    lambda: device.json("history")[0]["status"] == "sent", "the relay has it")
                self.assertEqual(finds(folder, CANARY), [], "while the relay holds the memo")
                server.hang = False
                relay.kill()
                relay.start()
                wait_until(lambda: inbox.memos() == [CANARY.encode()], "the memo has arrived")
                device.run("history")
                device.run("doctor")
                device.deliver()
            finally:
                watching.set()
                watcher.join()
                device.kill_agents()
                relay.stop()
            self.assertTrue(finds(folder, "SQLite format 3"), "the databases are not looked at")
            self.assertEqual(finds(folder, CANARY), [], "after delivery")
            self.assertEqual(finds(folder, ADDRESS), [])
            self.assertEqual(token_holders, [])
            self.assertTrue(arguments, "the agent was never seen")
            for argument in arguments:
                self.assertNotIn(CANARY.encode(), argument)
                self.assertNotIn(ADDRESS.encode(), argument)

    @staticmethod
    def watch(device, arguments, until):
        while not until.wait(0.005):
            for agent in device.agents():
                try:
                    arguments.add(pathlib.Path(f"/proc/{agent}/cmdline").read_bytes())
                except OSError:
                    pass


class OperatorsCanary(unittest.TestCase):
    """What the relay tells its operator, by any way, while it holds a memo that it cannot deliver."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tmp").mkdir()
        temporary = unittest.mock.patch.dict(os.environ, TMPDIR=str(self.folder / "tmp"))
        temporary.start()
        self.addCleanup(temporary.stop)
        self.inbox = Inbox()
        self.server = MailServer(self.inbox)
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)
        self.relay = Relay(
            f"{folder.name}/relay", self.server.url, "--log-level", "trace", "--metrics-port", "0")
        self.addCleanup(lambda: self.relay.stop())

    def call(self, method, path, body=None, token=None):
        request = urllib.request.Request(
            self.relay.url + path, method=method,
            data=None if body is None else json.dumps(body).encode())
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read()

    def send(self, answer):
        """Signs in, and sends a memo that the mail server answers so; answers the token."""
        known = len(mailed_codes(self.inbox))
        asked = json.loads(self.call("POST", "/v1/verifications", {"address": ADDRESS}))
        wait_until(lambda: len(mailed_codes(self.inbox)) > known, "a code is mailed")
        self.code = mailed_codes(self.inbox)[-1]
        grant = self.call("POST", "/v1/verifications/confirm", {
            "address": ADDRESS, "code": self.code, "handle": asked["handle"],
            "device": "canary device"})
        token = json.loads(grant)["token"]
        self.server.answer = answer
        self.call("PUT", f"/v1/memos/{uuid.uuid4()}", {"text": CANARY, "subject": CANARY}, token)
        return token

    def command(self, *arguments, stdin=b""):
        result = subprocess.run(
            [BIN / "memo-relay", *arguments], input=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=SECONDS)
        return result.stdout + result.stderr

    def operate(self, command, *arguments, stdin=b""):
        return self.command(
            *command.split(), "--data", str(self.relay.folder), *arguments, stdin=stdin)

    def metrics(self):
        port = wait_until(
            lambda: re.search(r"port=(\d+).*serving metrics", self.relay.log_path.read_text()),
            "the port for metrics is logged")[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=SECONDS) as answer:
            return answer.read()

    def outputs(self):
        """Everything that can be asked without changing anything, by its name."""
        outputs = {
            "stats": self.operate("stats"),
            "stats --json": self.operate("stats", "--json"),
            "list": self.operate("dead-letters list"),
            "list --json": self.operate("dead-letters list", "--json"),
            "check-config": self.operate("check-config", "--mail", self.server.url),
            "bounce": self.operate(
                "bounce", "--recipient", ADDRESS,
                stdin=report(recipient=ADDRESS, original_to=ADDRESS, returned=CANARY)),
            "readyz": self.call("GET", "/readyz"),
            "metrics": self.metrics(),
            "log": self.relay.log_path.read_bytes(),
        }
        for letter in json.loads(outputs["list --json"]):
            outputs["show"] = self.operate("dead-letters show", letter["id"])
            outputs["show --json"] = self.operate("dead-letters show", letter["id"], "--json")
        return outputs

    def test_what_the_operator_sees_names_no_memo_no_person_and_no_token(self):
        token = self.send(f"550 5.1.1 <{ADDRESS}> {CANARY}")
        wait_until(lambda: b"smtp.550" in self.operate("stats"), "the mail is refused")
        outputs = self.outputs()
        self.assertIn(b"example.org", outputs["show"])
        outputs["backup"] = self.operate("backup", str(self.folder / "copy"))
        self.assertTrue(finds(self.folder / "copy", "SQLite format 3"))
        outputs["retry"] = self.operate("dead-letters retry", "--domain", "example.org")
        self.assertEqual(outputs["retry"], b"queued again: 1\n")
        wait_until(lambda: b"smtp.550" in self.operate("stats"), "the mail is refused again")
        outputs["discard"] = self.operate("dead-letters discard", "--all")
        self.assertEqual(outputs["discard"], b"discarded: 1\n")
        key = self.relay.folder / "key"
        key.chmod(0o644)
        outputs["a key that others read"] = self.operate("dead-letters list")
        self.assertIn(b"key", outputs["a key that others read"])
        key.chmod(0o600)
        self.assertEqual(self.relay.stop(), 0)
        outputs["log"] = self.relay.log_path.read_bytes()
        names = [CANARY, ADDRESS, ADDRESS.split("@")[0], "canary device", token, self.code]
        for name, output in outputs.items():
            self.assertTrue(output, name)
            for secret in names:
                self.assertNotIn(secret.encode(), output, name)
        for secret in names:
            # Data, log, copy and temporary files.
            self.assertEqual(finds(self.folder, secret), [])

    def test_a_mistake_in_a_command_line_is_not_repeated_with_what_it_may_hold(self):
        for arguments in [
            ["serve", "--mail", f"smtp://{ADDRESS}:{CANARY}@localhost", "--data", "/nonexistent"],
            ["dead-letters", "show", CANARY, "--data", "/nonexistent"],
        ]:
            output = self.command(*arguments)
            self.assertNotIn(CANARY.encode(), output)
