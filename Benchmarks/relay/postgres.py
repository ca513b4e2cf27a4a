"""Compares the relay over PostgreSQL with pgbench, and with the relay over SQLite, all on one disk.

usage: postgres.py FOLDER_OF_MEMO_RELAY SCRATCH_FOLDER [SECONDS]

Accepting memos of 1 KB over 64 connections, by wrk, from 8,192 devices of 1,024 accounts, while the mail
server stands still. In turn, each over a database of its own:

- the relay over SQLite;
- the relay over PostgreSQL, a server of the benchmark's own with its usual settings;
- pgbench with 64 connections to the same server: each transaction is one pipeline and writes the rows, and so
  the entries of the indexes, of one memo, as the relay does, and reads nothing. No two connections write
  one row: each has accounts and counters of its own;
- the same with sixteen memos in each transaction.
"""
import contextlib
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

programs, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
#: A small run only shows that the benchmark works.
IS_SMALL = len(sys.argv) > 3
SECONDS = int(sys.argv[3]) if IS_SMALL else 8
ROUNDS = 1 if IS_SMALL else 5
GROUP = 16

os.environ["MEMO_BIN_DIR"] = str(programs)

from accepting import CONNECTIONS, UNLIMITED, Devices, Sink, compare, load, queue, tokens_of  # noqa: E402
from postgresql import PROGRAMS, PostgreSQL  # noqa: E402
from processes import Relay  # noqa: E402

#: The rows of a memo, by the statements of the relay. Identifiers are drawn at random, those of mails behind
#: a number that grows; the other values are those of a memo that the relay has stored.
ROWS = """\
\\set n :n + 1
\\set account :client_id * {group} + :n % {group}
\\set time :now + :n
\\set operation :now * 16384 + :n
\\set tail random(1, 9000000000000000000)
\\set id random(1, 9000000000000000000)
INSERT INTO outbox_operation(id, state, due, wait, envelope, record)
    VALUES (int8send(:operation) || int8send(:tail), 0, :time, 0, :envelope, :record);
INSERT INTO account_change(account, last) VALUES (int8send(:account) || int8send(:account), 1)
    ON CONFLICT (account) DO UPDATE SET last = account_change.last + 1;
INSERT INTO memo(account, id, device, content, message_id, operation, response, status,
        accepted_at, changed_at, size, mailbox, change)
    VALUES (int8send(:account) || int8send(:account), int8send(:id) || int8send(:tail), :device, :content,
        :message_id, int8send(:operation) || int8send(:tail), :response, 'accepted', :time, :time, 1024,
        int8send(:account) || int8send(:account),
        (SELECT last FROM account_change WHERE account = int8send(:account) || int8send(:account)));
"""
COUNTER = """\
INSERT INTO memo_use(subject, place, begins, memos) VALUES (:subject{number}, 1000000 + :client_id, :now, 1)
    ON CONFLICT (subject, place) DO UPDATE SET begins = excluded.begins,
        memos = CASE WHEN memo_use.begins = excluded.begins THEN memo_use.memos + 1 ELSE 1 END;
"""


def script(memos, counters):
    """A transaction of pgbench that stores so many memos."""
    counts = "".join(COUNTER.format(number=number) for number in range(counters))
    rows = (ROWS.format(group=GROUP) + counts) * memos
    return "\\startpipeline\nBEGIN;\n" + rows + "END;\n\\endpipeline\n"


@contextlib.contextmanager
def copied(server, model):
    """A copy of a database that nobody uses; the server has nothing left to write then."""
    server.ask(f"CREATE DATABASE turn TEMPLATE {model}")
    server.ask("CHECKPOINT")
    try:
        yield "turn"
    finally:
        server.ask("DROP DATABASE turn WITH (FORCE)")


class Peer:
    """pgbench over the rows of a relay's memos."""

    def __init__(self, server, model):
        self._server = server
        variables, self._counters = self._variables(model)
        self._definitions = [part for pair in variables for part in ("-D", "=".join(pair))]
        server.ask(f"""
            INSERT INTO account(id, address_key, address, created_at, mailbox)
            SELECT int8send(number) || int8send(number), int8send(number), address, created_at,
                int8send(number) || int8send(number)
            FROM generate_series(0, {CONNECTIONS * GROUP - 1}) AS number, (SELECT * FROM account LIMIT 1) AS one
            """, database=model)

    def _variables(self, model):
        """The values of a memo of the relay's, and the number of its counters."""
        columns = ("envelope", "record", "device", "content", "message_id", "response")
        values = self._server.ask(
            f"SELECT {', '.join(columns)}, accepted_at FROM memo JOIN outbox_operation"
            " ON outbox_operation.id = memo.operation ORDER BY accepted_at DESC LIMIT 1",
            database=model).split("|")
        subjects = self._server.ask("SELECT DISTINCT subject FROM memo_use", database=model).splitlines()
        counters = [(f"subject{number}", subject) for number, subject in enumerate(subjects)]
        return [*zip(columns, values), ("now", values[-1]), ("n", "0"), *counters], len(counters)

    def rate(self, database, memos):
        """Memos a second, so many in a transaction, after the first two seconds: in these, connections are made and
        statements prepared. A small run on a busy machine may have no others."""
        file = scratch / f"pgbench-{memos}"
        file.write_text(script(memos, self._counters))
        out = subprocess.run(
            [PROGRAMS / "pgbench", "-n", "-h", self._server.folder, "-U", "memo", "-M", "prepared",
             "-c", str(CONNECTIONS), "-j", "2", "-T", str(SECONDS + 3), "-P", "1", "-f", file,
             *self._definitions, database],
            check=True, capture_output=True, text=True)
        if re.search(r"number of failed transactions: (\d+)", out.stdout)[1] != "0":
            sys.exit(f"transactions of pgbench failed: {out.stdout}")
        seconds = re.findall(r"^progress: [\d.]+ s, ([\d.]+) tps", out.stderr, re.M)
        seconds = seconds[2:] or re.findall(r"^tps = ([\d.]+)", out.stdout, re.M)
        return statistics.mean(float(transactions) for transactions in seconds) * memos


def main():
    if not shutil.which("smtp-sink"):
        print("skipped: the relay's mails go to smtp-sink, of Postfix", file=sys.stderr)
        # Continuous integration skips nothing.
        sys.exit(0 if IS_SMALL and os.environ.get("CI") != "true" else 1)
    singles, groups, files = [], [], []
    with Sink(scratch / "counters") as sink, contextlib.closing(PostgreSQL(disk=scratch)) as server:
        mail = f"smtp://127.0.0.1:{sink.port}"
        key = ("--key", str(scratch / "key"))

        @contextlib.contextmanager
        def serving(folder, *options, data=None):
            relay = Relay(folder, mail, *UNLIMITED, *options, data=data)
            try:
                yield int(relay.url.rpartition(":")[2])
            finally:
                relay.kill()

        @contextlib.contextmanager
        def serving_from_files():
            folder = shutil.copytree(scratch / "files" / "relay", scratch / "turn")
            with serving(folder) as port:
                yield port
            shutil.rmtree(folder)

        def serving_from(database):
            return serving(scratch / "relay", *key, data=server.url_of("memo", database))

        def token_file(name, tokens):
            path = scratch / f"{name}-tokens"
            path.write_text("\n".join(tokens) + "\n")
            return path

        devices = Devices(tokens_of(scratch / "files", is_small=IS_SMALL), IS_SMALL)
        devices.add_to(scratch / "files" / "relay" / "relay.sqlite")
        file_tokens = token_file("files", devices.tokens)
        server.ask("CREATE DATABASE signed_in")
        devices = Devices(
            tokens_of(
                scratch / "signing-in", *key, is_small=IS_SMALL, data=server.url_of("memo", "signed_in")),
            IS_SMALL)
        devices.add_to_server(server, "signed_in", scratch / "devices.sql")
        tokens = token_file("postgresql", devices.tokens)
        sink.stop()
        server.ask("CREATE DATABASE model TEMPLATE signed_in")
        with serving_from("model") as port:
            queue(port, devices.tokens, CONNECTIONS)
        peer = Peer(server, "model")
        for _ in range(ROUNDS):
            with serving_from_files() as port:
                of_files, _ = load(port, file_tokens, SECONDS)
            with copied(server, "signed_in") as database, serving_from(database) as port:
                rate, p99 = load(port, tokens, SECONDS)
            with copied(server, "model") as database:
                single = peer.rate(database, 1)
            with copied(server, "model") as database:
                group = peer.rate(database, GROUP)
            print(f"  over PostgreSQL {rate:,.0f} a second (p99 {p99:.0f} ms), over SQLite"
                  f" {of_files:,.0f}; pgbench {single:,.0f}, grouped {group:,.0f}", flush=True)
            singles.append((rate, single))
            groups.append((rate, group))
            files.append((rate, of_files))
        sink.go_on()
    compare("relay.pg_accept_vs_pgbench", "a second",
            ("relay over PostgreSQL", "pgbench, a memo in a transaction,"), singles)
    compare("relay.pg_accept_vs_pgbench16", "a second",
            ("relay over PostgreSQL", f"pgbench, {GROUP} memos in a transaction,"), groups)
    compare("relay.pg_accept_vs_sqlite", "a second",
            ("relay over PostgreSQL", "over SQLite"), files)


main()
