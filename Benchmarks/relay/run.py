"""Compares the relay with a bare HTTP handler, with SQLite and with Postfix, all on one disk.

usage: run.py FOLDER_OF_MEMO_RELAY FOLDER_OF_PEERS SCRATCH_FOLDER [SECONDS MAILS]

- Accepting memos of 1 KB over 64 connections, by wrk. In turn: the relay, which answers once a memo
  is durable, with its mails handed over meanwhile, and with a mail server that stands still, from 8,192
  devices of 1,024 accounts, none of which asks quicker than a person; a handler
  of the same HTTP server that only reads the body (BodyReader); and one thread that writes the rows of
  such memos into the same database, 64 in a transaction (RowWriter).
- Taking the same number of mails of 1 KB by smtp-source over 64 connections: Postfix, with its
  queue on the same disk. A round in which less than half of what was accepted had reached the sink at
  the end, of the relay's or of Postfix's mails, is void.
- Accepting at a third of the relay's rate, whatever the answers take (open loop), and appending a page
  to a file with a sync, in turn: once while the mails of the highest rate still leave, and once when they
  have left, so that as many leave as come.
- Handing over to smtp-sink, by each of the relay's two clients of SMTP. The sink stands still until all
  mails are queued; the time runs from there until the last one is taken. Accepting, with the mails handed
  over meanwhile, by each of them too.
- Into the mailboxes of Dovecot, one for each of 64 people: by IMAP, and by SMTP through Postfix. The first
  server stands still until all mails are queued; the time runs from there until Dovecot has the last one.
- Listing the devices of an account that has signed out 200,000 of them, and of one that has signed
  out ten, in turn over one connection.
"""
import contextlib
import os
import pathlib
import selectors
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import time

programs, peers, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
SECONDS, MAILS = (int(argument) for argument in sys.argv[4:6]) if len(sys.argv) > 4 else (8, 6000)
#: A small run only shows that the benchmark works.
IS_SMALL = MAILS < 1000
ROUNDS = 3
#: The people who have a mailbox of Dovecot, and the mails into these.
PEOPLE = 64
KEPT = max(MAILS // 6 // 16, 1) * 16
#: The devices that two accounts have signed out, and how often each account lists its devices.
MANY, FEW, LISTS = (2_000 if IS_SMALL else 200_000), 10, (20 if IS_SMALL else 1_000)

os.environ["MEMO_BIN_DIR"] = str(programs)

from accepting import (  # noqa: E402
    CONNECTIONS, LENGTH, UNLIMITED, Devices, Sink, address, compare, digest, load, queue, tokens_of)
from mail_servers import ADDRESS, PASSWORD, Dovecot, Postfix, end_group  # noqa: E402
from ports import quiet_port  # noqa: E402
from processes import Relay  # noqa: E402
from raw_relay import address_at_site, exchange, memo, read_answer, request  # noqa: E402
from waiting import wait_until  # noqa: E402


@contextlib.contextmanager
def running(command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_until(lambda: connects(port), "it listens")
        yield
    finally:
        end_group(process)


def connects(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


class Exchanges:
    """Memos that are sent on one connection after another, each when its moment has come.

    Each account's come from a network of its own. The memos that wrk left without an answer may still be in
    work: they would have the places of those that come from theirs.
    """

    def __init__(self, port, tokens, accounts, rate):
        self._tokens, self._accounts, self._rate = tokens, accounts, rate
        self._selector = selectors.DefaultSelector()
        self._free = []
        for _ in range(CONNECTIONS):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(connection, selectors.EVENT_READ)
            self._free.append(connection)

    def take(self, seconds):
        """The seconds from each memo's moment to its answer, those of a wait for a connection too."""
        count, begun = int(self._rate * seconds), time.perf_counter()
        requests = [self._memo(number) for number in range(count)]
        begun = time.perf_counter()
        moments, taken, sent = {}, [], 0
        while len(taken) < count:
            due = begun + sent / self._rate
            while sent < count and self._free and due <= time.perf_counter():
                connection = self._free.pop()
                connection.sendall(requests[sent])
                moments[connection] = due
                sent += 1
                due = begun + sent / self._rate
            wait = max(0, due - time.perf_counter()) if sent < count and self._free else None
            for key, _ in self._selector.select(wait):
                answer = read_answer(key.fileobj)
                if answer.status != 202:
                    sys.exit(f"a memo was not accepted: {answer}")
                taken.append(time.perf_counter() - moments.pop(key.fileobj))
                self._free.append(key.fileobj)
        return taken

    def _memo(self, number):
        network = address_at_site(number % self._accounts)
        return memo(self._tokens[number % len(self._tokens)], LENGTH, network)

    def close(self):
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()


def sync(path, seconds):
    """The seconds of each append of a page with a sync."""
    taken, page = [], os.urandom(4096)
    end = time.perf_counter() + seconds
    with open(path, "ab", buffering=0) as file:
        while time.perf_counter() < end:
            begun = time.perf_counter()
            file.write(page)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - begun)
    return taken


def percentile_99(taken):
    return sorted(taken)[len(taken) * 99 // 100]


def write_rows(folder):
    """Memos a second whose rows SQLite's C interface writes into a copy of a relay's database."""
    copy = shutil.copytree(folder, scratch / "rows")
    out = subprocess.run(
        [peers / "RowWriter", copy / "relay.sqlite", str(SECONDS)], check=True, capture_output=True,
        text=True).stdout
    shutil.rmtree(copy)
    memos, duration = map(int, out.split())
    return memos / duration * 1e6


def take(port, mails):
    """Mails a second that a mail server takes."""
    begun = time.perf_counter()
    subprocess.run(
        ["smtp-source", "-d", "-s", str(CONNECTIONS), "-m", str(mails), "-l", str(LENGTH),
         "-f", "bench@example.org", "-t", ADDRESS, f"127.0.0.1:{port}"], check=True)
    return mails / (time.perf_counter() - begun)


def hand_over(sink, mails, fill, server=None):
    """Mails a second that reach the sink, once they are queued in front of a server: the sink, if none."""
    server = server or sink
    before = sink.mails()
    server.stop()
    fill()
    begun = time.perf_counter()
    server.go_on()
    wait_until(lambda: sink.mails() >= before + mails, "all mails are handed over", seconds=600)
    return mails / (time.perf_counter() - begun)


def fill_mailboxes(tokens):
    """Prints the rate of mails into mailboxes by IMAP, over that by SMTP through Postfix."""
    relay_folder, rates = scratch / "mailboxes", []
    shutil.copytree(scratch / "signing-in" / "relay", relay_folder)
    for number in range(PEOPLE):
        subprocess.run(
            [programs / "memo-relay", "mailbox", "add", address(number), "--data", relay_folder],
            input=f"{address(number)}\n{PASSWORD}\n".encode(), stdout=subprocess.DEVNULL, check=True)
    # As many mails at once as by IMAP.
    many = "lmtp_destination_concurrency_limit = 8\n"
    with Dovecot(scratch / "dovecot", False, deliveries=8) as dovecot, Postfix(
            scratch / "postfix-to-dovecot", dovecot.transport, main=many) as postfix:
        for _ in range(ROUNDS):
            rates.append([])
            for mail, server in [
                    (f"imap://127.0.0.1:{dovecot.port}", dovecot),
                    (f"smtp://127.0.0.1:{postfix.port}", postfix)]:
                relay = Relay(relay_folder, mail, *UNLIMITED)
                try:
                    port = int(relay.url.rpartition(":")[2])
                    rates[-1].append(hand_over(
                        dovecot, KEPT, lambda: queue(port, tokens, KEPT), server))
                finally:
                    # Gracefully: what a killed relay has begun it would look after.
                    relay.stop()
    compare("relay.mail_imap_vs_smtp", "a second", ("by IMAP", "by SMTP and Postfix"), rates)


def is_handed_over(mails, accepted, whose):
    """Whether at least half of what was accepted has reached the sink. A small run is too short."""
    if IS_SMALL or 2 * mails >= accepted:
        return True
    print(f"  a round is void: of {accepted:,.0f} mails, {whose}, only {mails:,} had reached the sink",
          flush=True)
    return False


def list_devices(relay_folder, tokens):
    """Prints the time of a list of devices beside many that are signed out, over that beside few."""
    with contextlib.closing(sqlite3.connect(relay_folder / "relay.sqlite")) as database:
        for token, count in zip(tokens, (MANY, FEW)):
            (account,), = database.execute(
                "SELECT account FROM device WHERE token = ?", [digest(token)])
            database.executemany(
                "INSERT INTO device(id, account, token, name, created_at, revoked_at, pair)"
                " VALUES(randomblob(16), ?, randomblob(32), x'00', ?, 1, randomblob(32))",
                ((account, number) for number in range(count)))
        database.commit()
    relay = Relay(relay_folder, f"maildir:{relay_folder}-mail", *UNLIMITED)
    times = ([], [])
    try:
        port = int(relay.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            for _ in range(LISTS):
                for token, taken in zip(tokens, times):
                    begun = time.perf_counter()
                    answer = exchange(connection, request("GET", "/v1/devices", token=token))
                    taken.append(time.perf_counter() - begun)
                    if answer.status != 200:
                        sys.exit(f"devices are not listed: {answer}")
    finally:
        relay.kill()
    many, few = (statistics.median(taken) * 1e6 for taken in times)
    print(f"  beside {MANY:,} signed out devices {many:,.0f} us, beside {FEW} {few:,.0f} us"
          f" (medians of {LISTS})")
    print(f"relay.devices_200k_vs_10: {many / few:.2f} x", flush=True)


def measured_pace(port, tokens, accounts, rate):
    """The 99th percentiles of an accept in an open loop, and of a bare sync, in turn."""
    exchanges = Exchanges(port, tokens, accounts, rate)
    try:
        accepts, syncs = [], []
        for _ in range(1 if IS_SMALL else 4):
            accepts += exchanges.take(SECONDS / 2)
            syncs += sync(scratch / "synced", SECONDS / 4)
        return percentile_99(accepts) * 1e6, percentile_99(syncs) * 1e6
    finally:
        exchanges.close()


def main():
    tokens = tokens_of(scratch / "signing-in", is_small=IS_SMALL)
    list_devices(shutil.copytree(scratch / "signing-in" / "relay", scratch / "devices"), tokens)
    accounts, devices = len(tokens), Devices(tokens, IS_SMALL)
    devices.add_to(scratch / "signing-in" / "relay" / "relay.sqlite")
    tokens = devices.tokens
    if os.geteuid() or not shutil.which("smtp-sink"):
        print("skipped: the relay's peer is Postfix, which only root can run", file=sys.stderr)
        # Continuous integration is root, and skips nothing.
        sys.exit(0 if IS_SMALL and os.environ.get("CI") != "true" else 1)
    token_file = scratch / "tokens"
    token_file.write_text("\n".join(tokens) + "\n")
    reader_port = quiet_port()
    accepted, standing, taken, handed, latencies, rows = [], [], [], [], [], []
    backlogs, paces = [], []
    clients, loads = [], []
    with Sink(scratch / "counters") as sink, Postfix(
            scratch / "postfix", f"smtp:[127.0.0.1]:{sink.port}") as postfix:

        @contextlib.contextmanager
        def serving(*options, kept=None):
            relay_folder = scratch / "relay"
            shutil.copytree(scratch / "signing-in" / "relay", relay_folder)
            relay = Relay(relay_folder, f"smtp://127.0.0.1:{sink.port}", *UNLIMITED, *options)
            try:
                yield int(relay.url.rpartition(":")[2])
            finally:
                relay.kill()
                if kept:
                    relay_folder.rename(kept)
                else:
                    shutil.rmtree(relay_folder)

        sink.stop()
        with serving(kept=scratch / "model") as port:
            queue(port, tokens, CONNECTIONS)
        sink.go_on()
        for _ in range(ROUNDS):
            with running([peers / "BodyReader", str(reader_port)], reader_port):
                limit, _ = load(reader_port, token_file, SECONDS)
            before = sink.mails()
            # A proxy on this machine names the networks.
            with serving("--trusted-proxies", "1") as port:
                rate, p99 = load(port, token_file, SECONDS)
                is_valid = is_handed_over(sink.mails() - before, rate * SECONDS, "the relay's")
                backlogs.append(measured_pace(port, tokens, accounts, rate / 3))
                wait_until(sink.is_still, "the relay has handed over everything")
                paces.append(measured_pace(port, tokens, accounts, rate / 3))
            latencies.append(p99)
            before = sink.mails()
            postfix_rate = take(postfix.port, MAILS)
            is_valid &= is_handed_over(sink.mails() - before, MAILS, "Postfix's")
            if is_valid:
                accepted.append((rate, limit))
                taken.append((rate, postfix_rate))
            wait_until(lambda: not postfix.waiting(), "Postfix has handed over everything")
            sink.stop()
            with serving() as port:
                rate, _ = load(port, token_file, SECONDS)
            sink.go_on()
            standing.append((rate, limit))
            rows.append((rate, write_rows(scratch / "model")))
            clients.append([])
            loads.append([])
            for client in ("nio", "curl"):
                with serving("--smtp-client", client) as port:
                    clients[-1].append(hand_over(sink, MAILS, lambda: queue(port, tokens, MAILS)))
                    loads[-1].append(load(port, token_file, SECONDS)[0])
            with serving() as port:
                ours = hand_over(sink, MAILS, lambda: queue(port, tokens, MAILS))
            handed.append((ours, hand_over(sink, MAILS, lambda: take(postfix.port, MAILS))))
            wait_until(lambda: not postfix.waiting(), "Postfix has handed over everything")
    print(f"  p99 of accepting at {CONNECTIONS} connections: {statistics.median(latencies):.1f} ms")
    compare("relay.accept_vs_noop", "a second", ("relay", "reading the body"), accepted)
    compare("relay.accept_standing_vs_noop", "a second",
            ("relay, with a mail server that stands still,", "reading the body"), standing)
    compare("relay.accept_vs_sqlite", "a second",
            ("relay, with a mail server that stands still,", "writing the rows"), rows)
    compare("relay.accept_vs_postfix", "a second", ("relay", "Postfix takes"), taken)
    compare("relay.mail_vs_postfix", "a second", ("relay hands over", "Postfix"), handed)
    compare("relay.mail_nio_vs_curl", "a second",
            ("relay hands over by NIO", "by libcurl"), clients)
    compare("relay.accept_nio_vs_curl", "a second",
            ("relay accepts beside mails by NIO", "by libcurl"), loads)
    fill_mailboxes([token for number, token in enumerate(tokens) if number % accounts < PEOPLE])
    compare("relay.accept_p99_vs_sync", "us", ("p99 of an accept in an open loop", "of a sync"), paces)
    compare("relay.accept_backlog_p99_vs_sync", "us",
            ("p99 of an accept while a backlog of mails leaves", "of a sync"), backlogs)


main()
