"""Kills the relay that hands a person's memos over, and waits until another one does.

usage: takeover.py FOLDER_OF_MEMO_RELAY SCRATCH_FOLDER [ROUNDS]

Three relays share a PostgreSQL database, with the shortest lease. In each round a memo goes to a relay that
does not have the shard of its account, at once after the one that has it was killed; the time runs from the
kill until the mail is in the folder of another relay. The killed relay comes back before the next round.
"""
import json
import os
import pathlib
import random
import sys
import time

programs, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 50
LEASE = 5

tests = pathlib.Path(__file__).resolve().parent.parent.parent / "Tests"
sys.path[:0] = [str(tests / part) for part in ("EndToEnd", "")]
os.environ["MEMO_BIN_DIR"] = str(programs)

from postgresql import PostgreSQL  # noqa: E402
from raw_relay import RawRelay  # noqa: E402
from waiting import wait_until  # noqa: E402

ADDRESS = "person@example.org"


class SharingRelay(RawRelay):
    """A relay that mails into a folder of its own and keeps its data in a database."""

    def __init__(self, name, database):
        folder = scratch / name
        folder.mkdir()
        self._database = database
        super().__init__(folder, "--lease-seconds", str(LEASE), "--device-minute", "600", "--device-day", "6000")

    def command(self):
        command = super().command()
        index = command.index("--data")
        place = ["--data", self._database.url, "--key", str(scratch / "key")]
        return [*command[:index], *place, *command[index + 2:]]

    def has_mailed(self, text):
        return any(text in path.read_text() for path in self._maildir.glob("new/*"))


def shards_of(database):
    """The processes that have the shards of memos."""
    rows = database.ask(
        "SELECT name, shard FROM relay_shard JOIN relay_drainer ON id = holder WHERE shard < 64"
        " AND relay_shard.expires > extract(epoch FROM now()) * 1000")
    return {int(shard): int(name.rpartition(":")[2]) for name, shard in
            (row.split("|") for row in rows.splitlines())}


def are_shared(database, relays):
    owners = list(shards_of(database).values())
    counts = sorted(owners.count(relay.process.pid) for relay in relays)
    return counts == [21, 21, 22]


def sign_in(relays):
    asked = json.loads(relays[0].ask_code(ADDRESS).body)
    code = wait_until(lambda: [code for relay in relays for code in relay.codes(ADDRESS)], "a code is mailed")
    return json.loads(relays[0].try_code(ADDRESS, code[-1], asked["handle"]).body)["token"]


def main():
    database = PostgreSQL()
    relays = []
    times = []
    try:
        relays = [SharingRelay(name, database) for name in ("one", "two", "three")]
        wait_until(lambda: are_shared(database, relays), "the relays share the shards")
        token = sign_in(relays)
        account = database.ask("SELECT id FROM account")
        shard = int(account[-2:], 16) % 64
        for number in range(ROUNDS):
            wait_until(lambda: are_shared(database, relays), "the relays share the shards")
            # Anywhere between two renewals.
            time.sleep(random.uniform(0, LEASE / 2))
            owner = wait_until(lambda: shards_of(database).get(shard), "a relay has the shard")
            killed = next(relay for relay in relays if relay.process.pid == owner)
            others = [relay for relay in relays if relay is not killed]
            killed.kill()
            begun = time.monotonic()
            answer = others[number % 2].exchange(
                "PUT", f"/v1/memos/00000000-0000-4000-8000-{number:012d}", {"text": f"memo {number}."}, token)
            assert answer.status == 202, answer
            while not any(relay.has_mailed(f"memo {number}.") for relay in others):
                assert time.monotonic() < begun + 60, "no other relay hands the mail over"
                time.sleep(0.01)
            times.append(time.monotonic() - begun)
            killed.start()
    finally:
        for relay in relays:
            relay.kill()
        database.close()
    times.sort()
    print(f"  {ROUNDS} kills, a lease of {LEASE} s: median {times[len(times) // 2]:.2f} s", flush=True)
    print(f"relay.takeover_s: {times[-1]:.2f} s")


main()
