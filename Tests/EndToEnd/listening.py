"""A server on the loopback interface, with a thread for each connection."""
import contextlib
import socket
import threading

from waiting import SECONDS


class Listening:
    """Accepts connections while it is a context. A subclass's `_serve` has each one, on a thread of its own."""

    def __init__(self, backlog=128):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.port = self._listener.getsockname()[1]
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
