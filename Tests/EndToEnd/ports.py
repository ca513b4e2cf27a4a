"""Ports for servers that stop and come back on the same one."""
import pathlib
import random
import socket


def quiet_port():
    """A free port that the system does not hand out to connections.

    One of those might belong to somebody else's connection when the server comes back.
    """
    first_handed_out = int(
        pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(first_handed_out // 2, first_handed_out)
        with socket.socket() as attempt:
            try:
                attempt.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
