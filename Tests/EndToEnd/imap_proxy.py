"""A mailbox's bad days: a proxy between the relay and an IMAP server, which reads along."""
import contextlib
import re
import socket

from disturbing_proxy import DisturbingProxy

#: What may become of an append: the mailbox is full; the server takes the mail and then refuses it; the
#: connection is cut in the middle of the mail; the server says goodbye there; the connection is cut as soon
#: as the mail has left, appended or not; it is cut after the server has appended the mail; the server says
#: goodbye then; the server gets the end of the mail when the next search for it has been answered, or only
#: when the mail has been appended again, or found.
FAULTS = [
    "full", "refused", "cut in the mail", "goodbye in the mail", "cut at the end", "answer lost",
    "goodbye for an answer", "late", "later",
]
GOODBYE = b"* BYE the server goes down\r\n"
#: How many of a mail's last bytes are held back.
HELD = 10


class IMAPProxy(DisturbingProxy):
    """Passes IMAP on.

    `taken` is called after the server has appended a mail, and before the relay is told: while it
    runs, the answer waits. `searched` is called with the Message-ID of a search and whether it has found
    a mail, before the relay is told of its end; where it answers true, the connection ends then.
    """

    scheme, FAULTS = "imap", FAULTS

    def __init__(self, port, seed=0):
        super().__init__(port, seed)
        self.taken = lambda: None
        self.searched = lambda name, found: False
        #: The held ends of mails and their connections, by the mails' Message-IDs and what they wait
        #: for.
        self._held = {}

    def converse(self, client, server):
        Dialogue(self, client, server).run()

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
                if self._pass_search(tag, re.search(rb"<\S+>", command)[0]):
                    return
            elif not command.upper().startswith(b"APPEND"):
                self._pass_answers(tag)
            elif not self._pass_append(tag, int(re.search(rb"\{(\d+)\}", command)[1])):
                return

    def _answer_line(self):
        line = self._answers.readline()
        if not line:
            raise EOFError
        return line

    def _pass_answers(self, tag, at_end=lambda passed: None):
        """Passes lines on up to the end of a command, before which it calls `at_end` with the others."""
        passed = []
        while True:
            line = self._answer_line()
            if line.startswith(tag + b" "):
                at_end(passed)
            self._client.sendall(line)
            passed.append(line)
            if line.startswith(tag + b" "):
                return
            if line.startswith(b"+"):
                self._server.sendall(self._lines.readline())

    def _pass_search(self, tag, name):
        """Passes a search on; answers whether the connection ends."""
        found = ends = False

        def tell(passed):
            nonlocal found, ends
            found = any(re.match(rb"\* SEARCH \d", line) for line in passed)
            ends = self._proxy.searched(name, found)

        self._pass_answers(tag, tell)
        self._proxy.let_go(name, "late")
        if found:
            self._proxy.let_go(name, "later")
        if ends:
            self._client.shutdown(socket.SHUT_RDWR)
        return ends

    def _pass_append(self, tag, size):
        """Passes a mail on; answers whether the connection goes on."""
        fault = self._proxy.fault()
        if fault == "full":
            self._client.sendall(tag + b" NO [OVERQUOTA] the mailbox is full\r\n")
            # The server waits for the mail.
            return False
        self._client.sendall(self._answer_line())
        if fault == "goodbye in the mail":
            self._lines.read(size // 2)
            self._client.sendall(GOODBYE)
            return False
        mail = self._lines.read(size + len(b"\r\n"))
        if len(mail) < size:
            return False
        name = re.search(rb"^Message-ID: (\S+)", mail, re.M | re.I)[1]
        if fault == "refused":
            self._client.sendall(tag + b" NO the mail is refused\r\n")
            return False
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
        if fault == "goodbye for an answer":
            self._client.sendall(GOODBYE)
        if fault in ("answer lost", "goodbye for an answer"):
            return False
        self._client.sendall(answer)
        self._proxy.let_go(name, "later")
        return True
