"""A session bus and GNOME Keyring of the tests' own, away from the person's."""
import os
import pathlib
import shutil
import signal
import subprocess

from required import required
from waiting import SECONDS, wait_until

BUS = """<busconfig><type>session</type><listen>unix:path={folder}/bus</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


class Keyring:
    """Nothing on the bus can start a service or ask a person: what is asked counts as dismissed."""

    def __init__(self, folder):
        for tool in ("dbus-daemon", "dbus-send", "gnome-keyring-daemon", "secret-tool"):
            required(shutil.which(tool), tool)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o700)
        (self.folder / "bus.conf").write_text(BUS.format(folder=self.folder))
        self.environment = {
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus",
            "XDG_RUNTIME_DIR": str(self.folder),
        }
        self._own = dict(
            os.environ, **self.environment, HOME=str(self.folder),
            XDG_DATA_HOME=str(self.folder / "data"))
        self._bus = self._launch(
            "dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile")
        wait_until(lambda: self._is_owned("org.freedesktop.DBus"), "the bus answers")
        self._daemon = None
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self._daemon, self._bus):
            if process:
                process.kill()
                process.wait()

    def start(self):
        """Starts the daemon; its collection is unlocked."""
        self._daemon = self._launch(
            "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets",
            stdin=subprocess.PIPE)
        self._daemon.stdin.write(b"password")
        self._daemon.stdin.close()
        wait_until(lambda: self._is_owned("org.freedesktop.secrets"), "the keyring answers")

    def kill(self):
        self._daemon.kill()
        self._daemon.wait(SECONDS)
        self._daemon = None
        wait_until(lambda: not self._is_owned("org.freedesktop.secrets"), "the bus knows")

    def lock(self):
        self._call(
            "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
            "org.freedesktop.Secret.Service.Lock",
            "array:objpath:/org/freedesktop/secrets/collection/login")

    def unlock(self):
        self.kill()
        self.start()

    def stop(self):
        """From here on the daemon neither answers nor ends."""
        self._daemon.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._daemon.send_signal(signal.SIGCONT)

    def secrets(self):
        """What libsecret's own tool finds of Simple Memo, one text for each key ring."""
        found = subprocess.run(
            ["secret-tool", "search", "--all", "application", "simple-memo"], env=self._own,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=True)
        lines = found.stdout.decode().splitlines()
        return [line.removeprefix("secret = ") for line in lines if line.startswith("secret = ")]

    def _launch(self, *command, stdin=subprocess.DEVNULL):
        return subprocess.Popen(
            command, env=self._own, stdin=stdin, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def _is_owned(self, name):
        answer = self._call(
            "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.NameHasOwner", f"string:{name}", check=False)
        return b"boolean true" in answer

    def _call(self, *arguments, check=True):
        return subprocess.run(
            ["dbus-send", "--session", "--print-reply", *arguments], env=self._own,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=check).stdout
