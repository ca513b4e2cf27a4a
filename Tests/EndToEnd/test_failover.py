"""The machine of the database dies with its disk while relays accept memos, and its standby takes its place."""
import os
import pathlib
import signal
import tempfile
import unittest

from memo_senders import MemoSenders, numbers_of
from postgresql import PROGRAMS, PostgreSQL
from required import required
from test_relay_postgresql import SharingRelay, sign_in_at
from test_restored_database import PATIENT
from waiting import wait_until


class TwoServers:
    """A server and its standby, for the address of relays: they use the one that takes writes."""

    def __init__(self, primary, standby):
        self._folders = [str(server.folder).replace("/", "%2F") for server in (primary, standby)]

    def url_of(self, role):
        return f"postgres://{role}@{','.join(self._folders)}/postgres?target_session_attrs=read-write"


class Failover(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.primary = PostgreSQL()
        self.addCleanup(self.primary.close)

    def serve(self):
        """Three relays whose mails go into one inbox."""
        self.standby = self.primary.stand_by()
        self.addCleanup(self.standby.close)
        (self.folder / "inbox").mkdir()
        self.relays = []
        for name in ("one", "two", "three"):
            folder = self.folder / name
            folder.mkdir()
            (folder / "mail").symlink_to(self.folder / "inbox")
            relay = SharingRelay(folder, TwoServers(self.primary, self.standby), self.folder / "key", *PATIENT)
            self.addCleanup(relay.stop)
            self.relays.append(relay)

    def mailed(self):
        return numbers_of((self.folder / "inbox").glob("new/*"))

    def fail_over(self, is_behind=False):
        """Answers the numbers of the memos that were accepted, as often as they were.

        A standby that is behind has had nothing for the last hundred memos.
        """
        senders = MemoSenders(self.relays, sign_in_at(*self.relays))
        senders.wait_for_more(25)
        if is_behind:
            os.kill(int(self.primary.ask("SELECT pid FROM pg_stat_replication")), signal.SIGSTOP)
            senders.wait_for_more(25)
        self.primary.lose()
        self.standby.promote()
        # Else each commit waits for a standby of this one.
        self.standby.set("synchronous_standby_names", "")
        senders.wait_for_more(25)
        accepted = senders.end()
        self.assertEqual(senders.refused, [])
        wait_until(
            lambda: self.standby.ask("SELECT count(*) FROM outbox_operation") == "0", "every mail is sent")
        return accepted

    def test_behind_a_synchronous_standby_each_accepted_memo_is_in_the_inbox_once(self):
        # The standby has the setting, too: of two machines either one may be the first.
        self.primary.ask("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        self.serve()
        self.primary.ask("SELECT pg_reload_conf()")
        wait_until(
            lambda: self.primary.ask("SELECT sync_state FROM pg_stat_replication") == "sync",
            "commits wait for the standby")
        accepted = self.fail_over()
        self.assertEqual(self.mailed(), accepted)

    def test_an_asynchronous_standby_that_is_behind_has_lost_accepted_memos(self):
        self.serve()
        accepted = self.fail_over(is_behind=True)
        mailed = self.mailed()
        forgotten = len(accepted) - int(self.standby.ask("SELECT count(*) FROM memo"))
        lost, doubled = set(accepted) - set(mailed), len(mailed) - len(set(mailed))
        print(f"failover: {len(accepted)} accepted, {forgotten} not in the database, {len(lost)} not in the inbox,"
              f" {doubled} twice")
        # Most were mailed before their machine died. The synchronous standby has each of them.
        self.assertGreaterEqual(forgotten, 100)
        self.assertLessEqual(len(lost), forgotten)
        self.assertEqual(set(mailed) - set(accepted), set(), "no memo that was not accepted")


if __name__ == "__main__":
    unittest.main()
