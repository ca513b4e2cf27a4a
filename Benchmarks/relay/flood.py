"""What an honest device notices of attacks on the relay, which has the limits that it has by default.

usage: flood.py FOLDER_OF_MEMO_RELAY SCRATCH_FOLDER [--memos N] [--attacks NAME,…] [--from KIND]
                [--kept FILE] [--minutes N]

For each attack, and each kind of networks that it comes from, in turn, honest people, so many a second
whatever becomes of the others, connect, send a memo of 1 KB and wait until it is accepted:

- without the attack, and while it runs: `flood.p99_ratio` is the second over the first;
- at an idle relay, while the same attackers do, open loop, as many acts a second to an idle nginx that
  answers 429: what two shared processors cost anybody. `flood.p99_vs_control` is the second over this.
  A connection that is held lasts there as long as one did at the relay, or nginx would keep it.

Then the relay gets SIGTERM under the attack: `stop.seconds_worst`. The attackers have the lowest
priority: they would be on other machines, and not take the relay's processor. Each ends by itself.

--attacks, --from: only these attacks, only from this kind of networks: address, networks or site.
--kept: a file with the figures of each attack. Parts that were measured with the same program and the
        same script add up there; the figures of all are printed once none is missing.
--minutes: measures only what the file lacks, and begins nothing after so many minutes.
"""
import argparse
import concurrent.futures
import contextlib
import hashlib
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



def arguments():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--memos", type=int, default=1000)
    parser.add_argument("--attacks", type=lambda text: text.split(","))
    parser.add_argument("--from", dest="origins", type=lambda text: text.split(","))
    parser.add_argument("--kept", type=pathlib.Path)
    parser.add_argument("--minutes", type=float)
    return parser.parse_args()


options = arguments()
programs, scratch, MEMOS = options.programs.resolve(), options.scratch.resolve(), options.memos
#: A small run only shows that the benchmark works.
IS_SMALL = MEMOS < 100
HONEST, STRANGERS = (20, 6) if IS_SMALL else (200, 60)
MIB = 1 << 20
CROWD = 50 if IS_SMALL else 500
#: An attack ends after so many seconds, whatever becomes of this process.
LONGEST = 300
#: The memos of honest people in a second: a twentieth of what a relay takes.
PACE = 100
#: The most honest people at once. A memo that waits for one of them counts from its own moment.
AT_ONCE = 64
#: The longest time of a stop, without a mail server that owes an answer, and some more.
STOP = 90

os.environ["MEMO_BIN_DIR"] = str(programs)
sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / part) for part in ("EndToEnd", "")]

from ports import quiet_port  # noqa: E402
from raw_relay import RawRelay, address_at_site, exchange, memo, request  # noqa: E402
from waiting import wait_until  # noqa: E402

#: While they sign in, as many people do so in a minute as else in a day.
SIGNING_IN = [
    part for name in (
        "codes-address-hour", "codes-address-day", "codes-network-hour", "codes-site-hour",
        "codes-domain-minute", "codes-minute")
    for part in (f"--{name}", "1000000")] + ["--codes-day", "10000000"]
#: What is raised: all people together send more memos than those of a small relay. A proxy on this
#: machine names the networks.
SERVING = ["--service-day", "1000000", "--trusted-proxies", "1"]
#: As many open files as a process may have by default.
OPEN_FILES = (1024, 1024)


def network(number):
    """The network of an honest person. Each has a site of its own."""
    return f"198.{18 + (number >> 8 & 1)}.{number & 255}.1"


#: The networks from which attackers come: a name in words, and what draws one.
ORIGINS = {
    "address": ("one address", lambda: "203.0.113.66"),
    "networks": ("1,000 networks", lambda: random.choice(THOUSAND)),
    "site": ("65,536 /64 of a /48", lambda: f"2001:db8:66:{random.randrange(1 << 16):x}::1"),
}
#: Each of another site.
THOUSAND = [address_at_site(number) for number in range(1000)]


class Attack:
    """Processes that attack, until it is stopped or for LONGEST seconds. Each runs `act`.

    With `replayed`, an attack whose acts were counted, as many acts begin in a second as began there,
    whatever becomes of them.
    """

    processes = 1
    #: The number of actions of a process at once.
    threads = 8

    def __init__(self, address, tokens, origin, replayed=None):
        self.address, self.tokens, self.origin = address, tokens, origin
        self.rate = self.lasting = None
        if replayed:
            self.rate, self.lasting = replayed.acts_a_second, replayed.seconds_an_act
            # As many at once as there, and some for those that wait for their moment.
            self.threads *= 2

    def __enter__(self):
        self._stop = multiprocessing.Event()
        self._actions = multiprocessing.Value("q", 0)
        self._numbers = multiprocessing.Value("q", 0)
        self._begun = multiprocessing.Value("q", 0)
        self._ended = multiprocessing.Value("q", 0)
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

    def count(self):
        """Notes how many acts have begun in a second, and how long one has lasted.

        As each thread does one after the other, the seconds of all acts are those of all threads.
        """
        seconds = time.monotonic() - self._since
        self.acts_a_second = max(1, self._begun.value / seconds)
        self.seconds_an_act = self.processes * self.threads * seconds / max(1, self._ended.value)

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
            for count in (self._actions, self._ended):
                with count.get_lock():
                    count.value += 1

    def _begin(self):
        """Waits for the moment of an act where acts have one, and counts it."""
        if self.rate is not None:
            with self._numbers.get_lock():
                number = self._numbers.value
                self._numbers.value += 1
            time.sleep(max(0, self._since + number / self.rate - time.monotonic()))
        with self._begun.get_lock():
            self._begun.value += 1

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
    """Long bodies of one device that are no memos, as many at once as it gets."""

    threads = CROWD

    def act(self):
        body = b"x" * MIB
        self.exchange(request("PUT", memo_path(), body, self.tokens[0], self.origin()))


class Forgeries(Bodies):
    """Long bodies under a token that is none."""

    def __init__(self, address, _tokens, origin, replayed=None):
        super().__init__(address, ["x" * 43], origin, replayed)


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
    """Connections that are held for as long as they live; what the relay ends is opened again.

    A replayed one lives as long as they did at the relay.
    """

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
            end = time.monotonic() + (self.lasting or LONGEST)
            while self.is_on and (left := end - time.monotonic()) > 0:
                connection.settimeout(min(0.5, left))
                with contextlib.suppress(TimeoutError):
                    if not connection.recv(1024):
                        return
                connection.sendall(self.drip())


class Connections(Holding):
    """More connections than the relay may have open files."""

    threads = CROWD * 5 // 2


class Trickles(Holding):
    """Memos of one device that never end, of which a byte comes now and then."""

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
    first = time.perf_counter()

    def send(number):
        due = first + number / PACE
        early = due - time.perf_counter()
        if early > 0:
            time.sleep(early)
            due = time.perf_counter()
        token = tokens[number % HONEST]
        data = request("PUT", memo_path(), {"text": "x" * 1024}, token, network(number % HONEST))
        with relay.connect() as connection:
            answer = exchange(connection, data)
        if answer.status != 202:
            sys.exit(f"a memo of an honest person was answered {answer}")
        return time.perf_counter() - due

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as people:
        waits = list(people.map(send, range(MEMOS)))
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


def calm_p99(honest):
    with serving() as relay:
        return accept_p99(relay, honest)


def measure(attack, origin, calm, honest, strangers, stops):
    """The figures of one attack from one kind of networks, in seconds, megabytes and acts a second."""
    figures = {"calm": calm}
    draw = ORIGINS[origin][1]
    with serving() as relay:
        before = relay.memory()
        relay.forget_peak()
        with attack(relay.address, strangers, draw) as running:
            figures["attacked"] = accept_p99(relay, honest)
            running.count()
            figures["rate"] = running.acts_a_second
            figures["growth"] = (relay.memory("VmHWM") - before) / 1e6
            if stops:
                begun = time.monotonic()
                relay.process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    relay.process.wait(STOP)
                figures["stop"] = time.monotonic() - begun
    with serving() as relay, refusing() as address:
        with attack(address, strangers, draw, running) as replay:
            figures["control"] = accept_p99(relay, honest)
            replay.count()
            figures["control_rate"] = replay.acts_a_second
    return figures


def sentence(name, each):
    stop = f", stops in {each['stop']:.1f} s" if "stop" in each else ""
    return (
        f"{name}: p99 {each['attacked'] * 1e3:.1f} ms, without {each['calm'] * 1e3:.1f} ms "
        f"({each['attacked'] / each['calm']:.2f} x), at an idle relay beside nginx "
        f"{each['control'] * 1e3:.1f} ms ({each['attacked'] / each['control']:.2f} x); "
        f"{each['growth']:.0f} MB more, {each['rate']:.0f} acts a second, of nginx "
        f"{each['control_rate']:.0f}{stop}")


class Kept:
    """The figures of each attack by its name, in a file if there is one: those of one program."""

    def __init__(self, path):
        self._path = path
        measured = [programs / "memo-relay", pathlib.Path(__file__)]
        parts = [part.read_bytes() for part in measured] + [str(MEMOS).encode()]
        self._measured = hashlib.sha256(b"".join(parts)).hexdigest()
        self.figures = {}
        if path and path.exists():
            kept = json.loads(path.read_text())
            if kept["measured"] == self._measured:
                self.figures = kept["figures"]

    def keep(self, name, figures):
        self.figures[name] = figures
        if self._path:
            self._path.parent.mkdir(exist_ok=True)
            new = self._path.with_suffix(".new")
            new.write_text(json.dumps({"measured": self._measured, "figures": self.figures}, indent=1))
            new.replace(self._path)


def summary(found, missing):
    """The worst of all attacks. While some are missing, no line that a figure is read from."""
    def worst(value):
        name = max(found, key=lambda name: value(found[name]))
        return name, value(found[name])
    marks = [
        ("flood.p99_vs_control", "x", 2, lambda each: each["attacked"] / each["control"]),
        ("flood.p99_ratio", "x", 2, lambda each: each["attacked"] / each["calm"]),
        ("flood.rss_growth_mb", "MB", 0, lambda each: each["growth"]),
        ("stop.seconds_worst", "s", 1, lambda each: each.get("stop", 0)),
    ]
    if missing:
        print(f"  {len(found)} attacks are measured, {len(missing)} are missing. So far:")
    for figure, unit, digits, value in marks:
        name, most = worst(value)
        if missing:
            print(f"  {figure} {most:.{digits}f} {unit} ({name})")
        else:
            print(f"  the worst: {name}\n{figure}: {most:.{digits}f} {unit}")


def title(attack, origin):
    return f"{attack.__name__}, {ORIGINS[origin][0]}"


def main():
    attacks = {attack.__name__: attack for attack in ATTACKS}
    for given, known in [(options.attacks, attacks), (options.origins, ORIGINS)]:
        if unknown := set(given or ()) - set(known):
            sys.exit(f"there is no {', '.join(unknown)}, only {', '.join(known)}")
    every = list(itertools.product(ATTACKS, ORIGINS))
    if IS_SMALL:
        # Each attack once, and each kind of networks with some of them.
        every = [run for number, run in enumerate(every) if number % 3 == number // 3 % 3]
    kept = Kept(options.kept)
    runs = [
        run for run in every
        if run[0].__name__ in (options.attacks or attacks) and run[1] in (options.origins or ORIGINS)
        and not (options.minutes and title(*run) in kept.figures)]
    if runs:
        print(f"  raised: {' '.join(SERVING[:2])}; {MEMOS} memos a figure, {PACE} a second", flush=True)
        begun = time.monotonic()
        tokens = sign_in(scratch / "signing-in")
        honest, strangers = tokens[:HONEST], tokens[HONEST:]
        calm = {}
        for attack, origin in runs:
            if options.minutes and time.monotonic() - begun > options.minutes * 60:
                break
            if attack not in calm:
                calm[attack] = calm_p99(honest)
            stops = not IS_SMALL or attack in (Memos, ShortSlots)
            figures = measure(attack, origin, calm[attack], honest, strangers, stops)
            kept.keep(title(attack, origin), figures)
            print(f"  {sentence(title(attack, origin), figures)}", flush=True)
    summary(kept.figures, [run for run in every if title(*run) not in kept.figures])


main()
