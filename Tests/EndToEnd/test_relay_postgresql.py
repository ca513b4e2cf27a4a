"""Relays whose data is in a PostgreSQL database."""
import collections
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
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


def sign_in_at(*relays, address=ADDRESS):
    """The token of a new device; the code is mailed by the relay that hands codes over."""
    asked = json.loads(relays[0].ask_code(address).body)
    code = wait_until(
        lambda: [code for relay in relays for code in relay.codes(address)], "a code is mailed")[-1]
    return json.loads(relays[0].try_code(address, code, asked["handle"]).body).get("token")


class RelayOnPostgreSQL(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = PostgreSQL()
        self.addCleanup(self.database.close)

    def relay(self, name="one", *options, key="key"):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        relay = SharingRelay(folder, self.database, self.folder / key, *options)
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
        token = sign_in_at(one, two)
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
        # The mails of both go into the folder of the one that hands the codes over.
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

    def shares(self):
        """How many shards of memos each relay has."""
        counts = self.database.ask(
            "SELECT count(*) FROM relay_shard WHERE shard < 64 AND expires > extract(epoch FROM now()) * 1000"
            " GROUP BY holder")
        return sorted(int(count) for count in counts.split())

    def named_by(self, relay):
        """The relays that an operator sees, with what each one has."""
        return json.loads(relay.operate("stats", "--json"))["relays"]

    def wait_for_shares(self, *shares):
        wait_until(lambda: self.shares() == list(shares), f"relays have {shares} shards")

    def mailed(self):
        """How often each memo is in the folders of all relays."""
        texts = [path.read_text() for path in self.folder.glob("*/mail/new/*")]
        # In quoted-printable, a line that goes on ends with "=".
        return collections.Counter(
            line.rstrip("=") for text in texts for line in text.splitlines() if line.startswith("memo "))

    def wait_for_delivery(self, count):
        wait_until(
            lambda: self.database.ask("SELECT count(*) FROM memo WHERE status = 'delivered'") == str(count),
            f"{count} memos are delivered")

    def test_relays_share_the_shards_as_they_come_and_go_and_no_mail_goes_twice(self):
        long = ("--lease-seconds", "30", "--device-minute", "600", "--device-day", "6000")
        relays = [self.relay("one", *long)]
        self.wait_for_shares(64)
        tokens = [sign_in_at(*relays, address=f"person{number}@example.org") for number in range(6)]
        sent = set()

        def send(count):
            for _ in range(count):
                text = f"memo {len(sent)}"
                relay = relays[len(sent) % len(relays)]
                answer = relay.exchange(
                    "PUT", MEMO.format(len(sent)), {"text": text}, tokens[len(sent) % len(tokens)])
                self.assertEqual(answer.status, 202)
                sent.add(text)

        send(30)
        relays.append(self.relay("two", *long))
        send(30)
        relays.append(self.relay("three", *long))
        send(30)
        self.wait_for_shares(21, 21, 22)
        send(30)
        # The codes are a shard of their own, which is given back before another relay has it.
        wait_until(
            lambda: sum(relay["codes"] for relay in self.named_by(relays[0])) == 1, "one relay has the codes")
        named = self.named_by(relays[0])
        self.assertEqual(len(named), 3)
        self.assertEqual(sorted(shard for relay in named for shard in relay["shards"]), list(range(64)))
        self.assertEqual(len(re.findall(r"^relay .*: 2[12] of 64 shards", relays[0].operate("stats"), re.M)), 3)
        relays.pop(0).stop()
        self.assertEqual(len(self.shares()), 2, "the shards were given back")
        send(30)
        self.wait_for_shares(32, 32)
        self.wait_for_delivery(len(sent))
        self.assertEqual(self.mailed(), collections.Counter(sent))

    def test_a_relay_that_stood_still_for_longer_than_its_lease_has_lost_its_shards(self):
        # As many memos as the machine sends in seconds.
        short = ("--lease-seconds", "5", "--device-minute", "1000000", "--device-day", "1000000")
        relays = [self.relay(name, *short) for name in ("one", "two", "three")]
        self.wait_for_shares(21, 21, 22)
        tokens = [sign_in_at(*relays, address=f"person{number}@example.org") for number in range(6)]
        stopped, *others = relays
        count = 0

        def send(seconds):
            nonlocal count
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                answer = others[count % 2].exchange(
                    "PUT", MEMO.format(count), {"text": f"memo {count}"}, tokens[count % len(tokens)])
                # A relay that stands still in its turn keeps the others waiting.
                self.assertIn(answer.status, (202, 503))
                count += answer.status == 202

        for _ in range(2):
            send(1)
            stopped.process.send_signal(signal.SIGSTOP)
            try:
                self.wait_for_shares(32, 32)
                send(1)
            finally:
                stopped.process.send_signal(signal.SIGCONT)
            send(1)
            self.wait_for_shares(21, 21, 22)
        self.wait_for_delivery(count)
        self.assertEqual(set(self.mailed()), {f"memo {number}" for number in range(count)})

    def test_of_three_relays_one_stands_still_and_one_is_killed_and_a_limit_is_exact(self):
        limits = ("--lease-seconds", "5", "--device-minute", "40", "--device-day", "40")
        relays = [self.relay(name, *limits) for name in ("one", "two", "three")]
        token = sign_in_at(*relays)
        begun = threading.Barrier(97)
        refused = []

        def call(number):
            begun.wait()
            try:
                if self.send(relays[number % 3], token, number).status == 429:
                    refused.append(number)
            except OSError:
                # The relay was killed.
                pass

        callers = [threading.Thread(target=call, args=(number,)) for number in range(96)]
        for caller in callers:
            caller.start()
        begun.wait()
        relays[1].process.send_signal(signal.SIGSTOP)
        relays[2].kill()
        # Longer than its turn, and than its lease.
        time.sleep(6)
        relays[1].process.send_signal(signal.SIGCONT)
        for caller in callers:
            caller.join()
        for number in range(96):
            self.send(relays[number % 2], token, number)
        self.assertEqual(self.database.ask("SELECT count(*) FROM memo"), "40")
        self.assertEqual(self.send(relays[0], token, 96).status, 429)
        self.wait_for_delivery(40)

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
