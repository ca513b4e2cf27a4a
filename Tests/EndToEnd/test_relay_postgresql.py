"""Relays whose data is in a PostgreSQL database."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from postgresql import PROGRAMS, PostgreSQL
from processes import BIN
from raw_relay import RawRelay, request
from required import required
from waiting import SECONDS, wait_until

ADDRESS = "person@example.org"
MEMO = "/v1/memos/00000000-0000-4000-8000-{:012d}"


class SharingRelay(RawRelay):
    """A relay that keeps its data in a database, and its key in a file."""

    def __init__(self, folder, database, key, *options, role="memo"):
        self._place = ["--data", database.url_of(role), "--key", str(key)]
        super().__init__(folder, *options, "--key", str(key), data=database.url_of(role))

    def operate(self, *arguments):
        """Runs a command of the operator."""
        return subprocess.run(
            [BIN / "memo-relay", *arguments, *self._place], check=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def sign_in_at(*relays):
    """The token of a new device; the code is mailed by the relay that hands codes over."""
    asked = json.loads(relays[0].ask_code(ADDRESS).body)
    code = wait_until(
        lambda: [code for relay in relays for code in relay.codes(ADDRESS)], "a code is mailed")[-1]
    return json.loads(relays[0].try_code(ADDRESS, code, asked["handle"]).body).get("token")


class RelayOnPostgreSQL(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = PostgreSQL()
        self.addCleanup(self.database.close)

    def relay(self, name="one", key="key"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        relay = SharingRelay(folder, self.database, self.folder / key)
        self.addCleanup(relay.stop)
        return relay

    def send(self, relay, token, number):
        return relay.exchange("PUT", MEMO.format(number), {"text": "Milk"}, token)

    def test_a_memo_is_accepted_and_mailed_and_an_operator_sees_it(self):
        relay = self.relay()
        token = relay.sign_in(ADDRESS)
        self.assertEqual(self.send(relay, token, 1).status, 202)
        wait_until(
            lambda: self.database.ask("SELECT status FROM memo") == "delivered", "the memo is delivered")
        self.assertEqual(self.database.ask("SELECT count(*) FROM outbox_operation"), "0")
        statistics = json.loads(relay.operate("stats", "--json"))
        self.assertEqual((statistics["accounts"], statistics["memos"]), (1, {"delivered": 1}))

    def test_a_relay_that_is_killed_within_a_transaction_leaves_nothing_of_it(self):
        one, two = self.relay("one"), self.relay("two")
        token = one.sign_in(ADDRESS)
        waiting = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'memo-relay' AND wait_event_type = 'Lock'")
        with self.database.transaction("SELECT id FROM relay_turn WHERE id = 0 FOR UPDATE"):
            with one.connect() as connection:
                connection.sendall(request("PUT", MEMO.format(1), {"text": "Milk"}, token))
                wait_until(lambda: self.database.ask(waiting) != "0", "the relay waits in a transaction")
                one.kill()
        self.assertEqual(self.database.ask("SELECT count(*) FROM memo"), "0")
        self.assertEqual(self.send(two, token, 1).status, 202)
        self.assertEqual(self.database.ask("SELECT count(*) FROM memo"), "1")

    def test_without_its_database_a_relay_says_so_and_is_well_again_by_itself(self):
        relay = self.relay()
        token = relay.sign_in(ADDRESS)
        self.database.stop()
        answer = self.send(relay, token, 1)
        self.assertEqual(answer.status, 503)
        self.assertGreater(int(answer.fields["retry-after"]), 0)
        wait_until(lambda: relay.exchange("GET", "/readyz").status == 503, "the relay is not ready")
        relay.require_health()
        self.database.start()
        wait_until(lambda: relay.exchange("GET", "/readyz").status == 200, "the relay is ready again")
        self.assertEqual(self.send(relay, token, 1).status, 202)
        wait_until(
            lambda: self.database.ask("SELECT status FROM memo") == "delivered", "the memo is delivered")

    def test_two_relays_share_a_database_and_one_outlives_the_other(self):
        first, second = self.relay("one"), self.relay("two")
        # The mails of both go into the folder of the one that hands mails over.
        token = wait_until(lambda: sign_in_at(first, second), "a code is mailed")
        self.assertEqual(self.send(first, token, 1).status, 202)
        again = self.send(second, token, 1)
        self.assertEqual(again.status, 202)
        first.kill()
        self.addCleanup(first.start)
        self.assertEqual(self.send(second, token, 2).status, 202)
        wait_until(
            lambda: self.database.ask("SELECT count(*) FROM memo WHERE status = 'delivered'") == "2",
            "the other relay hands the mails over")

    def test_a_relay_without_the_key_of_its_database_does_not_start_and_makes_none(self):
        self.relay()
        with self.assertRaisesRegex(AssertionError, "other is gone"):
            self.relay("two", key="other")
        self.assertFalse((self.folder / "other").exists())

    def test_mistakes_in_the_place_are_named(self):
        def sentence(*options):
            return subprocess.run(
                [BIN / "memo-relay", "check-config", "--mail", "maildir:/tmp/mail", *options], check=False,
                timeout=SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True).stdout

        place = "postgres://memo@database.example/memo"
        self.assertIn("--key is missing", sentence("--data", place))
        self.assertIn("--data is a URL", sentence("--data", "mysql://database.example/memo"))
        self.assertIn("--key goes with", sentence("--data", "/tmp/relay", "--key", "/tmp/key"))
        for secret in ("postgres://memo:kanarienvogel@database.example/memo",
                       "postgres://database.example/memo?password=kanarienvogel"):
            said = sentence("--data", secret, "--key", "/tmp/key")
            self.assertIn("--data has a password", said)
            self.assertNotIn("kanarienvogel", said)


if __name__ == "__main__":
    unittest.main()
