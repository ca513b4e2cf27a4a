"""What a person can do about the outbox from the command line. Nobody is signed in: all stays."""
import json
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

from processes import BIN, Device
from waiting import SECONDS


class Outbox(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.device = Device(pathlib.Path(folder.name) / "device")

    def database(self):
        return sqlite3.connect(self.device.home / "memo.sqlite")

    def test_watch_tells_what_other_processes_do(self):
        self.device.run("first")
        watch = subprocess.Popen(
            [BIN / "memo", "outbox", "watch", "--json"], env=self.device.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait, SECONDS)
        self.addCleanup(watch.kill)
        self.assertEqual(json.loads(watch.stdout.readline())["queued"], 1)
        self.device.run("second")
        self.assertEqual(json.loads(watch.stdout.readline())["queued"], 2)
        entry = self.device.json("outbox", "list")[0]["id"]
        self.device.run("outbox", "delete", entry)
        state = json.loads(watch.stdout.readline())
        self.assertEqual(state["queued"], 1)
        self.assertFalse(state["needsAttention"])

    def test_an_entry_that_cannot_be_read_is_exported_byte_for_byte_and_deleted(self):
        self.device.run("a memo")
        with self.database() as database:
            [(number, envelope, record)] = database.execute(
                "SELECT entry, envelope, record FROM outbox_operation")
            damaged = record[:-1] + bytes([record[-1] ^ 1])
            database.execute(
                "UPDATE outbox_operation SET state = 2, quarantine = ?, record = ?",
                ("quarantine.not-authentic", damaged))
        name = f"entry:{number}"
        exported = json.loads(self.device.run("outbox", "export", name).stdout)
        self.assertEqual(exported["state"], "quarantined")
        self.assertEqual(exported["reason"], "quarantine.not-authentic")
        self.assertEqual(bytes.fromhex(exported["envelope"]), envelope)
        self.assertEqual(bytes.fromhex(exported["record"]), damaged)
        doctor = self.device.run("doctor", "--json", check=False)
        self.assertEqual(doctor.returncode, 69, doctor.stderr)
        answer = json.loads(doctor.stdout)
        self.assertTrue(answer["outbox"]["needsAttention"])
        self.assertIn("memo outbox", answer["problems"][-1])
        self.device.run("outbox", "delete", name)
        self.assertEqual(self.device.json("outbox", "list"), [])
        missing = self.device.run("outbox", "export", name, check=False)
        self.assertEqual(missing.returncode, 65, missing.stderr)
