"""A proxy between the relay and a mail server, which reads along and does harm."""
import collections
import contextlib
import random
import socket
import threading

from listening import Listening
from waiting import SECONDS


class DisturbingProxy(Listening):
    """Passes one protocol on to a port, and has a part of the mails suffer one of some faults.

    A subclass names the `scheme` of its URL and its `FAULTS`; its `converse` passes one connection on,
    and asks `fault` for what becomes of a mail.
    """

    def __init__(self, port, seed=0):
        super().__init__()
        self._server_port = port
        self._random = random.Random(seed)
        self._names, self._share = self.FAULTS, 0.0
        self._lock = threading.Lock()
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"
        self.faults = collections.Counter()

    def _serve(self, client):
        # Of a connection that ends, either side may tell; the other side then gets told as well.
        with contextlib.suppress(OSError, EOFError), client:
            client.settimeout(SECONDS)
            with socket.create_connection(("127.0.0.1", self._server_port), SECONDS) as server:
                for side in (client, server):
                    # A second line would wait until the first one is acknowledged: 40 ms for each command.
                    side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
                self.converse(client, server)

    def disturb(self, share, faults=None):
        """From now on this part of the mails suffers one of these faults, by default of all."""
        with self._lock:
            self._names, self._share = faults or self.FAULTS, share

    def fault(self):
        """What becomes of the next mail; `None` for nothing."""
        with self._lock:
            if self._random.random() >= self._share:
                return None
            fault = self._random.choice(self._names)
            self.faults[fault] += 1
            return fault
