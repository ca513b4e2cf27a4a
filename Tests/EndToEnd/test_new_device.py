"""A mail tells the owner of an account of a new device, and lets the owner sign the device out."""
import json
import pathlib
import re
import tempfile
import unittest
import urllib.error
import urllib.request

from inbox import Inbox, MailServer
from processes import Device, Relay, mailed_codes
from waiting import SECONDS, wait_until

ADDRESS = "owner@example.org"
NAME = "kanarienvogel-rechner"
URL = "https://relay.example.org"


class NewDevice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.inbox = Inbox()
        self.server = MailServer(self.inbox)
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)

    def serve(self, *options):
        relay = Relay(
            self.folder / "relay", self.server.url, "--log-level", "trace",
            "--mail-retry-base", "0.05", *options)
        self.addCleanup(relay.stop)
        return relay

    def call(self, relay, method, path, body=None, token=None):
        """The status and the body of an answer."""
        request = urllib.request.Request(
            relay.url + path, method=method,
            data=None if body is None else json.dumps(body).encode())
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            answer = urllib.request.urlopen(request, timeout=SECONDS)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.read()

    def sign_in(self, relay, before_confirming=lambda: None):
        """The token of a new device, whose owner asks for a Japanese mail."""
        known = len(self.codes())
        _, asked = self.call(
            relay, "POST", "/v1/verifications", {"address": ADDRESS, "language": "ja"})
        wait_until(lambda: self.codes()[known:], "a code is mailed")
        before_confirming()
        status, grant = self.call(relay, "POST", "/v1/verifications/confirm", {
            "address": ADDRESS, "code": self.codes()[known], "device": NAME,
            "handle": json.loads(asked)["handle"]})
        self.assertEqual(status, 200)
        return json.loads(grant)["token"]

    def codes(self):
        """All codes, whatever their mails' language."""
        texts = [message.get_payload(decode=True).decode() for message in self.inbox.messages()]
        return [code for text in texts for code in re.findall(r"^(\d{6,10})$", text, re.M)]

    def announcements(self):
        texts = [message.get_payload(decode=True).decode() for message in self.inbox.messages()]
        return [text for text in texts if NAME in text]

    def status(self, relay, token):
        return self.call(relay, "GET", "/v1/devices", token=token)[0]

    def test_the_mail_survives_a_kill_and_its_button_signs_the_device_out(self):
        relay = self.serve("--public-url", URL, "--trusted-proxies", "1")
        first = Device(self.folder / "device")
        first.sign_in(ADDRESS, relay, lambda: mailed_codes(self.inbox))
        self.addCleanup(first.kill_agents)

        def refuse():
            self.server.answer = "451 4.3.0 later"
        token = self.sign_in(relay, before_confirming=refuse)
        relay.kill()
        self.server.answer = None
        relay.start()
        wait_until(self.announcements, "the mail about the device has arrived")
        self.inbox.wait_for_quiet()
        self.assertEqual(len(self.announcements()), 1)
        text = self.announcements()[0]
        link = re.search(rf"^{re.escape(URL)}(/\S+)$", text, re.M)[1]
        self.assertNotIn(token, text)
        # Whatever looks into the mail opens the link.
        for _ in range(2):
            status, page = self.call(relay, "GET", link)
            self.assertEqual(status, 200)
            # The language of the account, whose first device signed in in English.
            self.assertIn(b'<html lang="en"', page)
        self.assertEqual(self.status(relay, token), 200)
        self.assertEqual(self.call(relay, "POST", link + "0")[0], 410)
        self.assertEqual(self.status(relay, token), 200)
        self.assertEqual(self.call(relay, "POST", link)[0], 200)
        self.assertEqual(self.status(relay, token), 401)
        first.run(stdin=b"still signed in")
        wait_until(lambda: self.inbox.memos() == [b"still signed in"], "the memo has arrived")
        log = relay.log_path.read_bytes()
        for secret in [link.rpartition("/")[2], token, ADDRESS, NAME]:
            self.assertNotIn(secret.encode(), log)

    def test_without_a_public_url_the_mail_names_the_place_in_the_web_app(self):
        relay = self.serve()
        self.sign_in(relay)
        self.sign_in(relay)
        wait_until(self.announcements, "the mail about the device has arrived")
        self.inbox.wait_for_quiet()
        self.assertEqual(len(self.announcements()), 1)
        self.assertIn("設定", self.announcements()[0])
        self.assertNotIn("http", self.announcements()[0])


if __name__ == "__main__":
    unittest.main()
