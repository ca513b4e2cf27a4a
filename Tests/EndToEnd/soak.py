#!/usr/bin/env python3
"""Sends memos for minutes while everything is killed at random, and counts the mailbox afterwards.

usage: soak.py [--minutes N] [--seed S] [--mail smtp|imap] [--store sqlite|postgres] [--relays N] [--keep-copies]

Two devices send by `memo` and one by the web app in Chromium, through a relay and Postfix into
Dovecot. `memo`, the agents, pages, the browser, the relay and Postfix are killed at random
(SIGKILL); between relay and Postfix a proxy refuses mails for now and cuts connections. Then
everything runs undisturbed until every queue is empty. With --mail imap the relay appends to Dovecot's
mailbox, which keeps equal Message-IDs; Dovecot is killed in Postfix's place, and the proxy cuts appends
and finishes some of them late. With --store postgres several relays, three by default, share a PostgreSQL
database behind one address; the database is killed as well, and a relay also stands still, at times for longer
than its lease.

A memo is acknowledged when `memo` has exited with 0, or the field was seen empty. Each acknowledged
memo must be in the mailbox once. A memo whose sender was killed may be there or not, but not twice.

The seed chooses the memos, the kills and their distances; how they meet, the machine chooses.
--keep-copies has Dovecot keep equal Message-IDs by SMTP: the run must then fail, which shows that it
can. By IMAP Dovecot always keeps them.
Exit status 1 if a memo was lost, doubled, changed or refused, or if nothing was put to the test.
"""
import argparse
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from balancer import Balancer
from hard_texts import WEB_MEMO, text
from hostile_proxy import HostileProxy
from imap_proxy import IMAPProxy
from mail_servers import ADDRESS, PASSWORD, Dovecot, Postfix, end_group, require_mail_servers
from ports import quiet_port
from postgresql import PROGRAMS, PostgreSQL
from processes import BIN, Device, Relay, mailed_codes
from required import required
from waiting import SECONDS

WEB = pathlib.Path(__file__).resolve().parent.parent / "web"
#: The mail server that is killed, for each way by which the relay hands mails over.
SERVERS = {"smtp": "postfix", "imap": "dovecot"}
DEVICES = 2
#: `memo` processes of one device at a time.
SENDERS = 2
#: The share of the `memo` processes that are killed, and of the mails that the proxy disturbs.
KILLED_MEMOS = 0.2
DISTURBED_MAILS = 0.25
#: The seconds after which a relay of several loses what it hands over, and the longest time that one stands still.
LEASE, STANDSTILL = 5, 8
#: How long the queues may take to become empty when nothing is disturbed any more.
DRAIN_SECONDS = 180


@dataclasses.dataclass
class Sent:
    """What the senders know of their memos, whatever becomes of the other processes."""

    acknowledged: set = dataclasses.field(default_factory=set)
    #: The memos whose `memo` was killed.
    uncertain: set = dataclasses.field(default_factory=set)
    #: The exit codes and messages of each `memo` that failed by itself.
    failures: list = dataclasses.field(default_factory=list)

    def judge(self, arrived):
        """The memos that the mailbox has lost, doubled, or has though nobody wrote them."""
        copies = collections.Counter(arrived)
        return {
            "lost": sorted(self.acknowledged - copies.keys()),
            "doubled": sorted(memo for memo, count in copies.items() if count > 1),
            "changed": sorted(copies.keys() - self.acknowledged - self.uncertain),
        }


class Sender(threading.Thread):
    """One person's hands: sends one memo after the other, and kills some of the processes."""

    def __init__(self, device, numbers, seed, sent, ended):
        super().__init__()
        self._device, self._numbers, self._seed = device, numbers, seed
        self._sent, self._ended = sent, ended
        self.kills = 0

    def run(self):
        for number in self._numbers:
            if self._ended.is_set():
                return
            try:
                self._send(number)
            except Exception as error:
                self._sent.failures.append((number, repr(error)))
                return

    def _send(self, number):
        chance = random.Random(self._seed * 1_000_003 + number)
        memo = text(number, self._seed).encode()
        arguments, given = ([memo], b"") if number % 2 else ([], memo + b"\n")
        process = subprocess.Popen(
            [BIN / "memo", *arguments], env=self._device.environment, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        killer = None
        if chance.random() < KILLED_MEMOS:
            killer = threading.Timer(chance.uniform(0, 0.02), process.kill)
            killer.start()
        _, errors = process.communicate(given, timeout=SECONDS)
        if killer:
            killer.cancel()
            killer.join()
        if process.returncode == 0:
            self._sent.acknowledged.add(memo)
        elif process.returncode == -signal.SIGKILL:
            self._sent.uncertain.add(memo)
            self.kills += 1
        else:
            self._sent.failures.append((number, process.returncode, errors.decode()))
        self._ended.wait(chance.uniform(0, 0.2))


class WebSender(threading.Thread):
    """The web app in a browser, which a process of its own drives: web/soaked_browser.py."""

    def __init__(self, profile, relay, mailbox, seed, sent):
        super().__init__()
        self._sent = sent
        self.kills = 0
        self.has_rested = False
        # A browser that is killed leaves files behind.
        scratch = profile.parent / "scratch"
        scratch.mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", WEB / "soaked_browser.py", profile, relay.url,
             str(mailbox.port), str(seed)],
            env=os.environ | {"TMPDIR": str(scratch)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        if self._process.stdout.readline() != b'["signed-in"]\n':
            self.end()
            raise AssertionError("the web app did not sign in")

    def run(self):
        for line in self._process.stdout:
            match json.loads(line):
                case ["acknowledged", memo]:
                    self._sent.acknowledged.add(memo.encode())
                    self._sent.uncertain.discard(memo.encode())
                case ["uncertain", memo]:
                    self._sent.uncertain.add(memo.encode())
                case ["killed"]:
                    self.kills += 1
                case ["rested"]:
                    self.has_rested = True
        if self._process.wait(SECONDS):
            self._sent.failures.append(("web", self._process.returncode))

    def ask_to_rest(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(b"rest\n")
            self._process.stdin.flush()

    def end(self):
        """Ends the browser too, whatever it does."""
        end_group(self._process)


class Soak:
    def __init__(self, folder, seed, mail, relays, collapses, cleanup):
        """With several relays these share a database."""
        self.seed = seed
        self._chance = random.Random(seed)
        self.dovecot = cleanup.enter_context(Dovecot(folder / "dovecot", collapses))
        self.postfix = None
        if mail == "smtp":
            self.postfix = cleanup.enter_context(
                Postfix(folder / "postfix", self.dovecot.transport))
            self.proxy = cleanup.enter_context(HostileProxy(self.postfix.port, seed))
        else:
            os.environ.update(
                MEMO_RELAY_IMAP_USER=ADDRESS, MEMO_RELAY_IMAP_PASSWORD=PASSWORD)
            self.proxy = cleanup.enter_context(IMAPProxy(self.dovecot.port, seed))
        self.server = SERVERS[mail]
        options = ["--mail-retry-base", "0.2", "--device-minute", "1000000", "--device-day", "1000000",
                   "--account-day-megabytes", "10000"]
        self.database, data = None, None
        self._place = ["--data", str(folder / "relay0")]
        if relays > 1:
            self.database = PostgreSQL()
            cleanup.callback(self.database.close)
            data, key = self.database.url, ["--key", str(folder / "key")]
            options += ["--lease-seconds", str(LEASE), *key]
            self._place = ["--data", data, *key]
        self.relays = []
        ports = [quiet_port() for _ in range(relays)]
        for number, port in enumerate(ports):
            relay = Relay(
                folder / f"relay{number}", self.proxy.url, "--port", str(port), *options, data=data)
            cleanup.callback(relay.stop)
            self.relays.append(relay)
        #: Where clients find a relay.
        self.relay = cleanup.enter_context(Balancer(ports)) if relays > 1 else self.relays[0]
        self.targets = ["agent", "relay", self.server, *(["database", "standstill"] if relays > 1 else [])]
        self.devices = [Device(folder / f"device{number}") for number in range(DEVICES)]
        for device in self.devices:
            cleanup.callback(device.kill_agents)
            device.sign_in(ADDRESS, self.relay, lambda: mailed_codes(self.dovecot))
        self.sent = Sent()
        self.web = WebSender(folder / "browser", self.relay, self.dovecot, seed, self.sent)
        cleanup.callback(self.web.end)
        self.kills = collections.Counter()

    def run(self, seconds):
        """Disturbs for so long, and then lets everything come to rest."""
        ended = threading.Event()
        senders = [
            Sender(
                self.devices[first % DEVICES],
                range(first, sys.maxsize, DEVICES * SENDERS), self.seed, self.sent, ended)
            for first in range(DEVICES * SENDERS)
        ]
        self.proxy.disturb(DISTURBED_MAILS)
        until = time.monotonic() + seconds
        for sender in [*senders, self.web]:
            sender.start()
        try:
            self._kill_until(until)
        finally:
            ended.set()
            for sender in senders:
                sender.join()
        self.kills["memo"] = sum(sender.kills for sender in senders)
        self.proxy.disturb(0)
        self.web.ask_to_rest()
        return self._comes_to_rest()

    def _kill_until(self, until):
        targets = []
        while time.monotonic() < until:
            time.sleep(self._chance.uniform(0.05, 0.8))
            # Each once in a random order, and again.
            targets = targets or self._chance.sample(self.targets, len(self.targets))
            target = targets.pop()
            if target == "agent":
                self.kills["agent"] += self._chance.choice(self.devices).kill_agents()
            elif target == "standstill":
                self._stand_still()
            else:
                servers = {"relay": self._chance.choice(self.relays), "database": self.database}
                server = servers.get(target) or self.postfix or self.dovecot
                server.kill()
                self.kills[target] += 1
                time.sleep(self._chance.uniform(0, 0.5))
                server.start()
            # As a person does who sees memos wait.
            self._chance.choice(self.devices).run("outbox", "retry")

    def _stand_still(self):
        """One relay does nothing for a while, and then goes on as if no time had passed."""
        process = self._chance.choice(self.relays).process
        process.send_signal(signal.SIGSTOP)
        time.sleep(self._chance.uniform(0, STANDSTILL))
        process.send_signal(signal.SIGCONT)
        self.kills["standstill"] += 1

    def _comes_to_rest(self):
        """Waits until no queue on the way holds anything; answers what still waits."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while waiting := self._waiting():
            if time.monotonic() > deadline:
                break
            time.sleep(0.2)
        self.kills["web page or browser"] = self.web.kills
        return waiting

    def _waiting(self):
        for number, device in enumerate(self.devices):
            if device.json("outbox", "list"):
                device.run("outbox", "retry")
                return f"device {number}"
        if not self.web.has_rested and self.web.is_alive():
            return "the web app"
        # A mail that Postfix takes leaves the relay's queue later: asked in this order, none is
        # missed between the two.
        memos = json.loads(subprocess.run(
            [BIN / "memo-relay", "stats", *self._place, "--json"], check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS).stdout)["memos"]
        if memos.keys() - {"delivered"}:
            return f"the relay: {memos}"
        waiting = self.postfix.waiting() if self.postfix else 0
        return f"Postfix: {waiting} mails" if waiting else None


def figures(soak, verdict, waiting):
    counts = {
        "memos": len(soak.sent.acknowledged),
        "web_memos": sum(memo.startswith(WEB_MEMO.encode()) for memo in soak.sent.acknowledged),
        "uncertain": len(soak.sent.uncertain), "kills": sum(soak.kills.values()),
        "faults": sum(soak.proxy.faults.values()),
        "collapsed": soak.dovecot.collapsed, "refused": len(soak.sent.failures),
        **{name: len(memos) for name, memos in verdict.items()},
    }
    for target, count in sorted((soak.kills | soak.proxy.faults).items()):
        print(f"  {count} × {target}")
    for name, count in counts.items():
        print(f"soak.{name}: {count}")
    for name in verdict:
        for memo in verdict[name][:5]:
            print(f"{name}: {memo[:60]!r}", file=sys.stderr)
    for failure in soak.sent.failures[:5]:
        print(f"refused: {failure}", file=sys.stderr)
    if waiting:
        print(f"after {DRAIN_SECONDS} s there still waits {waiting}", file=sys.stderr)
    targets = ["memo", "web page or browser", *soak.targets]
    is_tried = all(soak.kills[target] for target in targets)
    if not (is_tried and counts["web_memos"] and counts["faults"]):
        print("nothing is shown: too short a run to send, kill and disturb", file=sys.stderr)
        return False
    return not (waiting or counts["refused"] or any(verdict.values()))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--mail", choices=SERVERS, default="smtp")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--relays", type=int)
    parser.add_argument("--keep-copies", action="store_true")
    options = parser.parse_args()
    relays = options.relays or (3 if options.store == "postgres" else 1)
    if (options.store == "postgres") != (relays > 1):
        parser.error("several relays need --store postgres, which is for several")
    try:
        require_mail_servers()
        required(relays == 1 or PROGRAMS, "PostgreSQL")
    except unittest.SkipTest as missing:
        sys.exit(f"error: a soak {missing}. Nothing was started.")
    # What was started ends also where this is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(f"seed {options.seed}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memo-soak-"))
    folder.chmod(0o755)
    try:
        with contextlib.ExitStack() as cleanup:
            collapses = options.mail == "smtp" and not options.keep_copies
            soak = Soak(folder, options.seed, options.mail, relays, collapses, cleanup)
            waiting = soak.run(options.minutes * 60)
            held = figures(soak, soak.sent.judge(soak.dovecot.memos()), waiting)
    except (KeyboardInterrupt, SystemExit):
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if not held:
        print(f"the logs and folders of this run are in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
