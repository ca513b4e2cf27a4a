"""What docs/using.md, docs/operating.md and deploy/ say of options, commands and limits."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from processes import BIN

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Not the programs' own: of scripts, of other tools, and the parser's.
OTHERS = {"--prefix", "--help", "--version"}
CODE = re.compile(r"`([^`]+)`")


def commands(program):
    """The commands of a program by their words: `memo outbox show`."""
    dumped = subprocess.run(
        [BIN / program, "--experimental-dump-help"], check=True, capture_output=True, text=True)

    def walk(command, path):
        yield " ".join(path), command
        for each in command.get("subcommands", []):
            yield from walk(each, [*path, each["commandName"]])

    return dict(walk(json.loads(dumped.stdout)["command"], [program]))


def options(command):
    return {
        f"--{name['name']}": argument
        for argument in command.get("arguments", []) for name in argument.get("names", [])
        if name["kind"] == "long"}


class Documents(unittest.TestCase):
    def text(self, path):
        return (ROOT / path).read_text()

    def test_the_operators_pages_name_options_and_settings_that_there_are(self):
        known = set(OTHERS)
        for command in commands("memo-relay").values():
            known |= options(command).keys()
        for page in ("docs/operating.md", "README.md"):
            for span in CODE.findall(self.text(page)):
                if "scripts/" not in span:
                    self.assertLessEqual(set(re.findall(r"--[a-z][a-z-]+", span)), known, page)
        settings = re.findall(r"^#? ?([a-z-]+) = ", self.text("deploy/memo-relay.settings"), re.M)
        self.assertIn("service-day", settings)
        secrets = {"smtp-user", "smtp-password"}
        self.assertLessEqual({f"--{name}" for name in set(settings) - secrets}, known)

    def test_the_limits_in_the_operators_page_are_the_defaults(self):
        serve = options(commands("memo-relay")["memo-relay serve"])
        compared = 0
        page = self.text("docs/operating.md")
        rows = re.findall(r"^\| ([^|]*) \| ([^|]*) \| ([^|]*`--[^|]*) \|$", page, re.M)
        for what, limit, named in rows:
            for option in re.findall(r"`(--[a-z-]+)`", named):
                default = serve[option].get("defaultValue")
                if default is not None:
                    told = [int(number) for number in re.findall(r"\d+", limit)]
                    self.assertIn(int(default), told, f"{what}: {option}")
                    compared += 1
        self.assertGreaterEqual(compared, 10)

    def test_the_help_names_whom_a_limit_counts_as_the_operators_page_does(self):
        serve = options(commands("memo-relay")["memo-relay serve"])
        self.assertIn("memos of one person, all devices together", self.text("docs/operating.md"))
        for option in ("--device-minute", "--device-day"):
            self.assertIn("of all devices of one mailbox", serve[option]["abstract"])

    def test_the_history_in_the_readme_is_as_memo_prints_it(self):
        line = r"\d{4}-\d\d-\d\d \d\d:\d\d  [0-9a-f]{6}  %s  Buy milk\n"
        with tempfile.TemporaryDirectory() as home:
            environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8",
                           "MEMO_HOME": f"{home}/memos", "MEMO_KEY_STORE": "file"}
            for arguments, printed in ((["Buy milk"], ""), (["history"], line % "Queued")):
                result = subprocess.run(
                    [BIN / "memo", *arguments], env=environment, check=True, text=True,
                    stdin=subprocess.DEVNULL, capture_output=True)
                self.assertRegex(result.stdout, rf"^{printed}$")
        self.assertRegex(self.text("README.md"), r"\$ memo history\n" + line % "Sent")

    def test_the_table_of_commands_names_every_command_and_option_of_memo(self):
        table = re.search(r"^\| command \|.*?\n\n", self.text("docs/using.md"), re.M | re.S)[0]
        for words, command in commands("memo").items():
            if words.split()[1:2] == ["help"] or not command.get("shouldDisplay", True):
                continue
            self.assertTrue(all(word in table for word in words.split()), words)
            for option, argument in options(command).items():
                if argument["shouldDisplay"] and option not in OTHERS:
                    self.assertIn(option, table, words)


if __name__ == "__main__":
    unittest.main()
