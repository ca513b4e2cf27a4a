"""Two devices of one person share settings, statuses and the list of devices, through a real relay."""
import contextlib
import pathlib
import subprocess
import tempfile
import time
import unittest

from inbox import Inbox, MailServer
from processes import BIN, Device, Relay, mailed_codes
from waiting import SECONDS, wait_until

OWNER = "owner@example.org"


class Sharing(unittest.TestCase):
    def setUp(self):
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        self.folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.inbox = Inbox()
        server = cleanup.enter_context(MailServer(self.inbox))
        self.relay = Relay(self.folder / "relay", server.url)
        cleanup.callback(lambda: self.relay.stop())
        self.first, self.second = self.device("first"), self.device("second")
        cleanup.callback(self.first.kill_agents)
        cleanup.callback(self.second.kill_agents)

    def device(self, name):
        device = Device(self.folder / name)
        device.sign_in(OWNER, self.relay, lambda: mailed_codes(self.inbox))
        return device

    def sync(self, *devices):
        for device in devices:
            self.assertEqual(device.json("sync")["status"], "synced")

    def settings(self, device):
        settings = device.json("settings")
        return settings["language"], settings["subjectTemplate"], settings["signature"]

    def test_a_setting_of_one_device_is_that_of_the_other(self):
        self.first.run("settings", "--signature", "Anna", "--language", "de")
        self.sync(self.first, self.second)
        self.assertEqual(self.settings(self.second), ("de", None, "Anna"))
        self.second.run("settings", "--signature", "", "--subject-template", "{date}")
        self.sync(self.second, self.first)
        self.assertEqual(self.settings(self.first), ("de", "{date}", None))

    def test_edits_without_a_network_meet_and_a_person_chooses_between_two_signatures(self):
        self.first.run("settings", "--signature", "Anna")
        self.sync(self.first, self.second)
        self.relay.kill()
        self.first.run("settings", "--signature", "Berta")
        self.second.run("settings", "--signature", "Carla", "--subject-template", "{date}")
        for device, changes in (self.first, 1), (self.second, 2):
            result = device.run("sync", "--json", check=False)
            self.assertEqual(result.returncode, 69)
            self.assertIn(b'"error":"network.unreachable"', result.stdout)
            self.assertEqual(device.json("settings")["notConfirmed"], changes)
        self.relay.start()
        self.sync(self.first)
        asked = self.second.json("sync")["questions"]
        self.assertEqual(
            asked, [{"setting": "signature", "mine": "Carla", "theirs": "Berta"}])
        told = self.second.run("sync").stderr.decode()
        self.assertIn("Signature: ", told)
        self.assertIn("Berta", told)
        self.second.run("sync", "--mine", "signature")
        self.sync(self.first)
        for device in self.first, self.second:
            self.assertEqual(self.settings(device)[1:], ("{date}", "Carla"))
            self.assertEqual(device.json("settings")["notConfirmed"], 0)

    def test_the_history_has_the_statuses_of_all_devices_and_texts_of_this_one_alone(self):
        self.first.run("kanarienvogel")
        wait_until(lambda: self.inbox.memos(), "the memo arrives")
        wait_until(
            lambda: self.sync(self.second) or self.second.json("history")
            and self.second.json("history")[0]["status"] == "delivered",
            "the other device knows of the memo")
        [entry] = self.second.json("history")
        self.assertIsNone(entry["text"])
        self.assertTrue(entry["device"])
        [own] = self.first.json("history")
        self.assertEqual((own["id"], own["text"], own["device"]),
                         (entry["id"], "kanarienvogel", None))
        self.second.kill_agents()
        for file in self.second.home.iterdir():
            if file.is_file():
                self.assertNotIn(b"kanarienvogel", file.read_bytes(), file.name)

    def test_an_agent_takes_the_settings_of_the_other_device_while_it_delivers(self):
        self.first.run("settings", "--signature", "Anna")
        # The change calls the agent, which tells the relay.
        wait_until(
            lambda: self.first.json("settings")["lastSynced"]
            and self.first.json("settings")["notConfirmed"] == 0, "the first device has synced")
        self.first.wait_for_agents()
        self.second.deliver()
        self.assertEqual(self.settings(self.second)[2], "Anna")

    def test_a_lost_device_is_signed_out_and_says_what_to_do(self):
        devices = self.first.json("devices")
        self.assertEqual(len(devices), 2)
        [lost] = [device for device in devices if not device["current"]]
        self.second.run("settings", "--signature", "Anna")
        self.relay.kill()
        result = self.first.json("devices", "revoke", lost["id"])
        self.assertEqual(result["status"], "pending")
        self.assertEqual(len(self.first.json("devices")), 1, "gone at once")
        self.relay.start()
        self.sync(self.first)
        result = self.second.run("sync", check=False)
        self.assertEqual(result.returncode, 69)
        self.assertIn(b"memo login", result.stderr)
        self.assertEqual(self.settings(self.second)[2], "Anna", "what was changed is kept")
        result = self.first.run("devices", "revoke", lost["id"], check=False)
        self.assertEqual(result.returncode, 65)

    def test_a_device_that_is_killed_at_any_moment_of_a_sync_loses_and_doubles_nothing(self):
        self.sync(self.first, self.second)
        for step in range(16):
            self.first.run("settings", "--signature", f"A{step}")
            self.second.run("settings", "--subject-template", f"{step} {{line}}")
            sync = subprocess.Popen(
                [BIN / "memo", "sync"], env=self.first.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # The moments of a sync, from its start to beyond its end. None is waited for.
            time.sleep(step * 0.01)
            sync.kill()
            sync.wait(SECONDS)
            self.first.kill_agents()
            self.sync(self.second)
            self.assertEqual(self.settings(self.first)[2], f"A{step}", "no edit is lost")
        self.sync(self.first, self.second, self.first)
        for device in self.first, self.second:
            self.assertEqual(self.settings(device)[1:], ("15 {line}", "A15"))
            self.assertEqual(device.json("sync")["questions"], [])

    def test_signing_out_keeps_changes_for_the_same_account_or_gives_them_up(self):
        self.sync(self.first)
        self.relay.kill()
        self.first.run("settings", "--signature", "Anna")
        self.first.run("sync", check=False)
        told = self.first.run("logout", check=False).stderr.decode()
        self.assertIn("--discard-changes", told)
        self.relay.start()
        self.first.sign_in(OWNER, self.relay, lambda: mailed_codes(self.inbox))
        self.sync(self.first, self.second)
        self.assertEqual(self.settings(self.second)[2], "Anna")

    def test_an_account_is_erased_with_a_code_and_the_device_keeps_what_it_has(self):
        self.first.run("kept")
        wait_until(lambda: self.inbox.memos(), "the memo arrives")
        known = len(mailed_codes(self.inbox))
        erase = subprocess.Popen(
            [BIN / "memo", "account", "delete", "--json"], env=self.first.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        code = wait_until(lambda: mailed_codes(self.inbox)[known:], "a code is mailed")[-1]
        wrong = str((int(code) + 1) % 10 ** len(code)).zfill(len(code))
        out, errors = erase.communicate(f"{wrong}\n{code}\n".encode(), timeout=SECONDS)
        self.assertEqual(erase.returncode, 0, errors.decode())
        self.assertIn(b'"status":"erased"', out)
        self.assertEqual(self.first.run("sync", check=False).returncode, 69)
        self.assertEqual(self.second.run("sync", check=False).returncode, 69)
        self.assertEqual(self.first.json("history")[0]["text"], "kept")


if __name__ == "__main__":
    unittest.main()
