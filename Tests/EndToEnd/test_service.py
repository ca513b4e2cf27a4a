"""`memo agent install`, `uninstall` and `status`, with a real systemd and without one."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from inbox import Inbox, MailServer
from processes import BIN, Device, Relay, mailed_codes
from required import required
from user_manager import UserManager, can_run
from waiting import SECONDS, wait_until

SERVICE, TIMER = "simple-memo-agent.service", "simple-memo-agent.timer"
UNAVAILABLE, CANNOT_CREATE = 69, 73


def contents(folder):
    """The paths below a folder, with what files hold and where links lead."""
    return {
        str(path.relative_to(folder)):
            os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        for path in pathlib.Path(folder).rglob("*")}


class ServiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="memo-service-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.units = self.home / ".config/systemd/user"
        self.device = Device(self.home / "memos")
        self.device.environment["MEMO_KEY_STORE"] = "file"
        self.addCleanup(self.device.kill_agents)

    def agent(self, *arguments, **options):
        return self.device.run("agent", *arguments, check=False, **options)


class WithoutAServiceManager(ServiceTest):
    """No systemd answers: there is none, or nobody has logged in."""

    def test_what_is_installed_waits_for_a_service_manager_which_is_said(self):
        result = self.agent("install")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("No service manager answers here", result.stderr.decode())
        self.assertEqual(len(list(self.units.rglob("simple-memo-agent.*"))), 4)
        for unit in (SERVICE, TIMER):
            self.assertIn(f"Written: {self.units / unit}\n", result.stderr.decode())
        status = self.agent("status")
        self.assertEqual(status.returncode, UNAVAILABLE)
        self.assertIn("No service manager answers here", status.stdout.decode())
        self.assertEqual(json.loads(self.agent("status", "--json").stdout)["timer"], "unreachable")

    def test_a_second_installation_changes_nothing(self):
        self.agent("install")
        before = contents(self.home), (self.units / SERVICE).stat().st_mtime_ns
        result = self.agent("install", "--json")
        self.assertEqual(result.stderr, b"")
        again = json.loads(result.stdout)
        self.assertEqual({each["change"] for each in again["changes"]}, {"unchanged"})
        self.assertEqual((contents(self.home), (self.units / SERVICE).stat().st_mtime_ns), before)

    def test_a_removal_leaves_nothing_and_other_units_alone(self):
        other = self.units / "default.target.wants/other.service"
        other.parent.mkdir(parents=True)
        other.write_text("[Service]\n")
        before = contents(self.home)
        self.agent("install")
        result = self.agent("uninstall")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.decode().count("Removed: "), 4)
        self.assertEqual(contents(self.home), before)
        again = self.agent("uninstall")
        self.assertEqual((again.returncode, again.stderr.count(b"Removed")), (0, 0))

    def test_a_file_of_a_person_is_neither_replaced_nor_removed(self):
        self.units.mkdir(parents=True)
        (self.units / TIMER).write_text("[Timer]\nOnCalendar=daily\n")
        before = contents(self.home)
        result = self.agent("install")
        self.assertEqual(result.returncode, CANNOT_CREATE)
        self.assertIn("Nothing was changed", result.stderr.decode())
        self.assertEqual(contents(self.home), before)
        self.assertEqual(json.loads(self.agent("status", "--json").stdout)["service"], "foreign")
        self.assertIn("Kept", self.agent("uninstall").stderr.decode())
        self.assertEqual(contents(self.home), before)

    def test_a_service_that_is_not_installed_or_outdated_has_a_status_for_scripts(self):
        missing = self.agent("status")
        self.assertEqual(missing.returncode, UNAVAILABLE)
        self.assertIn("run: memo agent install", missing.stdout.decode())
        self.agent("install")
        with open(self.units / SERVICE, "a") as unit:
            unit.write("# of another version\n")
        result = json.loads(self.agent("status", "--json").stdout)
        self.assertEqual((result["service"], result["path"]), ("outdated", str(self.units / SERVICE)))

    def test_a_service_is_removed_whatever_it_would_run_today(self):
        self.agent("install")
        self.device.environment["MEMO_HOME"] += "\n"
        refused = self.agent("install")
        self.assertEqual(refused.returncode, CANNOT_CREATE)
        self.assertIn("Nothing was changed", refused.stderr.decode())
        self.assertEqual(self.agent("uninstall").returncode, 0)
        self.assertEqual(contents(self.home / ".config"), {})

    def test_a_program_in_a_folder_that_systemd_refuses_is_not_installed(self):
        folder = self.folder / 'ann\'s "programs"'
        folder.mkdir()
        agent = shutil.copy(BIN / "memo-agent", folder)
        result = subprocess.run(
            [agent, "install"], env=self.device.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual(result.returncode, CANNOT_CREATE)
        self.assertIn("quotation mark", result.stderr.decode())
        self.assertEqual(contents(self.home), {})


class OddNames(ServiceTest):
    """Folders have names that systemd could misread."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="memo-service-programs-")
        cls.addClassCleanup(folder.cleanup)
        cls.programs = pathlib.Path(folder.name) / "bin 100% $PATH %u ü"
        cls.lone = pathlib.Path(folder.name) / "without an agent"
        for path in (cls.programs / "memo", cls.programs / "memo-agent", cls.lone / "memo"):
            path.parent.mkdir(exist_ok=True)
            shutil.copy(BIN / path.name, path)

    def setUp(self):
        super().setUp()
        self.device = Device(self.home / 'memos "of" 100% $HOME \\ %h ü')
        self.device.environment["MEMO_KEY_STORE"] = "file"
        self.addCleanup(self.device.kill_agents)

    def install_offline(self):
        result = subprocess.run(
            [self.programs / "memo", "agent", "install"], env=self.device.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual(result.returncode, 0, result.stderr)


class Units(OddNames):
    """What systemd says of the units where none can be run."""

    def test_systemd_finds_nothing_wrong_with_the_units(self):
        required(shutil.which("systemd-analyze"), "systemd-analyze")
        self.install_offline()
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700)
        result = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", self.units / SERVICE, self.units / TIMER],
            env=self.device.environment | {"XDG_RUNTIME_DIR": str(runtime)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual((result.returncode, result.stderr), (0, b""))


class WithSystemd(OddNames):
    """A real systemd."""

    @classmethod
    def setUpClass(cls):
        required(can_run(), "systemd and root, to run a service manager of its own")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.manager = UserManager(self.home, self.folder / "runtime")
        self.addCleanup(self.manager.shut_down)

    def memo(self, *arguments):
        """Runs memo where the service manager runs."""
        return self.manager.inside(
            [self.programs / "memo", *arguments], self.device.environment | {
                "XDG_RUNTIME_DIR": str(self.manager.runtime)})

    def signed_in(self):
        inbox = Inbox()
        server = MailServer(inbox)
        self.addCleanup(server.__exit__, None, None, None)
        server.__enter__()
        relay = Relay(self.folder / "relay", server.url)
        self.addCleanup(relay.stop)
        self.device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
        return relay, inbox

    def store(self, text):
        """Stores a memo, and starts no agent: there is none beside memo."""
        subprocess.run(
            [self.lone / "memo", text], env=self.device.environment | {"PATH": "/nonexistent"}, check=True,
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)

    def arrives(self, inbox, *texts):
        wait_until(
            lambda: sorted(inbox.memos()) == sorted(text.encode() for text in texts),
            lambda: f"{texts} have arrived: {inbox.memos()}; " + self.manager.log())

    def test_what_waited_leaves_after_a_restart_though_nobody_calls_memo(self):
        relay, inbox = self.signed_in()
        self.install_offline()
        relay.kill()
        # This memo's agent is at work when the machine goes down.
        self.device.run("before the restart")
        wait_until(self.device.agents, "an agent runs")
        self.device.kill_agents()
        wait_until(lambda: not self.device.agents(), "the agent is gone")
        relay.start()
        self.manager.boot()
        self.arrives(inbox, "before the restart")

    def test_the_timer_starts_the_agent_again_though_nobody_calls_memo(self):
        _, inbox = self.signed_in()
        short = self.units / f"{TIMER}.d/short.conf"
        short.parent.mkdir(parents=True)
        short.write_text("[Timer]\nOnUnitInactiveSec=\nOnUnitInactiveSec=1s\nAccuracySec=1ms\n")
        self.manager.boot()
        installed = self.memo("agent", "install")
        self.assertEqual(installed.returncode, 0, installed.stderr)
        self.assertIn("every 15 minutes", installed.stderr.decode())
        for number in range(2):
            # No agent runs that storing the memo could call.
            wait_until(self.device.agents, "the timer has started the agent")
            wait_until(lambda: not self.device.agents(), "the agent has ended")
            self.store(f"memo {number}")
            self.arrives(inbox, *(f"memo {each}" for each in range(number + 1)))
        state = self.manager.systemctl("show", "--property=Result", SERVICE).stdout
        self.assertEqual(state, b"Result=success\n")

    def test_nobody_signed_in_is_no_failure_of_the_service(self):
        self.install_offline()
        self.device.run("waits for a sign-in")
        self.manager.boot()
        wait_until(
            lambda: b"=69" in self.manager.systemctl("show", "--property=ExecMainStatus", SERVICE).stdout,
            "the agent has ended")
        self.assertNotEqual(self.manager.systemctl("is-failed", SERVICE).returncode, 0)

    def test_the_status_says_what_a_person_needs(self):
        self.manager.boot()
        self.assertEqual(self.memo("agent", "status").returncode, UNAVAILABLE)
        self.memo("agent", "install")
        status = self.memo("agent", "status")
        timers = self.manager.systemctl("show", "--property=TimersMonotonic", TIMER).stdout.decode()
        self.assertIn("OnUnitInactiveUSec=15min ;", timers)
        self.assertIn("OnStartupUSec=1min ;", timers)
        self.assertEqual(status.returncode, 0, status.stdout)
        self.assertIn("loginctl enable-linger", status.stdout.decode())
        user = self.manager.inside(["id", "-un"]).stdout.decode().strip()
        self.manager.inside(["touch", f"/var/lib/systemd/linger/{user}"])
        self.assertNotIn("loginctl", self.memo("agent", "status").stdout.decode())
        self.assertEqual(
            json.loads(self.memo("agent", "status", "--json").stdout),
            {"service": "current", "path": None, "timer": "active", "lingering": True})
        self.manager.systemctl("stop", TIMER)
        stopped = self.memo("agent", "status")
        self.assertEqual(stopped.returncode, UNAVAILABLE)
        self.assertIn(f"systemctl --user status {TIMER}", stopped.stdout.decode())
        self.memo("agent", "install")
        self.assertEqual(self.memo("agent", "status").returncode, 0)

    def test_a_removal_ends_the_service_and_leaves_nothing(self):
        relay, _ = self.signed_in()
        relay.kill()
        # An agent that waits for its relay runs until it is ended.
        self.store("waits")
        before = contents(self.home / ".config") if (self.home / ".config").exists() else {}
        self.manager.boot()
        self.memo("agent", "install")
        wait_until(self.device.agents, "the service's agent runs")
        removed = self.memo("agent", "uninstall")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        self.assertEqual(self.device.agents(), [])
        units = self.manager.systemctl("list-units", "--all", "--plain", "--no-legend", "simple-memo*")
        self.assertEqual(units.stdout, b"")
        self.assertEqual(contents(self.home / ".config"), before)
        self.assertEqual(len(self.device.json("outbox")), 1)
