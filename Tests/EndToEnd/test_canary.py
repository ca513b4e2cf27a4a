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
from mail_servers import PASSWORD, Dovecot, require_mail_servers
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
            ["mailbox", "add", CANARY, "--data", "/nonexistent"],
            ["mailbox", "add", ADDRESS, "--folder", f'"{CANARY}', "--data", "/nonexistent"],
            ["invite", CANARY, "--data", "/nonexistent"],
        ]:
            output = self.command(*arguments)
            self.assertNotIn(CANARY.encode(), output)


class MailboxCanary(unittest.TestCase):
    """The users and passwords of IMAP mailboxes, the one of all and an address's own."""

    USER = "kanarien-benutzer@example.org"
    SECRET = "kanarien-kennwort"

    def setUp(self):
        require_mail_servers()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        self.dovecot = self.enterContext(Dovecot(self.folder / "dovecot", False))
        (self.folder / "home").mkdir()
        self.enterContext(unittest.mock.patch.dict(os.environ, {
            "TMPDIR": str(self.folder / "home"), "MEMO_RELAY_IMAP_USER": self.USER,
            "MEMO_RELAY_IMAP_PASSWORD": PASSWORD}))
        self.mail = f"imap://127.0.0.1:{self.dovecot.port}"
        self.relay = Relay(
            self.folder / "home" / "relay", self.mail, "--log-level", "trace", "--mail-retry-base",
            "0.05", "--metrics-port", "0")
        self.addCleanup(lambda: self.relay.stop())

    def operate(self, *arguments, stdin=None):
        return subprocess.run(
            [BIN / "memo-relay", *arguments, "--data", self.relay.folder],
            stdin=subprocess.DEVNULL if stdin is None else None, input=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS).stdout

    def fetch(self, url):
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            return answer.read()

    def test_no_user_and_no_password_is_in_a_log_an_answer_an_argument_or_a_file(self):
        adding = subprocess.Popen(
            [BIN / "memo-relay", "mailbox", "add", ADDRESS, "--data", self.relay.folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        adding.stdin.write(f"{self.USER}\n".encode())
        adding.stdin.flush()
        arguments = [
            pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
            for process in (adding, self.relay.process)]
        outputs = {"add": adding.communicate(f"{self.SECRET}\n".encode(), timeout=SECONDS)[0]}
        for address in (ADDRESS, "somebody.else@example.org"):
            request = urllib.request.Request(
                self.relay.url + "/v1/verifications", json.dumps({"address": address}).encode())
            self.fetch(request)
        # The wrong password of one address; the right one of all.
        wait_until(
            lambda: b"imap.login" in self.fetch(self.relay.url + "/readyz"), "a mail waits")
        port = wait_until(
            lambda: re.search(r"port=(\d+).*serving metrics", self.relay.log_path.read_text()),
            "the port for metrics is logged")[1]
        outputs |= {
            "readyz": self.fetch(self.relay.url + "/readyz"),
            "metrics": self.fetch(f"http://127.0.0.1:{port}/metrics"),
            "stats": self.operate("stats", "--json"),
            "list": self.operate("mailbox", "list"),
            "check-config": self.operate("check-config", "--mail", self.mail),
            "remove": self.operate("mailbox", "remove", ADDRESS),
            "nothing": self.operate("mailbox", "add", ADDRESS, stdin=b"\n"),
        }
        self.assertIn(b"fine", outputs["check-config"])
        self.assertEqual(self.relay.stop(), 0)
        outputs["log"] = self.relay.log_path.read_bytes()
        for secret in (self.USER, self.SECRET, PASSWORD):
            for name, output in outputs.items():
                self.assertTrue(output, name)
                self.assertNotIn(secret.encode(), output, name)
            for argument in arguments:
                self.assertNotIn(secret.encode(), argument)
            self.assertEqual(finds(self.folder / "home", secret), [])


class SigningCanary(unittest.TestCase):
    """The private keys that sign mails."""

    def test_no_key_is_in_a_log_an_answer_or_a_mail(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        inbox = Inbox()
        server = self.enterContext(MailServer(inbox))
        key = folder / "keys.pem"
        dkim = ["--dkim", key, "--dkim-selector", "canary"]

        def run(*arguments):
            return subprocess.run(
                [BIN / "memo-relay", *arguments], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS).stdout

        make = ["dkim-key", "--domain", "localhost", "--selector", "canary", key]
        outputs = {"made": run(*make), "shown": run(*make)}
        relay = Relay(
            folder / "relay", server.url, "--log-level", "trace", *map(str, dkim))
        self.addCleanup(lambda: relay.stop())
        request = urllib.request.Request(
            relay.url + "/v1/verifications", json.dumps({"address": ADDRESS}).encode())
        with urllib.request.urlopen(request, timeout=SECONDS):
            wait_until(inbox.messages, "a signed mail has arrived")
        outputs["mail"] = inbox.raw()[0]
        self.assertIn(b"DKIM-Signature", outputs["mail"])
        outputs["check-config"] = run(
            "check-config", "--data", relay.folder, "--mail", server.url, *dkim)
        # Both ways in which a file of keys is refused.
        key.chmod(0o644)
        outputs["others"] = run("check-config", "--data", relay.folder, "--mail", server.url, *dkim)
        key.chmod(0o600)
        whole = key.read_text()
        key.write_text(whole + whole)
        outputs["twice"] = run("check-config", "--data", relay.folder, "--mail", server.url, *dkim)
        relay.stop()
        outputs["log"] = relay.log_path.read_bytes()
        secrets = [line for line in whole.splitlines() if not line.startswith("-----")]
        self.assertGreater(len(secrets), 10)
        for name, output in outputs.items():
            self.assertTrue(output, name)
            for secret in secrets:
                self.assertNotIn(secret.encode(), output, name)
        for secret in secrets:
            self.assertEqual(finds(relay.folder, secret), [])
