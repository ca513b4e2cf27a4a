"""Composing in a pseudo-terminal: what is typed is what is sent."""

import contextlib
import os
import signal
import sqlite3
import termios

from terminal import LEAVE, READY, SEND, MemoTest, Terminal


class Composing(MemoTest):
    def check(self, keys, expected, **options):
        terminal = self.compose(**options)
        terminal.type(keys)
        terminal.type(SEND)
        terminal.type(SEND)
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.texts(), [expected])

    def test_typed_text_arrives_whole_whatever_its_script(self):
        text = (
            "Grüße, 日本語のメモ 👍🏽 👨‍👩‍👧‍👦 ❤️ 🇩🇪 مرحبا بالعالم "
            "ภาษาไทย हिन्दी e\u0301 한글 \U00020BB7 \U00100000"
        )
        self.check(text, text)

    def test_enter_begins_a_new_line(self):
        self.check("one\rtwo\r\rfour", "one\ntwo\n\nfour")

    def test_tab_is_a_tab(self):
        self.check("a\tb", "a\tb")

    def test_the_memo_leaves_the_screen_and_the_next_can_be_typed_at_once(self):
        terminal = self.compose()
        terminal.type("first")
        shown = terminal.type(SEND)
        self.assertIn(b"\x1b[K", shown)
        shown = terminal.type("second")
        self.assertNotIn(b"first", shown)
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["first", "second"])
        terminal.type(SEND)
        self.assertEqual(terminal.wait(), 0)

    def test_typing_ahead_of_the_send_is_the_next_memo(self):
        terminal = self.compose()
        terminal.type(b"first" + SEND + b"second" + SEND + b"third" + SEND + SEND)
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.texts(), ["first", "second", "third"])

    def test_keys_typed_before_the_field_is_there_are_not_lost(self):
        terminal = Terminal([self.memo], self.environment)
        self.addCleanup(terminal.close)
        os.write(terminal.fd, b"early")
        terminal.read(until=READY)
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["early"])

    def keep_a_draft(self):
        terminal = self.compose()
        terminal.type("draft ")
        self.draft_kept("draft ")
        terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)

    @contextlib.contextmanager
    def locked_database(self):
        """A compose whose box opens once the context has been left."""
        with contextlib.closing(sqlite3.connect(f"{self.home}/memo.sqlite")) as other:
            # In this mode SQLite lets no other process read either.
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
            other.execute("COMMIT")
            terminal = Terminal([self.memo], self.environment)
            self.addCleanup(terminal.close)
            terminal.read(until=READY)
            yield terminal

    def test_letters_are_shown_while_the_box_cannot_be_opened_yet(self):
        self.keep_a_draft()
        with self.locked_database() as terminal:
            self.assertIn(b"typed", terminal.type("typed", until=b"typed"))
        terminal.read(until=b"draft typed")
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["draft typed"])

    def test_a_send_waits_for_the_box_and_takes_the_draft_along(self):
        self.keep_a_draft()
        with self.locked_database() as terminal:
            terminal.type(b"typed" + SEND, until=b"typed")
        terminal.type(SEND)
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.texts(), ["draft typed"])

    def test_a_signal_before_the_box_is_open_keeps_the_draft_and_the_letters(self):
        self.keep_a_draft()
        with self.locked_database() as terminal:
            terminal.type("typed", until=b"typed")
            os.kill(terminal.pid, signal.SIGTERM)
        self.assertEqual(terminal.wait(), -signal.SIGTERM)
        self.draft_kept("draft typed")
        self.assertIn(b"draft typed", self.compose().output)

    def test_arrows_move_and_backspace_deletes_whole_characters(self):
        self.check("axc\x1b[D\x7fb", "abc")

    def test_up_home_and_end_stay_within_lines(self):
        self.check("one\rtwo\x1b[A!\x1b[H>\x1b[B\x1b[F<", ">one!\ntwo<")

    def test_backspace_deletes_a_joined_emoji_as_one(self):
        self.check("a👨‍👩‍👧\x7fb", "ab")

    def test_backspace_deletes_a_letter_with_its_mark(self):
        self.check("ae\u0301\x7fb", "ab")

    def test_a_mark_typed_after_its_letter_joins_it(self):
        terminal = self.compose()
        terminal.type("e")
        terminal.type("\u0301")
        terminal.type("x")
        terminal.type(b"\x1b[D\x1b[D" + "a".encode())
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["ae\u0301x"])

    def test_killed_text_can_be_put_back(self):
        self.check("one\rtwo\x15\x7f\x01\x19", "twoone")

    def test_unknown_keys_insert_nothing(self):
        self.check(b"a\x1b[24~\x1b[1;2P\x1b[99;5u\x1bOPb", "ab")

    def test_a_lone_escape_does_nothing(self):
        terminal = self.compose()
        # Twenty times as long as the rest of a key may take after an escape.
        terminal.type("a\x1b", quiet=1)
        terminal.type("b")
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["ab"])

    def test_an_editrc_of_the_person_does_not_take_the_keys_away(self):
        with open(os.path.join(self.home, ".editrc"), "w") as file:
            file.write("bind -v\nbind ^D ed-unassigned\nbind ^M ed-newline\n")
        self.check("one\rtwo", "one\ntwo")

    def test_a_locale_without_utf_8_changes_nothing(self):
        self.check("Grüße 日本", "Grüße 日本", environment={"LANG": "C", "LC_ALL": "POSIX"})

    def test_a_dumb_terminal_will_do(self):
        self.check("one\rtwo ü", "one\ntwo ü", environment={"TERM": "dumb"})


class Pasting(MemoTest):
    def paste(self, text):
        return b"\x1b[200~" + text.encode() + b"\x1b[201~"

    def test_a_paste_goes_in_as_it_is(self):
        terminal = self.compose()
        terminal.type(self.paste("a\rb\r\nc\n\td\x03\x04e"))
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["a\nb\nc\n\tde"])

    def test_a_paste_in_pieces_is_one_paste(self):
        terminal = self.compose()
        paste = self.paste("ü👍\rx")
        # An escape and what follows it at once; what follows later was typed by a person.
        terminal.type(paste[:6], quiet=0.01)
        for byte in paste[6:]:
            terminal.type(bytes([byte]), quiet=0.01)
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["ü👍\nx"])

    def test_100_kb_pasted_take_no_second_of_the_processor(self):
        text = "".join(f"Line {n} of a long text: ä 日本\n" for n in range(3000))[:100_000]
        terminal = self.compose()
        terminal.type(self.paste(text))
        # 0.03 s in a debug build: the bound notices work that grows with the square of the length.
        self.assertLess(terminal.processor_seconds(), 1)
        terminal.type(SEND)
        self.assertEqual(self.texts(), [text])

    def test_100_kb_typed_without_paste_brackets_take_no_two_seconds_of_it(self):
        text = "".join(f"Line {n} of a long text: ä 日本\n" for n in range(3000))[:100_000]
        terminal = self.compose()
        terminal.type(text.replace("\n", "\r"))
        # 0.1 s in a debug build: the bound notices work that grows with the square of the length.
        self.assertLess(terminal.processor_seconds(), 2)
        terminal.type(SEND)
        self.assertEqual(self.texts(), [text])

    def test_one_long_line_and_edits_far_up_in_it(self):
        text = "".join(f"{n} " for n in range(3000))
        terminal = self.compose()
        terminal.type(self.paste(text))
        terminal.type(b"\x1b[1;5H" + b"<" + b"\x1b[B" * 30 + b"\x1b[1;5F" + b">")
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["<" + text + ">"])

    def test_a_text_too_long_to_send_stays(self):
        terminal = self.compose(rows=10)
        terminal.type(self.paste("x" * (1 << 20) + "END"))
        shown = terminal.type(SEND)
        self.assertIn(b"Not sent", shown)
        self.assertIn(b"END", shown)
        self.assertEqual(self.texts(), [])
        terminal.type(b"\x7f\x7f\x7f")
        terminal.type(SEND)
        self.assertEqual(self.texts(), ["x" * (1 << 20)])


class Keeping(MemoTest):
    def restored(self):
        terminal = self.compose()
        terminal.type(SEND)
        terminal.type(SEND)
        self.assertEqual(terminal.wait(), 0)
        return self.texts()

    def test_ctrl_c_keeps_the_draft(self):
        terminal = self.compose()
        terminal.type("one\rtwo")
        shown = terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"draft is kept", shown)
        self.assertIn(b"\x1b[?2004l", shown)
        self.assertEqual(self.texts(), [])
        self.assertEqual(self.restored(), ["one\ntwo"])

    def test_a_killed_compose_comes_back(self):
        terminal = self.compose()
        terminal.type("precious ü")
        self.draft_kept("precious ü")
        os.kill(terminal.pid, signal.SIGKILL)
        self.assertEqual(terminal.wait(), -signal.SIGKILL)
        self.assertEqual(self.restored(), ["precious ü"])

    def test_the_draft_is_sealed(self):
        terminal = self.compose()
        terminal.type("kanarienvogel")
        self.draft_kept("kanarienvogel")
        for name in os.listdir(self.home):
            path = os.path.join(self.home, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.assertNotIn(b"kanarienvogel", file.read(), name)

    def ended_by(self, number):
        terminal = self.compose()
        before = termios.tcgetattr(terminal.fd)
        # Typing has not paused for long enough that the draft is saved by itself.
        terminal.type("kept", until=b"kept")
        os.kill(terminal.pid, number)
        self.assertEqual(terminal.wait(), -number)
        self.assertEqual(self.restored(), ["kept"])
        return terminal, before

    def test_sigterm_keeps_the_draft_and_restores_the_terminal(self):
        terminal, _ = self.ended_by(signal.SIGTERM)
        self.assertIn(b"\x1b[?2004l", terminal.output)
        flags = termios.tcgetattr(terminal.fd)[3]
        self.assertTrue(flags & termios.ICANON and flags & termios.ECHO)

    def test_sighup_keeps_the_draft(self):
        self.ended_by(signal.SIGHUP)

    def test_a_vanished_terminal_keeps_the_draft(self):
        terminal = self.compose()
        # Typing has not paused for long enough that the draft is saved by itself.
        terminal.type("kept", until=b"kept")
        os.close(terminal.fd)
        terminal.fd = os.open("/dev/null", os.O_RDWR)
        self.assertIsNotNone(terminal.wait())
        self.assertEqual(self.restored(), ["kept"])

    def test_a_sent_draft_does_not_come_back(self):
        terminal = self.compose()
        terminal.type("gone")
        self.draft_kept("gone")
        terminal.type(SEND)
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.wait()
        terminal = self.compose()
        terminal.type(SEND)
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.texts(), ["gone"])

    def test_if_it_cannot_be_stored_the_text_stays_and_the_reason_is_shown(self):
        terminal = self.compose()
        terminal.type("stays")
        self.draft_kept("stays")
        os.chmod(os.path.join(self.home, "key"), 0o644)
        terminal2 = self.compose()
        shown = terminal2.output + terminal2.type("other") + terminal2.type(SEND)
        self.assertIn(b"chmod 600", shown)
        self.assertIn(b"other", shown)
        os.chmod(os.path.join(self.home, "key"), 0o600)
        terminal2.type(SEND)
        self.assertIn("other", self.texts())

    def composing_what_cannot_be_saved(self):
        self.run_memo("makes the key")
        self.key = os.path.join(self.home, "key")
        os.chmod(self.key, 0o644)
        terminal = self.compose()
        # Three times as long as the pause after which the draft is saved, which fails.
        terminal.type("precious", quiet=0.5)
        return terminal

    def test_ctrl_c_does_not_lose_a_draft_that_cannot_be_saved_without_asking(self):
        terminal = self.composing_what_cannot_be_saved()
        shown = terminal.type(LEAVE)
        self.assertIn(b"chmod 600", shown)
        self.assertIn(b"Ctrl-C again", shown)
        self.assertIn(b"precious", shown)
        self.assertIsNone(terminal.wait(limit=0.1))
        shown = terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 77)
        self.assertIn(b"NOT kept", terminal.output)

    def test_typing_on_after_the_question_asks_again(self):
        terminal = self.composing_what_cannot_be_saved()
        terminal.type(LEAVE)
        terminal.type("!")
        self.assertIn(b"Ctrl-C again", terminal.type(LEAVE))
        self.assertIsNone(terminal.wait(limit=0.1))

    def test_once_the_reason_is_gone_ctrl_c_keeps_the_draft(self):
        terminal = self.composing_what_cannot_be_saved()
        terminal.type(LEAVE)
        os.chmod(self.key, 0o600)
        terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"draft is kept", terminal.output)
        self.assertEqual(self.restored(), ["makes the key", "precious"])

    def test_a_signal_says_that_the_draft_could_not_be_saved(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            terminal = self.composing_what_cannot_be_saved()
            os.kill(terminal.pid, number)
            self.assertEqual(terminal.wait(), -number)
            self.assertIn(b"NOT kept", terminal.output)
            self.assertIn(b"chmod 600", terminal.output)
            os.chmod(self.key, 0o600)
