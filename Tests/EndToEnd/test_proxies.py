"""A relay behind the proxies of `deploy/`, as devices and strangers reach it."""
import contextlib
import http.client
import pathlib
import re
import shutil
import tempfile
import time
import unittest
import uuid

from inbox import Inbox, MailServer
from processes import Device, Relay, mailed_codes
from proxies import HOST, Caddy, Certificate, Nginx, exchange, trust
from required import required
from waiting import SECONDS, wait_until

#: The largest body that the relay takes, and one that nginx itself refuses.
RELAY_TAKES, NGINX_REFUSES = 6_317_056, 7_000_000


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    hosts = pathlib.Path(folder.name, "hosts")
    hosts.write_text(f"127.0.0.1 localhost {HOST}\n")
    BehindAProxy.certificate = Certificate(folder.name)
    trust(BehindAProxy.certificate.path, hosts)


class BehindAProxy:
    Proxy = None
    certificate = None

    def setUp(self):
        required(shutil.which(self.Proxy.program), self.Proxy.program)
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        self.folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.proxy = self.Proxy(self.folder / "proxy", self.certificate)
        self.inbox = Inbox()
        self.server = cleanup.enter_context(MailServer(self.inbox))
        self.cleanup = cleanup

    def start(self, *options, change=lambda text: text):
        self.relay = Relay(
            self.folder / "relay", self.server.url, "--public-url", self.proxy.url,
            "--behind-https", "--trusted-proxies", "1", *options)
        self.cleanup.callback(self.relay.stop)
        self.cleanup.callback(self.proxy.stop)
        self.proxy.start(self.relay, change)

    def directly(self, method, path, body=None, fields=None):
        """The relay's answer to what the proxy would ask."""
        host, port = self.relay.url.split("//")[1].split(":")
        return exchange(
            http.client.HTTPConnection(host, int(port), timeout=SECONDS), method, path, body,
            {"Host": f"{HOST}:{self.proxy.port}", "X-Forwarded-For": "127.0.0.1", **(fields or {})})

    def ask_code(self, address, source="127.0.0.1", **fields):
        return self.proxy.exchange(
            "POST", "/v1/verifications", {"address": address},
            {name.replace("_", "-"): value for name, value in fields.items()}, source)

    def token(self):
        """The field that authorises a new device."""
        address = f"{uuid.uuid4()}@example.org"
        known = len(mailed_codes(self.inbox))
        handle = self.ask_code(address).json()["handle"]
        code = wait_until(lambda: mailed_codes(self.inbox)[known:], "a code is mailed")[-1]
        confirmed = self.proxy.exchange("POST", "/v1/verifications/confirm", {
            "address": address, "code": code, "device": "test", "handle": handle})
        return {"Authorization": f"Bearer {confirmed.json()['token']}"}

    @staticmethod
    def memo():
        """The path of a new memo."""
        milliseconds = int(time.time() * 1000)
        bits = (milliseconds << 80) | (uuid.uuid4().int & ((1 << 80) - 1))
        return f"/v1/memos/{uuid.UUID(int=bits & ~(0xF << 76) | (7 << 76))}"

    def test_a_person_signs_in_and_sends_a_memo(self):
        self.start()
        device = Device(self.folder / "device")
        self.cleanup.callback(device.kill_agents)
        device.sign_in(
            "owner@example.org", type("Public", (), {"url": self.proxy.url}),
            lambda: mailed_codes(self.inbox))
        device.run("through the proxy")
        device.run(stdin="é".encode() * (1 << 19))
        wait_until(lambda: len(self.inbox.memos()) == 2, "both memos arrive")
        self.assertEqual(
            sorted(self.inbox.memos()), sorted([b"through the proxy", "é".encode() * (1 << 19)]))
        wait_until(
            lambda: {each["status"] for each in device.json("history")} == {"delivered"},
            "the device hears of it")

    def test_the_relays_answers_reach_the_caller_as_they_are(self):
        self.start("--codes-network-hour", "2")
        token = self.token()
        requests = [
            ("GET", "/", None, {}),
            ("GET", "/v1/review", None, {}),
            ("GET", "/v1/memos/changes", None, {}),
            ("GET", "/v1/nothing", None, token),
            ("DELETE", "/v1/verifications", None, {}),
            # Taken as the page's own, because Host is the host of Origin.
            ("POST", "/v1/verifications", b"{", {"Origin": self.proxy.url}),
            ("PUT", self.memo(), {"text": ""}, token),
            ("PUT", self.memo(), {"text": "a" * 1_048_577}, token),
            ("POST", "/v1/verifications", {"address": "a@example.org"}, {"Origin": "https://e.org"}),
        ]
        if self.Proxy is Nginx:
            # Refused before the body is sent. By HTTP/1.1, Caddy waits for the body.
            requests.append(("PUT", self.memo(), RELAY_TAKES + 1, token))
        statuses = set()
        for method, path, body, fields in requests:
            with self.subTest(method=method, path=path, fields=list(fields)):
                answer = self.proxy.exchange(method, path, body, fields)
                self.assertEqual(
                    answer.lasting(), self.directly(method, path, body, fields).lasting())
                self.assertEqual(len(answer.values("strict-transport-security")), 1)
                statuses.add(answer.status)
        self.assertLessEqual({200, 400, 401, 403, 404, 405, 413}, statuses)
        self.ask_code("second@example.org")
        refused = self.ask_code("third@example.org")
        self.assertEqual((refused.status, refused.json()["code"]), (429, "too-many-requests"))
        self.assertEqual(refused.values("content-type"), ["application/problem+json"])
        self.assertGreater(int(*refused.values("retry-after")), 0)

    def test_limits_count_the_callers_address_and_not_what_the_caller_says_of_itself(self):
        self.start("--codes-network-hour", "2")

        def statuses(source, **fields):
            return [self.ask_code(f"{uuid.uuid4()}@example.org", source, **fields).status
                    for _ in range(3)]
        self.assertEqual(statuses("127.0.1.2"), [202, 202, 429])
        # One caller's limit is not another's, as it would be if the proxy's address counted.
        self.assertEqual(statuses("127.0.2.3"), [202, 202, 429])
        for spoofed in ["198.51.100.7", "198.51.100.8, 127.0.0.1", "127.0.0.1"]:
            self.assertEqual(
                statuses("127.0.1.2", X_Forwarded_For=spoofed, Forwarded=f"for={spoofed}",
                         X_Real_IP=spoofed), [429] * 3)


class BehindNginx(BehindAProxy, unittest.TestCase):
    Proxy = Nginx

    def test_a_slow_upload_outlives_every_timeout_and_touches_no_disk(self):
        # A second in place of each minute: a timeout of the whole request would end the upload.
        def hurried(text):
            for name in ["client_body", "proxy_send", "send", "client_header"]:
                text = text.replace(f"{name}_timeout 60s", f"{name}_timeout 2s")
                text = text.replace(f"{name}_timeout 30s", f"{name}_timeout 2s")
            return text.replace("proxy_read_timeout 120s", "proxy_read_timeout 2s")
        self.start(change=hurried)
        body = b'{"text":"' + b"a" * 100_000 + b'"}'
        fields = {**self.token(), "Content-Length": str(len(body)), "Content-Type": "application/json"}
        connection = http.client.HTTPSConnection(HOST, self.proxy.port, timeout=SECONDS)
        connection.sock = self.proxy.connect()
        with contextlib.closing(connection):
            connection.putrequest("PUT", self.memo())
            for name, value in fields.items():
                connection.putheader(name, value)
            connection.endheaders()
            for place in range(0, len(body), 10_000):
                connection.send(body[place:place + 10_000])
                # What makes the upload slow.
                time.sleep(0.5)
                self.assertEqual(self.proxy.open_bodies(), [])
            self.assertEqual(connection.getresponse().status, 202)
        wait_until(lambda: self.inbox.memos() == [b"a" * 100_000], "the memo arrives")

    def test_a_body_that_nginx_refuses_is_refused_for_good_by_a_problem_that_devices_know(self):
        self.start()
        answer = self.proxy.exchange("PUT", self.memo(), NGINX_REFUSES)
        relays = self.directly("PUT", self.memo(), NGINX_REFUSES)
        self.assertEqual((answer.status, relays.status), (413, 413))
        self.assertNotEqual(answer.body, relays.body)
        self.assertEqual(answer.values("content-type"), relays.values("content-type"))
        for name in ["type", "title", "status", "code", "retryable"]:
            self.assertEqual(answer.json()[name], relays.json()[name])

    def test_a_flood_from_one_address_is_held_back_and_others_are_served(self):
        self.start(change=lambda text: text.replace("burst=200", "burst=20"))
        flood = [self.proxy.exchange("GET", "/healthz", source="127.0.1.2").status
                 for _ in range(100)]
        self.assertIn(429, flood)
        self.assertEqual(flood[:20], [200] * 20)
        self.assertEqual(self.proxy.exchange("GET", "/healthz", source="127.0.1.3").status, 200)

    def test_ipv6_callers_are_counted_by_their_network_and_their_site_however_they_are_written(self):
        def counted(text):
            """Few requests for each, which do not come back, and callers of any address."""
            for name, burst in [("memo_network", 5), ("memo_site", 12)]:
                text = re.sub(rf"({name}_requests:10m rate)=\d+r/s", r"\1=1r/m", text)
                text = re.sub(rf"({name}_requests burst)=\d+", rf"\1={burst}", text)
            return text.replace("server_tokens off;", """
                set_real_ip_from 127.0.0.1;
                real_ip_header X-Caller;""")
        self.start(change=counted)

        def taken(caller):
            return [self.proxy.exchange("GET", "/healthz", fields={"X-Caller": caller}).status
                    for _ in range(10)].count(200)
        for caller, count in [
                # One network, and one of its addresses that differs in its second half.
                ("2001:db8::1", 6), ("2001:db8:0:0:ffff::5", 0),
                # A second and a third network of the site, which has 13 requests.
                ("2001:db8:0:1::1", 6), ("2001:db8:0:ffff:1:2:3:4", 1), ("2001:db8:0:2::", 0),
                # Other sites. A byte of a line feed in the address, too.
                ("2001:db8:1::1", 6), ("2001:db8:a:a0a:a0a:a0a:a0a:a0a", 6),
                ("2001:db8:a:a0a::", 0), ("::ffff:1:2:3:4", 6),
                ("192.0.2.1", 6), ("192.0.2.2", 6), ("192.0.2.10", 1), ("192.0.3.1", 6)]:
            with self.subTest(caller=caller):
                self.assertEqual(taken(caller), count)

    def test_a_link_that_signs_a_device_out_is_in_no_log_of_nginx(self):
        self.start()
        self.relay.kill()
        self.assertEqual(self.proxy.exchange("POST", "/revoke/canary").status, 502)
        self.assertEqual(self.proxy.exchange("GET", "/revoke/canary").status, 502)
        self.assertEqual(self.proxy.exchange("GET", "/healthz").status, 502)
        self.proxy.stop()
        logs = [path for path in self.proxy.folder.glob("*") if path.is_file()]
        self.assertIn("errors", [path.name for path in logs])
        for path in logs:
            self.assertNotIn(b"canary", path.read_bytes(), path)

    def test_a_request_by_plain_http_is_sent_to_https(self):
        self.start()
        answer = exchange(
            http.client.HTTPConnection("127.0.0.1", self.proxy.plain_port, timeout=SECONDS),
            "GET", "/x?y", fields={"Host": HOST})
        self.assertEqual((answer.status, answer.values("location")), (301, [f"https://{HOST}/x?y"]))


class BehindCaddy(BehindAProxy, unittest.TestCase):
    Proxy = Caddy


if __name__ == "__main__":
    unittest.main()
