"""One address in front of several relays."""
import contextlib
import random
import socket
import threading

from listening import Listening
from waiting import SECONDS


class Balancer(Listening):
    """Passes each connection on to one of some relays, at random, and to another one if that one is away."""

    def __init__(self, ports):
        super().__init__(backlog=256)
        self._ports = ports
        self.url = f"http://127.0.0.1:{self.port}"

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
