"""A memo command in a pseudo-terminal, with a data folder of its own.

The binaries come from the folder that MEMO_BIN_DIR names.
"""

import contextlib
import fcntl
import glob
import json
import os
import pty
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import termios
import time
import unittest

from waiting import SECONDS, wait_until

BIN = os.environ.get("MEMO_BIN_DIR", "")
SEND, LEAVE = b"\x04", b"\x03"
READY = b"\x1b[?2004h"
#: How long a program is silent and asleep before its output counts as complete: the kernel hands
#: over what was typed within milliseconds, and until then the program seems to have read it.
QUIET_SECONDS = 0.1
#: How many bytes a sealed record has besides the text, see docs/wire-format.md.
SEALED_WITH = 1 + 8 + 12 + 16
TIOCGPTN = 0x80045430  # of <asm-generic/ioctls.h>; the module termios does not name it


class Terminal:
    """`memo` composing in a pseudo-terminal."""

    def __init__(self, command, environment, rows=24, columns=80):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            size = struct.pack("HHHH", rows, columns, 0, 0)
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            # Whoever runs the tests in the background may have had these ignored, which a program
            # inherits and memo respects. A terminal's programs start with the defaults.
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            try:
                os.execve(command[0], command, environment)
            finally:
                # A program that is missing ends this process, which would run the other tests.
                os._exit(127)
        self.output = b""
        self.status = None

    def read(self, quiet=QUIET_SECONDS, until=None, limit=SECONDS, start=None):
        """Reads until `until` appears in what has come since `start`, or else until nothing has come
        for `quiet` seconds from a program that waits for input."""
        end = time.monotonic() + limit
        if start is None:
            start = len(self.output)
        while time.monotonic() < end:
            if until is not None and until in self.output[start:]:
                break
            ready, _, _ = select.select([self.fd], [], [], quiet if until is None else 0.05)
            if not ready:
                if until is None and self.is_idle():
                    break
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            self.output += data
        return self.output[start:]

    def is_idle(self):
        """Whether the program has taken all that was typed, and sleeps or has ended."""
        try:
            number = struct.unpack("I", fcntl.ioctl(self.fd, TIOCGPTN, bytes(4)))[0]
            terminal = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            return True
        try:
            pending = struct.unpack("I", fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)))[0]
        finally:
            os.close(terminal)
        return pending == 0 and all(state in "SZXT" for state in self.states())

    def states(self):
        """The states of the program's threads, as proc(5) names them."""
        for stat in glob.glob(f"/proc/{self.pid}/task/*/stat"):
            try:
                with open(stat) as file:
                    yield file.read().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):
                pass

    def processor_seconds(self):
        """What the program has used of the processor: however busy the machine is, the same."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def type(self, keys, quiet=QUIET_SECONDS, until=None):
        """Types, reading meanwhile so that neither side waits for the other."""
        data = keys.encode() if isinstance(keys, str) else keys
        before = len(self.output)
        while data:
            readable, writable, _ = select.select([self.fd], [self.fd], [])
            if readable:
                self.output += os.read(self.fd, 65536)
            if writable:
                data = data[os.write(self.fd, data[:1024]) :]
        self.read(quiet, until, start=before)
        return self.output[before:]

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self, limit=SECONDS):
        """The exit code, negative for a signal, once the process has ended."""
        end = time.monotonic() + limit
        while self.status is None and time.monotonic() < end:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                # What it wrote between the last look and its end.
                self.read(0)
        return self.status

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        os.close(self.fd)


class MemoTest(unittest.TestCase):
    def setUp(self):
        if not BIN:
            self.fail("set MEMO_BIN_DIR to the folder with memo and memo-agent")
        self.memo = os.path.join(os.path.abspath(BIN), "memo")
        self.home = tempfile.mkdtemp(prefix="memo-test-")
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.environment = {
            "MEMO_HOME": self.home,
            "HOME": self.home,
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }

    def compose(self, **options):
        environment = dict(self.environment, **options.pop("environment", {}))
        terminal = Terminal([self.memo], environment, **options)
        self.addCleanup(terminal.close)
        if environment["TERM"] != "dumb":
            terminal.read(until=READY)
        terminal.read(0.1)
        return terminal

    def run_memo(self, *arguments, input=None):
        return subprocess.run(
            [self.memo, *arguments],
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            env=self.environment,
            timeout=SECONDS,
        )

    def draft_kept(self, text):
        """Waits until a draft of this length lies sealed in the database."""
        database = f"file:{self.home}/memo.sqlite?mode=ro"
        length = len(text.encode()) + SEALED_WITH

        def is_kept():
            with contextlib.closing(sqlite3.connect(database, uri=True)) as connection:
                return (length,) in connection.execute("SELECT length(sealed) FROM memo_draft")
        wait_until(is_kept, "the draft is kept")

    def texts(self):
        """The memos in the history, the oldest first."""
        result = self.run_memo("history", "--json", "--limit", "1000")
        self.assertEqual(result.returncode, 0, result.stderr)
        return [entry["text"] for entry in reversed(json.loads(result.stdout))]
