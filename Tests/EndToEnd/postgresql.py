"""A PostgreSQL server of a test's own, of Debian's programs."""
import glob
import os
import pathlib
import pwd
import signal
import subprocess
import tempfile

from waiting import SECONDS, wait_until

#: The folder with PostgreSQL's programs; `None` where it is not installed.
PROGRAMS = max(
    (pathlib.Path(path) for path in glob.glob("/usr/lib/postgresql/*/bin")),
    key=lambda path: int(path.parent.name), default=None)


def as_user():
    """The words before a program that refuses to run as root."""
    if os.geteuid():
        return []
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = "postgres" if "postgres" in names else "nobody"
    group = pwd.getpwnam(user).pw_gid
    return ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"]


class PostgreSQL:
    """Listens on a socket in a folder of its own, which `close` removes."""

    def __init__(self, folder=None):
        # A socket's path is short.
        self._temporary = tempfile.TemporaryDirectory(prefix="memo-pg-", dir=folder or "/tmp")
        self.folder = pathlib.Path(self._temporary.name)
        # Another user's program goes through.
        self.folder.chmod(0o777)
        self._process = None
        self._run("initdb", "-D", self.folder / "data", "-U", "memo", "-A", "trust", "-E", "UTF8",
                  "--no-locale", "--no-sync")
        self.start()

    def _run(self, program, *arguments):
        return subprocess.run(
            [*as_user(), PROGRAMS / program, *arguments], check=True, timeout=SECONDS, cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout

    @property
    def url(self):
        """For `--data`: the socket's folder stands where a host does."""
        return f"postgres://memo@{str(self.folder).replace('/', '%2F')}/postgres"

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [*as_user(), PROGRAMS / "postgres", "-D", self.folder / "data", "-k", self.folder, "-h", "",
                 "-c", "dynamic_shared_memory_type=mmap", "-c", "max_connections=200"],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self._accepts, "PostgreSQL lets clients in")

    def _accepts(self):
        return subprocess.run(
            [PROGRAMS / "pg_isready", "-q", "-h", self.folder], check=False,
            timeout=SECONDS).returncode == 0

    def stop(self):
        """Ends all connections."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(SECONDS)

    def ask(self, statement):
        """The answer to a statement, as text."""
        return self._run("psql", "-h", self.folder, "-U", "memo", "-d", "postgres", "-Atc", statement).strip()

    def close(self):
        if self._process.poll() is None:
            self.stop()
        self._temporary.cleanup()
