"""The screen as a person sees it, in tmux."""

import os
import shutil
import subprocess

from required import required
from terminal import MemoTest
from waiting import SECONDS, wait_until


class Screen(MemoTest):
    def setUp(self):
        required(shutil.which("tmux"), "tmux")
        super().setUp()

    def open(self, rows=12, columns=40, command=None):
        self.socket = os.path.join(self.home, "tmux")
        self.environment["LC_ALL"] = "C.UTF-8"
        command = command or f"{self.memo}; echo LEFT; read _"
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), command)
        self.addCleanup(self.tmux, "kill-server")
        self.until(lambda screen: "Ctrl-D" in screen)

    def tmux(self, *arguments):
        result = subprocess.run(
            ["tmux", "-u", "-f", "/dev/null", "-S", self.socket, *arguments],
            env=self.environment,
            capture_output=True,
            timeout=SECONDS,
        )
        return result.stdout.decode()

    def type(self, *keys, times=1):
        self.tmux("send-keys", "-N", str(times), *keys)

    def text(self, text):
        self.tmux("send-keys", "-l", text)

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def cursor(self):
        position = self.tmux("display-message", "-p", "#{cursor_y} #{cursor_x}")
        return tuple(map(int, position.split()))

    def at_cursor(self):
        """The line in which the cursor is, without the spaces at its end, and the column."""
        row, column = self.cursor()
        lines = self.lines()
        return lines[row] if row < len(lines) else "", column

    def until(self, holds):
        wait_until(lambda: holds(self.screen()), self.screen)

    def lines(self):
        return [line.rstrip() for line in self.screen().rstrip("\n").split("\n")]

    def test_lines_and_wide_characters_are_where_they_belong(self):
        self.open()
        self.text("日本語 e\u0301 ภาษาไทย")
        self.type("Enter")
        self.text("two")
        self.until(lambda screen: "two" in screen)
        self.assertEqual(self.lines()[1:3], ["日本語 e\u0301 ภาษาไทย", "two"])
        self.until(lambda _: self.cursor() == (2, 3))
        self.type("Up")
        self.until(lambda _: self.cursor() == (1, 2))

    def test_a_sent_memo_is_gone_from_the_screen(self):
        self.open()
        self.text("one")
        self.type("Enter")
        self.text("two")
        self.type("C-d")
        self.until(
            lambda screen: "Saved" in screen and "one" not in screen and "two" not in screen)
        self.text("next")
        self.until(lambda screen: "next" in screen)

    def test_hints_of_other_scripts_leave_the_text_its_place(self):
        for tag, hint in (("ja", "Ctrl-Dで送信"), ("ar", "Ctrl-D"), ("ko", "Ctrl-D로 보내고")):
            with self.subTest(tag):
                self.run_memo("settings", "--language", tag)
                # Narrower than the hint and the notice, so that both are wrapped.
                self.open(rows=16, columns=24)
                self.until(lambda screen: hint in screen)
                self.text("日本 one")
                self.type("C-d")
                self.until(
                    lambda screen: "memo login" in screen.replace("\n", "")
                    and "one" not in screen)
                self.text("two")
                self.type("Left", "Left")
                self.text("خبز")
                self.until(lambda _: self.at_cursor() == ("tخبزwo", 4))
                self.type("C-d")
                self.until(lambda screen: "tخبزwo" not in screen)
                self.type("C-c")
                self.until(lambda screen: "LEFT" in screen)
                self.assertEqual(self.texts()[-2:], ["日本 one", "tخبزwo"])
                self.tmux("kill-server")

    def paste(self, text):
        path = os.path.join(self.home, "pasted")
        with open(path, "w") as file:
            file.write(text)
        self.tmux("load-buffer", path)
        self.tmux("paste-buffer", "-p")

    def test_a_text_taller_than_the_screen_can_be_read_and_edited_everywhere(self):
        self.open()
        count = 201
        self.paste("\n".join(f"line {n}" for n in range(count)))
        self.until(lambda screen: f"line {count - 1}" in screen)
        for n in range(count - 26, -1, -25):
            self.type("Up", times=25)
            self.until(lambda _: self.at_cursor()[0] == f"line {n}")
        self.type("Home")
        self.text("first ")
        first = ["first line 0", "line 1", "line 2", "line 3", "line 4"]
        self.until(
            lambda _: [line for line in self.lines() if line[-1:].isdigit()][:5] == first)
        self.type("Down", times=150)
        self.until(lambda _: self.at_cursor()[0] == "line 150")
        self.text("!")
        self.type("C-d")
        self.until(lambda screen: "line" not in screen)
        lines = [f"line {n}" for n in range(count)]
        lines[0] = "first line 0"
        [text] = self.texts()
        self.assertEqual(text.replace("!", ""), "\n".join(lines))

    def test_one_line_longer_than_the_screen_can_be_edited(self):
        self.open()
        text = "".join(f"{n:04} " for n in range(400))
        self.paste(text)
        self.until(lambda screen: "0399" in screen)
        self.type("Up", times=300)
        self.until(lambda screen: "0000" in screen)
        self.type("C-Home")
        self.text("<")
        self.until(lambda screen: "<0000" in screen)
        self.type("C-d")
        self.until(lambda screen: "0001" not in screen)
        self.assertEqual(self.texts(), ["<" + text])

    def test_another_size_of_the_window_keeps_the_text_in_order(self):
        self.open(rows=12, columns=60)
        self.text("The quick brown fox jumps over the lazy dog and the cat")
        self.type("Enter")
        self.text("end")
        self.until(lambda screen: "end" in screen)
        self.tmux("resize-window", "-x", "30", "-y", "10")
        self.until(
            lambda _: self.lines()[-3:]
            == ["The quick brown fox jumps over", " the lazy dog and the cat", "end"]
        )
        self.text("!")
        self.until(lambda screen: "end!" in screen)
        self.assertEqual(self.screen().count("quick"), 1)

    def test_a_window_made_narrow_and_wide_again_shows_no_earlier_screen(self):
        # What the terminal itself has moved out of the narrow screen stays: one row, here.
        self.open(rows=14, columns=80)
        self.text("The quick brown fox jumps over the lazy dog and the cat and then some more")
        self.text(" words follow here, until the end.")
        self.until(lambda screen: "the end." in screen)
        self.tmux("resize-window", "-x", "30")
        self.until(lambda _: self.lines()[-1] == "re, until the end.")
        self.tmux("resize-window", "-x", "80")
        self.until(lambda screen: "jumps over the lazy dog" in screen)
        self.text("!")
        self.until(lambda screen: "the end.!" in screen)
        self.assertEqual(self.screen().count("lazy dog"), 1)

    def test_a_stopped_compose_goes_on_where_it_was(self):
        required(shutil.which("bash"), "bash")
        shell = f"bash --norc --noprofile -ic '{self.memo}; stty -a; fg; echo LEFT; read _'"
        self.open(rows=30, columns=60, command=shell)
        self.text("one ü")
        self.type("Enter")
        self.text("two")
        self.until(lambda screen: "two" in screen)
        self.type("C-z")
        # Meanwhile the terminal is as the shell had it, and then the text is there again.
        self.until(lambda screen: " icanon" in screen and self.lines()[-2:] == ["one ü", "two"])
        self.text("!")
        self.until(lambda _: self.lines()[-1] == "two!")
        self.type("C-d")
        self.until(lambda _: "two!" not in self.screen())
        self.assertEqual(self.texts(), ["one ü\ntwo!"])

    def test_leaving_keeps_what_was_on_the_screen_and_says_where_the_draft_is(self):
        self.open()
        self.text("unfinished")
        self.type("C-c")
        self.until(lambda screen: "LEFT" in screen)
        self.assertIn("unfinished", self.screen())
        self.assertIn("draft is kept", self.screen())

    def test_a_failure_leaves_the_text_on_the_screen(self):
        self.run_memo("makes the key")
        os.chmod(os.path.join(self.home, "key"), 0o644)
        self.open(columns=90)
        self.text("precious")
        self.type("C-d")
        self.until(lambda screen: "Not sent." in screen and "chmod 600" in screen)
        self.until(lambda _: self.lines()[-1] == "precious" and self.cursor()[1] == 8)
        os.chmod(os.path.join(self.home, "key"), 0o600)
        self.text("!")
        self.type("C-d")
        self.until(lambda screen: "precious" not in screen)
        self.assertEqual(self.texts(), ["makes the key", "precious!"])
