"""What a memo costs a relay and its PostgreSQL database.

usage: costs.py FOLDER_OF_MEMO_RELAY SCRATCH_FOLDER FILE [SECONDS]

A relay accepts memos of 1 KB over 64 connections, from 8,192 devices of 1,024 accounts, and hands them over to smtp-sink.
When every mail is finished, what the database and the processes have used since the start of the load is divided by the
memos. The figures go into FILE, as JSON.
"""
import contextlib
import json
import os
import pathlib
import shutil
import sys
import time

programs, scratch, target = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
#: A small run only shows that the benchmark works.
IS_SMALL = len(sys.argv) > 4
SECONDS = int(sys.argv[4]) if IS_SMALL else 60

os.environ["MEMO_BIN_DIR"] = str(programs)

from accepting import UNLIMITED, Devices, Sink, load, tokens_of  # noqa: E402
from postgresql import PostgreSQL, status_of  # noqa: E402
from processes import Relay  # noqa: E402
from waiting import wait_until  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(process, with_ended_children=False):
    """The seconds that a process has computed, and its children that have ended; none once it has ended itself."""
    times = status_of(process)[11:15 if with_ended_children else 13]
    return sum(map(int, times)) / TICKS


def children(process):
    return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()


class Use:
    """What a server and a relay have used so far."""

    def __init__(self, server, relay):
        # Each session tells its counts when it has been idle for a second.
        time.sleep(2)
        server.ask("CHECKPOINT")
        self.wal = int(server.ask("SELECT pg_current_wal_insert_lsn() - '0/0'"))
        self.commits = int(server.ask("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"))
        self.dead = int(server.ask("SELECT sum(n_tup_upd + n_tup_del) FROM pg_stat_user_tables"))
        self.relay = processor_seconds(relay.process.pid)
        # The server last: a session that ends meanwhile is one of its ended children then.
        sessions = sum(map(processor_seconds, children(server.process_id)))
        self.database = sessions + processor_seconds(server.process_id, with_ended_children=True)


def finished(server):
    return int(server.ask("SELECT count(*) FROM memo WHERE status = 'delivered'"))


def size_of_memos(server):
    server.ask("VACUUM FULL memo")
    return int(server.ask("SELECT pg_total_relation_size('memo')"))


def main():
    if not shutil.which("smtp-sink"):
        print("skipped: the relay's mails go to smtp-sink, of Postfix", file=sys.stderr)
        # Continuous integration skips nothing.
        sys.exit(0 if IS_SMALL and os.environ.get("CI") != "true" else 1)
    with contextlib.ExitStack() as cleanup:
        sink = cleanup.enter_context(Sink(scratch / "counters"))
        server = cleanup.enter_context(contextlib.closing(PostgreSQL(disk=scratch)))
        key = ("--key", str(scratch / "key"))
        devices = Devices(
            tokens_of(scratch / "signing-in", *key, is_small=IS_SMALL, data=server.url), IS_SMALL)
        devices.add_to_server(server, "postgres", scratch / "devices.sql")
        tokens = scratch / "tokens"
        tokens.write_text("\n".join(devices.tokens) + "\n")
        relay = Relay(
            scratch / "relay", f"smtp://127.0.0.1:{sink.port}", *UNLIMITED, *key, data=server.url)
        cleanup.callback(relay.kill)
        port = int(relay.url.rpartition(":")[2])
        load(port, tokens, max(1, SECONDS // 6))
        wait_until(lambda: server.ask("SELECT count(*) FROM outbox_operation") == "0", "every mail is sent")
        memos, size = finished(server), size_of_memos(server)
        before, begun = Use(server, relay), time.monotonic()
        accepted, _ = load(port, tokens, SECONDS)
        wait_until(lambda: server.ask("SELECT count(*) FROM outbox_operation") == "0", "every mail is sent")
        seconds = time.monotonic() - begun
        after = Use(server, relay)
        memos = finished(server) - memos
        figures = {
            "accepted_a_second": round(accepted),
            "finished_a_second": round(memos / seconds),
            "bytes": round((size_of_memos(server) - size) / memos),
            "wal_bytes": round((after.wal - before.wal) / memos),
            "commits": round((after.commits - before.commits) / memos, 2),
            "dead_rows": round((after.dead - before.dead) / memos, 1),
            "relay_microseconds": round((after.relay - before.relay) / memos * 1e6),
            "database_microseconds": round((after.database - before.database) / memos * 1e6),
        }
    for name, figure in figures.items():
        print(f"scaling.{name}: {figure}")
    if not IS_SMALL:
        target.write_text(json.dumps(figures, indent=4) + "\n")


main()
