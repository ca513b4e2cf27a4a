"""How memo finds and calls the agent."""

import os
import shutil

from agents import agents_of, kill_agents_of
from relay import Relay
from terminal import SEND, MemoTest
from waiting import wait_until


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
        wait_until(lambda: text in self.relay.memos, "the memo arrives")
        self.assertEqual(self.relay.memos, [text])
        # It would linger in the folder, which is about to be removed.
        kill_agents_of(self.home)
        wait_until(lambda: not agents_of(self.home), "the agent has ended")

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

    def test_doctor_tells_that_the_agent_is_missing(self):
        self.memo, self.environment["PATH"] = self.lone(), "/nonexistent"
        result = self.run_memo("doctor")
        self.assertEqual(result.returncode, 69, result.stdout)
        self.assertIn(b"could not be started", result.stdout)

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
