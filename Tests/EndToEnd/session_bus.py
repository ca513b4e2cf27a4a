"""A session bus of the tests' own, away from the person's."""
import os
import pathlib
import shutil
import subprocess

from required import required
from waiting import SECONDS, wait_until

CONFIGURATION = """<busconfig><type>session</type><listen>unix:path={folder}/bus</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


class SessionBus:
    """Nothing on the bus can start a service or ask a person."""

    def __init__(self, folder):
        for tool in ("dbus-daemon", "dbus-send"):
            required(shutil.which(tool), tool)
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o700)
        (self.folder / "bus.conf").write_text(CONFIGURATION.format(folder=self.folder))
        self.environment = {
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus",
            "XDG_RUNTIME_DIR": str(self.folder),
        }
        self.own = dict(
            os.environ, **self.environment, HOME=str(self.folder),
            XDG_DATA_HOME=str(self.folder / "data"))
        self.process = self.launch(
            "dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile")
        wait_until(lambda: self.is_owned("org.freedesktop.DBus"), "the bus answers")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def launch(self, *command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
        """Starts a program on the bus."""
        return subprocess.Popen(
            command, env=self.own, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)

    def is_owned(self, name):
        """Whether a program on the bus has this name."""
        answer = self.call(
            "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.NameHasOwner", f"string:{name}", check=False)
        return b"boolean true" in answer

    def call(self, *arguments, check=True):
        """The answer to a method."""
        return subprocess.run(
            ["dbus-send", "--session", "--print-reply", *arguments], env=self.own,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=check).stdout
