"""`memo-relay backup` beside a relay that works, and a relay that is restored from the copy."""
import json
import pathlib
import resource
import shutil
import stat
import subprocess
import tempfile
import threading
import unittest

from processes import BIN, Device, Relay
from test_faults import FaultTest
from waiting import SECONDS, wait_until


def patient_relay(folder, mail, *options):
    return Relay(
        folder, mail, "--device-minute", "10000", "--device-day", "10000", "--service-day", "10000",
        "--network-hour", "10000", *options)


class Backups(FaultTest):
    make_relay = staticmethod(patient_relay)

    def setUp(self):
        super().setUp()
        self.copy = pathlib.Path(self.folder, "copy")

    def back_up(self, to=None, check=True, **options):
        result = subprocess.run(
            [BIN / "memo-relay", "backup", "--data", self.relay.folder, to or self.copy],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=SECONDS, **options)
        if check:
            self.assertEqual((result.returncode, result.stderr), (0, b""))
        return result

    def restore(self):
        """What deploy/README.md tells an operator to do, with the relay dead."""
        self.relay.folder.rename(f"{self.folder}/lost")
        shutil.copytree(self.copy, self.relay.folder)
        self.relay.start()

    def mails_that_wait_in_the_copy(self):
        with tempfile.TemporaryDirectory() as folder:
            # Looking makes files, which a backup has none of.
            shutil.copytree(self.copy, f"{folder}/copy")
            stats = subprocess.run(
                [BIN / "memo-relay", "stats", "--json", "--data", f"{folder}/copy"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS, check=True)
            return json.loads(stats.stdout)["queuedMemos"]

    def statuses(self):
        return {each["text"]: each["status"] for each in self.device.json("history", "--limit", "500")}

    def flow(self, name, ended):
        """Sends memos until it is told to end; answers their texts."""
        texts = []

        def send():
            while not ended.is_set():
                texts.append(f"{name} {len(texts)}")
                self.device.run(texts[-1])
        thread = threading.Thread(target=send)
        thread.start()
        return thread, texts

    def wait_until_accepted(self, texts):
        wait_until(
            lambda: all(self.statuses()[text] not in ("queued", "refused") for text in texts),
            "the relay holds the memos")

    def test_a_restored_relay_loses_only_what_it_accepted_later_and_had_not_mailed(self):
        self.sign_in()
        self.device.run("mailed before")
        wait_until(lambda: self.statuses()["mailed before"] == "delivered", "it is delivered")
        self.server.answer = "451 later"
        held = [f"in the backup's queue {number}" for number in range(3)]
        for text in held:
            self.device.run(text)
        self.wait_until_accepted(held)

        # Memos flow while the copy is made, and behind it. A held one may be tried at any moment.
        self.server.answer = lambda mail: "451 later" if b"backup's queue" in mail else None
        ended = threading.Event()
        self.addCleanup(ended.set)
        sender, flowing = self.flow("flows", ended)
        wait_until(lambda: len(flowing) > 3, "memos flow")
        self.server.answer = "451 later"
        self.back_up()
        waiting = self.mails_that_wait_in_the_copy()
        self.assertGreaterEqual(waiting, len(held))
        count = len(flowing)
        wait_until(lambda: len(flowing) > count + 3, "memos flow behind the backup")
        ended.set()
        sender.join()
        self.wait_until_accepted(flowing)
        self.server.answer = None
        wait_until(
            lambda: len(self.inbox.memos()) == len(held + flowing) + 1, "all of them are mailed")
        self.inbox.wait_for_quiet()
        self.assertEqual(self.inbox.collapsed, 0)

        # Accepted behind the backup, and not mailed when the relay and its disk are gone.
        self.server.answer = "451 later"
        lost = ["lost 0", "lost 1"]
        for text in lost:
            self.device.run(text)
        self.wait_until_accepted(lost)
        self.relay.kill()
        kept = ["on the device 0", "on the device 1"]
        for text in kept:
            self.device.run(text)
        self.server.answer = None
        self.restore()

        self.arrives("mailed before", *held, *flowing, *kept)
        # The mails of the backup left a second time, as the same bytes under the same Message-ID.
        self.assertEqual(self.inbox.collapsed, waiting)
        self.assertEqual(self.inbox.differing, 0)
        # The text is not lost: the history of the device has it, and does not claim a delivery.
        statuses = self.statuses()
        self.assertEqual({statuses[text] for text in lost}, {"sent"})
        wait_until(
            lambda: {self.statuses()[text] for text in kept} == {"delivered"},
            "the devices hear of new memos")

    def test_a_memo_whose_answer_was_lost_with_the_relay_is_mailed_under_the_same_message_id(self):
        self.sign_in()
        self.back_up()
        home = pathlib.Path(self.device.home)
        self.device.run("answered to nobody")
        self.wait_until_accepted(["answered to nobody"])
        self.device.wait_for_agents()
        # A device that has not heard the answer is the device of the moment before it.
        stored = home.parent / "stored"
        self.relay.stop()
        self.device.run("unheard")
        self.device.kill_agents()
        shutil.copytree(home, stored, ignore=shutil.ignore_patterns("bell"))
        self.relay.start()
        self.device.deliver()
        self.arrives("answered to nobody", "unheard")
        self.assertEqual(self.inbox.collapsed, 0)

        self.relay.kill()
        self.restore()
        again = Device(stored)
        self.addCleanup(again.kill_agents)
        again.run("outbox", "retry")
        again.deliver()
        wait_until(lambda: self.inbox.collapsed == 1, "the memo is mailed a second time")
        self.arrives("answered to nobody", "unheard")

    def test_a_device_that_signed_in_after_the_backup_keeps_its_memos_until_it_signs_in_again(self):
        self.back_up()
        self.sign_in()
        self.relay.kill()
        self.restore()
        self.device.run("kept")
        wait_until(
            lambda: [each["state"] for each in self.device.json("outbox", "list")] == ["parked"],
            "the memo is parked")
        self.sign_in()
        self.arrives("kept")

    def test_the_copy_is_closed_to_others_and_whole(self):
        self.sign_in()
        result = self.back_up(umask=0o000)
        self.assertIn(str(self.copy).encode(), result.stdout)
        self.assertEqual(stat.S_IMODE(self.copy.stat().st_mode), 0o700)
        found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in self.copy.iterdir()}
        self.assertEqual(found, {"relay.sqlite": 0o600, "key": 0o600})
        self.assertEqual(
            (self.copy / "key").read_bytes(), (self.relay.folder / "key").read_bytes())
        self.assertEqual(self.traces(), {"copy"})

    def test_a_backup_is_refused_where_something_stands_and_leaves_it_as_it_was(self):
        self.copy.mkdir()
        (self.copy / "mine").write_text("kept")
        for path in [self.copy, f"{self.copy}/", self.copy / "mine"]:
            result = self.back_up(path, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"exists", result.stderr)
        self.assertEqual([path.name for path in self.copy.iterdir()], ["mine"])
        self.assertEqual((self.copy / "mine").read_text(), "kept")
        link = pathlib.Path(self.folder, "link")
        link.symlink_to("nowhere")
        self.assertEqual(self.back_up(link, check=False).returncode, 1)
        self.assertTrue(link.is_symlink())

    def test_a_backup_that_fails_says_so_and_leaves_nothing(self):
        self.sign_in()

        def fill():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        for to, word, options in [
            (self.copy / "deeper", b"parent", {}),
            (self.copy, b"No backup was made", {"preexec_fn": fill}),
        ]:
            result = self.back_up(to, check=False, **options)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(word, result.stderr)
            self.assertEqual(self.traces(), set())
        key = self.relay.folder / "key"
        away = key.rename(self.relay.folder / "away")
        result = self.back_up(check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"key", result.stderr)
        self.assertEqual(self.traces(), set())
        away.rename(key)
        self.back_up()

    def traces(self):
        return {path.name for path in pathlib.Path(self.folder).glob("copy*")}


if __name__ == "__main__":
    unittest.main()
