"""Three relays of one database, replaced one after the other under load, while a later build changes the tables."""
import pathlib
import tempfile
import unittest

from memo_senders import AWAY, MemoSenders, numbers_of
from postgresql import PROGRAMS, PostgreSQL
from required import required
from test_relay_postgresql import SharingRelay, sign_in_at
from test_restored_database import PATIENT
from waiting import wait_until

#: A step of a later build: what relays of this build do not know, and do not read.
LATER_STEP = """
BEGIN;
SELECT version FROM schema_component WHERE name = 'relay' FOR UPDATE;
ALTER TABLE memo ADD COLUMN later bigint;
ALTER TABLE outbox_operation ADD COLUMN later text;
CREATE TABLE later(id bigint PRIMARY KEY, account bytea REFERENCES account(id));
CREATE INDEX memo_later ON memo(later);
UPDATE schema_component SET version = version + 1 WHERE name = 'relay';
COMMIT;
"""


class RollingUpdate(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = PostgreSQL()
        self.addCleanup(self.database.close)
        self.relays = [self.relay(name) for name in ("one", "two", "three")]

    def relay(self, name):
        folder = self.folder / name
        folder.mkdir()
        relay = SharingRelay(folder, self.database, self.folder / "key", *PATIENT)
        self.addCleanup(relay.stop)
        return relay

    def test_each_memo_is_mailed_once_while_relays_are_replaced_and_tables_change(self):
        token = wait_until(
            lambda: sign_in_at(*self.relays), "a code is mailed")
        senders = MemoSenders(self.relays, token, AWAY)
        senders.wait_for_more(5)
        for index, relay in enumerate(self.relays):
            self.assertEqual(relay.stop(), 0)
            senders.wait_for_more(5)
            if index == 1:
                # As a relay of the later build, which tries again where it meets transactions.
                wait_until(lambda: not self.database.refusal(LATER_STEP, "memo"), "the step has run")
                senders.wait_for_more(5)
            relay.start()
            senders.wait_for_more(5)
        accepted = senders.end()
        self.assertEqual(senders.refused, [])
        self.assertEqual(len(accepted), len(set(accepted)))
        wait_until(
            lambda: self.database.ask("SELECT count(*) FROM outbox_operation") == "0", "every mail is sent")
        self.assertEqual(numbers_of(self.folder.glob("*/mail/new/*")), accepted)
        self.assertEqual(
            self.database.ask("SELECT count(*) FROM memo WHERE status = 'delivered'"), str(len(accepted)))


if __name__ == "__main__":
    unittest.main()
