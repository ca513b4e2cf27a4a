import pathlib
import tempfile
import threading
import unittest

from inbox import Inbox, MailServer
from processes import Device, Relay, mailed_codes
from waiting import wait_until

CANARY = "kanarienvogel-7f3a-im-bergwerk"
ADDRESS = "canary.owner@example.org"


def finds(folder, needle):
    return [
        str(path) for path in pathlib.Path(folder).rglob("*")
        if path.is_file() and needle.encode() in path.read_bytes()
    ]


class Canary(unittest.TestCase):
    def test_neither_memo_nor_address_is_readable_at_rest_in_logs_or_in_arguments(self):
        inbox = Inbox()
        with tempfile.TemporaryDirectory() as folder, MailServer(inbox) as server:
            relay = Relay(f"{folder}/relay", server.url, "--log-level", "trace")
            device = Device(f"{folder}/device")
            arguments = set()
            watching = threading.Event()
            watcher = threading.Thread(target=self.watch, args=(device, arguments, watching))
            watcher.start()
            try:
                device.sign_in(ADDRESS, relay, lambda: mailed_codes(inbox))
                token_holders = finds(folder, ADDRESS)
                server.hang = True
                device.run(stdin=CANARY.encode())
                wait_until(
                    lambda: device.json("history")[0]["status"] == "sent", "the relay has it")
                self.assertEqual(finds(folder, CANARY), [], "while the relay holds the memo")
                server.hang = False
                relay.kill()
                relay.start()
                wait_until(lambda: inbox.memos() == [CANARY.encode()], "the memo has arrived")
                device.run("history")
                device.run("doctor")
                device.deliver()
            finally:
                watching.set()
                watcher.join()
                device.kill_agents()
                relay.stop()
            self.assertTrue(finds(folder, "SQLite format 3"), "the databases are not looked at")
            self.assertEqual(finds(folder, CANARY), [], "after delivery")
            self.assertEqual(finds(folder, ADDRESS), [])
            self.assertEqual(token_holders, [])
            self.assertTrue(arguments, "the agent was never seen")
            for argument in arguments:
                self.assertNotIn(CANARY.encode(), argument)
                self.assertNotIn(ADDRESS.encode(), argument)

    @staticmethod
    def watch(device, arguments, until):
        while not until.wait(0.005):
            for agent in device.agents():
                try:
                    arguments.add(pathlib.Path(f"/proc/{agent}/cmdline").read_bytes())
                except OSError:
                    pass
