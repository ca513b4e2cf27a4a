"""scripts/install and scripts/uninstall: programs, manual pages, and completions in the real shells."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from required import required
from terminal import BIN, Terminal
from waiting import SECONDS

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {"memo": 1, "memo-agent": 1, "memo-relay": 8}
SUBCOMMANDS = {"history", "outbox", "settings", "doctor", "login", "logout", "agent", "help"}
END = b"<end>"
#: In place of memo, prints its arguments.
PRINTING = "memo() { printf '<<%s>>' \"$@\"; echo '<end>'; }\nPS1='READY> '\n"


def run_script(name, *arguments, **environment):
    return subprocess.run(
        [ROOT / "scripts" / name, *arguments], env={**os.environ, **environment}, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * SECONDS)


def files_of(folder):
    """The paths below a folder, and what the files hold."""
    return {
        str(path.relative_to(folder)):
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        for path in pathlib.Path(folder).rglob("*")}


class Folder(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="memo-install-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.prefix = self.home / ".local"

    def script(self, name, *arguments):
        return run_script(
            name, "--prefix", str(self.prefix), *arguments, HOME=str(self.home), **self.environment())

    def environment(self):
        """The variables besides HOME."""
        return {}


class WhatIsInstalled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="memo-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.prefix = cls.home / "prefix"
        tree = pathlib.Path(BIN).resolve().parent
        result = run_script("install", "--prefix", str(cls.prefix), "--from", str(tree))
        assert result.returncode == 0, result.stderr
        cls.environment = {
            "HOME": str(cls.home), "MEMO_HOME": str(cls.home / "memos"), "LANG": "C.UTF-8",
            "PATH": f"{cls.prefix}/bin:{os.environ['PATH']}", "TERM": "xterm",
            "XDG_DATA_DIRS": f"{cls.prefix}/share:/usr/share",
        }

    def run_installed(self, *command):
        result = subprocess.run(
            command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=SECONDS)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_the_programs_run(self):
        self.run_installed("memo", "Buy", "milk")
        self.assertIn("Buy milk", self.run_installed("memo", "history").stdout)
        # memo finds the agent beside itself.
        self.assertIn("ADDRESS", self.run_installed("memo", "login", "--help").stdout)
        self.assertIn("embed-web", self.run_installed("memo-relay", "--help").stdout)

    def test_each_manual_page_renders_without_a_warning(self):
        required(shutil.which("man"), "man")
        self.environment["MANWIDTH"] = "100"
        for program, section in PROGRAMS.items():
            with self.subTest(program):
                page = self.prefix / f"share/man/man{section}/{program}.{section}"
                result = self.run_installed("man", "--warnings", "-E", "UTF-8", "-l", str(page))
                self.assertEqual(result.stderr, "")
                for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS",
                              "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"):
                    self.assertRegex(result.stdout, rf"(?m)^{title}$")
                help_text = self.run_installed(program, "--help").stdout
                for line in help_text.partition("SUBCOMMANDS:\n")[2].splitlines():
                    if line.startswith("  ") and line[2:3].isalpha() and "See '" not in line:
                        self.assertIn(f"   {program} {line.split()[0]}", result.stdout)
                # By name, as a person asks.
                found = self.run_installed("man", "-M", f"{self.prefix}/share/man", "-w", program)
                self.assertEqual(found.stdout.strip(), str(page))

    def test_the_manual_names_every_exit_code(self):
        page = (self.prefix / "share/man/man1/memo.1").read_text()
        status = page.partition(".SH EXIT STATUS")[2].partition(".SH")[0]
        for code in (0, 64, 65, 69, 70, 73, 74, 75, 77):
            self.assertIn(f"\\fB{code}\\fR", status)

    def test_the_manual_lists_the_keys_of_the_field(self):
        page = (self.prefix / "share/man/man1/memo.1").read_text()
        keys = page.partition(".SH KEYS")[2].partition(".SH")[0].replace("\\-", "-")
        for key in "DCGXYWUKAEZ":
            self.assertIn(f"\\fBCtrl-{key}\\fR", keys)
        for key in "BF":
            self.assertIn(f"\\fBAlt-{key}\\fR", keys)

    def completions(self, shell, rc, key, line):
        """What a shell puts in the place of the last word of a line when a key is pressed that inserts
        all completions."""
        required(shutil.which(shell), shell)
        rc_file = self.home / f".{shell}rc"
        rc_file.write_text(PRINTING + rc)
        options = ["--noprofile", "--rcfile", str(rc_file)] if shell == "bash" else []
        environment = {**self.environment, "ZDOTDIR": str(self.home), "PREFIX": str(self.prefix)}
        terminal = Terminal([shutil.which(shell), *options, "-i"], environment, columns=1000)
        self.addCleanup(terminal.close)
        terminal.read(until=b"READY> ")
        terminal.type(line)
        terminal.type(key)
        output = terminal.type("\n", until=END)
        words = output.rpartition(END)[0].decode().split("<<")[1:]
        found = [word.partition(">>")[0] for word in words]
        typed = line.split()[1:]
        is_word_open = not line.endswith(" ")
        kept = typed[:-1] if is_word_open else typed
        self.assertEqual(found[: len(kept)], kept, output)
        found = found[len(kept):]
        return set() if is_word_open and found == typed[-1:] else set(found) - {""}

    def bash(self, line):
        required(os.path.exists("/usr/share/bash-completion/bash_completion"), "bash-completion")
        rc = "bind 'set enable-bracketed-paste off'\n. /usr/share/bash-completion/bash_completion\n"
        return self.completions("bash", rc, b"\x1b*", line)

    def zsh(self, line):
        rc = r"""
            unsetopt PROMPT_SP
            zle_bracketed_paste=()
            fpath=($PREFIX/share/zsh/site-functions $fpath)
            autoload -Uz compinit && compinit -u -d $ZDOTDIR/dump
            zle -C all-matches complete-word _generic
            bindkey '^Xa' all-matches
            zstyle ':completion:all-matches::::' completer _all_matches _complete
            zstyle ':completion:all-matches:*' insert true
        """
        return self.completions("zsh", rc, b"\x18a", line)

    def fish(self, line):
        required(shutil.which("fish"), "fish")
        result = self.run_installed("fish", "-c", 'complete -C "$argv"', "--", line)
        return {each.partition("\t")[0] for each in result.stdout.splitlines()}

    def test_commands_and_options_are_completed(self):
        for shell in (self.bash, self.zsh, self.fish):
            with self.subTest(shell.__name__):
                self.assertTrue(shell("memo ") >= SUBCOMMANDS)
                self.assertEqual(shell("memo hi"), {"history"})
                self.assertIn("--json", shell("memo --"))
                self.assertEqual(shell("memo history --li"), {"--limit"})
                self.assertEqual(shell("memo outbox sh"), {"show"})
                self.assertEqual(shell("memo agent inst"), {"install"})

    def test_the_words_of_a_memo_are_completed_by_nothing(self):
        # Files of the folder are no words of a memo either.
        for shell in (self.bash, self.zsh, self.fish):
            for line in ("memo Buy ", "memo Buy o", "memo Buy --", "memo -- o", "memo --json h"):
                with self.subTest(shell.__name__, line=line):
                    self.assertEqual(shell(line), set())

    def test_nothing_that_is_stored_is_offered(self):
        self.run_installed("memo", "kanarienvogel")
        for shell in (self.bash, self.zsh, self.fish):
            for line in ("memo outbox show ", "memo k", "memo outbox delete "):
                with self.subTest(shell.__name__, line=line):
                    offered = {each for each in shell(line) if not each.startswith("-")}
                    self.assertEqual(offered, set())

    def test_no_completion_script_runs_a_program_of_ours(self):
        for path in (*self.prefix.glob("share/*completion*/*/memo*"),
                     *self.prefix.glob("share/zsh/*/_memo*"),
                     *self.prefix.glob("share/fish/*/memo*")):
            for line in path.read_text().splitlines():
                # The parser's function for values that a program knows; nothing calls it.
                if "custom_complet" in line:
                    self.assertRegex(line, r"^(function )?[\w-]+custom_complet\w+(\(\) \{)?$", path)


class SmallTree(Folder):
    """Programs that are a line of text: what is in the files is nothing to the scripts."""

    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.tree = self.home / "tree"
        for program, section in self.programs.items():
            for file in (f"bin/{program}", f"share/man/man{section}/{program}.{section}",
                         f"share/bash-completion/completions/{program}",
                         f"share/zsh/site-functions/_{program}",
                         f"share/fish/vendor_completions.d/{program}.fish"):
                path = self.tree / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{file}, the first version\n")

    def install(self):
        return self.script("install", "--from", str(self.tree))

    def assert_done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)


class Removal(SmallTree):
    def test_leaves_nothing_of_ours_and_all_of_others(self):
        for foreign in ("bin/other", "share/man/man1/other.1", "share/simple-memo/memo.sqlite",
                        "share/fish/vendor_completions.d/memory.fish"):
            path = self.prefix / foreign
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(foreign)
        before = files_of(self.prefix)
        self.assert_done(self.install())
        for program in PROGRAMS:
            self.assertTrue(os.access(self.prefix / "bin" / program, os.X_OK))
        (self.prefix / "share/zsh/site-functions/_other").write_text("made later")
        self.assert_done(self.script("uninstall"))
        after = files_of(self.prefix)
        for path in ("share/zsh/site-functions/_other", "share/zsh/site-functions", "share/zsh"):
            del after[path]
        self.assertEqual(after, before)

    def test_memos_in_the_default_folder_survive(self):
        tree = self.home / "real"
        shutil.copytree(self.tree, tree)
        for program in ("memo", "memo-agent"):
            shutil.copy(os.path.join(BIN, program), tree / "bin")
        self.assert_done(self.script("install", "--from", str(tree)))
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "MEMO_KEY_STORE": "file"}
        memo = self.prefix / "bin/memo"
        subprocess.run([memo, "Buy milk"], env=environment, check=True, timeout=SECONDS)
        folder = self.prefix / "share/simple-memo"
        stored = files_of(folder)
        self.assertIn("memo.sqlite", stored)
        self.assert_done(self.script("uninstall"))
        self.assertFalse(memo.exists())
        self.assertEqual(files_of(folder), stored)
        self.assertEqual({path.name for path in self.prefix.iterdir()}, {"share"})

    def test_the_agents_service_goes_with_the_agent_and_another_agents_stays(self):
        units = self.home / ".config/systemd/user"
        unit = units / "simple-memo-agent.service"
        agent = shutil.copy(os.path.join(BIN, "memo-agent"), self.tree / "bin")
        self.assert_done(self.install())
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        for program in (self.prefix / "bin/memo-agent", agent):
            subprocess.run([program, "install"], env=environment, check=True, timeout=SECONDS,
                           stderr=subprocess.DEVNULL)
            self.assertTrue(unit.exists())
            result = run_script(
                "uninstall", "--prefix", str(self.prefix), HOME=str(self.home), XDG_CONFIG_HOME="",
                XDG_RUNTIME_DIR="")
            self.assert_done(result)
            self.assertEqual(unit.exists(), program == agent)
            self.assert_done(self.install())

    def test_keeps_a_file_that_is_not_as_it_was_installed(self):
        self.assert_done(self.install())
        (self.prefix / "bin/memo-agent").write_text("a person's own")
        result = self.script("uninstall")
        self.assert_done(result)
        self.assertIn("bin/memo-agent", result.stderr)
        self.assertEqual(set(files_of(self.prefix)), {"bin", "bin/memo-agent"})

    def test_an_installation_replaces_the_former_one_and_is_removed_whole(self):
        self.assert_done(self.install())
        (self.tree / "bin/memo").write_text("the second version")
        self.assert_done(self.install())
        self.assertEqual((self.prefix / "bin/memo").read_text(), "the second version")
        self.assert_done(self.script("uninstall"))
        self.assertEqual(files_of(self.prefix), {})

    def test_help_says_the_options_and_installs_nothing(self):
        before = files_of(self.home)
        result = run_script("install", "--help", HOME=str(self.home))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for option in ["--prefix P", "--from TREE"]:
            self.assertIn(option, result.stdout)
        self.assertEqual(files_of(self.home), before)

    def test_a_foreign_file_stops_an_installation_before_anything_is_changed(self):
        (self.prefix / "bin").mkdir(parents=True)
        (self.prefix / "bin/memo-relay").write_text("another program")
        before = files_of(self.prefix)
        result = self.install()
        self.assertEqual(result.returncode, 1)
        self.assertIn("Nothing was installed", result.stderr)
        self.assertEqual(files_of(self.prefix), before)

    def test_an_installation_that_breaks_off_is_removed_whole(self):
        (self.prefix / "share").mkdir(parents=True)
        (self.prefix / "share/fish").write_text("no folder")
        before = files_of(self.prefix)
        self.assertNotEqual(self.install().returncode, 0)
        self.assertIn("bin/memo", files_of(self.prefix))
        self.assert_done(self.script("uninstall"))
        self.assertEqual(files_of(self.prefix), before)

    def test_a_list_that_names_other_files_removes_none_of_them(self):
        self.assert_done(self.install())
        victim = self.home / "victim"
        victim.write_text("mine")
        digest = hashlib.sha256(b"mine").hexdigest()
        own = self.prefix / "bin/other"
        own.write_text("mine")
        with open(self.prefix / "lib/simple-memo/installed", "a") as file:
            file.write(f"{digest} ../victim\n{digest} bin/../../victim\n{digest} bin/other\n")
        self.assert_done(self.script("uninstall"))
        self.assertTrue(victim.exists() and own.exists())

    def test_without_an_installation_nothing_is_removed(self):
        result = self.script("uninstall")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Nothing was removed", result.stderr)


#: In front of the tools of this machine: those of macOS as far as the scripts could notice. Each refuses the long
#: options of GNU.
MACOS = {
    "uname": "echo Darwin",
    **dict.fromkeys(("sha256sum", "objcopy", "flock", "dpkg-query", "apt-get", "nproc"), "exit 127"),
    "find": """for argument; do case $argument in -printf) echo "find: $argument: unknown primary" >&2; exit 1;; esac; done
exec $REAL "$@"
""",
    "stat": """[ "$1" = -f ] || { echo "stat: illegal option" >&2; exit 1; }
case $2 in *%Fm) format='%n %s %.Y';; *) format='%n %s %Y';; esac
shift 2; exec $REAL -c "$format" "$@"
""",
    **dict.fromkeys(
        ("rmdir", "rm", "mv", "cp", "mkdir", "install", "sort", "cut", "grep", "sed", "readlink", "realpath", "xargs", "date"),
        """for argument; do case $argument in --?*) echo "$0: illegal option" >&2; exit 1;; esac; done
exec $REAL "$@"
"""),
}
LAUNCH_AGENT = """<plist version="1.0">
<dict>
    <key>ProgramArguments</key>
    <array>
        <string>{}</string>
        <string>run</string>
    </array>
</dict>
</plist>
"""


class OnMacOS(SmallTree):
    """The scripts' way on macOS: its tools in place of GNU's, no relay, an agent of launchd. No Mac has run them.
    MEMO_MACOS_BASH names a bash 3.2, which macOS has, for a run by hand; else that of this machine reads them."""

    programs = {"memo": 1, "memo-agent": 1}

    def setUp(self):
        super().setUp()
        # The longest of launchd's escapes, in the path of the programs.
        self.prefix = self.home / "a <b> & c"
        self.tools = self.home / "tools"
        self.tools.mkdir()
        for name, script in MACOS.items():
            real = shutil.which(name) or "/bin/false"
            (self.tools / name).write_text(f"#!/bin/sh\nREAL={real}\n{script}\n")
            (self.tools / name).chmod(0o755)
        shell = os.environ.get("MEMO_MACOS_BASH") or shutil.which("bash")
        os.symlink(shell, self.tools / "bash")
        self.agent_file = self.home / "Library/LaunchAgents/simple-memo.agent.plist"
        self.called = self.home / "called"
        (self.tree / "bin/memo-agent").write_text(
            f"#!/bin/sh\necho \"$@\" >>{self.called}\nrm -f {self.agent_file}\n")

    def environment(self):
        return {"PATH": f"{self.tools}:{os.environ['PATH']}"}

    def install(self):
        return self.script("install", "--from", str(self.tree))

    def test_memo_and_its_agent_are_installed_and_removed_whole(self):
        self.assert_done(self.install())
        self.assertEqual(
            {path.name for path in (self.prefix / "bin").iterdir()}, {"memo", "memo-agent"})
        self.assertTrue(os.access(self.prefix / "bin/memo", os.X_OK))
        (self.tree / "bin/memo").write_text("the second version")
        self.assert_done(self.install())
        self.assertEqual((self.prefix / "bin/memo").read_text(), "the second version")
        (self.prefix / "share/zsh/site-functions/_other").write_text("made later")
        self.assert_done(self.script("uninstall"))
        left = {path for path in files_of(self.prefix) if not (self.prefix / path).is_dir()}
        self.assertEqual(left, {"share/zsh/site-functions/_other"})
        self.assertFalse(self.called.exists())

    def test_an_agent_of_launchd_goes_with_the_agent_and_another_agents_stays(self):
        self.agent_file.parent.mkdir(parents=True)
        agent = str(self.prefix / "bin/memo-agent")
        escaped = agent.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        for program in ("/opt/other/memo-agent", escaped):
            self.agent_file.write_text(LAUNCH_AGENT.format(program))
            self.assert_done(self.install())
            self.assert_done(self.script("uninstall"))
            self.assertEqual(self.agent_file.exists(), program != escaped)
        self.assertEqual(self.called.read_text(), "uninstall\n")

    def test_a_build_knows_the_programs_of_the_system(self):
        environment = {**self.environment(), "HOME": str(self.home)}
        refused = run_script("build", "memo-relay", **environment)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no program of this system: memo-relay (memo memo-agent)", refused.stderr)
        # Whether something would be built is a question to all tools of a build but the compiler.
        asked = run_script("build", "--debug", "--is-current", **environment)
        self.assertIn(asked.returncode, (0, 1))
        self.assertEqual(asked.stderr, "")
        needed = run_script("install-dependencies", "build", **environment)
        self.assertEqual((needed.returncode, needed.stderr), (0, ""))
