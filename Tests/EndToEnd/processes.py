"""The real programs: a relay that can be killed and comes back, and a device."""
import json
import os
import pathlib
import re
import select
import signal
import subprocess

from agents import agents_of, kill_agents_of
from waiting import SECONDS, wait_until

BIN = pathlib.Path(os.environ["MEMO_BIN_DIR"]).resolve()


class Relay:
    """`memo-relay serve` on a port that stays the same across restarts; `data` is the place of its data, if that
    is not its folder."""

    def __init__(self, folder, mail, *options, data=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.log_path = self.folder.parent / f"{self.folder.name}.log"
        self._options = ["--data", data or str(self.folder), "--mail", mail, *options]
        self._port = 0
        self.process = None
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}"

    def command(self):
        return [BIN / "memo-relay", "serve", "--port", str(self._port), *self._options]

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        line = self.process.stdout.readline().decode() if ready else ""
        match = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line)
        assert match, f"the relay did not start: {self.log_path.read_text()[-2000:]}"
        self._port = int(match[1])

    def use_mail(self, mail):
        """Hands mails over elsewhere from the next start on."""
        self._options[self._options.index("--mail") + 1] = mail

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self._reap()

    def stop(self):
        """Ends it gracefully; answers the exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        return self._reap()

    def _reap(self):
        code = self.process.wait(SECONDS)
        self.process.stdout.close()
        return code


class Device:
    """A person's data folder and the commands run on it."""

    def __init__(self, home):
        self.home = pathlib.Path(home)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home.parent), "LANG": "C.UTF-8",
            "MEMO_HOME": str(self.home), "SWIFT_BACKTRACE": "enable=no",
        }

    def run(self, *arguments, stdin=b"", check=True):
        result = subprocess.run(
            [BIN / "memo", *arguments], input=stdin, env=self.environment, timeout=SECONDS,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check and result.returncode:
            raise AssertionError(f"exit {result.returncode}: {result.stderr.decode()}")
        return result

    def json(self, *arguments, **options):
        return json.loads(self.run(*arguments, "--json", **options).stdout)

    def sign_in(self, address, relay, codes):
        """Signs in with the code that arrives; `codes` answers the codes mailed so far."""
        known = len(codes())
        login = subprocess.Popen(
            [BIN / "memo", "login", address, "--relay", relay.url], env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        code = wait_until(
            lambda: codes()[known:] or (login.poll() and ["none"]), "a code is mailed")
        _, errors = login.communicate(f"{code[-1]}\n".encode(), timeout=SECONDS)
        assert login.returncode == 0, errors.decode()

    def agents(self):
        return agents_of(self.home)

    def kill_agents(self):
        return kill_agents_of(self.home)

    def deliver(self):
        """Calls an agent and waits until nothing is queued."""
        subprocess.run(
            [BIN / "memo", "agent"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, timeout=SECONDS)
        self.wait_for_agents()

    def wait_for_agents(self):
        """Waits until no agent runs."""
        wait_until(lambda: not self.agents(), "the agents have ended")


def mailed_codes(inbox):
    codes = []
    for message in inbox.messages():
        if "code" in message["Subject"]:
            codes += re.findall(r"^(\d{6,10})$", message.get_payload(decode=True).decode(), re.M)
    return codes
