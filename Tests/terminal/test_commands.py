"""The commands beside sending: what they print, and what they say of mistakes."""

import json
import os
import subprocess

from terminal import LEAVE, MemoTest, Terminal
from waiting import SECONDS, wait_until


class Commands(MemoTest):
    def in_terminal(self, *arguments):
        """The output and the exit code of a command that a person types."""
        terminal = Terminal([self.memo, *arguments], self.environment)
        self.addCleanup(terminal.close)
        code = terminal.wait()
        return terminal.output.decode(), code

    def test_a_result_that_cannot_be_written_is_a_failure_for_every_command(self):
        memo = json.loads(self.run_memo("--json", "precious").stdout)["id"]
        for arguments in (
            ["history"], ["history", "--json"], ["history", "show", memo],
            ["outbox"], ["outbox", "--json"], ["outbox", "show", memo], ["outbox", "export", memo],
            ["outbox", "watch"], ["settings"], ["settings", "--json"], ["doctor"],
            ["doctor", "--json"], ["--help"], ["--version"], ["outbox", "--help"],
            ["--generate-completion-script", "bash"], ["agent", "status", "--json"],
            ["agent", "--help"], ["login", "--help"],
        ):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = subprocess.run(
                    [self.memo, *arguments], stdin=subprocess.DEVNULL, stdout=full,
                    stderr=subprocess.PIPE, env=self.environment, timeout=SECONDS)
                self.assertEqual(result.returncode, 74, result.stderr)
                self.assertIn("Standard output cannot be written", result.stderr.decode())

    def test_a_memo_whose_identifier_cannot_be_written_is_not_to_be_sent_again(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run(
                [self.memo, "--json", "stored"], stdin=subprocess.DEVNULL, stdout=full,
                stderr=subprocess.PIPE, env=self.environment, timeout=SECONDS)
        self.assertEqual(result.returncode, 74)
        self.assertIn("The memo is stored, do not send it again", result.stderr.decode())
        self.assertEqual(self.texts(), ["stored"])

    def test_a_mistyped_command_is_no_memo_in_a_terminal(self):
        for words, command in (
            (["histroy"], "memo history"), (["histroy", "resend", "5"], "memo history"),
            (["version"], "memo --version"), (["outbx", "list"], "memo outbox"),
            (["docter"], "memo doctor"), (["setings", "--json"], "memo settings"),
        ):
            with self.subTest(words):
                output, code = self.in_terminal(*words)
                self.assertEqual(code, 64, output)
                self.assertIn(f"Did you mean {command}?", output)
                self.assertIn("memo -- ", output)
        self.assertEqual(self.texts(), [])

    def test_words_that_are_like_a_command_are_a_memo_where_they_are_meant_so(self):
        self.assertEqual(self.in_terminal("urgent", "call", "Bob")[1], 0)
        self.assertEqual(self.in_terminal("--", "histroy")[1], 0)
        self.assertEqual(self.run_memo("histroy").returncode, 0, "not typed by a person")
        self.assertEqual(self.texts(), ["urgent call Bob", "histroy", "histroy"])

    def test_a_memo_is_shown_as_a_whole_by_a_part_of_its_identifier(self):
        text = "".join(f"Line {number}\n" for number in range(400)) + "the end"
        self.run_memo(input=text.encode())
        identifier = json.loads(self.run_memo("history", "--json").stdout)[0]["id"]
        listed = self.run_memo("history").stdout.decode()
        short = identifier.replace("-", "")[-6:]
        self.assertIn(short, listed)
        self.assertIn("Line 0 …", listed, "more lines follow")
        for name in (identifier, short, short.upper(), identifier[:13], identifier[-4:]):
            shown = self.run_memo("history", "show", name)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn(text, shown.stdout.decode())
            self.assertIn(identifier, shown.stdout.decode())
        self.assertEqual(
            json.loads(self.run_memo("history", "show", short, "--json").stdout)["text"], text)
        for wrong in ("fff", "xyzw", "0" * 33, ""):
            self.assertEqual(self.run_memo("history", "show", wrong).returncode, 65, wrong)

    def test_a_part_that_two_identifiers_share_changes_nothing(self):
        for text in ("one", "two"):
            self.run_memo(text)
        ids = [entry["id"] for entry in json.loads(self.run_memo("outbox", "--json").stdout)]
        shared = os.path.commonprefix(ids)
        self.assertGreaterEqual(len(shared), 8, "memos of one minute begin alike")
        for command in (["outbox", "delete"], ["history", "delete"], ["history", "show"]):
            result = self.run_memo(*command, shared)
            self.assertEqual(result.returncode, 65)
            self.assertIn("Several identifiers", result.stderr.decode())
        self.assertEqual(self.run_memo("outbox", "delete", ids[0][-6:]).returncode, 0)
        self.assertEqual(len(json.loads(self.run_memo("outbox", "--json").stdout)), 1)

    def test_a_text_can_be_removed_from_the_history_and_does_not_leave(self):
        for text in ("secret", "kept"):
            self.run_memo(text)
        newest, oldest = json.loads(self.run_memo("history", "--json").stdout)
        result = self.run_memo("history", "delete", oldest["id"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Deleted from this device", result.stderr.decode())
        self.assertEqual(self.texts(), ["kept"])
        [left] = json.loads(self.run_memo("outbox", "--json").stdout)
        self.assertEqual(left["id"], newest["id"])
        self.assertEqual(self.run_memo("history", "delete", oldest["id"]).returncode, 65)

    def test_the_outbox_shows_first_lines(self):
        self.run_memo("Buy milk\nand bread")
        listed = self.run_memo("outbox").stdout.decode()
        self.assertIn("Buy milk …", listed)
        self.assertIn("Queued", listed)

    def test_a_limit_of_nothing_does_not_say_that_there_is_nothing(self):
        self.run_memo("one")
        result = self.run_memo("history", "--limit", "0")
        self.assertEqual((result.stdout, result.stderr), (b"", b""))

    def test_a_mistake_in_a_command_is_answered_by_that_command(self):
        for arguments, advice in (
            (["outbox", "delete"], "memo outbox delete --help"),
            (["history", "--limit", "abc"], "memo history --help"),
            (["settings", "--colour", "red"], "memo settings --help"),
            (["history", "resend"], "memo history resend --help"),
        ):
            with self.subTest(arguments):
                errors = self.run_memo(*arguments).stderr.decode()
                self.assertIn(advice, errors)
                self.assertNotIn("A text that begins with a dash", errors)
        errors = self.run_memo("history", "of", "Rome").stderr.decode()
        self.assertIn("memo -- TEXT", errors, "these words may be a memo")

    def test_a_signature_may_begin_with_its_delimiter_which_the_mail_has_once(self):
        for arguments in (["--signature", "-- \nMe"], ["--signature=-- \nMe"], ["--signature", "Me"]):
            result = self.run_memo("settings", *arguments, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["signature"], "Me")
        self.run_memo("text")
        [entry] = json.loads(self.run_memo("outbox", "--json").stdout)
        shown = json.loads(self.run_memo("outbox", "show", entry["id"], "--json").stdout)
        self.assertEqual(shown["text"], "text\n-- \nMe")


class Drafts(MemoTest):
    def test_a_draft_is_thrown_away_by_an_option(self):
        terminal = self.compose()
        terminal.type("a draft of no use")
        self.draft_kept("a draft of no use")
        terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)
        result = self.run_memo("--discard-draft")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Drafts thrown away: 1", result.stderr.decode())
        self.assertIn("0", self.run_memo("--discard-draft").stderr.decode())
        again = self.compose()
        self.assertNotIn(b"a draft of no use", again.output)
        self.assertEqual(self.run_memo("--discard-draft", "words").returncode, 64)
        self.assertEqual(self.texts(), [])

    def test_a_draft_that_is_being_written_is_not_thrown_away(self):
        terminal = self.compose()
        terminal.type("in the making")
        self.draft_kept("in the making")
        self.assertIn("0", self.run_memo("--discard-draft").stderr.decode())
        terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"in the making", self.compose().output)

    def test_a_key_empties_the_field_and_another_brings_the_text_back(self):
        terminal = self.compose()
        terminal.type("first line\rsecond line")
        emptied = terminal.type(b"\x18")
        self.assertIn(b"Ctrl-Y", emptied)
        terminal.type(b"\x19")
        terminal.type(b"\x04")
        wait_until(lambda: self.texts() == ["first line\nsecond line"], "the text is back and sent")
        terminal.type("gone")
        terminal.type(b"\x18")
        terminal.type("kept")
        terminal.type(b"\x04")
        wait_until(lambda: self.texts()[-1:] == ["kept"], "what follows is sent alone")

    def test_one_key_lists_the_keys(self):
        terminal = self.compose()
        terminal.type("text")
        self.assertIn(b"Ctrl-X empties the field", terminal.type(b"\x07"))
        terminal.type(b"\x04")
        wait_until(lambda: self.texts() == ["text"], "the text is as it was")
