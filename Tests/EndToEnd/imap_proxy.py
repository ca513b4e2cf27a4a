"""A mailbox's bad days: a proxy between the relay and an IMAP server, which reads along."""
import collections
import contextlib
import random
import re
import socket
import threading

from waiting import SECONDS

#: What may become of an append: the mailbox is full; the connection is cut in the middle of the mail;
#: it is cut as soon as the mail has left, appended or not; it is cut after the server has appended the
#: mail; the server gets the end of the mail when the next search for it has been answered, or only when
#: the mail has been appended again, or found.
FAULTS = [
    "full", "cut in the mail", "cut at the end", "answer lost", "late", "later",
]
#: How many of a mail's last bytes are held back.
HELD = 10


class IMAPProxy:
    """Passes IMAP on to a port, and does to a share of the appends one of some faults.

    `taken` is called after the server has appended a mail, and before the relay is told: while it
    runs, the answer waits.
    """

    def __init__(self, port, seed=0):
        self._port = port
        self._random = random.Random(seed)
        self._names, self._share = FAULTS, 0.0
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"imap://127.0.0.1:{self._listener.getsockname()[1]}"
        self.faults = collections.Counter()
        self.taken = lambda: None
        #: The held ends of mails and their connections, by the mails' Message-IDs and what they wait
        #: for.
        self._held = {}
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        # A call that waits in accept() ends by shutdown, not by close.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(SECONDS)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with contextlib.suppress(OSError, EOFError), client:
            client.settimeout(SECONDS)
            with socket.create_connection(("127.0.0.1", self._port), SECONDS) as server:
                Dialogue(self, client, server).run()

    def disturb(self, share, faults=FAULTS):
        """From now on this part of the appends suffers one of these faults."""
        with self._lock:
            self._names, self._share = faults, share

    def fault(self):
        with self._lock:
            if self._random.random() >= self._share:
                return None
            fault = self._random.choice(self._names)
            self.faults[fault] += 1
            return fault

    def hold(self, message, until, rest, server):
        """Keeps the end of a mail, and its connection."""
        with self._lock:
            self._held.setdefault((message, until), []).append((rest, server.dup()))

    def let_go(self, message, until):
        """Gives the server what is held of a mail."""
        with self._lock:
            held = self._held.pop((message, until), [])
        for rest, server in held:
            with contextlib.suppress(OSError), server:
                server.sendall(rest)

    def holds(self):
        with self._lock:
            return sum(map(len, self._held.values()))


class Dialogue:
    """One IMAP connection. The client waits for the end of each command, so nothing overtakes."""

    def __init__(self, proxy, client, server):
        self._proxy = proxy
        self._client, self._server = client, server
        self._lines, self._answers = client.makefile("rb"), server.makefile("rb")

    def run(self):
        self._client.sendall(self._answer_line())
        while line := self._lines.readline():
            tag, _, command = line.partition(b" ")
            self._server.sendall(line)
            if command.upper().startswith(b"UID SEARCH"):
                self._pass_search(tag, re.search(rb"<\S+>", command)[0])
            elif not command.upper().startswith(b"APPEND"):
                self._pass_answers(tag)
            elif not self._pass_append(tag, int(re.search(rb"\{(\d+)\}", command)[1])):
                return

    def _answer_line(self):
        line = self._answers.readline()
        if not line:
            raise EOFError
        return line

    def _pass_answers(self, tag):
        """Passes lines on up to the end of a command; answers them."""
        passed = []
        while True:
            line = self._answer_line()
            self._client.sendall(line)
            passed.append(line)
            if line.startswith(tag + b" "):
                return passed
            if line.startswith(b"+"):
                self._server.sendall(self._lines.readline())

    def _pass_search(self, tag, name):
        found = any(re.match(rb"\* SEARCH \d", line) for line in self._pass_answers(tag))
        self._proxy.let_go(name, "late")
        if found:
            self._proxy.let_go(name, "later")

    def _pass_append(self, tag, size):
        """Passes a mail on; answers whether the connection goes on."""
        fault = self._proxy.fault()
        if fault == "full":
            self._client.sendall(tag + b" NO [OVERQUOTA] the mailbox is full\r\n")
            # The server waits for the mail.
            return False
        self._client.sendall(self._answer_line())
        mail = self._lines.read(size + len(b"\r\n"))
        if len(mail) < size:
            return False
        name = re.search(rb"^Message-ID: (\S+)", mail, re.M | re.I)[1]
        if fault == "cut in the mail":
            self._server.sendall(mail[:size // 2])
            return False
        if fault in ("late", "later"):
            self._server.sendall(mail[:-HELD])
            self._proxy.hold(name, fault, mail[-HELD:], self._server)
            return False
        self._server.sendall(mail)
        if fault == "cut at the end":
            return False
        answer = self._answer_line()
        while not answer.startswith(tag + b" "):
            answer = self._answer_line()
        if answer.startswith(tag + b" OK"):
            self._proxy.taken()
        if fault == "answer lost":
            return False
        self._client.sendall(answer)
        self._proxy.let_go(name, "later")
        return True
