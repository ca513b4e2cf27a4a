"""Memos of 1 KB that a relay accepts over 64 connections: people, their devices, and the load.

MEMO_BIN_DIR names the folder of memo-relay when this module is imported.
"""
import contextlib
import hashlib
import os
import pathlib
import re
import secrets
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import threading
import time

CONNECTIONS, LENGTH = 64, 1024
#: So many accounts that none sends more than a relay's usual limits allow, and so many devices of theirs that each may
#: ask as a person does, once in two seconds; those of a small run.
ACCOUNTS, DEVICES = 1024, 8192
FEW_ACCOUNTS, FEW_DEVICES = 64, 128

folder = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(folder.parent.parent / "Tests" / part) for part in ("EndToEnd", "")]

from mail_servers import accepts  # noqa: E402
from ports import quiet_port  # noqa: E402
from raw_relay import RawRelay, exchange, memo  # noqa: E402
from waiting import wait_until  # noqa: E402

#: No limit of the relay is in the way; the mails of this many people are handed over at once.
UNLIMITED = [
    part for name in (
        "device-minute", "device-day", "account-day-megabytes", "waiting", "waiting-megabytes",
        "network-hour", "site-hour", "service-day", "codes-address-hour", "codes-address-day",
        "codes-network-hour", "codes-site-hour", "codes-domain-minute", "codes-minute")
    for part in (f"--{name}", "1000000")] + ["--codes-day", "10000000"]


class Sink:
    """smtp-sink, which takes every mail, keeps none, and counts them."""

    def __init__(self, counters):
        self.port = quiet_port()
        # A file: a pipe that nobody reads for a while would stop the sink.
        self._counters = counters
        self._process = None

    def __enter__(self):
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        with open(self._counters, "wb") as counters:
            self._process = subprocess.Popen(
                ["smtp-sink", "-c", *user, f"127.0.0.1:{self.port}", "128"], stdout=counters,
                stderr=subprocess.DEVNULL)
        wait_until(lambda: accepts(self.port), "the sink listens")
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()

    def stop(self):
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._process.send_signal(signal.SIGCONT)

    def is_still(self):
        """Whether it takes no mail for two prints of its counters."""
        before = self.mails()
        time.sleep(2.5)
        return self.mails() == before

    def mails(self):
        """How many mails it has taken."""
        with open(self._counters, "rb") as counters:
            counters.seek(max(0, os.fstat(counters.fileno()).st_size - 256))
            found = re.findall(rb"mesg=(\d+)\D", counters.read())
        return int(found[-1]) if found else 0


def address(number):
    return f"person{number}@example.org"


def tokens_of(relay_folder, *options, is_small, data=None):
    """A device for each account, signed in at a relay that mails into a folder."""
    relay_folder.mkdir()
    relay = RawRelay(relay_folder, *UNLIMITED, *options, data=data)
    try:
        return relay.sign_in_all([address(number) for number in range(FEW_ACCOUNTS if is_small else ACCOUNTS)])
    finally:
        relay.stop()


class Devices:
    """Further devices of the accounts, so many that none asks quicker than a person: the relay answers such
    requests before those of a device that does."""

    def __init__(self, tokens, is_small):
        count = FEW_DEVICES if is_small else DEVICES
        self._devices = [
            [token, *(secrets.token_urlsafe(32) for _ in range(count // len(tokens) - 1))]
            for token in tokens]

    @property
    def tokens(self):
        """Those of all devices, of the accounts in turn."""
        return [token for turn in zip(*self._devices) for token in turn]

    @property
    def new(self):
        """The digest of each further device's token, and that of its account's first device."""
        return [
            (digest(token), digest(first)) for first, *further in self._devices for token in further]

    def add_to(self, database):
        """Adds the rows to a database of SQLite."""
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.executemany(
                "INSERT INTO device(id, account, token, name, created_at, pair, change)"
                " SELECT randomblob(16), account, ?, name, created_at, pair, change"
                " FROM device WHERE token = ?", self.new)
            connection.commit()

    def add_to_server(self, server, database, script):
        """Adds the rows to a database of PostgreSQL, by a file of statements."""
        new = ",".join(f"('\\x{token.hex()}'::bytea, '\\x{first.hex()}'::bytea)" for token, first in self.new)
        script.write_text(f"""
            INSERT INTO device(id, account, token, name, created_at, pair, change)
            SELECT uuid_send(gen_random_uuid()), account, new.token, name, created_at, pair, change
            FROM (VALUES {new}) AS new(token, first) JOIN device ON device.token = new.first
            """)
        server.run_script(script, database)


def digest(token):
    return hashlib.sha256(token.encode()).digest()


def load(port, tokens, seconds):
    """Requests a second and the 99th percentile in ms, by wrk, from a file of tokens."""
    out = subprocess.run(
        ["wrk", "--threads", "2", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s",
         "--timeout", "30s", "--script", folder / "accepts.lua", f"http://127.0.0.1:{port}", "--",
         tokens],
        check=True, capture_output=True, text=True).stdout
    requests, duration, refused, failed, late, p99 = map(
        int, re.search(r"^result (.*)$", out, re.M)[1].split())
    if refused or failed or late or not requests:
        sys.exit(f"of {requests} requests {refused} were refused, {failed} failed, {late} late")
    return requests / duration * 1e6, p99 / 1000


def queue(port, tokens, mails):
    """Has the relay accept so many memos."""
    def send(count):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            for number in range(count):
                answer = exchange(connection, memo(tokens[number % len(tokens)], LENGTH))
                if answer.status != 202:
                    failed.append(answer)
    failed = []
    senders = [threading.Thread(target=send, args=(mails // 16,)) for _ in range(16)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    if failed:
        sys.exit(f"{len(failed)} memos were not accepted: {failed[0]}")


def compare(name, unit, titles, measured):
    """Prints a figure: the median of the rounds' ratios."""
    if not measured:
        sys.exit(f"{name}: every round is void")
    ours, theirs = (statistics.median(values) for values in zip(*measured))
    print(f"  {titles[0]} {ours:,.0f} {unit}, {titles[1]} {theirs:,.0f} {unit}"
          f" (medians of {len(measured)})")
    print(f"{name}: {statistics.median(ours / theirs for ours, theirs in measured):.2f} x", flush=True)
