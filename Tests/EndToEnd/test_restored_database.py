"""A base backup of a PostgreSQL database, taken while relays accept memos, and relays on the restored database."""
import pathlib
import shutil
import tempfile
import threading
import unittest

from postgresql import PROGRAMS, PostgreSQL
from required import required
from test_relay_postgresql import ADDRESS, MEMO, SharingRelay
from waiting import SECONDS, wait_until

PATIENT = ["--device-minute", "100000", "--device-day", "100000", "--network-hour", "100000",
           "--service-day", "100000"]


class Sender:
    """Sends memos one after the other, from a first number on, until it is told to end."""

    def __init__(self, relay, token, first):
        self._relay, self._token = relay, token
        self._number = first
        self._ended = threading.Event()
        self.accepted = []
        self.thread = threading.Thread(target=self._send)
        self.thread.start()

    def _send(self):
        while not self._ended.is_set():
            answer = self._relay.exchange(
                "PUT", MEMO.format(self._number), {"text": f"Milk {self._number}"}, self._token)
            if answer.status == 202:
                self.accepted.append(self._number)
            self._number += 1

    def end(self):
        self._ended.set()
        self.thread.join(SECONDS)


class RestoredDatabase(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = PostgreSQL()
        self.addCleanup(self.database.close)

    def relay(self, name, database, key):
        folder = self.folder / name
        folder.mkdir()
        relay = SharingRelay(folder, database, key, *PATIENT)
        self.addCleanup(relay.stop)
        return relay

    def mailed(self, name):
        """The numbers of the memos in a relay's Maildir, each as often as it is there."""
        lines = [line for path in (self.folder / name / "mail").glob("new/*")
                 for line in path.read_text().splitlines()]
        return sorted(
            int(line.split()[-1]) for line in lines if line.startswith("Subject: Milk"))

    def test_a_relay_on_the_restored_database_sends_each_memo_of_before_the_backup(self):
        relay = self.relay("first", self.database, self.folder / "key")
        token = relay.sign_in(ADDRESS)
        relay.stop()
        # No mail leaves any more.
        relay.use_mail("smtp://127.0.0.1:1")
        relay.start()
        senders = [Sender(relay, token, first) for first in (0, 1_000_000)]
        wait_until(lambda: all(len(sender.accepted) > 20 for sender in senders), "memos are accepted")
        before = [number for sender in senders for number in list(sender.accepted)]
        backup = self.database.back_up()
        during = [len(sender.accepted) for sender in senders]
        for sender in senders:
            sender.end()
        self.assertGreater(sum(during), len(before), "memos were accepted during the backup")
        accepted = {number for sender in senders for number in sender.accepted}
        # The machine is lost. The key is beside the backup.
        relay.kill()
        shutil.copy2(self.folder / "key", self.folder / "key.backup")
        restored = PostgreSQL(backup=backup)
        self.addCleanup(restored.close)
        self.database.stop()
        other = self.relay("second", restored, self.folder / "key.backup")
        # What had been tried in vain would wait longer and longer.
        other.operate("queue", "retry", "--all")
        wait_until(
            lambda: restored.ask("SELECT count(*) FROM outbox_operation") == "0", "every mail is sent")
        mailed = self.mailed("second")
        self.assertEqual(len(mailed), len(set(mailed)), "each memo once")
        self.assertEqual(set(before) - set(mailed), set(), "each memo of before the backup")
        self.assertEqual(set(mailed) - accepted, set(), "no memo that was not accepted")
        # The token is good, and a memo that is sent again is known.
        again = other.exchange("PUT", MEMO.format(before[0]), {"text": f"Milk {before[0]}"}, token)
        self.assertEqual(again.status, 202)
        self.assertEqual(self.mailed("second"), mailed)


if __name__ == "__main__":
    unittest.main()
