"""The unit of systemd and the settings that `deploy/` gives an operator."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

from inbox import Mails
from ports import quiet_port
from processes import BIN, Device, Relay, mailed_codes
from required import required
from user_manager import UserManager, can_run
from waiting import SECONDS, wait_until

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
UNIT = "memo-relay.service"
#: The exposure that systemd computes, from 0 to 10, must stay below.
EXPOSURE = 2.0
#: The exit status of a service whose namespace the kernel refuses (systemd.exec(5)).
NAMESPACE = "226"
PROGRAM = "/usr/local/bin/memo-relay"


def run(*command, **options):
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=SECONDS, text=True, **options)


class Maildir(Mails):
    def __init__(self, folder):
        self._folder = folder

    def raw(self):
        return [path.read_bytes() for path in self._folder.glob("new/*")]


class RelayUnit(unittest.TestCase):
    def setUp(self):
        self.folder = self.temporary_folder()
        self.text = (DEPLOY / UNIT).read_text()

    def temporary_folder(self, **options):
        folder = tempfile.TemporaryDirectory(prefix="memo-unit-", **options)
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def test_systemd_finds_nothing_wrong_with_the_unit(self):
        required(shutil.which("systemd-analyze"), "systemd-analyze")
        unit = self.folder / UNIT
        unit.write_text(self.text.replace(PROGRAM, str(BIN / "memo-relay")))
        result = run("systemd-analyze", "verify", "--man=no", unit)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_every_page_of_the_manual_that_a_unit_names_is_installed(self):
        for unit in DEPLOY.glob("*.service"):
            section = re.search(r"^Documentation=man:memo-relay\((\d)\)$", unit.read_text(), re.M)[1]
            self.assertIn(
                f"man{section}/memo-relay.{section}",
                run("bash", "-c", ". scripts/lib/documents.sh && page_of memo-relay",
                    cwd=DEPLOY.parent).stdout)

    def test_systemd_finds_nothing_wrong_with_the_backup(self):
        required(shutil.which("systemd-analyze"), "systemd-analyze")
        for name in ["memo-relay-backup.service", "memo-relay-backup.timer"]:
            shutil.copyfile(DEPLOY / name, self.folder / name)
        result = run("systemd-analyze", "verify", "--man=no",
                     self.folder / "memo-relay-backup.service", self.folder / "memo-relay-backup.timer")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_folder_of_the_backups_is_the_relays_own(self):
        required(shutil.which("systemd-tmpfiles") and can_run(), "systemd-tmpfiles and root")
        root = self.folder / "root"
        (root / "etc").mkdir(parents=True)
        (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nmemo-relay:x:4711:4712::/:/bin/sh\n")
        (root / "etc/group").write_text("root:x:0:\nmemo-relay:x:4712:\n")
        (root / "etc/tmpfiles.d").mkdir()
        shutil.copyfile(DEPLOY / "memo-relay.tmpfiles", root / "etc/tmpfiles.d/memo-relay.conf")
        result = run("systemd-tmpfiles", f"--root={root}", "--create", "memo-relay.conf")
        self.assertEqual(result.returncode, 0, result.stderr)
        made = (root / "var/backups/memo-relay").stat()
        self.assertEqual(
            (made.st_uid, made.st_gid, made.st_mode & 0o777), (4711, 4712, 0o700))

    def test_the_backup_of_the_timer_is_whole_and_the_newest_48_stay(self):
        relay = Relay(self.folder / "data", f"maildir:{self.folder}/mail")
        self.addCleanup(relay.stop)
        backups = self.folder / "backups"
        backups.mkdir(mode=0o700)

        def perform(key):
            """What systemd makes of a line of the unit."""
            line = re.search(rf"^{key}=/bin/sh -c '(.*)'$",
                             (DEPLOY / "memo-relay-backup.service").read_text(), re.M)[1]
            for written, here in [("/var/backups/memo-relay", str(backups)), (PROGRAM, str(BIN / "memo-relay")),
                                  ("/var/lib/memo-relay", str(relay.folder))]:
                line = line.replace(written, here)
            result = run("/bin/sh", "-c", line.replace("%%", "%").replace("$$", "$"))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        perform("ExecStart")
        made, = backups.iterdir()
        self.assertRegex(made.name, r"^\d{4}-\d\d-\d\d-\d{6}$")
        self.assertEqual({path.name for path in made.iterdir()}, {"relay.sqlite", "key"})
        older = [f"2026-01-{day:02}-{hour:02}0000" for day in (1, 2) for hour in range(24)]
        kept = ["before-upgrade", "2026-01-01-000000.unfinished-abcdef"]
        for name in older + kept:
            (backups / name).mkdir()
            (backups / name / "key").write_text("")
        perform("ExecStartPost")
        self.assertEqual(
            {path.name for path in backups.iterdir()}, {made.name, *older[1:], *kept})

    def test_the_exposure_that_systemd_computes_stays_low(self):
        required(shutil.which("systemd-analyze"), "systemd-analyze")
        unit = self.folder / UNIT
        for text, is_fine in [(self.text, True), (self.text.replace("SystemCallFilter", "#"), False)]:
            unit.write_text(text)
            result = run(
                "systemd-analyze", "security", "--no-pager", "--offline=true",
                f"--threshold={EXPOSURE * 10:.0f}", unit)
            self.assertIn("Overall exposure level", result.stdout)
            self.assertEqual(result.returncode == 0, is_fine, result.stdout[-200:])

    def test_the_settings_are_taken_once_the_password_is_private(self):
        settings = self.folder / "settings"
        example = (DEPLOY / "memo-relay.settings").read_text()
        settings.write_text(example)
        settings.chmod(0o600)
        refused = run(BIN / "memo-relay", "check-config", "--config", settings)
        self.assertEqual(refused.returncode, 64)
        self.assertIn("smtp-password is still that of the example", refused.stderr)
        # Which systemd takes for a mistake in the settings: it does not start the relay again.
        self.assertIn(f"\nRestartPreventExitStatus={refused.returncode}\n", self.text)
        settings.write_text(example.replace("replace-me", "of-my-own"))
        result = run(BIN / "memo-relay", "check-config", "--config", settings)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("smtp-password = not shown", result.stdout)
        self.assertIn("trusted-proxies = 1", result.stdout)
        settings.chmod(0o640)
        self.assertEqual(
            run(BIN / "memo-relay", "check-config", "--config", settings).returncode, 64)

    def test_nginx_has_the_rates_of_the_relay(self):
        settings, nginx = (
            (DEPLOY / name).read_text() for name in ("memo-relay.settings", "nginx.conf"))
        rate = int(re.search(r"^network-requests = (\d+)$", settings, re.M)[1])
        self.assertEqual(re.findall(r" rate=(\d+)r/s;", nginx), [str(rate), str(4 * rate)])
        self.assertEqual(re.findall(r" burst=(\d+) ", nginx), [str(10 * rate), str(40 * rate)])

    def test_unit_settings_and_user_name_the_same_places(self):
        settings = (DEPLOY / "memo-relay.settings").read_text()
        state = re.search(r"^StateDirectory=(.+)$", self.text, re.M)[1]
        self.assertEqual(re.search(r"^data = (.+)$", settings, re.M)[1], f"/var/lib/{state}")
        user = re.search(r"^u (\S+) - \"[^\"]+\" (\S+)", (DEPLOY / "memo-relay.sysusers").read_text(),
                         re.M)
        self.assertEqual(user[1], re.search(r"^User=(.+)$", self.text, re.M)[1])
        self.assertEqual(user[2], f"/var/lib/{state}")

    def test_the_relay_works_within_the_sandbox_and_ends_cleanly(self):
        required(can_run(), "systemd and root, to run a service manager of its own")
        # The unit has a /tmp of its own, and sees no other.
        shared = self.temporary_folder(dir="/srv")
        home, runtime = shared / "home", shared / "runtime"
        units = home / ".config/systemd/user"
        units.mkdir(parents=True)
        manager = UserManager(home, runtime)
        self.addCleanup(manager.shut_down)
        for number, line in enumerate(self.hardening()):
            (units / f"probe-{number}.service").write_text(
                f"[Service]\nType=oneshot\nExecStart=/bin/true\n{line}\n")
        manager.boot()
        # A machine of tests may be a sandbox itself, whose kernel refuses some of it.
        refused = []
        for number, line in enumerate(self.hardening()):
            if manager.systemctl("start", f"probe-{number}.service").returncode:
                status = manager.systemctl(
                    "show", "--value", "--property=ExecMainStatus", f"probe-{number}.service")
                self.assertEqual(status.stdout.strip().decode(), NAMESPACE, line)
                refused.append(line)
        self.assertLess(len(refused), 6, refused)

        port = quiet_port()
        data, mail = home / ".config/memo-relay", home / ".config/memo-relay/Mail"
        settings = shared / "settings"
        settings.write_text(
            f"data = {data}\nmail = maildir:{mail}\nport = {port}\n"
            "smtp-user = nobody\nsmtp-password = nothing\n")
        settings.chmod(0o600)
        text = self.text.replace(PROGRAM, str(BIN / "memo-relay"))
        # A person's manager hands credentials to no user but its own, and none at all where the
        # kernel refuses its mounts: the relay reads the file itself.
        text = text.replace("${CREDENTIALS_DIRECTORY}", str(shared))
        text = re.sub("^LoadCredential=.*\n", "", text, flags=re.M)
        text = text.replace("[Service]\n", f"[Service]\nStandardError=append:{shared}/log\n")
        text = text.replace("User=memo-relay", "User=nobody")
        text = text.replace("Group=memo-relay", "Group=nogroup")
        shutil.chown(settings, "nobody", "nogroup")
        for path in [shared, *data.parents[:2]]:
            path.chmod(0o755)
        for line in refused:
            text = text.replace(f"\n{line}\n", "\n")
        (units / UNIT).write_text(text)
        manager.systemctl("daemon-reload")
        started = manager.systemctl("start", UNIT)
        self.assertEqual(started.returncode, 0, started.stderr)

        def log():
            return (shared / "log").read_text()
        relay = type("Served", (), {"url": f"http://127.0.0.1:{port}"})
        wait_until(lambda: self.answers(relay.url) or "memo-relay: " in log(), "the relay serves")
        self.assertTrue(self.answers(relay.url), log())
        self.assertEqual(data.stat().st_mode & 0o777, 0o700)

        inbox = Maildir(mail)
        device = Device(self.folder / "device")
        self.addCleanup(device.kill_agents)
        device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
        device.run("within the sandbox")
        wait_until(lambda: inbox.memos() == [b"within the sandbox"], "a memo arrives")
        device.wait_for_agents()

        stopped = manager.systemctl("stop", UNIT)
        self.assertEqual(stopped.returncode, 0, stopped.stderr)
        result = manager.systemctl("show", "--value", "--property=Result", UNIT)
        self.assertEqual(result.stdout, b"success\n", log())

    def hardening(self):
        """The lines behind the blank line of [Service], each of which restricts the relay."""
        service = self.text.split("[Service]\n")[1].split("\n[Install]")[0]
        lines = service.split("\n\n")[1].strip().splitlines()
        self.assertGreater(len(lines), 25)
        return lines

    @staticmethod
    def answers(url):
        try:
            with urllib.request.urlopen(url + "/readyz", timeout=SECONDS) as answer:
                return answer.status == 200
        except OSError:
            return False


if __name__ == "__main__":
    unittest.main()
