"""The relay's settings, by option, environment and file, as its programs take them."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from inbox import Inbox, MailServer
from processes import BIN, Relay
from waiting import SECONDS, wait_until

SECRET = "kanarienvogel-passwort"


class Settings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "settings"

    def check(self, *options, **environment):
        return subprocess.run(
            [BIN / "memo-relay", "check-config", *options], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, text=True,
            env={"PATH": os.environ["PATH"], **environment})

    def settings(self, *options, **environment):
        result = self.check(*options, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        *lines, last = result.stdout.splitlines()
        self.assertEqual(last, "fine")
        lines = [re.fullmatch(r"(\S+) = (.*)  \((.*)\)", line) for line in lines]
        return {line[1]: (line[2], line[3]) for line in lines}

    def write(self, text, mode=0o600):
        self.file.write_text(text)
        self.file.chmod(mode)

    def test_each_setting_is_shown_with_its_origin_and_no_secret(self):
        self.write(f"data = /from/file\ndevice-day = 70\nsmtp-password = {SECRET}\n"
                   "mail = smtp://localhost\n")
        found = self.settings(
            "--port", "0", "--config", str(self.file), MEMO_RELAY_DEVICE_DAY="80",
            MEMO_RELAY_SMTP_USER=SECRET, MEMO_RELAY_BEHIND_HTTPS="true",
            MEMO_RELAY_TRUSTED_PROXIES="1", MEMO_RELAY_CODES_MINUTE="7")
        self.assertEqual(found["data"], ("/from/file", f"file {self.file}, line 1"))
        self.assertEqual(found["device-day"], ("80", "environment, MEMO_RELAY_DEVICE_DAY"))
        self.assertEqual(
            found["behind-https"], ("true", "environment, MEMO_RELAY_BEHIND_HTTPS"))
        self.assertEqual(found["codes-minute"], ("7", "environment, MEMO_RELAY_CODES_MINUTE"))
        self.assertEqual(found["port"], ("0", "option"))
        self.assertEqual(found["host"], ("127.0.0.1", "default"))
        self.assertEqual(found["web"], ("in this program", "default"))
        self.assertEqual(
            found["smtp-user"], ("not shown", "environment, MEMO_RELAY_SMTP_USER"))
        self.assertEqual(
            found["smtp-password"], ("not shown", f"file {self.file}, line 3"))
        self.assertNotIn(SECRET, str(found))

    def test_every_option_of_serve_can_be_given_and_is_shown(self):
        usage = subprocess.run(
            [BIN / "memo-relay", "serve", "--help"], stdout=subprocess.PIPE, text=True,
            timeout=SECONDS, check=True).stdout
        options = set(re.findall(r"^  --([a-z-]+)", usage, re.M)) - {"help", "version"}
        self.assertGreater(len(options), 15)
        found = self.settings("--data", "/d", "--mail", "maildir:/m")
        self.assertEqual(options, set(found) - {
            "smtp-user", "smtp-password", "imap-user", "imap-password", "resend-key",
            "resend-webhook-secret", "database-password"})

    def test_settings_that_contradict_each_other_are_refused_with_the_reason(self):
        given = ("--data", "/d", "--mail", "maildir:/m")
        for options, word in [
            (["--host", "0.0.0.0"], "--insecure-http"),
            (["--behind-https"], "--trusted-proxies"),
            (["--device-minute", "9", "--device-day", "8"], "--device-day"),
            (["--codes-address-hour", "40"], "--codes-address-day"),
            (["--code-minutes", "11"], "--code-minutes"),
            (["--code-tries", "6"], "--code-tries"),
            (["--public-url", "http://relay.example.org"], "https"),
            (["--public-url", "https://relay.example.org/path"], "--public-url"),
            (["--mail", "smtp://mail.example.org"], "--from"),
            (["--port", "9000", "--metrics-port", "9000"], "--metrics-port"),
            (["--smtp-client", "wget"], "--smtp-client"),
            (["--lease-seconds", "4"], "--lease-seconds"),
            (["--lease-seconds", "31"], "--lease-seconds"),
        ]:
            for command in ["check-config", "serve"]:
                result = subprocess.run(
                    [BIN / "memo-relay", command, *given, *options], stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, text=True)
                self.assertEqual(result.returncode, 64, (command, options, result.stderr))
                self.assertIn(word, result.stderr.split("Usage")[0])
                self.assertEqual(result.stdout, "")

    def refused(self, *options, command="check-config", **environment):
        """What is said of settings that are refused."""
        result = subprocess.run(
            [BIN / "memo-relay", command, *options], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, text=True,
            env={"PATH": os.environ["PATH"], **environment})
        self.assertEqual((result.returncode, result.stdout), (64, ""), result.stderr)
        self.assertNotIn(SECRET, result.stderr)
        return result.stderr

    def test_a_mistake_in_the_file_is_named_without_its_content(self):
        self.write(f"data = /d\n{SECRET} = {SECRET}\n")
        self.assertIn(f"{self.file}, line 2", self.refused("--config", str(self.file)))
        self.write(f"smtp-password = {SECRET}\n", mode=0o644)
        self.assertIn("chmod 600", self.refused("--config", str(self.file)))

    def test_all_mistakes_are_named_at_once_with_their_origins(self):
        self.write(f"data = /d\ndevice-dya = 5\nwaiting = {SECRET}\ndata = /e\nsmtp-user = \n"
                   "code-tries = 9\nbehind-https = yes\nservice-day = 100\n")
        for command in ["check-config", "serve"]:
            said = self.refused(
                "--config", str(self.file), "--port", "70000", command=command,
                MEMO_RELAY_DEVICEDAY=SECRET, MEMO_RELAY_FROM="nobody")
            lines = said.splitlines()
            for place, word in [
                (f"file {self.file}, line 2", "no such setting"),
                (f"file {self.file}, line 3", "waiting"),
                (f"file {self.file}, line 4", "data"),
                (f"file {self.file}, line 5", "smtp-user"),
                (f"file {self.file}, line 6", "--code-tries"),
                (f"file {self.file}, line 7", "behind-https"),
                (f"file {self.file}, line 8", "--service-day 100 is less than --device-day 200"),
                ("environment, MEMO_RELAY_DEVICEDAY", "no such variable"),
                ("environment, MEMO_RELAY_FROM", "--from"),
                ("option --port", "65535"),
            ]:
                self.assertEqual(
                    len([line for line in lines if line.startswith(f"memo-relay: {place}: ")
                         and word in line]), 1, (place, said))
            self.assertIn("memo-relay: --mail is missing", said)
            self.assertEqual(len(lines), 11, said)
            # A mistake that only follows from another one is not told.
            said = self.refused("--data", "", "--mail", "maildir:/m", "--device-day", "none",
                                "--service-day", "100", command=command)
            self.assertEqual(len(said.splitlines()), 2, said)
            self.assertIn("Unknown option", self.refused(
                "--config", str(self.file), "--unknown", command=command))

    def test_lines_of_a_file_may_end_with_cr_lf(self):
        self.file.write_bytes(b"data = /d\r\nmail = maildir:/m\r\n\r\n# remark\r\ndevice-day = 70\r\n")
        found = self.settings("--config", str(self.file))
        self.assertEqual(found["data"][0], "/d")
        self.assertEqual(found["device-day"], ("70", f"file {self.file}, line 5"))

    def test_a_file_that_is_missing_and_one_that_is_no_text_are_told_apart(self):
        self.assertIn("does not exist", self.refused("--config", str(self.file)))
        self.file.write_bytes(b"\xff")
        self.assertIn("file of text", self.refused("--config", str(self.file)))

    def test_what_cannot_be_meant_is_refused(self):
        given = ("--data", str(self.folder), "--mail", "maildir:/m")
        mail = ("--data", "/d", "--from", "memo@relay.example.org", "--mail",
                "smtp://mail.example.org")
        login = {"MEMO_RELAY_SMTP_USER": SECRET, "MEMO_RELAY_SMTP_PASSWORD": SECRET}
        for options, environment, word in [
            ((*mail, "--smtp-starttls", "try"), login, "--smtp-starttls"),
            (("--data", "", "--mail", "maildir:/m"), {}, "data has no value"),
            ((*given, "--public-url", "https://relay.example.org"), {}, "--trusted-proxies"),
            (given, {"MEMO_RELAY_DEVICEDAY": "5"}, "MEMO_RELAY_DEVICEDAY"),
            (mail, login | {"MEMO_RELAY_SMTP_PASSWORD": "replace-me"}, "smtp-password"),
            ((*given, "--disk-reserve", "99999999"), {}, "--disk-reserve"),
        ]:
            for command in ["check-config", "serve"]:
                said = self.refused(*options, command=command, **environment)
                self.assertIn(word, said)

    def test_settings_that_are_not_given_are_shown_as_the_relay_has_them(self):
        found = self.settings("--data", "/d", "--mail", "smtp://localhost", "--device-day", "500")
        for name, value in [("waiting", "2500"), ("network-hour", "120"), ("site-hour", "480"),
                            ("service-day", "500"), ("smtp-starttls", "try"),
                            ("bounce-address", "memo@localhost")]:
            self.assertEqual(found[name], (value, "default"))

    def test_the_warnings_of_serve_are_those_of_check_config_and_a_demo_has_none(self):
        given = ("--data", "/d", "--mail", "maildir:/m")
        self.assertEqual(self.check(*given).stderr, "")
        warned = self.check(*given, "--trusted-proxies", "1")
        self.assertEqual(warned.returncode, 0)
        self.assertIn("memo-relay: warning: two people can use up", warned.stderr)
        with MailServer(Inbox()) as server:
            for number, (options, is_warned) in enumerate([((), False), (("--trusted-proxies", "1"), True)]):
                relay = Relay(self.folder / f"relay-{number}", server.url, *options)
                self.addCleanup(relay.stop)
                self.assertEqual("two people can use up" in relay.log_path.read_text(), is_warned)

    def test_every_program_says_its_version(self):
        said = {subprocess.run(
            [BIN / program, "--version"], stdout=subprocess.PIPE, text=True, timeout=SECONDS,
            check=True).stdout for program in ["memo", "memo-agent", "memo-relay"]}
        self.assertRegex(said.pop(), r"^\d+\.\d+\.\d+\n$")
        self.assertEqual(said, set())

    def test_a_relay_serves_with_the_settings_of_a_file_and_metrics_on_a_port_of_their_own(self):
        self.write("metrics-port = 0\ntrusted-proxies = 1\n"
                   "public-url = https://relay.example.org\n")
        with MailServer(Inbox()) as server:
            relay = Relay(self.folder / "relay", server.url, "--config", str(self.file))
            self.addCleanup(relay.stop)
            port = wait_until(
                lambda: re.search(r"port=(\d+).*serving metrics", relay.log_path.read_text()),
                "the port for metrics is logged")
            url = f"http://127.0.0.1:{port[1]}/metrics"
            with urllib.request.urlopen(url, timeout=SECONDS) as answer:
                self.assertIn(b"\nmemo_relay_ready 1\n", answer.read())
            for host, url, status in [
                ("rebound.example", relay.url + "/v1/review", 421),
                ("rebound.example", url, 421),
                ("relay.example.org", relay.url + "/v1/review", 200),
                ("rebound.example", relay.url + "/healthz", 200),
            ]:
                request = urllib.request.Request(url, headers={"Host": host})
                try:
                    answer = urllib.request.urlopen(request, timeout=SECONDS)
                except urllib.error.HTTPError as error:
                    answer = error
                with answer:
                    self.assertEqual(answer.status, status, (host, url))


if __name__ == "__main__":
    unittest.main()
