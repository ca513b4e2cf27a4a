"""docs/ten-minutes.md, followed as it stands, with a real mailbox."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from agents import kill_agents_of
from mail_servers import ADDRESS, PASSWORD, Dovecot, require_mail_servers
from ports import quiet_port
from processes import BIN, mailed_codes
from waiting import SECONDS, wait_until

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/ten-minutes.md"


class TenMinutes(unittest.TestCase):
    def setUp(self):
        require_mail_servers()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.dovecot = self.enterContext(Dovecot(self.folder / "dovecot", False))

    def script(self):
        """The page's commands behind those that install, with a test's names in place of a reader's."""
        install, *blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
        self.assertEqual(install, "scripts/install\n")
        script = "".join(blocks)
        for name, own in [("you@example.org", ADDRESS), ("8080", str(quiet_port())),
                          ("imaps://imap.example.org", f"imap://127.0.0.1:{self.dovecot.port}")]:
            self.assertIn(name, script)
            script = script.replace(name, own)
        return "set -eu\n" + script

    def test_the_commands_of_the_page_put_a_memo_into_the_mailbox_once(self):
        home = self.folder / "home"
        home.mkdir()
        memos = home / "memos"
        self.addCleanup(kill_agents_of, memos)
        environment = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(home), "MEMO_HOME": str(memos),
                       "LANG": "C.UTF-8", "MEMO_KEY_STORE": "file"}
        printed = self.folder / "printed"
        with open(printed, "wb") as output:
            reader = subprocess.Popen(
                ["bash", "-c", self.script()], cwd=home, env=environment, stdin=subprocess.PIPE,
                stdout=output, stderr=output, start_new_session=True)
        # The relay of the page runs on.
        self.addCleanup(self.end, reader)
        reader.stdin.write(f"{ADDRESS}\n{PASSWORD}\n".encode())
        reader.stdin.flush()
        code, *_ = wait_until(
            lambda: mailed_codes(self.dovecot) or (reader.poll() is not None and ["none"]),
            "a code is in the mailbox")
        reader.stdin.write(f"{code}\n".encode())
        reader.stdin.close()
        self.assertEqual(reader.wait(SECONDS), 0, printed.read_text())
        wait_until(lambda: self.dovecot.memos(), "the memo is in the mailbox")
        self.assertEqual(self.dovecot.memos(), [b"Buy milk"])
        text = printed.read_text()
        for said in [r"^fine$", r'"ready":true', r"^kept: ", r"^invited until ",
                     r"^\d{4}-\d\d-\d\d \d\d:\d\d  [0-9a-f]{6}  \w+  Buy milk$"]:
            self.assertRegex(text, re.compile(said, re.M))
        self.assertNotIn(PASSWORD, text + (home / "relay/log").read_text())
        self.assertNotIn(PASSWORD, (home / "relay/settings").read_text())

    @staticmethod
    def end(reader):
        reader.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(reader.pid, signal.SIGKILL)
        reader.wait(SECONDS)


if __name__ == "__main__":
    unittest.main()
