"""`memo-relay check-dns` against a name server and a mail server of the test's own."""
import json
import os
import pathlib
import ssl
import subprocess
import tempfile
import time
import unittest

import dns_server
from aiosmtpd.controller import Controller
from dns_server import NameServer, Zone
from ports import quiet_port
from processes import BIN
from required import required
from test_dkim import records
from test_private_authority import Authority
from waiting import SECONDS

DOMAIN = "memo.example.org"
ADDRESSES = "192.0.2.25", "2001:db8::25"


#: Runs a command that trusts one authority alone.
TRUST = 'mount --bind "$1" /etc/ssl/certs/ca-certificates.crt && shift && exec "$@"'


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.zone = Zone()
        self.server = self.enterContext(NameServer(self.zone))

    def check(self, *arguments, trusted=None):
        command = [BIN / "memo-relay", "check-dns", "--domain", DOMAIN, "--resolver",
                   self.server.address, *arguments]
        if trusted:
            command = ["unshare", "--mount", "--propagation", "private", "bash", "-c", TRUST, "trust",
                       trusted, *command]
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)

    def findings(self, *arguments, code=0, **options):
        result = self.check(*arguments, "--json", **options)
        self.assertEqual((result.returncode, result.stderr), (code, ""), result.stdout)
        return json.loads(result.stdout)["findings"]

    @staticmethod
    def verdicts(findings):
        return {(finding["area"], finding["verdict"]) for finding in findings}

    def keys(self, selector="s1"):
        path = self.folder / "dkim.pem"
        made = subprocess.run(
            [BIN / "memo-relay", "dkim-key", "--domain", DOMAIN, "--selector", selector, path],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=SECONDS)
        return path, records(made.stdout)

    def publish(self):
        """All records of a domain that is fine; answers the arguments that check them."""
        self.zone.records.clear()
        path, keys = self.keys()
        for name, value in keys.items():
            self.zone.text(name, value)
        self.zone.text(DOMAIN, f"v=spf1 ip4:{ADDRESSES[0]} include:spf.example.org -all")
        self.zone.alias("spf.example.org", "real.example.org")
        self.zone.text("real.example.org", f"v=spf1 ip6:{ADDRESSES[1]} -all")
        self.zone.text(DOMAIN, "another-text=1")
        self.zone.text(f"_dmarc.{DOMAIN}", "v=DMARC1; p=reject; rua=mailto:d@example.org")
        self.zone.exchanger(DOMAIN, "mail.example.org")
        self.zone.host("mail.example.org", *ADDRESSES)
        addresses = [f"--address={address}" for address in ADDRESSES]
        return [*addresses, "--dkim-selector=s1", "--dkim", path]


class CheckDNS(Check):
    def test_a_domain_of_which_all_is_fine(self):
        findings = self.findings(*self.publish())
        self.assertEqual(
            [(finding["area"], finding["verdict"]) for finding in findings],
            [("spf", "fine")] * 2 + [("dkim", "fine")] * 2
            + [("dmarc", "fine"), ("mx", "fine"), ("ptr", "fine"), ("ptr", "fine")])

    def test_each_record_that_it_proposes_mends_what_it_found(self):
        self.zone.host("mail.example.org", *ADDRESSES)
        path, _ = self.keys()
        arguments = [*(f"--address={address}" for address in ADDRESSES), "--dkim-selector=s1",
                     "--dkim", path]
        findings = self.findings(*arguments, code=1)
        self.assertEqual(
            self.verdicts(findings),
            {("spf", "wrong"), ("dkim", "wrong"), ("dmarc", "wrong"), ("mx", "wrong"),
             ("ptr", "fine")})
        self.publish_all(findings)
        mended = self.findings(*arguments)
        self.assertEqual(
            [finding["area"] for finding in mended if finding["verdict"] != "fine"], ["dmarc"])
        self.publish_all(mended)
        strict = self.findings(*arguments)
        self.assertEqual({verdict for _, verdict in self.verdicts(strict)}, {"fine"})

    def publish_all(self, findings):
        """Publishes the proposed records, in place of those there are."""
        proposed = {}
        for finding in findings:
            line = finding.get("record")
            if line and " IN TXT " in line:
                proposed |= records(line)
            elif line:
                name, _, kind, preference, host = line.split()
                self.assertEqual(kind, "MX")
                self.zone.exchanger(name.rstrip("."), host, int(preference))
        for name, value in proposed.items():
            self.zone.records[name, dns_server.TXT] = [dns_server.text(value)]

    def test_another_key_and_another_address_are_found(self):
        arguments = self.publish()
        self.zone.records[f"s1._domainkey.{DOMAIN}", dns_server.TXT] = [
            dns_server.text("v=DKIM1; k=rsa; p=")]
        self.assertIn(("dkim", "wrong"), self.verdicts(self.findings(*arguments, code=1)))
        other = self.findings("--address=198.51.100.7", code=1)
        self.assertIn(("spf", "wrong"), self.verdicts(other))
        proposed = [finding["record"] for finding in other if finding["area"] == "spf"]
        self.assertIn("v=spf1 ip4:198.51.100.7 ip4:192.0.2.25 include:spf.example.org -all",
                      proposed[0])

    def test_hostile_answers_end_in_time_and_call_nothing_wrong(self):
        for hostile in [dns_server.truncated, dns_server.looping, dns_server.huge, dns_server.many,
                        dns_server.random_bytes, dns_server.failing(2), dns_server.failing(5),
                        dns_server.silent]:
            self.zone.instead = hostile
            self.zone.asked.clear()
            with self.subTest(hostile=getattr(hostile, "__name__", hostile)):
                start = time.monotonic()
                findings = self.findings("--dkim-selector=s1", "--address=192.0.2.25", code=2)
                self.assertEqual({verdict for _, verdict in self.verdicts(findings)}, {"unknown"})
                self.assertNotIn("\x1b", json.dumps(findings, ensure_ascii=False))
                self.assertLess(time.monotonic() - start, 60)
                self.assertLess(len(self.zone.asked), 100)

    def test_aliases_that_name_each_other_are_no_record(self):
        self.zone.instead = dns_server.circling
        findings = self.findings("--address=192.0.2.25", code=1)
        self.assertNotIn("fine", {verdict for _, verdict in self.verdicts(findings)})

    def test_a_long_record_comes_by_tcp_and_is_shown_in_part(self):
        self.publish()
        self.zone.records[DOMAIN, dns_server.TXT] = [
            dns_server.text("v=spf1 " + "ip4:192.0.2.1 " * 150 + "ip4:192.0.2.25 -all")]
        findings = self.findings("--address=192.0.2.25")
        self.assertIn((DOMAIN, dns_server.TXT, False), self.zone.asked)
        spf, = [finding for finding in findings if finding["area"] == "spf"]
        self.assertEqual(spf["verdict"], "fine")
        self.assertRegex(spf["found"], r"… \(\d+ bytes\)$")

    def test_no_resolver_and_wrong_options_are_said(self):
        closed = f"127.0.0.1:{quiet_port()}"
        result = self.check("--resolver", closed, "--json")
        self.assertEqual(result.returncode, 2, result.stdout)
        for arguments in [["--domain", "not a domain"], ["--mail", "imap://localhost"],
                          ["--mail", "localhost"], ["--address", "host"], ["--dkim", "x"],
                          ["--dkim-selector", "a.b"], ["--resolver", "name.example"]]:
            result = self.check(*arguments)
            self.assertEqual(result.returncode, 64, arguments)
        gone = self.check("--dkim-selector", "s1", "--dkim", self.folder / "gone")
        self.assertEqual(gone.returncode, 1)
        self.assertIn(str(self.folder / "gone"), gone.stderr)

    def test_the_text_has_the_record_to_publish(self):
        self.zone.host("mail.example.org", *ADDRESSES)
        result = self.check("--address=192.0.2.25")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertRegex(result.stdout, r"(?m)^SPF +wrong +memo\.example\.org has no SPF record")
        self.assertRegex(
            result.stdout,
            r'(?m)^ +publish +memo\.example\.org\. IN TXT "v=spf1 ip4:192\.0\.2\.25 -all"$')


class TLS(Check):
    """What is said of the mail server's TLS."""

    def tls(self, *arguments, code, **options):
        result = self.check(*self.publish(), *arguments, "--json", **options)
        self.assertEqual((result.returncode, result.stderr), (code, ""), result.stdout)
        found = [each for each in json.loads(result.stdout)["findings"] if each["area"] == "tls"]
        self.assertEqual(len(found), 1)
        return found[0]["verdict"]

    def serve(self, **options):
        controller = Controller(Nobody(), hostname="127.0.0.1", port=quiet_port(), **options)
        controller.start()
        self.addCleanup(controller.stop)
        return controller.port

    def test_a_certificate_is_held_to_the_servers_name_and_to_an_authority(self):
        required(os.geteuid() == 0, "root: a mount of the test's own")
        authority = Authority(self.folder / "authority")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.certificate, authority.key)
        port = self.serve(tls_context=context)
        name, address = f"smtp://localhost:{port}", f"smtp://127.0.0.1:{port}"
        self.assertEqual(self.tls("--mail", name, code=0, trusted=authority.path), "fine")
        self.assertEqual(self.tls("--mail", name, code=1), "wrong")
        self.assertEqual(self.tls("--mail", address, code=1, trusted=authority.path), "wrong")

    def test_a_server_without_tls_or_that_is_not_there_is_said(self):
        port = self.serve()
        # On this machine nobody carries the traffic.
        self.assertEqual(self.tls("--mail", f"smtp://127.0.0.1:{port}", code=0), "advice")
        self.assertEqual(self.tls("--mail", f"smtps://127.0.0.1:{port}", code=1), "wrong")
        closed = f"smtp://127.0.0.1:{quiet_port()}"
        self.assertEqual(self.tls("--mail", closed, code=2), "unknown")


class Nobody:
    """Takes no mail."""


if __name__ == "__main__":
    unittest.main()
