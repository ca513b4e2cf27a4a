"""A person's systemd of a test's own, in a mount namespace: no bus, no login, no other unit."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess

from waiting import SECONDS, wait_until

SYSTEMD = pathlib.Path("/lib/systemd/systemd")
#: What systemd asks to know whether a machine runs it, and where it keeps who lingers.
MOUNTS = """
set -e
mkdir -p /run/systemd /var/lib/systemd
mount -t tmpfs tmpfs /run/systemd
mount -t tmpfs tmpfs /var/lib/systemd
mkdir /run/systemd/system /var/lib/systemd/linger
exec "$0" "$@"
"""


def can_run():
    """Whether this machine has systemd, and lets us make a namespace."""
    if not (SYSTEMD.exists() and shutil.which("systemctl") and shutil.which("nsenter")):
        return False
    try:
        return subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "bash", "-c", MOUNTS, "true"],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS).returncode == 0
    except OSError:
        return False


class UserManager:
    """`systemd --user` for a home folder, from a boot to a shutdown."""

    def __init__(self, home, runtime):
        self.runtime = pathlib.Path(runtime)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(runtime),
        }
        self.process = None

    def boot(self):
        self.runtime.mkdir(mode=0o700)
        with open(f"{self.runtime}.log", "ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "--mount", "--propagation", "private", "bash", "-c", MOUNTS, SYSTEMD,
                 "--user"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self.is_up, self.log)

    def is_up(self):
        assert self.process.poll() is None, self.log()
        return (self.runtime / "systemd/private").exists() and self.systemctl(
            "is-active", "--quiet", "default.target").returncode == 0

    def log(self):
        return "the service manager is up: " + pathlib.Path(f"{self.runtime}.log").read_text()[-2000:]

    def inside(self, command, environment=None):
        """Runs a command where the service manager runs."""
        return subprocess.run(
            ["nsenter", "--mount", f"--target={self.process.pid}", "--", *command],
            env=self.environment if environment is None else environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=SECONDS)

    def systemctl(self, *arguments):
        return self.inside(["systemctl", "--user", *arguments])

    def shut_down(self):
        """Ends the service manager, which ends its services."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(SECONDS)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(SECONDS)
        self.process = None
        shutil.rmtree(self.runtime, ignore_errors=True)
