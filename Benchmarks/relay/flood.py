"""The effect of attacks on an honest device, under the relay's default limits but for --service-day.

usage: flood.py FOLDER_OF_MEMO_RELAY SCRATCH_FOLDER [MEMOS]

For each attack, in turn: honest people, one after the other, connect, send a memo of 1 KB and wait
until it is accepted, without the attack and while it runs. The attackers have the lowest priority: they
would be on other machines, and not take the relay's processor. Each ends by itself.
"""
import contextlib
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import socket
import statistics
import sys
import threading
import time

programs, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
MEMOS = int(sys.argv[3]) if len(sys.argv) > 3 else 400
#: A small run only shows that the benchmark works.
IS_SMALL = MEMOS < 100
ROUNDS = 1 if IS_SMALL else 3
HONEST, STRANGERS = (20, 6) if IS_SMALL else (200, 60)
MIB = 1 << 20
CROWD = 50 if IS_SMALL else 500
#: An attack ends after so many seconds, whatever becomes of this process.
LONGEST = 60
#: The time between two memos of honest people.
PAUSE = 0.01

os.environ["MEMO_BIN_DIR"] = str(programs)
sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / part) for part in ("EndToEnd", "")]

from raw_relay import RawRelay, exchange, memo, request  # noqa: E402
from waiting import wait_until  # noqa: E402

#: While they sign in, as many people do so in a minute as else in a day.
SIGNING_IN = [
    part for name in (
        "codes-address-hour", "codes-address-day", "codes-network-hour", "codes-site-hour",
        "codes-domain-minute", "codes-minute")
    for part in (f"--{name}", "1000000")]
#: All people together send more memos than those of a small relay; proxies name the networks.
SERVING = ["--service-day", "1000000", "--trusted-proxies", "1"]
#: As many open files as a process may have by default.
OPEN_FILES = (1024, 1024)


def network(number):
    return f"198.18.{number >> 8 & 255}.{number & 255}"


ATTACKERS = "203.0.113.66"


class Attack:
    """Processes that attack, until it is stopped or for LONGEST seconds. Each runs `act`."""

    processes = 1
    #: The number of actions of a process at once.
    threads = 8

    def __init__(self, address, tokens):
        self.address, self.tokens = address, tokens

    def __enter__(self):
        self._stop = multiprocessing.Event()
        self._actions = multiprocessing.Value("q", 0)
        self._running = [
            multiprocessing.Process(target=self._run, daemon=True) for _ in range(self.processes)]
        for process in self._running:
            process.start()
        wait_until(lambda: self._actions.value >= self.threads, f"{type(self).__name__} is on")
        return self

    def __exit__(self, *_):
        self._stop.set()
        for process in self._running:
            process.join()

    @property
    def actions(self):
        return self._actions.value

    def _run(self):
        os.nice(19)
        self._deadline = time.monotonic() + LONGEST
        threads = [
            threading.Thread(target=self._repeat, daemon=True) for _ in range(self.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @property
    def is_on(self):
        return not self._stop.is_set() and time.monotonic() < self._deadline

    def _repeat(self):
        while self.is_on:
            # The relay may end the connection of an attacker at any moment.
            with contextlib.suppress(OSError):
                self.act()
            with self._actions.get_lock():
                self._actions.value += 1

    def exchange(self, data):
        with socket.create_connection(self.address, timeout=5) as connection:
            return exchange(connection, data)

    def act(self):
        raise NotImplementedError


class Disk(Attack):
    """The longest memos, of line feeds alone, from all devices that one network can have."""

    def act(self):
        body = {"text": "\n" * (MIB - 64)}
        self.exchange(request("PUT", memo_path(), body, random.choice(self.tokens), ATTACKERS))


class Bodies(Attack):
    """The longest memos of one device that is over its limit, as many at once as it gets."""

    threads = CROWD

    def act(self):
        body = b"x" * MIB
        self.exchange(request("PUT", memo_path(), body, self.tokens[0], ATTACKERS))


class Forgeries(Bodies):
    """The longest memos under a token that is none."""

    def __init__(self, address, _tokens):
        super().__init__(address, ["x" * 43])


class Memos(Attack):
    """Short memos from all devices that one network can have, as fast as it gets."""

    threads = 32

    def act(self):
        body = {"text": "a memo"}
        self.exchange(request("PUT", memo_path(), body, random.choice(self.tokens), ATTACKERS))


class Guesses(Attack):
    """Codes for one person's mailbox are asked for and guessed."""

    threads = 32

    def act(self):
        wanted = {"address": "person0@example.org"}
        answer = self.exchange(request("POST", "/v1/verifications", wanted, network=ATTACKERS))
        handle = json.loads(answer.body).get("handle", "x" * 32)
        for number in range(5):
            tried = wanted | {"handle": handle, "code": f"{number:06}", "device": "a guess"}
            path = "/v1/verifications/confirm"
            self.exchange(request("POST", path, tried, network=ATTACKERS))


class MailBombs(Attack):
    """Codes are asked for in the name of ever new people, from ever new networks."""

    threads = 32

    def act(self):
        number = random.randrange(1 << 24)
        body = {"address": f"stranger{number}@example{number % 997}.org"}
        self.exchange(request("POST", "/v1/verifications", body, network=network(number)))


class Connections(Attack):
    """More connections than the relay may have open files; what it ends is opened again."""

    threads = CROWD * 5 // 2

    def act(self):
        with socket.create_connection(self.address, timeout=5) as connection:
            with self._actions.get_lock():
                self._actions.value += 1
            connection.settimeout(0.5)
            while self.is_on:
                with contextlib.suppress(TimeoutError):
                    if not connection.recv(1024):
                        return


class Trickles(Attack):
    """Requests that never end, of which a byte comes now and then."""

    threads = CROWD

    def act(self):
        with socket.create_connection(self.address, timeout=5) as connection:
            connection.sendall(request("PUT", memo_path(), b"x" * MIB, self.tokens[0])[:-MIB])
            with self._actions.get_lock():
                self._actions.value += 1
            while self.is_on:
                time.sleep(0.5)
                connection.sendall(b"x")


ATTACKS = [Disk, Bodies, Forgeries, Memos, Guesses, MailBombs, Connections, Trickles]

numbers = itertools.count(1)


def memo_path():
    return memo("", 0).split(b" ", 2)[1].decode()


def sign_in(folder):
    """Tokens of devices, each of an account of its own."""
    folder.mkdir()
    relay = RawRelay(folder, *SIGNING_IN)
    try:
        return [relay.sign_in(f"person{number}@example.org") for number in range(HONEST + STRANGERS)]
    finally:
        relay.stop()


def accept_p99(relay, tokens):
    """The 99th percentile of the seconds in which the relay accepts memos of honest people."""
    waits = []
    for number in itertools.islice(numbers, MEMOS):
        token = tokens[number % HONEST]
        data = request("PUT", memo_path(), {"text": "x" * 1024}, token, network(number % HONEST))
        begun = time.perf_counter()
        with relay.connect() as connection:
            answer = exchange(connection, data)
        waits.append(time.perf_counter() - begun)
        if answer.status != 202:
            sys.exit(f"a memo of an honest person was answered {answer}")
        time.sleep(PAUSE)
    return statistics.quantiles(waits, n=100)[98]


def main():
    tokens = sign_in(scratch / "signing-in")
    honest, strangers = tokens[:HONEST], tokens[HONEST:]
    ratios, growths = {}, {}
    for attack in ATTACKS * ROUNDS:
        folder = scratch / "serving"
        folder.mkdir()
        shutil.copytree(scratch / "signing-in" / "relay", folder / "relay")
        relay = RawRelay(folder, *SERVING, open_files=OPEN_FILES)
        try:
            calm = accept_p99(relay, honest)
            before = relay.memory()
            relay.forget_peak()
            with attack(relay.address, strangers) as running:
                attacked = accept_p99(relay, honest)
            growth = (relay.memory("VmHWM") - before) / 1e6
        finally:
            relay.kill()
            shutil.rmtree(folder)
        name = attack.__name__
        print(f"  {name}: p99 {attacked * 1e3:.1f} ms, without {calm * 1e3:.1f} ms, {growth:.0f} MB "
              f"more, {running.actions} actions", flush=True)
        ratios.setdefault(name, []).append(attacked / calm)
        growths.setdefault(name, []).append(growth)
    worst = max(ratios, key=lambda name: statistics.median(ratios[name]))
    print(f"  the worst attack: {worst} (medians of {ROUNDS})")
    print(f"flood.p99_ratio: {statistics.median(ratios[worst]):.2f} x")
    print(f"flood.rss_growth_mb: {max(map(max, growths.values())):.0f} MB")


main()
