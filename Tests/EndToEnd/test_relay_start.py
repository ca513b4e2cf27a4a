"""What a relay says when it starts, when it cannot start, and when it ends."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

from inbox import Inbox, MailServer
from processes import BIN, Relay
from waiting import SECONDS


class RelayStart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        server = MailServer(Inbox())
        server.__enter__()
        self.addCleanup(server.__exit__, None, None, None)
        self.mail = server.url

    def relay(self, name, *options):
        """A relay that has served and stopped."""
        relay = Relay(self.folder / name, self.mail, *options)
        self.addCleanup(relay.stop)
        self.assertEqual(relay.stop(), 0)
        return relay

    def run_relay(self, *arguments, **environment):
        return subprocess.run(
            [BIN / "memo-relay", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=SECONDS, text=True,
            env={"PATH": os.environ["PATH"], **environment})

    def serve(self, folder, *options):
        """What is said by a relay that does not start."""
        result = self.run_relay(
            "serve", "--port", "0", "--data", str(folder), "--mail", self.mail, *options)
        self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
        return [line for line in result.stderr.splitlines() if line.startswith("memo-relay: ")]

    def test_a_database_under_another_key_is_named_as_such_and_nothing_is_changed(self):
        folder = self.relay("one").folder
        shutil.copy(self.relay("other").folder / "key", folder / "key")
        before = (folder / "relay.sqlite").read_bytes()
        line, = self.serve(folder)
        self.assertIn(f"{folder} is sealed with another key than {folder}/key", line)
        self.assertIn("the mails that wait", line)
        self.assertNotIn("Choose another", line)
        for command in [("dead-letters", "list"), ("backup", str(self.folder / "copy"))]:
            result = self.run_relay(*command, "--data", str(folder))
            self.assertEqual(result.returncode, 1)
            self.assertIn("sealed with another key", result.stderr, command)
        self.assertEqual((folder / "relay.sqlite").read_bytes(), before)

    def test_a_damaged_database_is_named_as_such_and_nothing_is_changed(self):
        for number, pages in enumerate([b"\0" * 4096, b"no database" * 2000]):
            folder = self.relay(f"damaged-{number}").folder
            for log in folder.glob("relay.sqlite-*"):
                log.unlink()
            with open(folder / "relay.sqlite", "r+b") as database:
                database.write(pages)
            before = (folder / "relay.sqlite").read_bytes()
            line, = self.serve(folder)
            self.assertIn(f"the database in {folder} is damaged", line)
            self.assertIn("backup", line)
            self.assertNotIn("Choose another", line)
            result = self.run_relay("stats", "--data", str(folder))
            self.assertEqual(result.returncode, 1)
            self.assertIn("is damaged", result.stderr)
            self.assertEqual((folder / "relay.sqlite").read_bytes(), before)

    def test_a_folder_that_cannot_be_made_is_named_with_the_reason(self):
        line, = self.serve(self.folder / "none" / "data")
        self.assertIn("No such file or directory", line)
        (self.folder / "file").write_text("")
        line, = self.serve(self.folder / "file")
        self.assertIn("Not a directory", line)

    def test_a_port_for_metrics_in_use_and_an_unknown_host_get_one_sentence(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            line, = self.serve(self.folder / "data", "--metrics-port", str(port))
            self.assertIn(f"port {port} of this machine", line)
            self.assertIn("in use", line)
        line, = self.serve(self.folder / "data", "--host", "host.invalid", "--insecure-http")
        self.assertIn("no host host.invalid", line)

    def test_the_log_says_how_the_relay_starts_and_stops(self):
        relay = self.relay("logged")
        log = relay.log_path.read_text()
        version = self.run_relay("--version").stdout.strip()
        start, = [line for line in log.splitlines() if "relay starts" in line]
        for field in [f"version={version}", f"data={relay.folder}", f"mail={self.mail}"]:
            self.assertIn(field, start)
        self.assertLess(log.index("relay starts"), log.index("relay stops"))
        self.assertLess(log.index("relay stops"), log.index("relay has stopped"))
        self.assertNotIn("Cancellation", log)
        self.assertEqual(re.findall(r" (?:warning|error) .*", log), [])

    def test_the_commands_find_the_folder_by_the_file_of_settings(self):
        folder = self.relay("found").folder
        settings = self.folder / "settings"
        settings.write_text(f"data = {folder}\nservice-day = 1\nmail = maildir:/m\n")
        copy = self.folder / "copy"
        for command in [("stats", "--json"), ("dead-letters", "list", "--json"),
                        ("backup", str(copy))]:
            found = self.run_relay(*command, "--config", str(settings))
            self.assertEqual(found.returncode, 0, found.stderr)
        self.assertTrue((copy / "relay.sqlite").exists())
        found = self.run_relay("stats", "--json", MEMO_RELAY_CONFIG=str(settings))
        self.assertEqual(json.loads(found.stdout)["accounts"], 0)
        found = self.run_relay("stats", "--config", str(settings), "--data", str(self.folder / "no"))
        self.assertIn(f"{self.folder}/no has no relay", found.stderr)
        bounce = self.run_relay("bounce", "--config", str(settings))
        self.assertEqual(bounce.stdout, "nothing to record: the mail is no report of a mail server\n")
        missing = self.run_relay("stats", "--config", str(self.folder / "none"))
        self.assertEqual(missing.returncode, 64)
        self.assertIn("does not exist", missing.stderr)
        self.assertEqual(self.run_relay("bounce", "--config", str(self.folder / "none")).returncode, 75)


if __name__ == "__main__":
    unittest.main()
