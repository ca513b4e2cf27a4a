"""A proxy with single sign-on in front of a relay: Caddy, as docs/operating.md sets it up, and an auth server."""
import http.client
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
import urllib.request

from inbox import Inbox, MailServer
from processes import BIN, Relay
from proxies import Caddy, Certificate, replaced
from required import required
from waiting import SECONDS, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX, EVE = "max@example.org", "eve@example.org"
#: The header, from the addresses that the operator names.
TRUST = ("--trust-header", "Remote-Email", "--proxy", "127.0.0.1")


class AuthServer(http.server.ThreadingHTTPServer):
    """Knows a person by a cookie, as an auth server does: `session=ADDRESS`; `session=` has no address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            session = re.search(r"session=(\S*)", self.headers.get("Cookie", ""))
            self.send_response(200 if session else 401)
            if session and session[1]:
                self.send_header("Remote-Email", session[1])
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def fields(address=None, session=None):
    """The header fields of a client that claims to be at an address, and has a session."""
    given = {} if address is None else {"Remote-Email": address}
    return given if session is None else {**given, "Cookie": f"session={session}"}


class Vouching(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.inbox = Inbox()
        self.server = self.enterContext(MailServer(self.inbox))

    def start(self, *options):
        self.relay = Relay(self.folder / "relay", self.server.url, *options)
        self.addCleanup(lambda: self.relay.stop())

    def sign_in(self, exchange, address, given):
        """The token that a client gets which takes a code in the answer; none where a code is mailed."""
        asked = exchange(
            "POST", "/v1/verifications", {"address": address, "takesCode": True}, given)
        self.assertEqual(asked.status, 202, asked.body)
        if "code" not in asked.json():
            return None
        self.voucher = asked.json()["code"]
        granted = exchange("POST", "/v1/verifications/confirm", {
            "address": address, "code": self.voucher, "device": "browser",
            "handle": asked.json()["handle"]}, given)
        self.assertEqual(granted.status, 200, granted.body)
        return granted.json()["token"]


class BehindCaddy(Vouching):
    def setUp(self):
        super().setUp()
        required(shutil.which("caddy"), "caddy")
        self.proxy = Caddy(self.folder / "proxy", Certificate(self.folder))
        self.addCleanup(self.proxy.stop)
        self.start(
            "--public-url", self.proxy.url, "--behind-https", "--trusted-proxies", "1",
            "--sign-up", "closed", *TRUST)
        auth = self.enterContext(AuthServer())
        self.addCleanup(auth.shutdown)
        page = (ROOT / "docs" / "operating.md").read_text()
        snippet = re.search(r"```caddyfile\n(.*?)```", page, re.S)[1]
        snippet = replaced(snippet, r"127\.0\.0\.1:9091", f"127.0.0.1:{auth.server_port}")
        self.proxy.start(
            self.relay, lambda text: replaced(text, r"^(\trequest_body \{)", snippet + r"\1"))

    def test_whoever_is_signed_in_at_the_auth_server_is_signed_in_without_a_mail(self):
        token = self.sign_in(self.proxy.exchange, MAX, fields(session=MAX))
        devices = self.proxy.exchange(
            "GET", "/v1/devices", fields={
                **fields(session=MAX), "Authorization": f"Bearer {token}"}).json()["devices"]
        self.assertEqual([device["name"] for device in devices], ["browser"])
        self.assertEqual(self.inbox.messages(), [])

    def test_nobody_is_believed_who_names_an_address_of_their_own(self):
        self.assertEqual(
            self.proxy.exchange("POST", "/v1/verifications", {"address": MAX}, fields(MAX)).status,
            401)
        # A person of the auth server asks for another one's; and one of whom it knows no address.
        for address, session in [(MAX, EVE), ("max@example.com", "")]:
            given = fields(address, session)
            self.assertIsNone(self.sign_in(self.proxy.exchange, address, given))
        # Sign-up is closed, so no code is mailed either.
        self.assertEqual(self.inbox.messages(), [])


class WithoutAProxy(Vouching):
    def exchange(self, source):
        host, port = self.relay.url.split("//")[1].split(":")

        def exchange(method, path, body, given):
            connection = http.client.HTTPConnection(
                host, int(port), timeout=SECONDS, source_address=(source, 0))
            connection.request(method, path, json.dumps(body), given)
            answer = connection.getresponse()
            answer.body = answer.read()
            answer.json = lambda: json.loads(answer.body)
            return answer
        return exchange

    def test_the_header_counts_from_named_addresses_alone_and_is_told_nowhere(self):
        self.start(*TRUST, "--log-level", "trace", "--metrics-port", "0")
        self.assertIsNone(self.sign_in(self.exchange("127.0.0.2"), MAX, fields(MAX)))
        token = self.sign_in(self.exchange("127.0.0.1"), MAX, fields(MAX))
        self.assertIsNone(self.sign_in(self.exchange("127.0.0.1"), EVE, fields(MAX)))
        outputs = {"rejected": self.exchange("127.0.0.2")("POST", "/v1/verifications/confirm", {
            "address": MAX, "code": self.voucher, "device": "d", "handle": "h"}, fields(MAX)).body}
        port = wait_until(
            lambda: re.search(r"port=(\d+).*serving metrics", self.relay.log_path.read_text()),
            "the port for metrics is logged")[1]
        for name, url in [
            ("metrics", f"http://127.0.0.1:{port}/metrics"), ("readyz", self.relay.url + "/readyz"),
        ]:
            with urllib.request.urlopen(url, timeout=SECONDS) as answer:
                outputs[name] = answer.read()
        outputs["stats"] = subprocess.run(
            [BIN / "memo-relay", "stats", "--data", self.relay.folder], check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS).stdout
        outputs["arguments"] = pathlib.Path(
            f"/proc/{self.relay.process.pid}/cmdline").read_bytes()
        self.relay.stop()
        outputs["log"] = self.relay.log_path.read_bytes()
        for name, output in outputs.items():
            self.assertTrue(output, name)
            for secret in (MAX, "max@", self.voucher, token):
                self.assertNotIn(secret.encode(), output, name)
        for path in self.relay.folder.iterdir():
            for secret in (MAX, self.voucher, token):
                self.assertNotIn(secret.encode(), path.read_bytes(), path.name)

    def test_without_a_named_proxy_the_header_is_a_mistake_of_the_settings(self):
        for options in [["--trust-header", "Remote-Email"], [
                "--trust-header", "no name", "--proxy", "127.0.0.1"]]:
            checked = subprocess.run(
                [BIN / "memo-relay", "check-config", "--data", self.folder / "relay", "--mail",
                 self.server.url, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, timeout=SECONDS)
            self.assertEqual(checked.returncode, 64)
            self.assertIn(b"--trust-header takes the name of a header", checked.stderr)
