"""How memo finds and calls the agent."""

import fcntl
import os
import shutil
import time
import unittest

from relay import Relay
from terminal import SEND, MemoTest


class Agent(MemoTest):
    def setUp(self):
        super().setUp()
        self.relay = Relay()
        self.addCleanup(self.relay.close)
        login = self.run_memo(
            "login", "someone@example.org", "--relay", self.relay.url, input=b"123456\n"
        )
        self.assertEqual(login.returncode, 0, login.stderr)

    def lone(self):
        """A memo with no agent beside it."""
        folder = os.path.join(self.home, "bin")
        os.mkdir(folder)
        return shutil.copy(self.memo, folder)

    def queue_without_agent(self, text):
        complete, self.memo = self.memo, self.lone()
        path, self.environment["PATH"] = self.environment["PATH"], "/nonexistent"
        result = self.run_memo(text)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"could not be started", result.stderr)
        self.memo, self.environment["PATH"] = complete, path
        self.assertEqual(self.relay.memos, [])

    def arrives(self, text):
        self.until(lambda: text in self.relay.memos, "the memo arrives")
        self.assertEqual(self.relay.memos, [text])
        # It lingers in the folder.
        self.until(self.agent_has_ended, "the agent has ended")

    def until(self, condition, what):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def agent_has_ended(self):
        with open(os.path.join(self.home, "agent.lock"), "ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def test_sending_finds_the_agent_where_login_does(self):
        folder = os.path.dirname(self.memo)
        self.memo = self.lone()
        self.environment["PATH"] = "/nonexistent:" + folder
        result = self.run_memo("found")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.arrives("found")

    def test_history_has_what_was_left_delivered(self):
        self.queue_without_agent("left")
        self.assertEqual(self.run_memo("history").returncode, 0)
        self.arrives("left")

    def test_listing_the_outbox_has_what_was_left_delivered(self):
        self.queue_without_agent("left")
        self.assertEqual(self.run_memo("outbox", "--json").returncode, 0)
        self.arrives("left")

    def test_doctor_has_what_was_left_delivered(self):
        self.queue_without_agent("left")
        self.assertEqual(self.run_memo("doctor").returncode, 0)
        self.arrives("left")

    def test_composing_has_what_was_left_delivered(self):
        self.queue_without_agent("left")
        terminal = self.compose()
        self.arrives("left")
        terminal.type(SEND)
        self.assertEqual(terminal.wait(), 0)


if __name__ == "__main__":
    unittest.main()
