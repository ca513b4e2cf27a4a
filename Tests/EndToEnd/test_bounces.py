"""Bounce mails, which a mail server gives to the relay's operator command."""
import email
import os
import random
import subprocess
import threading
import unittest

import delivery_reports
from processes import BIN, Relay
from seeds import seed_of
from test_faults import SECRET, FaultTest
from waiting import SECONDS, wait_until

TRY_AGAIN = 75


def report(*arguments, **options):
    return delivery_reports.report(*arguments, returned=SECRET, **options)


class Bounces(FaultTest):
    @staticmethod
    def make_relay(folder, mail, *options):
        return Relay(folder, mail, "--bounce-address", "bounce@relay.example", *options)

    def setUp(self):
        super().setUp()
        self.senders = []
        deliver = self.server.handle_DATA

        async def handle(server, session, envelope):
            self.senders.append(envelope.mail_from)
            return await deliver(server, session, envelope)

        self.server.handle_DATA = handle
        self.sign_in()
        self.assertNotIn("+", self.senders[-1])
        self.device.run(SECRET)
        self.status("delivered")
        self.address = self.senders[-1]

    def bounce(self, mail, *arguments, data=None, original_recipient=None):
        environment = {"PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=no"}
        if original_recipient:
            environment["ORIGINAL_RECIPIENT"] = original_recipient
        result = subprocess.run(
            [BIN / "memo-relay", "bounce", "--data", data or self.relay.folder, *arguments],
            input=mail, env=environment, timeout=SECONDS, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        said = result.stdout + result.stderr
        for unsaid in [SECRET, "@", "bounce+", self.address.split("@")[0]]:
            self.assertNotIn(unsaid.encode(), said)
        return result.returncode, said.decode()

    def status(self, expected):
        wait_until(lambda: self.device.json("history")[0]["status"] == expected, expected)
        return self.device.json("history")[0]

    def test_a_bounce_mail_reaches_the_history_once(self):
        local, _, domain = self.address.partition("@")
        self.assertTrue(local.startswith("bounce+") and len(local) <= 64, self.address)
        self.assertEqual(domain, "relay.example")
        self.assertEqual(self.bounce(report("delayed", "4.4.1"), "--recipient", self.address)[0], 0)
        self.assertEqual(self.status("delivered")["reason"], None)
        code, said = self.bounce(report(original_to=self.address.upper()))
        self.assertEqual((code, said), (0, "recorded: the memo has bounced\n"))
        self.assertEqual(self.status("bounced")["reason"], "dsn.5.1.1")
        for _ in range(2):
            code, said = self.bounce(report(status="5.2.2"), original_recipient=self.address)
            self.assertEqual((code, said.partition(":")[0]), (0, "nothing to record"))
        self.assertEqual(self.status("bounced")["reason"], "dsn.5.1.1")

    def test_a_mail_that_the_mail_server_gives_up_after_days_is_expired_in_the_history(self):
        mail = report("failed", "4.4.1", original_to=self.address)
        self.assertEqual(self.bounce(mail), (0, "recorded: the memo has expired\n"))
        self.assertEqual(self.status("expired")["reason"], "dsn.4.4.1")

    def test_a_bounced_memo_is_sent_again_once_as_a_memo_of_its_own(self):
        self.bounce(report(original_to=self.address))
        old = self.status("bounced")["id"]
        # An identifier is shown as short as it is unique, and taken so.
        short = old[-6:]
        self.assertIn(f"\n    memo history resend {short}\n", self.device.run("history").stdout.decode())
        new = self.device.json("history", "resend", short)
        self.assertNotEqual(new["id"], old)
        self.status("delivered")
        self.assertEqual(
            [(entry["id"], entry["status"], entry["text"])
             for entry in self.device.json("history")],
            [(new["id"], "delivered", SECRET), (old, "resent", SECRET)])
        self.assertEqual(self.inbox.memos(), [SECRET.encode()] * 2)
        self.assertNotIn("resend", self.device.run("history").stdout.decode())
        for identifier in [old, new["id"], "0", "01890a5d-ac96-774b-bcce-b302099a8057"]:
            result = self.device.run("history", "resend", identifier, check=False)
            self.assertEqual(result.returncode, 65, identifier)
            is_known = identifier in (old, new["id"])
            self.assertIn(
                b"nothing was sent" if is_known else b"Nothing was changed", result.stderr)
        self.assertEqual(len(self.device.json("history")), 2)

    def test_of_bounces_that_come_at_once_one_is_recorded(self):
        results = []
        mail = report(original_to=self.address)
        threads = [
            threading.Thread(target=lambda: results.append(self.bounce(mail))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([code for code, _ in results], [0] * 8)
        self.assertEqual(sum(said.startswith("recorded") for _, said in results), 1)

    def test_what_cannot_be_recorded_now_stays_with_the_mail_server(self):
        mail = report(original_to=self.address)
        for arguments, data in [(["--unknown"], None), ([], f"{self.folder}/none")]:
            code, said = self.bounce(mail, *arguments, data=data)
            self.assertEqual(code, TRY_AGAIN, said)
        key = self.relay.folder / "key"
        kept = key.rename(self.relay.folder / "kept")
        self.assertEqual(self.bounce(mail)[0], TRY_AGAIN)
        kept.rename(key)
        self.assertEqual(self.bounce(mail), (0, "recorded: the memo has bounced\n"))

    def test_no_hostile_mail_crashes_the_command_or_bounces_a_memo(self):
        seed = seed_of("hostile-mail")
        noise = random.Random(seed).randbytes(1 << 20)
        good = report(original_to=self.address)
        forged = self.address[:-20] + ("a" if self.address[-20] != "a" else "b")
        head = f"X-Original-To: {self.address}\nContent-Type: ".encode()
        hostile = [
            b"", b"\0" * (10 << 20), noise, report(original_to=forged), report(),
            report(original_to=self.address, wrapped=True),
            report("delivered", "2.0.0", original_to=self.address),
            good.replace(b"5.1.1", b"5.1.\xff"), good.replace(b"5.1.1", b"5..1"),
            good.replace(b"message/delivery-status",
                         b"message/delivery-status\r\nContent-Transfer-Encoding: base64"),
            head + b"multipart/report; boundary=b\n\n" + b"--b\n" * (2 << 20),
            head + b"multipart/report; boundary=\"" + b"b" * (10 << 20),
            head + b"multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n"
            + b"Action: failed\nStatus: 2.1.1\n\n" * 100_000,
        ]
        for mail in hostile:
            code, said = self.bounce(mail)
            self.assertEqual(
                (code, said.partition(":")[0]), (0, "nothing to record"), f"{said}, seed {seed}")
        self.assertEqual(self.status("delivered")["reason"], None)
        large = good + b"x" * (10 << 20)
        self.assertEqual(self.bounce(large), (0, "recorded: the memo has bounced\n"))

    def test_reports_are_read_as_pythons_email_reads_them(self):
        for seed in range(40):
            generator = random.Random(seed)
            action = generator.choice(["failed", "Failed", "delayed", "delivered", "expanded"])
            status = generator.choice(["5.1.1", "4.4.7", "2.0.0", "5.7.26", "5.x.1", ""])
            mail = report(action, status, f"{generator.random()}@example.org")
            if generator.random() < 0.5:
                mail = mail.replace(b"\r\n", b"\n")
            parsed = email.message_from_bytes(mail)
            part = next(p for p in parsed.walk()
                        if p.get_content_type() == "message/delivery-status")
            person = part.get_payload()[1]
            final = person["Action"].lower() == "failed" and (
                person["Status"] in ["5.1.1", "4.4.7", "5.7.26"])
            # Without an address of a memo, a final failure differs from any other report.
            said = self.bounce(mail)[1]
            self.assertEqual("the address of no memo" in said, final, (seed, action, status, said))


if __name__ == "__main__":
    unittest.main()
