"""Memos from arguments and standard input: the edges of what is a memo."""

import json
import os
import shutil
import sqlite3
import subprocess

from terminal import MemoTest
from waiting import SECONDS

MIB = 1 << 20


class Input(MemoTest):
    def refused(self, result, code, words):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, b"")
        self.assertIn(words, result.stderr.decode())
        self.assertEqual(self.texts(), [])

    def sent(self, text, expected=None):
        result = self.run_memo(input=text.encode())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, b"")
        self.assertEqual(self.texts(), [text if expected is None else expected])

    def test_words_are_joined_by_spaces(self):
        self.assertEqual(self.run_memo("Buy", "milk").returncode, 0)
        self.assertEqual(self.texts(), ["Buy milk"])

    def test_after_two_dashes_everything_is_text(self):
        self.assertEqual(self.run_memo("--", "login").returncode, 0)
        self.assertEqual(self.run_memo("--", "--help", "me").returncode, 0)
        self.assertEqual(self.texts(), ["login", "--help me"])

    def test_a_dash_reads_standard_input(self):
        self.assertEqual(self.run_memo("-", input=b"piped\n").returncode, 0)
        self.assertEqual(self.texts(), ["piped"])

    def test_an_unknown_option_sends_nothing_and_says_so(self):
        self.refused(self.run_memo("--urgent", "Buy milk"), 64, "Nothing was sent")

    def test_an_argument_that_is_not_understood_is_named_by_its_position(self):
        for arguments, position in (
            (["Buy", "--secret", "milk"], "2"),
            (["-secret"], "1"),
            (["history", "secret"], "2"),
            (["history", "--limit", "secret"], "2"),
        ):
            result = self.run_memo(*arguments)
            self.refused(result, 64, f"Argument {position} was not understood")
            self.assertNotIn(b"secret", result.stderr)

    def test_the_agents_command_line_is_never_quoted_either(self):
        for arguments, words in (
            (["login", "anna@example.org", "secret"], "Argument 3 "),
            (["login", "anna@example.org", "--secret"], "Argument 3 "),
            (["login", "--secret"], "<address>"),
            (["login", "--relay=secret", "anna@example.org", "-secret"], "Argument 4 "),
            (["logout", "--secret=words"], "Argument 2 "),
            (["agent", "secret"], "Argument 2 "),
        ):
            with self.subTest(arguments):
                result = self.run_memo(*arguments)
                self.assertEqual(result.returncode, 64, result.stderr)
                self.assertEqual(result.stdout, b"")
                errors = result.stderr.decode()
                self.assertIn(words, errors)
                self.assertIn(f"memo {arguments[0]} --help", errors)
                for word in ("secret", "anna"):
                    self.assertNotIn(word, errors)

    def test_json_names_the_memo(self):
        result = self.run_memo("--json", "text")
        answer = json.loads(result.stdout)
        self.assertEqual(answer["status"], "queued")
        history = json.loads(self.run_memo("history", "--json").stdout)
        self.assertEqual(history[0]["id"], answer["id"])

    def test_an_empty_memo_is_refused(self):
        for empty in (b"", b"\n", b" \n\t\n"):
            self.refused(self.run_memo(input=empty), 65, "empty")
        self.refused(self.run_memo(""), 65, "empty")

    def test_one_newline_at_the_end_is_dropped(self):
        self.sent("two\n\n", "two\n")

    def test_1_mib_is_sent(self):
        self.sent("x" * MIB)

    def test_1_mib_and_its_newline_are_sent(self):
        self.sent("ü" * (MIB // 2) + "\n", "ü" * (MIB // 2))

    def test_1_mib_and_a_byte_are_refused(self):
        self.refused(self.run_memo(input=b"x" * (MIB + 1)), 65, str(MIB))
        self.refused(self.run_memo(input=b"x" * MIB + b"\nx"), 65, str(MIB))

    def test_an_endless_input_is_refused_at_the_limit(self):
        with open("/dev/zero", "rb") as zero:
            result = subprocess.run(
                [self.memo], stdin=zero, capture_output=True, env=self.environment,
                timeout=SECONDS,
            )
        self.refused(result, 65, str(MIB))

    def test_invalid_utf_8_is_refused_with_its_place(self):
        self.refused(self.run_memo(input="ü".encode() + b"ab\xffcd"), 65, "byte 4")
        self.refused(self.run_memo(input=b"abc\xe6\x97"), 65, "byte 3")
        self.refused(self.run_memo(input=b"\xed\xa0\x80"), 65, "byte 0")

    def test_invalid_utf_8_in_an_argument_is_refused(self):
        self.refused(self.run_memo(os.fsdecode(b"ab\xff")), 65, "UTF-8")

    def test_nul_is_refused(self):
        self.refused(self.run_memo(input=b"a\0b"), 65, "NUL")

    def test_lone_carriage_returns_and_controls_are_kept(self):
        self.sent("a\rb\x0b\x1b[31mc\x7f")

    def test_a_first_line_of_10000_characters_is_sent(self):
        self.sent("漢" * 10_000 + "\nsecond")

    def test_scripts_emoji_and_mail_like_lines_are_sent(self):
        self.sent("From me\n.\nFrom you\n..\n👨‍👩‍👧‍👦 مرحبا\u200f e\u0301")

    def test_a_folder_that_cannot_be_made_is_a_clear_error(self):
        self.environment["MEMO_HOME"] = "/proc/memo"
        result = self.run_memo("text")
        self.assertEqual(result.returncode, 73, result.stderr)
        self.assertIn("/proc/memo", result.stderr.decode())
        self.assertNotIn("text", result.stderr.decode().replace("keep the text", ""))

    def test_a_word_that_a_subcommand_does_not_know_sends_nothing_and_says_so(self):
        self.refused(self.run_memo("history", "of", "Rome"), 64, "Nothing was sent")

    def test_ordinary_first_words_are_text(self):
        self.assertEqual(self.run_memo("send", "the", "report").returncode, 0)
        self.assertEqual(self.texts(), ["send the report"])

    def test_the_outbox_is_listed_shown_and_deleted(self):
        self.run_memo("one")
        [entry] = json.loads(self.run_memo("outbox", "list", "--json").stdout)
        self.assertEqual((entry["state"], entry["kind"]), ("queued", "memo"))
        shown = json.loads(self.run_memo("outbox", "show", entry["id"], "--json").stdout)
        self.assertEqual(shown["text"], "one")
        retry = self.run_memo("outbox", "retry", entry["id"])
        self.assertEqual(retry.returncode, 69, retry.stderr)
        self.assertEqual(self.run_memo("outbox", "delete", entry["id"]).returncode, 0)
        self.assertEqual(json.loads(self.run_memo("outbox", "--json").stdout), [])
        [memo] = json.loads(self.run_memo("history", "--json").stdout)
        self.assertEqual(memo["status"], "deleted")
        self.assertEqual(self.run_memo("outbox", "show", "rubbish").returncode, 65)

    def test_doctor_says_how_it_is_and_nothing_that_was_written(self):
        healthy = self.run_memo("doctor")
        self.assertEqual(healthy.returncode, 0, healthy.stderr)
        self.assertEqual(healthy.stdout.decode().splitlines()[-1].split(), ["Problem", "none"])
        self.run_memo("kanarienvogel")
        plain = self.run_memo("doctor")
        self.assertEqual(plain.returncode, 69, plain.stderr)
        self.assertIn("memo login", plain.stdout.decode().splitlines()[-1])
        self.assertNotIn(b"kanarienvogel", plain.stdout)
        answer = json.loads(self.run_memo("doctor", "--json").stdout)
        self.assertEqual(answer["key"], "present")
        self.assertEqual(answer["outbox"]["queued"], 1)
        self.assertIs(answer["account"], False)
        self.assertEqual(answer["problems"], [answer["problem"]])
        self.assertEqual(answer["timeToText"]["budgetMicroseconds"], 500_000)

    def test_doctor_reports_a_key_that_others_may_read(self):
        self.run_memo("text")
        os.chmod(os.path.join(self.home, "key"), 0o644)
        result = self.run_memo("doctor", "--json")
        self.assertEqual(result.returncode, 77)
        self.assertEqual(json.loads(result.stdout)["key"], "permissions")

    def test_doctor_has_all_its_keys_when_the_database_cannot_be_opened(self):
        os.makedirs(self.home, exist_ok=True)
        with open(os.path.join(self.home, "memo.sqlite"), "wb") as file:
            file.write(b"no database " * 1000)
        result = self.run_memo("doctor", "--json")
        self.assertEqual(result.returncode, 74)
        answer = json.loads(result.stdout)
        self.assertIn("damaged", answer["problem"])
        self.assertIsNone(answer["outbox"]["queued"])
        for measurement, budget in (("timeToText", 500_000), ("sendToReset", 150_000)):
            self.assertEqual(
                answer[measurement],
                {
                    "budgetMicroseconds": budget,
                    "medianMicroseconds": None,
                    "recentMicroseconds": [],
                },
            )

    def damage(self, statement):
        with sqlite3.connect(os.path.join(self.home, "memo.sqlite")) as database:
            database.execute(statement)
        database.close()

    def test_an_entry_without_a_readable_identifier_is_named_by_its_number(self):
        self.run_memo("text")
        self.damage(
            "UPDATE outbox_operation SET id = x'00', envelope = x'00', state = 2,"
            " quarantine = 'quarantine.envelope'"
        )
        [entry] = json.loads(self.run_memo("outbox", "--json").stdout)
        self.assertIsNone(entry["id"])
        name = f"entry:{entry['number']}"
        self.assertIn(name, self.run_memo("outbox").stdout.decode())
        for command in ("show", "retry"):
            result = self.run_memo("outbox", command, name)
            self.assertEqual(result.returncode, 74)
            self.assertIn("damaged", result.stderr.decode())
        self.assertEqual(self.run_memo("outbox", "delete", "entry:77").returncode, 65)
        self.assertEqual(self.run_memo("outbox", "delete", name).returncode, 0)
        self.assertEqual(json.loads(self.run_memo("outbox", "--json").stdout), [])

    def test_a_damaged_entry_is_called_damaged(self):
        identifier = json.loads(self.run_memo("--json", "text").stdout)["id"]
        self.damage("UPDATE outbox_operation SET record = substr(record, 1, 20)")
        result = self.run_memo("outbox", "retry", identifier)
        self.assertEqual(result.returncode, 74)
        self.assertIn("damaged", result.stderr.decode())
        self.assertNotIn("key", result.stderr.decode())

    def test_login_without_the_agent_is_a_clear_error(self):
        lone = os.path.join(self.home, "bin")
        os.mkdir(lone)
        self.memo = shutil.copy(self.memo, lone)
        self.environment["PATH"] = "/nonexistent"
        result = self.run_memo("login", "someone@example.org")
        self.assertEqual(result.returncode, 69)
        self.assertIn("memo-agent", result.stderr.decode())

    def test_help_documents_the_exit_codes(self):
        result = self.run_memo("--help")
        self.assertEqual(result.returncode, 0)
        for code in ("64", "65", "69", "73", "74", "75", "77"):
            self.assertIn(code, result.stdout.decode())
