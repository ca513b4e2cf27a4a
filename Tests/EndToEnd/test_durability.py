import os
import re
import shutil
import subprocess
import tempfile
import unittest

from processes import BIN, Device
from required import required
from waiting import SECONDS

SECRET = "a text that is in no message"


class Durability(unittest.TestCase):
    def setUp(self):
        required(shutil.which("strace"), "strace")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = os.path.join(folder.name, "trace")
        self.device = Device(os.path.join(folder.name, "device"))
        self.device.run("before")

    def traced(self, text, *options):
        result = subprocess.run(
            ["strace", "-f", "-y", "-o", self.trace, "-e", "trace=pwrite64,fdatasync,fsync",
             *options, BIN / "memo", text],
            env=self.device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=SECONDS)
        with open(self.trace) as trace:
            return result, trace.read()

    def texts(self):
        return [entry["text"] for entry in self.device.json("history", "--limit", "1000")]

    def test_memo_returns_only_after_the_log_is_synced(self):
        result, trace = self.traced("durable")
        self.assertEqual(result.returncode, 0, result.stderr)
        calls = re.findall(r"(pwrite64|fdatasync|fsync)\(\d+<([^>]*-wal)>", trace)
        self.assertIn("pwrite64", [call for call, _ in calls])
        self.assertIn(calls[-1][0], ("fdatasync", "fsync"), "the last write was not synced")

    def test_a_memo_whose_sync_fails_is_not_called_saved(self):
        result, _ = self.traced(
            SECRET, "-e", "inject=fdatasync,fsync:error=EIO")
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn(SECRET.encode(), result.stderr)
        self.device.run("after")
        self.assertEqual(sorted(self.texts()), ["after", "before"])
        self.assertEqual(len(self.device.json("outbox", "list")), 2)

    def test_every_write_that_fails_is_reported_and_earlier_memos_stay(self):
        for error in ("EIO", "ENOSPC"):
            for number in range(1, 40):
                text = f"{error} {number}"
                result, trace = self.traced(
                    text, "-e", f"inject=pwrite64:error={error}:when={number}..{number}")
                texts = self.texts()
                self.assertIn("before", texts)
                self.assertEqual(text in texts, result.returncode == 0, (text, result.stderr))
                if "(INJECTED)" not in trace:
                    break
            else:
                self.fail("writes do not come to an end")
            self.assertGreater(number, 2, "nothing was written")

    def test_a_process_killed_at_any_write_or_sync_leaves_the_memo_whole_or_absent(self):
        for call in ("pwrite64", "fdatasync"):
            for number in range(1, 40):
                text = f"{call} {number}"
                result, _ = self.traced(
                    text, "-e", f"inject={call}:signal=SIGKILL:when={number}..{number}")
                texts = self.texts()
                self.assertIn("before", texts)
                if result.returncode == 0:
                    self.assertIn(text, texts)
                    break
                queued = len(self.device.json("outbox", "list", "--limit", "1000"))
                self.assertEqual(queued, len(texts), "outbox and history differ")
            else:
                self.fail("calls do not come to an end")
            self.assertGreater(number, 1, f"{call} was never called")
