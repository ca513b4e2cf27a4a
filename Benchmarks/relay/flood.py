"""What an honest device notices of attacks on the relay, which has the limits that it has by default.

usage: flood.py FOLDER_OF_MEMO_RELAY SCRATCH_FOLDER [MEMOS]

For each attack, and each kind of networks that it comes from, in turn: honest people, one after the
other, connect, send a memo of 1 KB and wait until it is accepted,

- without the attack, and while it runs: `flood.p99_ratio` is the second over the first;
- at an idle relay, while the same attackers do, open loop, as many acts a second to an idle nginx that
  answers 429: what two shared processors cost anybody. `flood.p99_vs_control` is the second over this.

Then the relay gets SIGTERM under the attack: `stop.seconds_worst`. The attackers have the lowest
priority: they would be on other machines, and not take the relay's processor. Each ends by itself.
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
import subprocess
import sys
import threading
import time

programs, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
MEMOS = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
#: A small run only shows that the benchmark works.
IS_SMALL = MEMOS < 100
HONEST, STRANGERS = (20, 6) if IS_SMALL else (200, 60)
MIB = 1 << 20
CROWD = 50 if IS_SMALL else 500
#: An attack ends after so many seconds, whatever becomes of this process.
LONGEST = 300
#: The time between two memos of honest people.
PAUSE = 0.01
#: The longest time of a stop, without a mail server that owes an answer, and some more.
STOP = 90

os.environ["MEMO_BIN_DIR"] = str(programs)
sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / part) for part in ("EndToEnd", "")]

from ports import quiet_port  # noqa: E402
from raw_relay import RawRelay, exchange, memo, request  # noqa: E402
from waiting import wait_until  # noqa: E402

#: While they sign in, as many people do so in a minute as else in a day.
SIGNING_IN = [
    part for name in (
        "codes-address-hour", "codes-address-day", "codes-network-hour", "codes-site-hour",
        "codes-domain-minute", "codes-minute")
    for part in (f"--{name}", "1000000")]
#: What is raised: all people together send more memos than those of a small relay. A proxy on this
#: machine names the networks.
SERVING = ["--service-day", "1000000", "--trusted-proxies", "1"]
#: As many open files as a process may have by default.
OPEN_FILES = (1024, 1024)


def network(number):
    """The network of an honest person. Each has a site of its own."""
    return f"198.{18 + (number >> 8 & 1)}.{number & 255}.1"


#: The networks from which attackers come, by the name of their kind.
ORIGINS = {
    "one address": lambda: "203.0.113.66",
    "1,000 networks": lambda: random.choice(THOUSAND),
    "65,536 /64 of a /48": lambda: f"2001:db8:66:{random.randrange(1 << 16):x}::1",
}
#: Each of another site.
THOUSAND = [f"100.{64 + (number >> 8)}.{number & 255}.7" for number in range(1000)]


class Attack:
    """Processes that attack, until it is stopped or for LONGEST seconds. Each runs `act`.

    With `rate` the acts begin at so many a second, whatever becomes of them.
    """

    processes = 1
    #: The number of actions of a process at once.
    threads = 8

    def __init__(self, address, tokens, origin, rate=None):
        self.address, self.tokens, self.origin, self.rate = address, tokens, origin, rate

    def __enter__(self):
        self._stop = multiprocessing.Event()
        self._actions = multiprocessing.Value("q", 0)
        self._begun = multiprocessing.Value("q", 0)
        self._since = time.monotonic()
        self._running = [
            multiprocessing.Process(target=self._run, daemon=True) for _ in range(self.processes)]
        for process in self._running:
            process.start()
        least = self.threads if self.rate is None else min(self.threads, 4)
        wait_until(lambda: self._actions.value >= least, f"{type(self).__name__} is on")
        return self

    def __exit__(self, *_):
        self._stop.set()
        for process in self._running:
            # An act may wait for minutes.
            process.join(1)
            if process.is_alive():
                process.kill()

    @property
    def actions(self):
        return self._actions.value

    @property
    def acts_a_second(self):
        """How many acts have begun in a second."""
        return max(1, self._begun.value / (time.monotonic() - self._since))

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
            self._begin()
            # The relay may end the connection of an attacker at any moment.
            with contextlib.suppress(OSError):
                self.act()
            with self._actions.get_lock():
                self._actions.value += 1

    def _begin(self):
        """Counts an act, and waits for its moment where acts have one."""
        with self._begun.get_lock():
            number = self._begun.value
            self._begun.value += 1
        if self.rate is not None:
            time.sleep(max(0, self._since + number / self.rate - time.monotonic()))

    def exchange(self, data):
        with socket.create_connection(self.address, timeout=5) as connection:
            return exchange(connection, data)

    def act(self):
        raise NotImplementedError


class Disk(Attack):
    """The longest memos, of line feeds alone, from all devices that one network can have."""

    def act(self):
        body = {"text": "\n" * (MIB - 64)}
        self.exchange(request("PUT", memo_path(), body, random.choice(self.tokens), self.origin()))


class Bodies(Attack):
    """The longest memos of one device that is over its limit, as many at once as it gets."""

    threads = CROWD

    def act(self):
        body = b"x" * MIB
        self.exchange(request("PUT", memo_path(), body, self.tokens[0], self.origin()))


class Forgeries(Bodies):
    """The longest memos under a token that is none."""

    def __init__(self, address, _tokens, origin, rate=None):
        super().__init__(address, ["x" * 43], origin, rate)


class Memos(Attack):
    """Short memos from all devices that one network can have, as fast as it gets."""

    threads = 32

    def act(self):
        body = {"text": "a memo"}
        self.exchange(request("PUT", memo_path(), body, random.choice(self.tokens), self.origin()))


class Guesses(Attack):
    """Codes for one person's mailbox are asked for and guessed."""

    threads = 32

    def act(self):
        origin = self.origin()
        wanted = {"address": "person0@example.org"}
        answer = self.exchange(request("POST", "/v1/verifications", wanted, network=origin))
        handle = "x" * 32
        with contextlib.suppress(ValueError):
            handle = json.loads(answer.body).get("handle", handle)
        for number in range(5):
            tried = wanted | {"handle": handle, "code": f"{number:06}", "device": "a guess"}
            path = "/v1/verifications/confirm"
            self.exchange(request("POST", path, tried, network=origin))


class MailBombs(Attack):
    """Codes are asked for in the name of ever new people."""

    threads = 32

    def act(self):
        number = random.randrange(1 << 24)
        body = {"address": f"stranger{number}@example{number % 997}.org"}
        self.exchange(request("POST", "/v1/verifications", body, network=self.origin()))


class Holding(Attack):
    """Connections that are held for as long as they live; what the relay ends is opened again."""

    threads = CROWD

    def opening(self):
        """The bytes with which a connection begins."""
        return b""

    def drip(self):
        """The bytes that follow, a piece each half second."""
        return b""

    def act(self):
        with socket.create_connection(self.address, timeout=5) as connection:
            connection.sendall(self.opening())
            with self._actions.get_lock():
                self._actions.value += 1
            connection.settimeout(0.5)
            while self.is_on:
                with contextlib.suppress(TimeoutError):
                    if not connection.recv(1024):
                        return
                connection.sendall(self.drip())


class Connections(Holding):
    """More connections than the relay may have open files."""

    threads = CROWD * 5 // 2


class Trickles(Holding):
    """Memos of one device, over its limit, that never end, of which a byte comes now and then."""

    length = MIB

    def token(self):
        return self.tokens[0]

    def opening(self):
        data = request("PUT", memo_path(), b"x" * self.length, self.token(), self.origin())
        return data[:-self.length]

    def drip(self):
        return b"x"


class ShortSlots(Trickles):
    """Short memos of all devices that trickle: all slots for memos in one stranger's hand."""

    length = 16 * 1024

    def token(self):
        return random.choice(self.tokens)


class LongSlots(ShortSlots):
    """Long memos of all devices that trickle."""

    length = 4 * MIB


ATTACKS = [
    Disk, Bodies, Forgeries, Memos, Guesses, MailBombs, Connections, Trickles, ShortSlots, LongSlots]

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


@contextlib.contextmanager
def serving():
    """A relay with the data of all people, and the limits that it has by default."""
    folder = scratch / "serving"
    folder.mkdir()
    shutil.copytree(scratch / "signing-in" / "relay", folder / "relay")
    relay = RawRelay(folder, *SERVING, open_files=OPEN_FILES)
    try:
        yield relay
    finally:
        relay.kill()
        shutil.rmtree(folder)


@contextlib.contextmanager
def refusing():
    """The address of an idle nginx that answers 429."""
    port = quiet_port()
    folder = scratch / "nginx"
    folder.mkdir(exist_ok=True)
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (folder / "nginx.conf").write_text(
        f"worker_processes 1;\npid {folder}/pid;\ndaemon off;\nerror_log {folder}/log crit;\n"
        f"worker_rlimit_nofile 8192;\nevents {{ worker_connections 4096; }}\nhttp {{\naccess_log off;\n"
        f"{temporary}server {{ listen 127.0.0.1:{port}; location / {{ return 429; }} }}\n}}\n")
    process = subprocess.Popen(
        ["nginx", "-p", folder, "-c", folder / "nginx.conf"], stdin=subprocess.DEVNULL)
    address = ("127.0.0.1", port)

    def listens():
        with contextlib.suppress(OSError), socket.create_connection(address, 1):
            return True
    try:
        wait_until(listens, "nginx listens")
        yield address
    finally:
        process.terminate()
        process.wait()


class Figures:
    """The figures of one attack from one kind of networks."""

    def __init__(self, attack, origin, honest, strangers, stops):
        self.name = f"{attack.__name__}, {origin}"
        with serving() as relay:
            self.calm = accept_p99(relay, honest)
            before = relay.memory()
            relay.forget_peak()
            with attack(relay.address, strangers, ORIGINS[origin]) as running:
                self.attacked = accept_p99(relay, honest)
                self.rate, self.actions = running.acts_a_second, running.actions
                self.growth = (relay.memory("VmHWM") - before) / 1e6
                self.stop = None
                if stops:
                    begun = time.monotonic()
                    relay.process.terminate()
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        relay.process.wait(STOP)
                    self.stop = time.monotonic() - begun
        with serving() as relay, refusing() as address:
            with attack(address, strangers, ORIGINS[origin], self.rate):
                self.control = accept_p99(relay, honest)

    def __str__(self):
        stop = "" if self.stop is None else f", stops in {self.stop:.1f} s"
        return (
            f"{self.name}: p99 {self.attacked * 1e3:.1f} ms, without {self.calm * 1e3:.1f} ms, at an "
            f"idle relay beside nginx {self.control * 1e3:.1f} ms; {self.growth:.0f} MB more, "
            f"{self.rate:.0f} acts a second{stop}")


def main():
    print(f"  raised: {' '.join(SERVING[:2])}; {MEMOS} memos a figure", flush=True)
    tokens = sign_in(scratch / "signing-in")
    honest, strangers = tokens[:HONEST], tokens[HONEST:]
    runs = list(itertools.product(ATTACKS, ORIGINS))
    if IS_SMALL:
        # Each attack once, and each kind of networks with some of them.
        runs = [run for number, run in enumerate(runs) if number % 3 == number // 3 % 3]
    found = []
    for attack, origin in runs:
        stops = not IS_SMALL or attack in (Memos, ShortSlots)
        found.append(Figures(attack, origin, honest, strangers, stops))
        print(f"  {found[-1]}", flush=True)
    control = max(found, key=lambda each: each.attacked / each.control)
    calm = max(found, key=lambda each: each.attacked / each.calm)
    stop = max((each for each in found if each.stop is not None), key=lambda each: each.stop)
    print(f"  the worst: {control.name} over its control; {calm.name} over no attack; "
          f"{stop.name} to stop under")
    print(f"flood.p99_vs_control: {control.attacked / control.control:.2f} x")
    print(f"flood.p99_ratio: {calm.attacked / calm.calm:.2f} x")
    print(f"flood.rss_growth_mb: {max(each.growth for each in found):.0f} MB")
    print(f"stop.seconds_worst: {stop.stop:.1f} s")


main()
