"""A relay whose certificate is of an authority that no system knows."""
import pathlib
import shutil
import socket
import ssl
import subprocess
import threading
import unittest

from processes import BIN, mailed_codes
from required import required
from test_faults import FaultTest
from waiting import SECONDS, wait_until


class Authority:
    """An authority of the test's own, and a certificate of `localhost` that it has signed."""

    def __init__(self, folder):
        required(shutil.which("openssl"), "openssl")
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.path, key = self.folder / "authority", self.folder / "authority-key"
        self.certificate, self.key = self.folder / "certificate", self.folder / "key"
        request, names = self.folder / "request", self.folder / "names"
        names.write_text("subjectAltName=DNS:localhost\n")
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        self.openssl("req", "-x509", *new, "-days", "2", "-subj", "/CN=An authority of a test",
                     "-keyout", key, "-out", self.path)
        self.openssl("req", *new, "-subj", "/CN=localhost", "-keyout", self.key, "-out", request)
        self.openssl("x509", "-req", "-in", request, "-CA", self.path, "-CAkey", key,
                     "-CAcreateserial", "-days", "2", "-extfile", names, "-out", self.certificate)

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)


class TLS:
    """Provides TLS in front of a relay."""

    def __init__(self, relay, authority):
        self._relay = relay
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(authority.certificate, authority.key)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"https://localhost:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        # Closing alone would leave the thread that accepts, and with it the port.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        host, port = self._relay.url.split("//")[1].split(":")
        try:
            with self._context.wrap_socket(client, server_side=True) as near, \
                    socket.create_connection((host, int(port)), SECONDS) as far:
                back = threading.Thread(target=self._pass, args=(far, near), daemon=True)
                back.start()
                self._pass(near, far)
                back.join()
        except OSError:
            # A client that does not trust the certificate ends the handshake.
            client.close()

    @staticmethod
    def _pass(source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class PrivateAuthority(FaultTest):
    def setUp(self):
        super().setUp()
        self.authority = Authority(f"{self.folder}/authority")
        self.front = TLS(self.relay, self.authority)
        self.cleanup.callback(self.front.stop)

    def test_an_authority_that_the_environment_names_is_trusted_and_no_other_is(self):
        self.device.environment["SSL_CERT_FILE"] = str(self.authority.path)
        self.device.sign_in("owner@example.org", self.front, lambda: mailed_codes(self.inbox))
        self.device.run("by a private authority")
        self.arrives("by a private authority")
        self.device.wait_for_agents()
        other = Authority(f"{self.folder}/other")
        for path in [None, str(other.path), f"{self.folder}/none"]:
            self.device.environment.pop("SSL_CERT_FILE")
            if path:
                self.device.environment["SSL_CERT_FILE"] = path
            self.device.environment.setdefault("SSL_CERT_FILE", "")
            self.device.kill_agents()
            self.device.run("kept on the device")
            wait_until(
                lambda: "relay.untrusted-certificate" in str(self.device.json("outbox", "list")),
                "the certificate is refused")
            self.assertEqual(len(self.inbox.memos()), 1)
        self.device.environment["SSL_CERT_FILE"] = str(self.authority.path)
        self.device.kill_agents()
        self.device.run("outbox", "retry")
        self.device.deliver()
        self.arrives("by a private authority", *["kept on the device"] * 3)

    def test_a_login_without_the_authority_says_that_the_certificate_is_not_trusted(self):
        login = subprocess.run(
            [BIN / "memo", "login", "owner@example.org", "--relay", self.front.url],
            env=self.device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=SECONDS, text=True)
        self.assertNotEqual(login.returncode, 0)
        self.assertIn("certificate", login.stderr)


if __name__ == "__main__":
    unittest.main()
