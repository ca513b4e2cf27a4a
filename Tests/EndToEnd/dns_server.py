"""A name server of the test's own, by UDP and TCP, whose answers can be hostile."""
import ipaddress
import random
import socket
import socketserver
import struct
import threading

A, PTR, MX, TXT, AAAA, CNAME = 1, 12, 15, 16, 28, 5


def encoded(name):
    """A name as labels; the empty name is the root."""
    labels = [label.encode() for label in name.rstrip(".").split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def text(value):
    """The data of a TXT record."""
    value = value if isinstance(value, bytes) else value.encode()
    chunks = [value[start:start + 255] for start in range(0, len(value), 255)] or [b""]
    return b"".join(bytes([len(chunk)]) + chunk for chunk in chunks)


class Zone:
    """Records by name and type."""

    def __init__(self):
        self.records = {}
        #: What to do with every question in place of answering: a function of the question's bytes.
        self.instead = None
        self.asked = []

    def add(self, name, kind, data):
        self.records.setdefault((name.lower(), kind), []).append(data)

    def text(self, name, value):
        self.add(name, TXT, text(value))

    def exchanger(self, name, host, preference=10):
        self.add(name, MX, struct.pack(">H", preference) + encoded(host))

    def host(self, name, *addresses):
        for address in map(ipaddress.ip_address, addresses):
            self.add(name, A if address.version == 4 else AAAA, address.packed)
            self.add(address.reverse_pointer, PTR, encoded(name))

    def alias(self, name, target):
        self.add(name, CNAME, encoded(target))

    def answer(self, question, by_udp):
        """The answer to a question, as a resolver gives it: with the chain of aliases."""
        identifier, position, labels = question[:2], 12, []
        while length := question[position]:
            labels.append(question[position + 1:position + 1 + length].decode().lower())
            position += 1 + length
        name = ".".join(labels)
        kind, = struct.unpack(">H", question[position + 1:position + 3])
        asked = question[12:position + 5]
        self.asked.append((name, kind, by_udp))
        if self.instead:
            return self.instead(identifier, asked, by_udp)
        answers = []
        for _ in range(20):
            targets = self.records.get((name, CNAME))
            if not targets:
                break
            answers.append((name, CNAME, targets[0]))
            name = self.decoded(targets[0])
        answers += [(name, kind, data) for data in self.records.get((name, kind), [])]
        known = any(each == name for each, _ in self.records)
        return self.message(identifier, asked, answers, 0 if known or answers else 3, by_udp)

    @staticmethod
    def decoded(data):
        labels, position = [], 0
        while length := data[position]:
            labels.append(data[position + 1:position + 1 + length].decode())
            position += 1 + length
        return ".".join(labels)

    @staticmethod
    def message(identifier, asked, answers, code=0, by_udp=False):
        body = b"".join(
            encoded(name) + struct.pack(">HHIH", kind, 1, 60, len(data)) + data
            for name, kind, data in answers)
        flags, count = 0x8180 | code, len(answers)
        if by_udp and 12 + len(asked) + len(body) > 1232:
            flags, count, body = flags | 0x200, 0, b""
        return identifier + struct.pack(">HHHHH", flags, 1, count, 0, 0) + asked + body


class NameServer:
    """Serves a zone on one port of 127.0.0.1, by UDP and TCP."""

    def __init__(self, zone):
        self.zone = zone

    def __enter__(self):
        zone = self.zone

        class Datagram(socketserver.BaseRequestHandler):
            def handle(self):
                question, connection = self.request
                answer = zone.answer(question, True)
                if answer is not None:
                    connection.sendto(answer, self.client_address)

        class Stream(socketserver.StreamRequestHandler):
            def handle(self):
                while size := self.rfile.read(2):
                    question = self.rfile.read(struct.unpack(">H", size)[0])
                    answer = zone.answer(question, False)
                    if answer is None:
                        return
                    self.wfile.write(struct.pack(">H", len(answer)) + answer)

        # The port that TCP gets may be taken for UDP.
        for _ in range(50):
            stream = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Stream)
            stream.daemon_threads = True
            self.port = stream.server_address[1]
            try:
                datagram = socketserver.ThreadingUDPServer(("127.0.0.1", self.port), Datagram)
            except OSError:
                stream.server_close()
                continue
            datagram.daemon_threads = True
            break
        self._servers = [stream, datagram]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        for server in self._servers:
            server.shutdown()
            server.server_close()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"


def truncated(identifier, asked, by_udp):
    """An answer whose record ends before its length says."""
    whole = Zone.message(identifier, asked, [("x.example", TXT, text("v=spf1 -all"))])
    return whole[:-5]


def looping(identifier, asked, by_udp):
    """An answer whose record has a name that points to itself."""
    header = identifier + struct.pack(">HHHHH", 0x8180, 1, 1, 0, 0) + asked
    pointer = struct.pack(">H", 0xC000 | len(header))
    return header + pointer + struct.pack(">HHIH", TXT, 1, 60, 2) + b"\1a"


def circling(identifier, asked, by_udp):
    """Two aliases that name each other."""
    return Zone.message(identifier, asked, [
        ("a.example", CNAME, encoded("b.example")), ("b.example", CNAME, encoded("a.example"))] * 20)


def by_tcp(answer):
    """The answer to a question for TXT, by TCP alone; others fail."""
    def given(identifier, asked, by_udp):
        if struct.unpack(">H", asked[-4:-2])[0] != TXT:
            return Zone.message(identifier, asked, [], 2)
        if by_udp:
            return identifier + struct.pack(">HHHHH", 0x8380, 1, 0, 0, 0) + asked
        return answer(identifier, asked, by_udp)
    given.__name__ = answer.__name__
    return given


@by_tcp
def huge(identifier, asked, by_udp):
    """64 kB of text."""
    return Zone.message(identifier, asked, [("x.example", TXT, text(b"v=spf1 " + b"\x1b[2J" * 16000))])


@by_tcp
def many(identifier, asked, by_udp):
    """More than a thousand records."""
    return Zone.message(identifier, asked, [("x.example", TXT, text("v=spf1"))] * 1500)


def random_bytes(identifier, asked, by_udp):
    """The right identifier, and then anything."""
    return identifier + random.Random(len(asked)).randbytes(300)


def failing(code):
    return lambda identifier, asked, by_udp: Zone.message(identifier, asked, [], code)


def silent(identifier, asked, by_udp):
    return None
