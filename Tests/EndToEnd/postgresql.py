"""A PostgreSQL server of a test's own, of Debian's programs."""
import contextlib
import glob
import os
import pathlib
import pwd
import shutil
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


def status_of(process):
    """The fields of a process' status (proc(5)) after its name; none once nobody can ask for it any more."""
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return status.rpartition(")")[2].split()


def runs(process):
    """Whether a process has not ended; nobody may have asked for its exit status yet."""
    status = status_of(process)
    return bool(status) and status[0] not in "ZX"


class PostgreSQL:
    """Listens on a socket in a folder of its own, which `close` removes."""

    def __init__(self, folder=None, backup=None, configuration=None, disk=None):
        """With a backup, which `back_up` has made, it has the data of that one.

        `configuration` is a file of settings in place of `initdb`'s own. With a disk the data is in that folder,
        which the caller removes.
        """
        # A socket's path is short.
        self._temporary = tempfile.TemporaryDirectory(prefix="memo-pg-", dir=folder or "/tmp")
        self.folder = pathlib.Path(self._temporary.name)
        # Another user's program goes through.
        self.folder.chmod(0o777)
        self._process = None
        if disk:
            data = pathlib.Path(disk) / "postgresql"
            data.mkdir()
            data.chmod(0o777)
            subprocess.run([*as_user(), "mkdir", data / "data"], check=True, timeout=SECONDS)
            (self.folder / "data").symlink_to(data / "data")
        if backup:
            subprocess.run(
                [*as_user(), "cp", "-a", backup, self.folder / "data"], check=True, timeout=SECONDS)
        else:
            self._run(
                "initdb",
                "-D", self.folder / "data", "-U", "memo", "-A", "trust", "-E", "UTF8", "--no-locale",
                "--no-sync")
        if configuration:
            shutil.copy(configuration, self.folder / "data/postgresql.conf")
            (self.folder / "data/postgresql.conf").chmod(0o644)
        self.start()

    def _run(self, program, *arguments):
        return subprocess.run(
            [*as_user(), PROGRAMS / program, *arguments], check=True, timeout=SECONDS, cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout

    @property
    def process_id(self):
        return self._process.pid

    @property
    def url(self):
        """For `--data`: the socket's folder stands where a host does."""
        return self.url_of("memo")

    def url_of(self, role, database="postgres"):
        return f"postgres://{role}@{str(self.folder).replace('/', '%2F')}/{database}"

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

    def ask(self, statement, role="memo", database="postgres"):
        """The answer to a statement, as text."""
        return self._run("psql", "-h", self.folder, "-U", role, "-d", database, "-Atc", statement).strip()

    def refusal(self, statement, role):
        """The complaint about a statement that the server refuses; empty where it does not."""
        try:
            self.ask(statement, role)
        except subprocess.CalledProcessError as error:
            return error.stderr
        return ""

    def run_script(self, path, database="postgres"):
        """Runs a file of statements as the administrator."""
        with open(path, "rb") as script:
            subprocess.run(
                [PROGRAMS / "psql", "-h", self.folder, "-U", "memo", "-d", database, "-qv",
                 "ON_ERROR_STOP=1"], check=True, timeout=SECONDS, stdin=script, stdout=subprocess.DEVNULL)

    def require_passwords(self, *roles):
        """From now on these roles need their passwords."""
        path = self.folder / "data/pg_hba.conf"
        lines = "".join(f"local all {role} scram-sha-256\n" for role in roles)
        path.write_text(lines + path.read_text())
        self.ask("SELECT pg_reload_conf()")

    def back_up(self):
        """A base backup, while the server runs; answers its folder."""
        backup = self.folder / "backup"
        self._run("pg_basebackup", "-h", self.folder, "-U", "memo", "-D", backup, "-c", "fast", "-X", "stream")
        return backup

    def stand_by(self):
        """Another server, which follows this one under the name `standby` and answers reads."""
        backup = self.folder / "standby"
        self._run(
            "pg_basebackup", "-d", f"host={self.folder} user=memo application_name=standby", "-D", backup,
            "-c", "fast", "-X", "stream", "-R")
        standby = PostgreSQL(backup=backup)
        wait_until(
            lambda: self.ask("SELECT state FROM pg_stat_replication") == "streaming", "the standby follows")
        return standby

    def set(self, name, value):
        """Changes a setting of the running server."""
        self.ask(f"ALTER SYSTEM SET {name} = '{value}'")
        self.ask("SELECT pg_reload_conf()")

    def promote(self):
        """Has a server that follows another one take its place."""
        self._run("pg_ctl", "promote", "-D", self.folder / "data", "-w")

    def kill(self):
        """Kills all processes of the server."""
        # It starts no other meanwhile.
        self._process.send_signal(signal.SIGSTOP)
        processes = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        for process in processes.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        self._process.kill()
        self._process.wait(SECONDS)
        wait_until(lambda: not any(map(runs, processes.split())), "all processes have ended")

    def lose(self):
        """The machine dies with its disk."""
        self.kill()
        shutil.rmtree(self.folder / "data")

    @contextlib.contextmanager
    def transaction(self, statement):
        """Runs a statement, which answers a row, in a transaction that stays open for a while."""
        with subprocess.Popen(
                [*as_user(), PROGRAMS / "psql", "-h", self.folder, "-U", "memo", "-d", "postgres", "-XAtq"],
                cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            client.stdin.write(f"BEGIN; {statement};\n")
            client.stdin.flush()
            assert client.stdout.readline(), "the statement answers no row"
            yield

    def close(self):
        if self._process.poll() is None:
            self.stop()
        self._temporary.cleanup()
