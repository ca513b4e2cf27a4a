"""`memo-relay rotate-key`, killed at each write, sync and rename, and a relay that goes on from it."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from processes import BIN
from raw_relay import RawRelay
from required import required
from waiting import SECONDS, wait_until

CALLS = "pwrite64,fdatasync,fsync,rename,link,unlink,ftruncate"


class Rotation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.relay = RawRelay(folder.name, "--mail-retry-base", "0.2")
        self.addCleanup(lambda: self.relay.stop())
        self.token = self.relay.sign_in("owner@example.org")
        self.mails = self.folder / "mail"
        # The mails cannot be handed over: they wait, sealed.
        shutil.rmtree(self.mails)
        for number in range(3):
            answer = self.relay.exchange(
                "PUT", f"/v1/memos/0193a000-0000-7000-8000-00000000000{number}",
                {"text": f"memo {number}"}, self.token)
            self.assertEqual(answer.status, 202)

    def rotate(self, *before):
        return subprocess.run(
            [*before, BIN / "memo-relay", "rotate-key", "--data", self.relay.folder],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)

    def key_length(self):
        return (self.relay.folder / "key").stat().st_size

    def require_all(self):
        """A relay opens all that is sealed."""
        self.relay.start()
        devices = self.relay.exchange("GET", "/v1/devices", token=self.token)
        self.assertEqual([each["name"] for each in json.loads(devices.body)["devices"]], ["raw"])
        self.relay.stop()

    def test_a_rotation_killed_at_any_write_is_finished_by_the_next_and_loses_nothing(self):
        required(shutil.which("strace"), "strace")
        self.relay.stop()
        one_key = self.key_length()
        saved = self.folder / "saved"
        shutil.copytree(self.relay.folder, saved)

        def kill_at(number):
            shutil.rmtree(self.relay.folder)
            shutil.copytree(saved, self.relay.folder)
            result = self.rotate(
                "strace", "-f", "-o", "/dev/null",
                "-e", f"inject={CALLS}:signal=SIGKILL:when={number}", "--")
            return result.returncode != 0

        def finish():
            again = self.rotate()
            self.assertEqual((again.returncode, again.stderr), (0, b""))
            self.assertEqual(self.key_length(), one_key)
        number = 1
        while kill_at(number):
            if number % 5 == 0:
                self.require_all()
            finish()
            if number % 5 == 0:
                self.require_all()
            number += 1
        self.assertGreater(number, 20)
        self.assertTrue(kill_at(number // 2))
        finish()
        shutil.rmtree(self.mails)
        self.relay.start()

        def texts():
            found = [path.read_text() for path in self.mails.glob("new/*")]
            return sorted(line for text in found for line in text.split("\n") if line.startswith("memo "))
        wait_until(lambda: len(texts()) == 3, "the mails are opened and handed over")
        self.assertEqual([text.rstrip("=") for text in texts()], ["memo 0", "memo 1", "memo 2"])

    def test_a_rotation_beside_a_relay_is_refused_and_the_relay_goes_on(self):
        result = self.rotate()
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"Stop it first", result.stderr)
        self.assertEqual(
            self.relay.exchange("GET", "/v1/devices", token=self.token).status, 200)
