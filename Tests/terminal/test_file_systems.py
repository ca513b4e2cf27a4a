"""Data folders on file systems that lack what Linux's own have."""

import errno
import os
import subprocess
import time

from agents import agents_of, kill_agents_of
from refused_calls import CALLS, refusing
from relay import Relay
from required import required
from terminal import SECONDS, SEND, MemoTest, Terminal
from waiting import wait_until


class FileSystems(MemoTest):
    @classmethod
    def setUpClass(cls):
        required(CALLS is not None, "the numbers of this machine's system calls")

    def setUp(self):
        super().setUp()
        self.relay = Relay()
        self.addCleanup(self.relay.close)
        login = self.run_memo(
            "login", "someone@example.org", "--relay", self.relay.url, input=b"123456\n"
        )
        self.assertEqual(login.returncode, 0, login.stderr)
        self.addCleanup(kill_agents_of, self.home)

    def run_refused(self, call, code, *arguments):
        return subprocess.run(
            [self.memo, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=self.environment,
            timeout=SECONDS,
            preexec_fn=refusing(call, code),
        )

    def test_memos_leave_a_folder_without_named_pipes(self):
        for text in ("first", "second"):
            result = self.run_refused("mknod", errno.ENOSYS, text)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            wait_until(lambda: text in self.relay.memos, "the memo arrives")
        self.assertFalse(os.path.exists(self.home + "/bell"))
        wait_until(lambda: not agents_of(self.home), "the agent has ended")

    def test_a_folder_without_hard_links_keeps_its_key(self):
        for code in (errno.EPERM, errno.ENOSYS):
            self.environment["MEMO_HOME"] = f"{self.home}/{code}"
            for text in ("first", "second"):
                result = self.run_refused("link", code, text)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertEqual(self.texts(), ["first", "second"])
            self.assertFalse(os.path.exists(f"{self.home}/{code}/key.new"))

    def cannot_store(self, call, code, status, words):
        """Refuses a call: doctor says of the folder what sending says, with one exit code."""
        for arguments in (["doctor"], ["kept by its writer"]):
            result = self.run_refused(call, code, *arguments)
            told = (result.stdout + result.stderr).decode()
            self.assertEqual(result.returncode, status, told)
            self.assertIn(words, told)
        self.assertEqual(self.texts(), ["stored"])

    def test_doctor_tells_that_nothing_can_be_stored_where_sending_would_fail(self):
        self.environment["MEMO_HOME"] = self.home + "/other"
        self.assertEqual(self.run_memo("doctor").returncode, 0)
        self.assertEqual(self.run_memo("stored").returncode, 0)
        for call, code, status, words in (
            ("pwrite64", errno.ENOSPC, 74, "is full"),
            ("flock", errno.ENOLCK, 73, "lacks locks or shared memory"),
            ("mmap", errno.ENODEV, 73, "lacks locks or shared memory"),
        ):
            with self.subTest(call):
                self.cannot_store(call, code, status, words)

    def test_an_agent_that_cannot_work_is_told(self):
        # The agent cannot open its lock.
        os.mkdir(self.home + "/agent.lock")
        self.assertEqual(self.run_memo("first").returncode, 0)
        wait_until(lambda: os.path.exists(self.home + "/agent.failed"), "the failure is noted")
        second = self.run_memo("second")
        self.assertEqual(second.returncode, 0)
        self.assertIn(b"agent.", second.stderr)
        self.assertNotIn(b"second", second.stderr)
        doctor = self.run_memo("doctor")
        self.assertEqual(doctor.returncode, 69)
        self.assertIn("cannot work (agent.", doctor.stdout.decode().splitlines()[-1])
        with open(self.home + "/agent.log") as log:
            self.assertIn("error=agent.", log.read())
        wait_until(lambda: not agents_of(self.home), "the agents have ended")
        with self.subTest("composing"):
            terminal = Terminal([self.memo], self.environment)
            self.addCleanup(terminal.close)
            self.assertIn(b"could not work", terminal.read(until=b"could not work"))
            # Once in a compose.
            self.assertNotIn(b"could not work", terminal.type(b"typed" + SEND))
            self.assertEqual(self.texts(), ["first", "second", "typed"])
            terminal.type(SEND)
            self.assertEqual(terminal.wait(), 0)
        wait_until(lambda: not agents_of(self.home), "the agents have ended")
        os.rmdir(self.home + "/agent.lock")
        self.run_memo("third")
        wait_until(lambda: "first" in self.relay.memos, "the memos arrive")
        wait_until(lambda: not agents_of(self.home), "the agent has ended")
        self.assertFalse(os.path.exists(self.home + "/agent.failed"))
        self.assertEqual(self.run_memo("doctor").returncode, 0)
