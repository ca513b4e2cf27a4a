"""The terminal speaks ten languages: from the environment, or from `memo settings`."""

import contextlib
import datetime
import json
import os
import re
import sqlite3
import struct
import subprocess
import tempfile
import unicodedata
import zlib

from relay import Relay
from terminal import LEAVE, SEND, MemoTest
from waiting import SECONDS, wait_until

EMPTY = {
    "ja": "メモが空のため、送信するものがありません。",
    "en": "The memo is empty, so there is nothing to send.",
    "es": "La nota está vacía, así que no hay nada que enviar.",
    "fr": "Le mémo est vide, il n’y a rien à envoyer.",
    "de": "Die Notiz ist leer, es gibt nichts zu senden.",
    "it": "La nota è vuota, quindi non c’è nulla da inviare.",
    "pt": "A nota está vazia, portanto não há nada a enviar.",
    "ko": "메모가 비어 있어 보낼 것이 없습니다.",
    "zh-Hans": "备忘为空，没有可发送的内容。",
    "ar": "المذكرة فارغة، فليس هناك ما يُرسل.",
}
JAPANESE = {"LANG": "ja_JP.UTF-8"}
ARABIC = {"LANG": "ar_EG.UTF-8"}


def columns(text):
    """How many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.category(character) in ("Mn", "Cf") for character in text)
    return len(text) + wide - marks


class Language(MemoTest):
    def say(self, *arguments, **environment):
        before = self.environment
        self.environment = dict(before, **environment)
        try:
            return self.run_memo(*arguments)
        finally:
            self.environment = before

    def complaint(self, **environment):
        result = self.say("", **environment)
        self.assertEqual(result.returncode, 65)
        return result.stderr.decode().strip().removeprefix("memo: ")

    def test_each_language_is_chosen_by_its_locale(self):
        for tag, words in EMPTY.items():
            locale = tag.replace("zh-Hans", "zh_CN") + ".UTF-8"
            with self.subTest(tag):
                self.assertEqual(self.complaint(LANG=locale), words)

    def test_the_locale_variables_count_in_their_order(self):
        french, german = "fr_FR.UTF-8", "de_DE.UTF-8"
        self.assertEqual(self.complaint(LANG=french, LC_MESSAGES=german), EMPTY["de"])
        self.assertEqual(
            self.complaint(LANG=french, LC_MESSAGES=french, LC_ALL=german), EMPTY["de"]
        )
        self.assertEqual(self.complaint(LANG=french, LC_ALL="C"), EMPTY["en"])
        self.assertEqual(self.complaint(LANG="nl_NL.UTF-8"), EMPTY["en"])

    def test_a_chosen_language_holds_from_the_next_command_on(self):
        for tag, words in EMPTY.items():
            with self.subTest(tag):
                self.assertEqual(self.say("settings", "--language", tag).returncode, 0)
                self.assertEqual(self.complaint(LANG="it_IT.UTF-8"), words)
        self.assertEqual(self.say("settings", "--language", "auto").returncode, 0)
        self.assertEqual(self.complaint(LANG="it_IT.UTF-8"), EMPTY["it"])

    def test_a_language_that_there_is_not_changes_nothing(self):
        self.say("settings", "--language", "ja")
        result = self.say("settings", "--language", "nl", "--signature", "Ann")
        self.assertEqual(result.returncode, 65)
        self.assertIn("zh-Hans", result.stderr.decode())
        shown = json.loads(self.say("settings", "--json").stdout)
        self.assertEqual((shown["language"], shown["signature"]), ("ja", None))

    def test_programs_read_the_same_in_every_language(self):
        self.run_memo("one")
        expected = {}
        for environment in ({"LANG": "C"}, JAPANESE, ARABIC):
            for command in (["history"], ["outbox"], ["doctor"]):
                result = self.say(*command, "--json", **environment)
                answer = json.loads(result.stdout)
                if command == ["doctor"]:
                    del answer["outbox"]["oldestAgeSeconds"]
                self.assertEqual(answer, expected.setdefault(command[0], answer))
            self.assertEqual(self.say("outbox", "show", "x", **environment).returncode, 65)

    def test_settings_go_into_the_mail(self):
        relay = Relay()
        self.addCleanup(relay.close)
        template = "[memo] {line}"
        result = self.say("settings", "--subject-template", template, "--signature", "Ann\nRome")
        self.assertEqual(result.returncode, 0, result.stderr)
        signed_in = subprocess.run(
            [self.memo, "login", "a@b.example", "--relay", relay.url], input=b"123456\n",
            capture_output=True, env=dict(self.environment, **JAPANESE), timeout=SECONDS,
        )
        self.assertEqual(signed_in.returncode, 0, signed_in.stderr)
        self.assertIn("メールのコードを入力してください：", signed_in.stderr.decode())
        self.assertIn("サインインしました", signed_in.stderr.decode())
        # Nothing is queued, so no agent runs but this one.
        run = self.say("agent", **ARABIC)
        self.assertIn("لم يبق ما يُسلَّم", run.stderr.decode())
        self.run_memo("Buy milk")
        wait_until(lambda: relay.memos, "the memo arrives")
        self.assertEqual(relay.memos, ["Buy milk\n-- \nAnn\nRome"])
        self.assertEqual(relay.subjects, ["[memo] Buy milk"])
        self.assertEqual(self.texts(), ["Buy milk"])

    def test_a_language_is_chosen_without_a_database_that_opens(self):
        os.makedirs(self.home, exist_ok=True)
        with open(os.path.join(self.home, "memo.sqlite"), "wb") as database:
            database.write(b"not a database" * 1000)
        self.assertEqual(self.say("settings").returncode, 74)
        result = self.say("settings", "--language", "fr", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout), {"language": "fr", "speaks": "fr"})
        self.assertEqual(self.complaint(), EMPTY["fr"])

    def test_settings_sealed_with_another_key_are_replaced_which_is_said(self):
        self.say("settings", "--subject-template", "[memo] {line}", "--signature", "Ann")
        with tempfile.TemporaryDirectory() as other:
            self.say("makes a key", MEMO_HOME=other)
            os.replace(os.path.join(other, "key"), os.path.join(self.home, "key"))
        self.assertEqual(self.say("settings").returncode, 77)
        self.assertEqual(self.say("settings", "--language", "de").returncode, 0)
        result = self.say("settings", "--language", "en", "--signature", "Bob", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ersetzt", result.stderr.decode())
        shown = json.loads(self.say("settings", "--json").stdout)
        self.assertEqual(
            shown,
            {
                "language": "en", "speaks": "en", "keyStore": "file", "subjectTemplate": None,
                "signature": "Bob", "address": None, "relay": None, "lastSynced": None,
                "notConfirmed": 0, "questions": [],
            },
        )
        self.assertEqual(self.say("settings", "--signature", "Eve").stderr, b"")

    def test_a_signature_is_read_from_standard_input_as_far_as_one_may_go(self):
        def read(content):
            return subprocess.run(
                [self.memo, "settings", "--signature", "-", "--json"], input=content,
                capture_output=True, env=self.environment, timeout=SECONDS,
            )

        self.assertEqual(json.loads(read(b"Ann\nRome\n").stdout)["signature"], "Ann\nRome")
        for length in (2001, 3_000_000):
            result = read(b"x" * length)
            self.assertEqual(result.returncode, 65)
            self.assertIn("signature", result.stderr.decode())
        self.assertEqual(json.loads(self.say("settings", "--json").stdout)["signature"], "Ann\nRome")

    def test_a_template_that_cannot_be_used_is_explained(self):
        result = self.say("settings", "--subject-template", "{x}", **JAPANESE)
        self.assertEqual(result.returncode, 65)
        self.assertIn("{line}、{date}、{id}", result.stderr.decode())

    def test_the_columns_of_a_list_stand_below_each_other(self):
        for environment in ({"LANG": "C"}, JAPANESE, ARABIC):
            with self.subTest(environment):
                for command in ("doctor", "settings"):
                    lines = self.say(command, **environment).stdout.decode().splitlines()
                    starts = {columns(line[: len(line) - len(line.split("  ", 1)[1].lstrip())])
                              for line in lines}
                    self.assertEqual(len(starts), 1, lines)


class Help(MemoTest):
    #: Each page of help that a person is shown.
    PAGES = (
        [], ["history"], ["outbox"], ["settings"], ["doctor"], ["login"], ["logout"], ["agent"],
        *(["outbox", name] for name in ("list", "show", "watch", "retry", "export", "delete")),
        *(["agent", name] for name in ("run", "install", "uninstall", "status")),
    )
    LOCALES = ("ja_JP", "es_ES", "fr_FR", "de_DE", "it_IT", "pt_BR", "ko_KR", "zh_CN", "ar_EG")

    def page(self, *arguments, **environment):
        self.environment.update(environment)
        result = self.run_memo(*arguments, "--help")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return result.stdout.decode()

    def sentences(self, page):
        """What a page says in words, apart from commands, options and names."""
        known = {"Simple Memo", "memo-agent run"}
        for line in page.splitlines():
            for part in line.strip().split("  "):
                if part.strip() and part.strip() not in known:
                    yield part.strip()

    def test_every_page_is_in_every_language(self):
        for arguments in self.PAGES:
            english = {
                sentence for sentence in self.sentences(self.page(*arguments, LANG="C.UTF-8"))
                # Of a command line, and not of a language.
                if " " in sentence and not sentence.startswith(("memo", "-", "<", "… |", "USAGE: "))}
            for locale in self.LOCALES:
                with self.subTest(arguments, locale=locale):
                    page = self.page(*arguments, LANG=f"{locale}.UTF-8")
                    self.assertEqual(english & set(self.sentences(page)), set())
                    for heading in ("OVERVIEW", "USAGE", "OPTIONS", "SUBCOMMANDS", "default:"):
                        self.assertNotIn(heading, page)

    def test_options_and_commands_keep_their_names(self):
        english = set(re.findall(r"(?m)^  (--[\w-]+|[a-z]+)\b", self.page("settings", LANG="C.UTF-8")))
        for locale in self.LOCALES:
            page = self.page("settings", LANG=f"{locale}.UTF-8")
            self.assertEqual(english - set(re.findall(r"(?m)^  (--[\w-]+|[a-z]+)\b", page)), set())
        self.assertIn("memo history", self.page("history", LANG="ja_JP.UTF-8"))

    def test_lines_fit_the_screen_in_wide_scripts(self):
        for locale in ("ja_JP", "zh_CN", "ko_KR", "de_DE"):
            for arguments in self.PAGES:
                for line in self.page(*arguments, LANG=f"{locale}.UTF-8").splitlines():
                    # A command line is not broken.
                    if not line.lstrip().startswith("memo"):
                        self.assertLessEqual(columns(line), 80, line)

    def test_what_is_wrong_with_a_command_line_is_said_in_the_language(self):
        self.environment.update(JAPANESE)
        for arguments, words in (
            (["outbox", "show"], "<id>がありません。"),
            (["login"], "<address>がありません。"),
            (["history", "--limit", "-1"], "2番目の引数を解釈できませんでした。"),
            (["history", "--limit=-1"], "--limitに負の数は指定できません。"),
            (["login", "a@b.example", "--secret"], "3番目の引数を解釈できませんでした。"),
        ):
            with self.subTest(arguments):
                result = self.run_memo(*arguments)
                self.assertEqual(result.returncode, 64)
                self.assertIn(words, result.stderr.decode())


class ComposingInALanguage(MemoTest):
    def test_hint_and_notice_are_in_the_language_and_the_text_stays_whole(self):
        for environment, hint, saved in (
            (JAPANESE, "Ctrl-Dで送信", "サインインすると送信されます"),
            (ARABIC, "للإرسال", "بعد تسجيل الدخول"),
        ):
            with self.subTest(environment):
                terminal = self.compose(environment=environment)
                self.assertIn(hint, terminal.output.decode())
                terminal.type("牛乳 خبز")
                shown = terminal.type(SEND).decode()
                self.assertIn(saved, shown)
                terminal.type(LEAVE)
                self.assertEqual(terminal.wait(), 0)
                self.assertEqual(self.texts()[-1], "牛乳 خبز")

    def test_a_notice_wider_than_the_screen_leaves_the_text_editable(self):
        terminal = self.compose(environment=JAPANESE, rows=12, columns=30)
        terminal.type("one")
        terminal.type(SEND)
        terminal.type("two\x1b[D\x1b[Dx")
        terminal.type(SEND)
        terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.texts(), ["one", "txwo"])

    def test_what_waits_for_over_an_hour_is_said_once_and_only_then(self):
        self.run_memo("early")
        terminal = self.compose(environment=JAPANESE)
        self.assertNotIn("memo outbox", terminal.output.decode())
        terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)

        self.make_older(3601)
        terminal = self.compose(environment=JAPANESE)
        terminal.type("abc")
        terminal.type(SEND)
        terminal.type("def")
        terminal.type(SEND)
        terminal.type(LEAVE)
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(terminal.output.decode().count("memo outbox"), 1)
        self.assertEqual(self.texts(), ["early", "abc", "def"])

    def make_older(self, seconds):
        """Has the first operation, whose bookkeeping is not sealed, say that it is older."""
        with contextlib.closing(sqlite3.connect(os.path.join(self.home, "memo.sqlite"))) as db, db:
            entry, envelope = db.execute("SELECT entry, envelope FROM outbox_operation").fetchone()
            created = json.loads(self.run_memo("outbox", "--json").stdout)[0]["createdAt"]
            moment = datetime.datetime.fromisoformat(created.replace("Z", "+00:00"))
            milliseconds = round(moment.timestamp() * 1000)
            before = struct.pack(">q", milliseconds)
            self.assertEqual(envelope.count(before), 1)
            after = struct.pack(">q", milliseconds - seconds * 1000)
            body = envelope[:-4].replace(before, after)
            db.execute(
                "UPDATE outbox_operation SET envelope = ? WHERE entry = ?",
                (body + struct.pack(">I", zlib.crc32(body)), entry),
            )
