"""What a terminal obeys, in texts that a storage or a file of the data folder holds."""

import contextlib
import json
import os
import sqlite3
import zlib

from terminal import MemoTest, Terminal

#: Sets the window's title, changes the colour by a control of one character, begins a line.
HOSTILE = "\x1b]0;title\x07\x9b31m\nfaked line"


class ForeignText(MemoTest):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_memo("a \x1b[31mred\x9b memo").returncode, 0)
        with contextlib.closing(sqlite3.connect(os.path.join(self.home, "memo.sqlite"))) as db, db:
            db.execute("UPDATE memo_history SET status = 'bounced', reason = ?", (HOSTILE,))
            [(envelope,)] = db.execute("SELECT envelope FROM outbox_operation")
            reason = HOSTILE.encode()
            fields = envelope[:-4] + b"\x06" + len(reason).to_bytes(2, "big") + reason
            envelope = fields + zlib.crc32(fields).to_bytes(4, "big")
            db.execute("UPDATE outbox_operation SET envelope = ?", (envelope,))
        for name in ("agent.log", "agent.failed"):
            with open(os.path.join(self.home, name), "w") as file:
                file.write("error=" + HOSTILE.replace(" ", "-") + "\n")
        self.memo_id = json.loads(self.run_memo("history", "--json").stdout)[0]["id"]

    def commands(self):
        """Each with its exit status: nobody is signed in, which doctor tells."""
        return {
            ("history",): 0, ("outbox", "list"): 0, ("outbox", "show", self.memo_id): 0,
            ("doctor",): 69,
        }.items()

    def test_no_command_hands_the_terminal_a_control_character(self):
        for command, status in self.commands():
            with self.subTest(command):
                terminal = Terminal([self.memo, *command], self.environment)
                self.addCleanup(terminal.close)
                self.assertEqual(terminal.wait(), status, terminal.output)
                shown = terminal.output.decode()
                self.assertTrue(shown)
                controls = [c for c in shown if (c < " " or "\x7f" <= c < "\xa0") and c not in "\r\n\t"]
                self.assertEqual(controls, [], shown)

    def test_a_reason_that_is_no_code_is_shown_to_programs_only(self):
        for command, status in self.commands():
            with self.subTest(command):
                result = self.run_memo(*command)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertNotIn("faked", result.stdout.decode())
        for command in (("history", "--json"), ("outbox", "list", "--json")):
            [entry] = json.loads(self.run_memo(*command).stdout)
            self.assertEqual(entry["reason"], HOSTILE)
