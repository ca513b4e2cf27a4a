import contextlib
import os
import pathlib
import subprocess
import tempfile
import unittest

from inbox import Inbox, MailServer
from processes import BIN, Device, Relay, mailed_codes, wait_until

SECRET = "this text must be in no message"


class Faults(unittest.TestCase):
    def setUp(self):
        self.cleanup = contextlib.ExitStack()
        self.addCleanup(self.cleanup.close)
        self.folder = self.cleanup.enter_context(tempfile.TemporaryDirectory())
        self.inbox = Inbox()
        self.server = self.cleanup.enter_context(MailServer(self.inbox))
        self.relay = Relay(f"{self.folder}/relay", self.server.url, "--mail-retry-base", "0.2")
        self.cleanup.callback(lambda: self.relay.stop())
        self.device = Device(f"{self.folder}/device")
        self.cleanup.callback(self.device.kill_agents)

    def sign_in(self):
        self.device.sign_in("owner@example.org", self.relay, lambda: mailed_codes(self.inbox))

    def arrives(self, *texts):
        expected = sorted(text.encode() for text in texts)
        wait_until(lambda: sorted(self.inbox.memos()) == expected, "all memos have arrived")

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

    def test_of_agents_started_at_once_one_delivers_and_the_others_leave(self):
        self.sign_in()
        self.device.kill_agents()
        for number in range(3):
            self.device.run(f"memo {number}")
        agents = [
            subprocess.Popen([BIN / "memo-agent", "run"], env=self.device.environment)
            for _ in range(4)
        ]
        codes = [agent.wait(60) for agent in agents]
        self.assertEqual(set(codes), {0})
        self.arrives("memo 0", "memo 1", "memo 2")
        self.assertEqual(self.inbox.collapsed, 0)

    def test_a_key_that_others_may_read_is_refused_and_the_memo_arrives_once_it_is_mended(self):
        self.sign_in()
        wait_until(lambda: not self.device.agents(), "the agent has ended")
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
        wait_until(lambda: not self.device.agents(), "the agent has ended")
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
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            self.fails_clearly(result, word)


@unittest.skipUnless(os.geteuid() == 0, "mounting a small file system needs root")
class Disks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, self.folder)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "memo-test", self.folder],
            stderr=subprocess.PIPE)
        if mounted.returncode:
            self.skipTest(f"cannot mount: {mounted.stderr.decode().strip()}")
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
