"""How quickly relays hand mails over while a snapshot of their PostgreSQL database is held.

usage: held.py FOLDER_OF_MEMO_RELAY SCRATCH_FOLDER [SECONDS]

Three relays share a database, and accept memos of 1 KB over 64 connections each, as quickly as they can,
from 8,192 devices of 1,024 accounts; the mails go to smtp-sink. The rate of finished mails is measured for 60 s,
and then for 120 s while another session holds a snapshot: no row that was finished meanwhile can be removed.
"""
import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import sys
import time

programs, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
#: A small run only shows that the benchmark works.
IS_SMALL = len(sys.argv) > 3
SECONDS = int(sys.argv[3]) if IS_SMALL else 60

os.environ["MEMO_BIN_DIR"] = str(programs)

from accepting import UNLIMITED, Devices, Sink, load, tokens_of  # noqa: E402
from postgresql import PostgreSQL  # noqa: E402
from processes import Relay  # noqa: E402
from waiting import wait_until  # noqa: E402


def finished(server):
    return int(server.ask("SELECT count(*) FROM memo WHERE status = 'delivered'"))


def rate(server, seconds):
    """The mails that are finished in a second, over so many seconds."""
    before, begun = finished(server), time.monotonic()
    time.sleep(seconds)
    return (finished(server) - before) / (time.monotonic() - begun)


def main():
    if not shutil.which("smtp-sink"):
        print("skipped: the relays' mails go to smtp-sink, of Postfix", file=sys.stderr)
        # Continuous integration skips nothing.
        sys.exit(0 if IS_SMALL and os.environ.get("CI") != "true" else 1)
    with contextlib.ExitStack() as cleanup:
        sink = cleanup.enter_context(Sink(scratch / "counters"))
        server = cleanup.enter_context(contextlib.closing(PostgreSQL(disk=scratch)))
        place = {"data": server.url}
        key = ("--key", str(scratch / "key"))
        devices = Devices(tokens_of(scratch / "signing-in", *key, is_small=IS_SMALL, **place), IS_SMALL)
        devices.add_to_server(server, "postgres", scratch / "devices.sql")
        tokens = scratch / "tokens"
        tokens.write_text("\n".join(devices.tokens) + "\n")
        relays = []
        for name in ("one", "two", "three"):
            relay = Relay(scratch / name, f"smtp://127.0.0.1:{sink.port}", *UNLIMITED, *key, **place)
            cleanup.callback(relay.kill)
            relays.append(int(relay.url.rpartition(":")[2]))
        # Longer than all that is measured.
        senders = cleanup.enter_context(concurrent.futures.ThreadPoolExecutor())
        loads = [senders.submit(load, port, tokens, 4 * SECONDS) for port in relays]
        wait_until(lambda: finished(server), "mails are handed over")
        time.sleep(SECONDS / 6)
        free = rate(server, SECONDS)
        with server.transaction("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM account"):
            held = rate(server, 2 * SECONDS)
        for each in loads:
            each.result()
    print(f"  {free:,.0f} mails a second before, {held:,.0f} while a snapshot was held for {2 * SECONDS} s")
    print(f"relay.pg_held_snapshot: {held / max(free, 1):.2f} x")


main()
