"""Bounces through Postfix, with the lines of docs/operating.md and what scripts/install installs."""
import contextlib
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from inbox import Inbox, MailServer
from mail_servers import Postfix, require_mail_servers
from processes import BIN, Device, Relay, mailed_codes
from waiting import SECONDS, wait_until

TOP = pathlib.Path(__file__).resolve().parents[2]
#: The user of the relay, who is another one than root and Postfix.
USER = "nobody"


class UserRelay(Relay):
    """A relay of `USER`, from an installation."""

    program = None

    def command(self):
        _, *arguments = super().command()
        return ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups", self.program,
                *arguments]


def documented_lines():
    """The lines for main.cf and for master.cf."""
    text = (TOP / "docs/operating.md").read_text()
    block = re.search(r"```\n(# /etc/postfix/main\.cf\n.*?)```", text, re.S)[1]
    main, services = re.split(r"(?m)^# /etc/postfix/master\.cf.*$", block)
    return main, services


class DocumentedBounces(unittest.TestCase):
    def setUp(self):
        require_mail_servers()
        self.cleanup = contextlib.ExitStack()
        self.addCleanup(self.cleanup.close)
        self.folder = pathlib.Path(self.cleanup.enter_context(
            tempfile.TemporaryDirectory(prefix="memo-bounces-", dir="/srv")))
        self.folder.chmod(0o755)

    def install(self):
        prefix = self.folder / "usr-local"
        subprocess.run(
            [TOP / "scripts/install", "--prefix", prefix, "--from", BIN.parent],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=SECONDS, check=True)
        return prefix

    def test_the_lines_record_a_bounce_with_what_is_installed(self):
        prefix, data = self.install(), self.folder / "memo-relay"
        data.mkdir(mode=0o700)
        shutil.chown(data, USER, "nogroup")
        main, services = documented_lines()
        for written, here in [
            ("argv=/usr/local/", f"argv={prefix}/"), ("--data /var/lib/memo-relay", f"--data {data}"),
            ("user=memo-relay", f"user={USER}"),
        ]:
            self.assertIn(written, services)
            services = services.replace(written, here)
        inbox = Inbox()
        server = self.cleanup.enter_context(MailServer(inbox))
        postfix = self.cleanup.enter_context(Postfix(
            self.folder / "postfix", "smtp:[127.0.0.1]:" + server.url.rsplit(":", 1)[1], main, services))
        UserRelay.program = prefix / "bin/memo-relay"
        relay = UserRelay(
            data, f"smtp://127.0.0.1:{postfix.port}", "--bounce-address",
            "bounce@relay.example.org", "--from", "memo@relay.example.org")
        self.cleanup.callback(relay.stop)
        device = Device(self.folder / "device")
        self.cleanup.callback(device.kill_agents)
        device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
        server.answer = "550 5.1.1 nobody here"
        device.run("comes back")
        try:
            wait_until(
                lambda: device.json("history")[0]["status"] == "bounced", "the bounce is recorded")
        except BaseException:
            print(postfix.log()[-3000:])
            raise
        self.assertEqual(device.json("history")[0]["reason"], "dsn.5.1.1")
        wait_until(lambda: postfix.waiting() == 0, "the mail server keeps no mail")


if __name__ == "__main__":
    unittest.main()
