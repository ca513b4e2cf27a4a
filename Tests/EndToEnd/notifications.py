"""A desktop that shows notifications, on the tests' session bus."""
import json
import pathlib
import subprocess

from required import required
from waiting import SECONDS, wait_until

NAME = "org.freedesktop.Notifications"
SERVER = pathlib.Path(__file__).parent / "notification_server.py"
#: Debian's Python, which has D-Bus.
PYTHON = "/usr/bin/python3"


class Notifications:
    """Shows notifications, and tells of them what a test says. `mode`: see notification_server.py."""

    def __init__(self, bus, mode="buttons"):
        known = subprocess.run(
            [PYTHON, "-c", "import dbus, gi"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        required(known.returncode == 0, "python3-dbus and python3-gi")
        self._bus = bus
        self._log = pathlib.Path(bus.folder) / "notifications"
        with open(self._log, "ab") as log:
            self._process = bus.launch(
                PYTHON, SERVER, mode, stdin=subprocess.PIPE, stdout=log)
        wait_until(lambda: bus.is_owned(NAME), "the notification server answers")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()

    def calls(self, method):
        """The arguments of the calls of a method so far."""
        lines = self._log.read_text().splitlines(keepends=True)
        calls = [json.loads(line) for line in lines if line.endswith("\n")]
        return [call[1:] for call in calls if call[0] == method]

    def shown(self):
        """The notifications so far: number, replaced number, text, buttons, urgency."""
        return self.calls("Notify")

    def press(self, number, button="send-again"):
        """The person presses a button, and the server closes the notification."""
        self._tell("ActionInvoked", number, button)
        self.dismiss(number)

    def dismiss(self, number):
        """The person closes a notification."""
        self._tell("NotificationClosed", number, 2)

    def kill(self):
        self._process.kill()
        self._process.wait(SECONDS)
        wait_until(lambda: not self._bus.is_owned(NAME), "the bus knows")

    def _tell(self, *signal):
        self._process.stdin.write(json.dumps(signal).encode() + b"\n")
        self._process.stdin.flush()
