"""One peer of the outbox, which does what the lines of standard input say and answers each.

usage: peers.py NAME FOLDER

`enqueue COUNT` answers with the seconds of each, `drain COUNT CONSUMERS` with those of claiming and
acknowledging so many. Each peer runs as its documentation recommends for losing nothing, and as it
is meant to be called. Those written in Python measure inside their process; the servers' client
does nothing but send and receive.
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests/EndToEnd"))

from ports import quiet_port  # noqa: E402

PAYLOAD = os.urandom(1024)
NOWHERE = os.open(os.devnull, os.O_WRONLY)
MARKED = "BENCH_MARKS" in os.environ


def mark(what):
    """Lets strace see where one operation ends."""
    if MARKED:
        os.write(NOWHERE, b"@" + what + b"\n")


class Huey:
    """A task of a SqliteHuey(fsync=True) without results. Claiming removes: it has no
    acknowledgement, so a crash of the consumer loses the task."""

    def __init__(self, folder):
        import huey
        self.huey = huey.SqliteHuey(filename=str(folder / "huey.db"), fsync=True, results=False)
        self.task = self.huey.task()(lambda payload: payload)

    def put(self):
        self.task(PAYLOAD)

    def take(self, consumers):
        return [self.huey.dequeue().execute()]


class PersistQueue:
    def __init__(self, folder):
        import persistqueue
        self.queue = persistqueue.SQLiteAckQueue(str(folder / "queue"))

    def put(self):
        self.queue.put(PAYLOAD)

    def take(self, consumers):
        item = self.queue.get(block=False)
        self.queue.ack(item)
        return [item]


class LiteQueue:
    def __init__(self, folder):
        import litequeue
        self.queue = litequeue.LiteQueue(str(folder / "litequeue.db"))

    def put(self):
        # Its column is declared as text; SQLite stores what it is given.
        self.queue.put(PAYLOAD)

    def take(self, consumers):
        message = self.queue.pop()
        self.queue.done(message.message_id)
        return [message.data]


class Server:
    """A server of its own, and as many connections as there are consumers."""

    def __init__(self, folder, port, arguments):
        self.process = subprocess.Popen(
            arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.connections = [self.connect(port) for _ in range(3)]

    def connect(self, port):
        deadline = time.monotonic() + 20
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection, connection.makefile("rb")
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def exchange(self, requests):
        """Sends each request on a connection of its own before it reads the answers."""
        for (connection, _), request in zip(self.connections, requests):
            connection.sendall(request)
        return [self.answer(lines) for (_, lines), _ in zip(self.connections, requests)]

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


class Beanstalkd(Server):
    def __init__(self, folder):
        os.mkdir(folder / "log")
        port = quiet_port()
        super().__init__(
            folder, port,
            ["beanstalkd", "-l", "127.0.0.1", "-p", str(port), "-b", folder / "log", "-f0"])

    def answer(self, lines):
        words = lines.readline().split()
        body = lines.read(int(words[2]) + 2)[:-2] if words[0] == b"RESERVED" else None
        return words, body

    def put(self):
        put = b"put 0 0 60 %d\r\n%s\r\n" % (len(PAYLOAD), PAYLOAD)
        (words, _), = self.exchange([put])
        assert words[0] == b"INSERTED", words

    def take(self, consumers):
        reserved = self.exchange([b"reserve\r\n"] * consumers)
        assert all(words[0] == b"RESERVED" for words, _ in reserved), reserved
        deleted = self.exchange([b"delete %s\r\n" % words[1] for words, _ in reserved])
        assert all(words[0] == b"DELETED" for words, _ in deleted), deleted
        return [body for _, body in reserved]


class Redis(Server):
    """A list, and a second one for what is claimed: the reliable queue of Redis's own pages."""

    def __init__(self, folder):
        port = quiet_port()
        super().__init__(
            folder, port,
            ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", folder,
             "--appendonly", "yes", "--appendfsync", "always", "--save", ""])

    def answer(self, lines):
        line = lines.readline()
        if line[:1] == b"$":
            return lines.read(int(line[1:]) + 2)[:-2]
        assert line[:1] == b":", line
        return int(line[1:])

    @staticmethod
    def command(*words):
        return b"*%d\r\n" % len(words) + b"".join(
            b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

    def put(self):
        self.exchange([self.command(b"LPUSH", b"queue", PAYLOAD)])

    def take(self, consumers):
        bodies = self.exchange(
            [self.command(b"LMOVE", b"queue", b"claimed", b"RIGHT", b"LEFT")] * consumers)
        removed = self.exchange(
            [self.command(b"LREM", b"claimed", b"1", body) for body in bodies])
        assert removed == [1] * consumers, removed
        return bodies


PEERS = {
    "huey": Huey, "persist-queue": PersistQueue, "litequeue": LiteQueue,
    "beanstalkd": Beanstalkd, "redis": Redis,
}


def enqueue(peer, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        peer.put()
        times.append(time.perf_counter() - start)
        mark(b"enqueued")
    return times


def drain(peer, count, consumers=1):
    start = time.perf_counter()
    while count > 0:
        bodies = peer.take(min(consumers, count))
        assert all(body == PAYLOAD for body in bodies)
        count -= len(bodies)
        for _ in bodies:
            mark(b"handled")
    return [time.perf_counter() - start]


def main(name, folder):
    peer = PEERS[name](folder)
    try:
        for line in sys.stdin:
            command, *numbers = line.split()
            numbers = map(int, numbers)
            answer = {"enqueue": enqueue, "drain": drain}[command](peer, *numbers)
            print(json.dumps(answer), flush=True)
    finally:
        if isinstance(peer, Server):
            peer.close()


main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
