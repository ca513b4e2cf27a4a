import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from counted_relay import CountedRelay
from inbox import Inbox, MailServer
from processes import BIN, Device, Relay, mailed_codes
from required import required
from waiting import SECONDS, wait_until

SECRET = "this text must be in no message"


class FaultTest(unittest.TestCase):
    make_relay = Relay

    def setUp(self):
        self.cleanup = contextlib.ExitStack()
        self.addCleanup(self.cleanup.close)
        self.folder = self.cleanup.enter_context(tempfile.TemporaryDirectory())
        self.inbox = Inbox()
        self.server = self.cleanup.enter_context(MailServer(self.inbox))
        self.relay = self.make_relay(
            f"{self.folder}/relay", self.server.url, "--mail-retry-base", "0.2")
        self.cleanup.callback(lambda: self.relay.stop())
        self.device = Device(f"{self.folder}/device")
        self.cleanup.callback(self.device.kill_agents)

    def sign_in(self):
        self.device.sign_in("owner@example.org", self.relay, lambda: mailed_codes(self.inbox))

    def arrives(self, *texts):
        expected = sorted(text.encode() for text in texts)
        wait_until(lambda: len(self.inbox.memos()) >= len(expected), "all memos have arrived")
        self.inbox.wait_for_quiet()
        self.assertEqual(sorted(self.inbox.memos()), expected)


class Faults(FaultTest):
    def fails_clearly(self, result, *words):
        message = result.stderr.decode()
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn(SECRET, message + result.stdout.decode())
        for word in words:
            self.assertIn(word, message.lower())

    def test_a_memo_written_before_signing_in_is_kept_and_delivered_after(self):
        self.device.run("first")
        self.assertEqual(self.device.agents(), [])
        self.sign_in()
        self.arrives("first")

    def test_memos_written_while_the_relay_is_down_arrive_when_it_is_back(self):
        self.sign_in()
        self.relay.stop()
        for number in range(5):
            self.device.run(f"offline {number}")
        wait_until(
            lambda: all(entry["attempts"] for entry in self.device.json("outbox", "list")[:3]),
            "the agent has tried")
        self.relay.start()
        self.arrives(*(f"offline {number}" for number in range(5)))

    def test_a_memo_accepted_by_a_relay_that_dies_an_instant_later_is_delivered_once(self):
        self.sign_in()
        self.server.hang = True
        self.device.run("accepted")
        wait_until(lambda: self.device.json("history")[0]["status"] == "sent", "it is accepted")
        self.relay.kill()
        self.server.hang = False
        self.relay.start()
        self.arrives("accepted")
        self.assertEqual(self.inbox.collapsed, 0)

    def test_a_mail_server_that_says_later_gets_the_mail_later(self):
        self.sign_in()
        self.server.answer = "451 later"
        self.device.run("later")
        wait_until(lambda: self.device.json("history")[0]["status"] == "sent", "it is accepted")
        self.server.answer = None
        self.arrives("later")

    def test_a_mail_server_that_refuses_for_good_is_not_asked_again_and_nothing_is_dropped(self):
        self.sign_in()
        self.server.answer = "550 never"
        self.device.run("never")
        log = self.relay.log_path
        wait_until(lambda: "parked" in log.read_text(), "the mail is parked")
        self.assertEqual(self.relay.stop(), 0)
        self.server.answer = None
        self.relay.start()
        self.device.run("next")
        self.arrives("next")

    def test_a_relay_told_to_stop_stops_cleanly_and_keeps_what_it_holds(self):
        self.sign_in()
        self.server.hang = True
        self.device.run("held")
        wait_until(lambda: self.device.json("history")[0]["status"] == "sent", "it is accepted")
        self.assertEqual(self.relay.stop(), 0)
        self.server.hang = False
        self.relay.start()
        self.arrives("held")

    def test_a_key_that_others_may_read_is_refused_and_the_memo_arrives_once_it_is_mended(self):
        self.sign_in()
        self.device.wait_for_agents()
        key = self.device.home / "key"
        key.chmod(0o644)
        self.fails_clearly(self.device.run(SECRET, check=False), "chmod 600")
        key.chmod(0o600)
        self.device.run("mended")
        self.arrives("mended")

    def test_a_lost_key_is_not_replaced(self):
        self.sign_in()
        self.device.run("sealed")
        self.arrives("sealed")
        self.device.wait_for_agents()
        key = self.device.home / "key"
        kept = key.read_bytes()
        key.unlink()
        self.fails_clearly(self.device.run(SECRET, check=False), "key")
        self.assertFalse(key.exists())
        key.write_bytes(kept)
        key.chmod(0o600)
        self.assertEqual(self.device.json("history")[0]["text"], "sealed")

    def test_a_busy_port_and_an_unwritable_folder_are_named(self):
        port = self.relay.url.rsplit(":", 1)[1]
        for arguments, word in [
            (["--port", port, "--data", f"{self.folder}/other"], "in use"),
            (["--port", "0", "--data", "/proc/nowhere"], "/proc/nowhere"),
        ]:
            result = subprocess.run(
                [BIN / "memo-relay", "serve", "--mail", f"maildir:{self.folder}/mail", *arguments],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
            self.fails_clearly(result, word)


class Agents(FaultTest):
    make_relay = CountedRelay

    def test_of_agents_started_at_once_one_delivers_and_the_others_leave(self):
        self.sign_in()
        self.device.kill_agents()
        self.device.wait_for_agents()
        for number in range(3):
            self.queue(f"memo {number}")
        self.relay.hold()
        agents = [
            subprocess.Popen(
                [BIN / "memo-agent", "run"], env=self.device.environment,
                stderr=subprocess.DEVNULL)
            for _ in range(4)
        ]
        # Each has come to where it delivers or leaves while the first delivery is under way.
        wait_until(
            lambda: self.relay.has_repetition
            or self.relay.deliveries and [each.poll() for each in agents].count(None) == 1,
            "all but one have left")
        self.relay.let_pass()
        codes = [agent.wait(SECONDS) for agent in agents]
        self.assertEqual(list(self.relay.deliveries.values()), [1, 1, 1])
        self.assertEqual(set(codes), {0})
        self.arrives("memo 0", "memo 1", "memo 2")
        self.assertEqual(self.inbox.collapsed, 0)

    def queue(self, text):
        """Sends by a memo that finds no agent to start."""
        lone = pathlib.Path(self.folder, "lone")
        lone.mkdir(exist_ok=True)
        shutil.copy(BIN / "memo", lone)
        result = subprocess.run(
            [lone / "memo", text], env=self.device.environment | {"PATH": "/nonexistent"},
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertIn(b"could not be started", result.stderr)


class Disks(unittest.TestCase):
    def setUp(self):
        required(os.geteuid() == 0, "root, to mount a small file system")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, self.folder)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "memo-test", self.folder],
            stderr=subprocess.PIPE)
        required(
            mounted.returncode == 0,
            f"a machine that mounts file systems: {mounted.stderr.decode().strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.folder], check=True)
        self.device = Device(f"{self.folder}/device")
        self.device.environment["HOME"] = "/nonexistent"

    def test_a_full_disk_is_named_nothing_is_half_written_and_it_works_again(self):
        self.device.run("before")
        filler = pathlib.Path(self.folder, "filler")
        with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(b"\0" * 4096)
        refused = 0
        for number in range(40):
            result = self.device.run(stdin=f"{SECRET} {number} {'x' * 4000}".encode(), check=False)
            if result.returncode:
                refused += 1
                self.assertNotIn(SECRET, result.stderr.decode())
                self.assertIn("full", result.stderr.decode().lower())
        self.assertGreater(refused, 0)
        kept = 1 + 40 - refused
        filler.unlink()
        self.assertEqual(len(self.device.json("outbox", "list", "--limit", "1000")), kept)
        self.device.run("after")
        texts = [entry["text"] for entry in self.device.json("history", "--limit", "1000")]
        self.assertEqual(len(texts), kept + 1)
        self.assertIn("after", texts)
        self.assertIn("before", texts)

    def test_a_read_only_disk_is_named_and_what_is_on_it_stays(self):
        self.device.run("before")
        subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)
        result = self.device.run(SECRET, check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn(SECRET, result.stderr.decode())
        subprocess.run(["mount", "-o", "remount,rw", self.folder], check=True)
        self.device.run("after")
        texts = [entry["text"] for entry in self.device.json("history")]
        self.assertEqual(sorted(texts), ["after", "before"])
