"""A relay that tells how often each memo was handed to it."""
import collections
import contextlib
import socket
import threading

from ports import quiet_port
from processes import Relay


class CountedRelay(Relay):
    """A relay behind a small proxy, which counts the deliveries of each memo.

    The relay recognises a repeated delivery by the memo's identifier: neither its answers nor the
    inbox tell of one.
    """

    def __init__(self, *arguments):
        self._lock = threading.Lock()
        self._connections = set()
        self._listener = None
        self._front = quiet_port()
        self._may_pass = threading.Event()
        self._may_pass.set()
        #: How many times each memo came, by identifier.
        self.deliveries = collections.Counter()
        super().__init__(*arguments)

    @property
    def url(self):
        return f"http://127.0.0.1:{self._front}"

    def start(self):
        super().start()
        self.connect()

    def kill(self):
        self.disconnect()
        super().kill()

    def stop(self):
        self.disconnect()
        return super().stop()

    # The way to the relay.

    def connect(self):
        self._listener = socket.create_server(("127.0.0.1", self._front), backlog=128)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def disconnect(self):
        """Nothing listens any more, and what is open ends."""
        if self._listener:
            # Closing alone would leave the thread that accepts, and with it the port.
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def hold(self):
        """Deliveries are counted when they come, and reach the relay after `let_pass`."""
        self._may_pass.clear()

    def let_pass(self):
        self._may_pass.set()

    @property
    def has_repetition(self):
        return any(count > 1 for count in self.deliveries.values())

    # Connections.

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with contextlib.suppress(OSError), client, \
                socket.create_connection(("127.0.0.1", self._port)) as relay:
            pair = {client, relay}
            with self._lock:
                self._connections |= pair
            try:
                answers = threading.Thread(target=self._answer, args=(relay, client), daemon=True)
                answers.start()
                self._ask(client, relay)
                relay.shutdown(socket.SHUT_WR)
                answers.join()
            finally:
                with self._lock:
                    self._connections -= pair

    def _ask(self, client, relay):
        """Passes requests on, whole; each has its length in `Content-Length`, or no body."""
        with client.makefile("rb") as requests:
            while first := requests.readline():
                head, length = first, 0
                while (line := requests.readline()) not in (b"\r\n", b""):
                    head += line
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                body = requests.read(length)
                method, path, _ = first.split(b" ", 2)
                if method == b"PUT" and path.startswith(b"/v1/memos/"):
                    with self._lock:
                        self.deliveries[path.rpartition(b"/")[2].decode()] += 1
                    self._may_pass.wait()
                relay.sendall(head + b"\r\n" + body)

    @staticmethod
    def _answer(relay, client):
        with contextlib.suppress(OSError):
            while data := relay.recv(1 << 16):
                client.sendall(data)
            client.shutdown(socket.SHUT_WR)
