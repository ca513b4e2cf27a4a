"""`memo-relay copy`: a relay that moves from its folder into a PostgreSQL database."""
import json
import pathlib
import signal
import subprocess
import tempfile
import unittest

from postgresql import PROGRAMS, PostgreSQL
from processes import BIN
from raw_relay import RawRelay
from required import required
from test_relay_postgresql import MEMO, SharingRelay
from waiting import SECONDS, wait_until

ADDRESS = "person@example.org"
MEMOS = 120
PATIENT = ["--device-minute", "1000", "--device-day", "1000", "--network-hour", "1000"]


class CopyTest(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.key = self.folder / "key"
        self.database = PostgreSQL()
        self.addCleanup(self.database.close)
        self.relay = RawRelay(self.folder, *PATIENT)
        self.addCleanup(self.relay.stop)

    def send(self, relay, number):
        return relay.exchange("PUT", MEMO.format(number), {"text": f"Milk {number}"}, self.token).status

    def fill(self):
        """Signs a device in, and has memos accepted that no mail server takes."""
        self.token = self.relay.sign_in(ADDRESS)
        self.relay.stop()
        self.relay.use_mail("smtp://127.0.0.1:1")
        self.relay.start()
        for number in range(MEMOS):
            self.assertEqual(self.send(self.relay, number), 202)

    def start_copy(self, *options):
        return subprocess.Popen(
            [BIN / "memo-relay", "copy", "--from", f"sqlite:{self.relay.folder}", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def copy(self, *options):
        """The exit code, what it printed, and what it complained about."""
        process = self.start_copy(*(options or ("--to", self.database.url, "--key", self.key)))
        printed, complaint = process.communicate(timeout=SECONDS)
        return process.returncode, printed, complaint

    def refused_start(self, *place):
        """The complaint of a relay that does not start."""
        started = subprocess.run(
            [BIN / "memo-relay", "serve", "--port", "0", "--mail", f"maildir:{self.folder}/other", *place],
            check=False, timeout=SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.assertEqual((started.returncode, started.stdout), (1, ""))
        return started.stderr

    def mails(self, folder):
        texts = [path.read_text() for path in (self.folder / folder / "mail").glob("new/*")]
        return sorted(
            line.removeprefix("Subject: ") for text in texts for line in text.splitlines()
            if line.startswith("Subject: Milk"))

    def test_a_copy_that_is_killed_goes_on_and_its_relay_mails_each_memo_once(self):
        self.fill()
        self.assertIn("uses", self.copy()[2])
        self.relay.kill()
        ended = None
        # Each run is killed later than the one before, until one comes to its end.
        for tenths in range(1, 1000):
            process = self.start_copy("--to", self.database.url, "--key", self.key)
            try:
                printed, complaint = process.communicate(timeout=tenths / 50)
                ended = (process.returncode, complaint)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate(timeout=SECONDS)
        self.assertEqual(ended, (0, ""))
        self.assertTrue("copied, and equal" in printed or "was copied before" in printed, printed)
        self.assertIn("was copied before", self.copy()[1])
        self.assertEqual(self.key.stat().st_mode & 0o777, 0o600)
        self.assertIn(
            "No relay serves from the folder any more", self.refused_start("--data", self.relay.folder))
        place = self.folder / "database"
        place.mkdir()
        relay = SharingRelay(place, self.database, self.key, *PATIENT)
        self.addCleanup(relay.stop)
        # What had been tried in vain would wait longer and longer.
        relay.operate("queue", "retry", "--all")
        wait_until(lambda: len(self.mails("database")) == MEMOS, "each memo is mailed")
        # The token is good, and a memo of before is known.
        self.assertEqual(self.send(relay, 1), 202)
        self.assertEqual(self.send(relay, MEMOS), 202)
        wait_until(
            lambda: self.database.ask("SELECT count(*) FROM memo WHERE status = 'delivered'")
            == str(MEMOS + 1), "the new memo is delivered")
        self.assertEqual(self.mails("database"), sorted(f"Milk {number}" for number in range(MEMOS + 1)))

    def test_no_relay_serves_a_part_of_a_copy_and_a_copy_is_given_up(self):
        self.fill()
        self.relay.stop()
        self.assertEqual(self.copy()[0], 0)
        self.database.ask("DELETE FROM relay_secret")
        self.assertIn(
            "to its end", self.refused_start("--data", self.database.url, "--key", self.key))
        code, printed, _ = self.copy("--cancel")
        self.assertEqual((code, printed), (0, f"cancelled: a relay may serve from {self.relay.folder}\n"))
        self.assertEqual(self.copy("--cancel")[:2], (0, "no copy had begun\n"))
        self.relay.use_mail(f"maildir:{self.folder}/mail")
        self.relay.start()
        waiting = json.loads(subprocess.run(
            [BIN / "memo-relay", "stats", "--json", "--data", self.relay.folder], check=True, timeout=SECONDS,
            stdout=subprocess.PIPE).stdout)
        self.assertEqual(waiting["accounts"], 1)

    def test_mistakes_are_named_and_change_nothing(self):
        self.relay.stop()
        place = ("--to", self.database.url, "--key", str(self.key))
        for options, word in (
                (("--to", self.database.url), "--key are needed"), (("--cancel", *place), "--from alone"),
                (("--to", "/tmp/folder", "--key", "k"), "--key goes with"),
                (("--to", "postgres://m:kanarienvogel@h/d", "--key", "k"), "--to has a password")):
            code, _, complaint = self.copy(*options)
            self.assertNotEqual(code, 0)
            self.assertIn(word, complaint)
            self.assertNotIn("kanarienvogel", complaint)
        self.key.write_bytes(b"other")
        self.key.chmod(0o600)
        self.assertIn("has another key", self.copy()[2])
        self.key.unlink()
        self.relay.start()
        self.relay.stop()
        other = self.folder / "other"
        other.mkdir()
        SharingRelay(other, self.database, self.key).stop()
        self.key.unlink()
        self.assertIn("has data of a relay already", self.copy()[2])


if __name__ == "__main__":
    unittest.main()
