"""A session bus and GNOME Keyring of the tests' own, away from the person's."""
import shutil
import signal
import subprocess

from required import required
from session_bus import SessionBus
from waiting import SECONDS, wait_until

class Keyring:
    """Nothing on the bus can start a service or ask a person: what is asked counts as dismissed."""

    def __init__(self, folder):
        for tool in ("gnome-keyring-daemon", "secret-tool"):
            required(shutil.which(tool), tool)
        self._bus = SessionBus(folder)
        self.environment = self._bus.environment
        self._daemon = None
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._daemon:
            self._daemon.kill()
            self._daemon.wait()
        self._bus.__exit__()

    def start(self):
        """Starts the daemon; its collection is unlocked."""
        self._daemon = self._bus.launch(
            "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets",
            stdin=subprocess.PIPE)
        self._daemon.stdin.write(b"password")
        self._daemon.stdin.close()
        wait_until(lambda: self._bus.is_owned("org.freedesktop.secrets"), "the keyring answers")

    def kill(self):
        self._daemon.kill()
        self._daemon.wait(SECONDS)
        self._daemon = None
        wait_until(lambda: not self._bus.is_owned("org.freedesktop.secrets"), "the bus knows")

    def lock(self):
        self._bus.call(
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
            ["secret-tool", "search", "--all", "application", "simple-memo"], env=self._bus.own,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=True)
        lines = found.stdout.decode().splitlines()
        return [line.removeprefix("secret = ") for line in lines if line.startswith("secret = ")]
