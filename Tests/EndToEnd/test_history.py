"""The history tells what became of a memo: at the relay, and in this device's own outbox."""
import contextlib
import pathlib
import sqlite3
import tempfile
import unittest

from inbox import Inbox, MailServer
from processes import Device, Relay, mailed_codes
from waiting import wait_until


class History(unittest.TestCase):
    def setUp(self):
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        folder = pathlib.Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.inbox = Inbox()
        self.server = cleanup.enter_context(MailServer(self.inbox))
        self.relay = Relay(folder / "relay", self.server.url, "--mail-retry-base", "0.2")
        cleanup.callback(lambda: self.relay.stop())
        self.device = Device(folder / "device")
        cleanup.callback(self.device.kill_agents)

    def sign_in(self):
        self.device.sign_in("owner@example.org", self.relay, lambda: mailed_codes(self.inbox))

    def entry(self):
        return self.device.json("history")[0]

    def wait_for(self, status):
        # Each look calls the agent, which asks the relay.
        wait_until(lambda: self.entry()["status"] == status, lambda: f"{status}: {self.entry()}")

    def database(self):
        return contextlib.closing(sqlite3.connect(self.device.home / "memo.sqlite", timeout=60))

    def log(self):
        return (self.device.home / "agent.log").read_text()

    def test_a_memo_that_the_mail_server_refuses_is_shown_as_bounced_and_why(self):
        self.sign_in()
        self.server.answer = "550 never"
        self.device.run("never")
        self.wait_for("bounced")
        self.assertEqual(self.entry()["reason"], "smtp.550")
        self.assertIn("smtp.550", self.device.run("history").stdout.decode())
        # Nothing waits for news any more: a look starts no agent.
        self.device.wait_for_agents()
        self.device.run("history")
        self.assertEqual(self.device.agents(), [])

    def test_a_memo_that_arrived_is_shown_as_delivered_though_the_relay_was_away(self):
        self.sign_in()
        self.server.hang = True
        self.device.run("arrives")
        self.wait_for("sent")
        self.relay.kill()
        self.device.wait_for_agents()
        self.assertEqual(self.entry()["status"], "sent", "what is known is shown")
        self.server.hang = False
        self.relay.start()
        self.wait_for("delivered")
        self.assertEqual(self.inbox.memos(), [b"arrives"])

    def test_a_damaged_entry_is_shown_as_unreadable_and_is_sent_once_it_can_be_read(self):
        self.device.run("precious")
        with self.database() as database:
            [(record,)] = database.execute("SELECT record FROM outbox_operation")
            damaged = record[:-1] + bytes([record[-1] ^ 1])
            database.execute("UPDATE outbox_operation SET record = ?", (damaged,))
            database.commit()
        self.sign_in()
        self.device.deliver()
        entry = self.entry()
        self.assertEqual(
            (entry["status"], entry["reason"], entry["text"]),
            ("quarantined", "quarantine.not-authentic", "precious"))
        shown = self.device.run("history").stdout.decode()
        self.assertIn("Unreadable", shown)
        self.assertIn(f"id={entry['id']} kind=memo state=quarantined", self.log())
        with self.database() as database:
            database.execute("UPDATE outbox_operation SET record = ?", (record,))
            database.commit()
        self.device.run("outbox", "retry", entry["id"])
        self.wait_for("delivered")
        self.assertEqual(self.inbox.memos(), [b"precious"])
        self.assertIn(f"id={entry['id']} kind=memo state=requeued", self.log())
        self.assertNotIn("precious", self.log())


if __name__ == "__main__":
    unittest.main()
