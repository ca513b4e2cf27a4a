"""One address in front of several relays."""
import contextlib
import random
import socket
import threading

from waiting import SECONDS


class Balancer:
    """Passes each connection on to one of some relays, at random, and to another one if that one is away."""

    def __init__(self, ports):
        self._ports = ports
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
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
        with client:
            for port in random.sample(self._ports, len(self._ports)):
                with contextlib.suppress(ConnectionRefusedError):
                    with socket.create_connection(("127.0.0.1", port), SECONDS) as relay:
                        back = threading.Thread(target=pass_on, args=(relay, client), daemon=True)
                        back.start()
                        pass_on(client, relay)
                        back.join()
                    return


def pass_on(source, target):
    """Passes bytes on until either side ends, and tells both."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for side in (source, target):
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)
