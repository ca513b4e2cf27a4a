"""The key in the person's keyring: the real programs and a real GNOME Keyring."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from inbox import Inbox, MailServer
from keyring import Keyring
from processes import BIN, Device, Relay, mailed_codes
from required import required
from waiting import SECONDS, wait_until

TEXT = "what was written stays readable"
TEMPORARY_FAILURE = 75
#: A process is killed at each call, or at each third one where all searches are shortened.
STRIDE = min(3, int(os.environ.get("MEMO_SEARCH_STRIDE", "1")))


class KeyringTest(unittest.TestCase):
    def setUp(self):
        required(shutil.which("strace"), "strace")
        self.cleanup = contextlib.ExitStack()
        self.addCleanup(self.cleanup.close)
        self.folder = pathlib.Path(self.cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.keyring = self.cleanup.enter_context(Keyring(self.folder / "session"))
        self.device = self.session_device()
        self.cleanup.callback(self.device.kill_agents)

    def session_device(self):
        device = Device(self.folder / "device")
        device.environment.update(self.keyring.environment, MEMO_KEY_STORE="secret-service")
        return device

    def key_store(self):
        return self.device.json("settings")["keyStore"]

    def texts(self):
        return sorted(entry["text"] for entry in self.device.json("history"))

    def has_key_file(self):
        return (self.device.home / "key").exists()

    def waits(self, device, *words):
        """Sending does not work now, says so, and stores nothing."""
        result = device.run("not now", check=False)
        self.assertEqual(result.returncode, TEMPORARY_FAILURE, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr.decode())
        return result


class Places(KeyringTest):
    def test_a_new_folders_key_is_in_the_open_keyring_and_nowhere_else(self):
        del self.device.environment["MEMO_KEY_STORE"]
        self.device.run(TEXT)
        self.assertEqual(self.key_store(), "secret-service")
        self.assertFalse(self.has_key_file())
        self.assertEqual(len(self.keyring.secrets()), 1)
        self.assertEqual(self.texts(), [TEXT])
        self.assertEqual(self.device.json("doctor", check=False)["key"], "keyring")

    def test_the_agent_delivers_with_a_key_from_the_keyring(self):
        inbox = Inbox()
        server = self.cleanup.enter_context(MailServer(inbox))
        relay = Relay(self.folder / "relay", server.url)
        self.cleanup.callback(relay.stop)
        self.device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
        self.device.run(TEXT)
        wait_until(lambda: inbox.memos() == [TEXT.encode()], "the memo has arrived")
        self.assertFalse(self.has_key_file())

    def test_a_locked_keyring_means_wait_and_a_new_folder_then_has_a_key_file(self):
        self.device.run(TEXT)
        self.keyring.lock()
        for _ in range(2):
            self.waits(self.device, "locked")
        self.assertNotEqual(self.device.run("history", check=False).returncode, 0)
        other = self.session_device()
        del other.environment["MEMO_KEY_STORE"]
        other.environment["MEMO_HOME"] = str(self.folder / "other")
        other.run("elsewhere")
        self.assertEqual(other.json("settings")["keyStore"], "file")
        self.keyring.unlock()
        self.device.run("now")
        self.assertEqual(self.texts(), sorted([TEXT, "now"]))
        self.assertEqual(len(self.keyring.secrets()), 1)

    def test_without_the_keyring_or_its_bus_the_key_is_waited_for(self):
        self.device.run(TEXT)
        self.keyring.kill()
        self.waits(self.device, "desktop session")
        self.keyring.start()
        outside = Device(self.device.home)
        self.waits(outside, "desktop session")
        self.keyring.stop()
        self.waits(self.device, "desktop session")
        self.keyring.go_on()
        self.assertEqual(self.texts(), [TEXT])
        self.assertFalse(self.has_key_file())

    def test_a_key_that_is_gone_from_the_keyring_is_missing_and_no_other_is_made(self):
        self.device.run(TEXT)
        subprocess.run(
            ["secret-tool", "clear", "application", "simple-memo"],
            env=self.device.environment, check=True, timeout=SECONDS)
        result = self.device.run("more", check=False)
        self.assertEqual(result.returncode, 77, result.stderr)
        self.assertEqual(self.keyring.secrets(), [])
        self.assertFalse(self.has_key_file())

    def test_a_script_chooses_the_place_and_a_place_that_is_not_there_is_told(self):
        self.device.environment["MEMO_KEY_STORE"] = "file"
        self.device.run(TEXT)
        self.assertEqual(self.key_store(), "file")
        self.device.environment["MEMO_KEY_STORE"] = "secret-service"
        self.device.run("more")
        self.assertEqual(self.key_store(), "file")
        self.device.environment["MEMO_KEY_STORE"] = "drawer"
        self.assertEqual(self.device.run("more", check=False).returncode, 65)
        new = Device(self.folder / "new")
        new.environment["MEMO_KEY_STORE"] = "secret-service"
        self.waits(new, "desktop session")
        self.assertFalse((new.home / "key").exists())

    def test_processes_that_make_the_first_key_at_once_use_the_same_one(self):
        texts = [f"memo {number}" for number in range(8)]
        senders = [
            subprocess.Popen(
                [BIN / "memo", text], env=self.device.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for text in texts]
        for sender in senders:
            _, errors = sender.communicate(timeout=SECONDS)
            self.assertEqual(sender.returncode, 0, errors)
        self.assertEqual(self.texts(), sorted(texts))
        self.assertEqual(self.key_store(), "secret-service")
        self.assertEqual(len(self.keyring.secrets()), 1)


class Moving(KeyringTest):
    def setUp(self):
        super().setUp()
        self.device.environment["MEMO_KEY_STORE"] = "file"
        self.device.run(TEXT)

    def move(self, place, *prefix):
        return subprocess.run(
            [*prefix, BIN / "memo", "settings", "--key-store", place],
            env=self.device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=SECONDS)

    def test_there_and_back(self):
        for place, secrets in (("secret-service", 1), ("file", 0), ("secret-service", 1)):
            result = self.move(place)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.key_store(), place)
            self.assertEqual(self.texts(), [TEXT])
            self.assertEqual(len(self.keyring.secrets()), secrets)
            self.assertEqual(self.has_key_file(), place == "file")
            self.assertEqual(self.move(place).returncode, 0)

    def test_a_keyring_that_is_not_open_changes_nothing(self):
        before = sorted(path.name for path in self.device.home.iterdir())
        self.keyring.lock()
        self.assertEqual(self.move("secret-service").returncode, TEMPORARY_FAILURE)
        self.assertEqual(self.key_store(), "file")
        after = sorted(path.name for path in self.device.home.iterdir())
        self.assertEqual(after, before)
        self.keyring.unlock()
        self.move("secret-service")
        self.keyring.lock()
        self.assertEqual(self.move("file").returncode, TEMPORARY_FAILURE)
        self.assertFalse(self.has_key_file())

    def test_killed_at_any_change_of_it_the_key_is_in_a_place_that_is_found(self):
        # What changes a file, and each question to the keyring.
        calls = ("fsync", "link", "rename", "sendto", "unlink")
        self.assertGreater(sum(self.kill_moves(call) for call in calls), 15 // STRIDE)

    def test_the_keyrings_process_killed_at_any_message_the_key_is_found(self):
        # Only what talks to the bus sends with sendmsg.
        self.assertGreater(self.kill_moves("sendmsg", "--follow-forks"), 6 // STRIDE)

    def kill_moves(self, call, *options):
        """Kills a move at the first such call, at the next ones, and so on, there and back."""
        kills = 0
        for place, other in (("secret-service", "file"), ("file", "secret-service")):
            for count in range(1, 100, STRIDE):
                result = self.move(
                    place, "strace", "--output=/dev/null", f"--trace={call}",
                    f"--inject={call}:signal=SIGKILL:when={count}", *options)
                self.assertEqual(self.texts(), [TEXT], f"{place}, killed at {call} {count}")
                if result.returncode == 0:
                    break
                kills += 1
                # Another process goes on where the killed one stopped.
                self.assertEqual(self.move(place).returncode, 0, f"after {call} {count}")
                self.assertEqual(self.has_key_file(), place == "file")
                self.assertEqual(len(self.keyring.secrets()), 0 if place == "file" else 1)
                self.assertEqual(self.texts(), [TEXT])
                self.assertEqual(self.move(other).returncode, 0)
            else:
                self.fail("the move never comes to its end")
        return kills


class Rotation(KeyringTest):
    def test_everything_is_sealed_again_and_the_old_key_is_gone(self):
        for place in ("secret-service", "file"):
            with self.subTest(place):
                self.device.run(TEXT)
                self.device.run("settings", "--key-store", place, "--signature", "Ann")
                before = self.texts()
                old = self.key_ring()
                result = self.device.run("settings", "--rotate-key")
                self.assertNotIn("old key", result.stderr.decode())
                self.assertEqual(self.texts(), before)
                self.assertEqual(self.device.json("settings")["signature"], "Ann")
                new = self.key_ring()
                self.assertEqual(len(new), len(old))
                self.assertNotIn(old[4:12], new)

    def test_killed_at_any_write_everything_stays_readable(self):
        self.device.run("settings", "--key-store", "file", "--signature", "Ann")
        texts = [f"memo {number}" for number in range(3)]
        for text in texts:
            self.device.run(text)
        kills = 0
        for call in ("fdatasync", "fsync", "pwrite64", "rename"):
            for count in range(1, 200, STRIDE):
                result = subprocess.run(
                    ["strace", "--output=/dev/null", f"--trace={call}",
                     f"--inject={call}:signal=SIGKILL:when={count}",
                     BIN / "memo", "settings", "--rotate-key"],
                    env=self.device.environment, stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
                self.assertEqual(self.texts(), texts, f"killed at {call} {count}")
                for item in self.device.json("outbox"):
                    shown = self.device.json("outbox", "show", item["id"])
                    self.assertIn(shown["text"].split("\n")[0], texts)
                self.assertEqual(self.device.json("settings")["signature"], "Ann")
                if result.returncode == 0:
                    break
                kills += 1
            # One key of 48 bytes is left, however many there were.
            self.assertEqual(len(self.key_ring()), 48)
        self.assertGreater(kills, 20 // STRIDE)

    def key_ring(self):
        if self.has_key_file():
            return (self.device.home / "key").read_bytes()
        return bytes.fromhex(self.keyring.secrets()[0])


class Canary(KeyringTest):
    def test_no_byte_of_the_key_is_in_a_file_an_argument_or_an_environment(self):
        seen = self.run_traced(TEXT)
        seen |= self.run_traced("settings", "--rotate-key")
        seen |= self.run_traced("settings", "--key-store", "file")
        seen |= self.run_traced("settings", "--key-store", "secret-service")
        seen |= self.run_traced("history")
        self.assertEqual(self.texts(), [TEXT])
        ring = bytes.fromhex(self.keyring.secrets()[0])
        key = ring[12:44]
        self.assertIn(b"keyring", seen, "the process that asks the keyring was not seen")
        for path in self.folder.rglob("*"):
            if path.is_file() and not path.is_fifo():
                seen.add(path.read_bytes())
        for content in seen:
            self.assertNotIn(key, content)
            self.assertNotIn(key.hex().encode(), content)

    def run_traced(self, *arguments):
        """The arguments and environments of all processes that a command of memo starts."""
        trace = self.folder.with_suffix(".trace")
        self.cleanup.callback(trace.unlink, missing_ok=True)
        subprocess.run(
            ["strace", f"--output={trace}", "--follow-forks", "--trace=execve",
             "--no-abbrev", "--strings-in-hex=all", "--string-limit=1000000", BIN / "memo",
             *arguments],
            env=self.device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=SECONDS, check=True)
        strings = re.findall(r'"((?:\\x[0-9a-f]{2})*)"', trace.read_text())
        return {bytes.fromhex(string.replace("\\x", "")) for string in strings}
