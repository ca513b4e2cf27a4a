"""Three relays of one database, replaced one after the other under load, while a later build changes the tables."""
import pathlib
import tempfile
import threading
import unittest

from postgresql import PROGRAMS, PostgreSQL
from required import required
from test_relay_postgresql import MEMO, SharingRelay, sign_in_at
from test_restored_database import PATIENT
from waiting import SECONDS, wait_until

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
        self.ended = threading.Event()
        self.refused = []

    def relay(self, name):
        folder = self.folder / name
        folder.mkdir()
        relay = SharingRelay(folder, self.database, self.folder / "key", *PATIENT)
        self.addCleanup(relay.stop)
        return relay

    def send(self, token, first, accepted):
        """Sends memos, each to one relay after the other until one takes it, as a proxy does."""
        number = first
        while not self.ended.is_set():
            for attempt in range(10_000):
                relay = self.relays[(number + attempt) % 3]
                try:
                    answer = relay.exchange("PUT", MEMO.format(number), {"text": f"Milk {number}"}, token)
                except (OSError, ValueError, IndexError):
                    # The relay is away. What became of the request is not known.
                    continue
                if answer.status == 202:
                    accepted.append(number)
                    break
                if answer.status != 503:
                    self.refused.append(answer)
                    return
            number += 1

    def mailed(self):
        lines = [line for path in self.folder.glob("*/mail/new/*")
                 for line in path.read_text().splitlines()]
        return sorted(int(line.split()[-1]) for line in lines if line.startswith("Subject: Milk"))

    def test_each_memo_is_mailed_once_while_relays_are_replaced_and_tables_change(self):
        token = wait_until(
            lambda: sign_in_at(*self.relays), "a code is mailed")
        lists = [[] for _ in range(4)]
        threads = [
            threading.Thread(target=self.send, args=(token, 1_000_000 * index, accepted))
            for index, accepted in enumerate(lists)]
        for thread in threads:
            thread.start()

        def more():
            counts = [len(accepted) for accepted in lists]
            wait_until(
                lambda: self.refused or all(
                    len(accepted) > count + 5 for accepted, count in zip(lists, counts)),
                "memos are accepted")
        more()
        for index, relay in enumerate(self.relays):
            self.assertEqual(relay.stop(), 0)
            more()
            if index == 1:
                # As a relay of the later build, which tries again where it meets transactions.
                wait_until(lambda: not self.database.refusal(LATER_STEP, "memo"), "the step has run")
                more()
            relay.start()
            more()
        self.ended.set()
        for thread in threads:
            thread.join(SECONDS)
        self.assertEqual(self.refused, [])
        accepted = sorted(number for each in lists for number in each)
        self.assertEqual(len(accepted), len(set(accepted)))
        wait_until(
            lambda: self.database.ask("SELECT count(*) FROM outbox_operation") == "0", "every mail is sent")
        self.assertEqual(self.mailed(), accepted)
        self.assertEqual(
            self.database.ask("SELECT count(*) FROM memo WHERE status = 'delivered'"), str(len(accepted)))


if __name__ == "__main__":
    unittest.main()
