"""Signatures of the relay's mails, judged by two programs of receivers: dkimpy and OpenDKIM."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import dkim

from hard_texts import text
from inbox import Inbox, MailServer
from processes import BIN, Device, Relay, mailed_codes
from required import required
from waiting import SECONDS, wait_until

COUNT = int(os.environ.get("MEMO_TEST_DKIM_MEMOS", 25))
DOMAIN = "relay.example"


def key(folder, *arguments):
    return subprocess.run(
        [BIN / "memo-relay", "dkim-key", "--domain", DOMAIN, "--selector", "s1", *arguments,
         folder / "dkim.pem"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=SECONDS)


def records(printed):
    """The names and values of printed DNS records."""
    found = {}
    for line in printed.splitlines():
        name, strings = re.fullmatch(r"(\S+)\. IN TXT (.+)", line).groups()
        found[name] = "".join(re.findall(r'"([^"]*)"', strings))
    return found


class DKIM(unittest.TestCase):
    def setUp(self):
        required(shutil.which("opendkim"), "OpenDKIM (Debian's opendkim)")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def valid(self, mail, number):
        """Whether dkimpy finds a signature of the mail, counted from 0, valid."""
        def find(name, timeout=0):
            return self.records.get(name.decode().rstrip("."), "").encode()
        try:
            return dkim.DKIM(mail, minkey=1024).verify(number, dnsfunc=find)
        except dkim.ValidationError:
            return False

    def judged_by_opendkim(self, mails):
        """What OpenDKIM says of each mail in its test mode: one authentication result a mail."""
        data = self.folder / "records"
        data.write_text("".join(f"{name} {value}\n" for name, value in self.records.items()))
        configuration = self.folder / "opendkim.conf"
        configuration.write_text(
            f"Mode v\nTestDNSData file:{data}\nAlwaysAddARHeader yes\nRequireSafeKeys no\n")
        results = []
        for number, mail in enumerate(mails):
            path = self.folder / f"mail-{number}"
            path.write_bytes(mail)
            judged = subprocess.run(
                ["opendkim", "-x", configuration, "-t", path, "-vv"], stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=SECONDS)
            results.append(judged.stdout + judged.stderr)
        return results

    def test_every_mail_has_two_valid_signatures_that_no_change_survives(self):
        made = key(self.folder)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.records = records(made.stdout)
        self.assertEqual(
            set(self.records),
            {f"s1._domainkey.{DOMAIN}", f"s1-ed25519._domainkey.{DOMAIN}"})
        # The file that is there is not made anew.
        self.assertEqual(key(self.folder).stdout, made.stdout)
        inbox = Inbox()
        with MailServer(inbox) as server:
            relay = Relay(
                self.folder / "relay", server.url, "--from", f"memo@{DOMAIN}", "--dkim",
                str(self.folder / "dkim.pem"), "--dkim-selector", "s1", "--device-minute",
                "100000", "--device-day", "100000")
            device = Device(self.folder / "device")
            try:
                device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
                for number in range(COUNT):
                    device.run(stdin=text(number, 1).encode() + b"\n")
                wait_until(
                    lambda: len(inbox.memos()) == COUNT, lambda: f"{len(inbox.memos())} memos")
            finally:
                device.kill_agents()
                relay.stop()
        mails = inbox.raw()
        self.assertEqual(len(mails), COUNT + 1)
        for mail in mails:
            self.assertEqual(mail.count(b"DKIM-Signature:"), 2)
            for number in range(2):
                self.assertTrue(self.valid(mail, number), mail)
        for result in self.judged_by_opendkim(mails):
            self.assertIn("dkim=pass", result)
            self.assertNotIn("dkim=fail", result)
        self.changes_are_found(mails)

    def changes_are_found(self, mails):
        changed = []
        for mail in mails[:5]:
            header, _, body = mail.partition(b"\r\n\r\n")
            changed += [
                header + b"\r\n\r\n" + body + b"more\r\n",
                header + b"\r\n\r\nx" + body,
                b"From: <other@example.org>\r\n" + mail,
                header + b"\r\nSubject: another\r\n\r\n" + body,
                header + b"\r\nReply-To: <other@example.org>\r\n\r\n" + body,
            ]
            for name in (b"From", b"To", b"Date", b"Message-ID", b"Subject", b"Content-Type",
                         b"Content-Transfer-Encoding", b"MIME-Version", b"Auto-Submitted"):
                changed.append(re.sub(
                    rb"^" + name + rb": (?=\S)", name + b": x", mail, count=1, flags=re.M))
        for mail in changed:
            for number in range(2):
                self.assertFalse(self.valid(mail, number), mail)
        for result in self.judged_by_opendkim(changed):
            self.assertNotIn("dkim=pass", result)

    def test_a_key_file_that_cannot_be_used_is_named_with_a_remedy(self):
        path = self.folder / "dkim.pem"
        given = ["--data", str(self.folder / "data"), "--dkim", str(path), "--dkim-selector", "s1"]

        def refused(*arguments, mail="smtp://127.0.0.1"):
            result = subprocess.run(
                [BIN / "memo-relay", "check-config", "--mail", mail, *arguments],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual(result.returncode, 64, result.stderr)
            return result.stderr

        self.assertIn("cannot be read", refused(*given))
        path.write_text("canary")
        self.assertIn("chmod 600", refused(*given))
        path.chmod(0o600)
        self.assertIn("no private key", refused(*given))
        self.assertNotIn("canary", refused(*given))
        self.assertIn("no private key", key(self.folder).stderr)
        path.unlink()
        key(self.folder)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertIn("--dkim-selector", refused(*given[:4]))
        self.assertIn("smtp", refused(*given, mail=f"maildir:{self.folder}/mail"))
