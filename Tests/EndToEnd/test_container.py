"""The last stage of `deploy/Containerfile`, built offline from the programs under test."""
import contextlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.request

from inbox import Inbox, MailServer
from ports import quiet_port
from postgresql import PROGRAMS, PostgreSQL
from processes import BIN, Device, mailed_codes
from required import required
from waiting import SECONDS, wait_until

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
#: Runs a program as an ordinary user with a read-only root, as `podman run --read-only` does.
ENTER = """
set -e
mount --bind "$1" "$2"
mount -o remount,ro,bind "$2"
mount --bind "$3" "$2/data"
mount -t tmpfs tmpfs "$2/tmp"
mount --bind /proc "$2/proc"
[ -z "${SOCKET-}" ] || mount --bind "$SOCKET" "$2/var/run/postgresql"
root=$2
shift 3
exec setpriv --no-new-privs -- chroot --userspec=10001:10001 "$root" "$@"
"""


def run(*command, **options):
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=SECONDS, text=True, **options)


class Container(unittest.TestCase):
    def setUp(self):
        required(os.geteuid() == 0, "root: a root folder of the container's own")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.image = self.folder / "image"
        collected = run(DEPLOY / "image", BIN / "memo-relay", self.image)
        self.assertEqual(collected.returncode, 0, collected.stderr)

    def inside(self, root, data, *command):
        """The command that runs a program of the image."""
        place = self.folder / "root"
        place.mkdir(exist_ok=True)
        return ["unshare", "--mount", "--propagation", "private", "bash", "-c", ENTER, "enter",
                root, place, data, *command]

    def test_a_relay_with_a_read_only_root_and_no_privileges_serves_and_is_backed_up(self):
        data = self.folder / "data"
        data.mkdir(mode=0o700)
        os.chown(data, 10001, 10001)
        program = "/usr/local/bin/memo-relay"
        port = quiet_port()
        with contextlib.ExitStack() as stack:
            inbox = Inbox()
            server = stack.enter_context(MailServer(inbox))
            log = stack.enter_context(open(self.folder / "log", "wb"))
            relay = subprocess.Popen(
                self.inside(self.image, data, program, "serve", "--data", "/data", "--mail",
                            server.url, "--port", str(port)),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            stack.callback(relay.wait, SECONDS)
            stack.callback(relay.send_signal, signal.SIGTERM)
            url = f"http://127.0.0.1:{port}"

            def is_ready():
                self.assertIsNone(relay.poll(), (self.folder / "log").read_text())
                with contextlib.suppress(OSError), urllib.request.urlopen(url + "/readyz") as answer:
                    return answer.status == 200
            wait_until(is_ready, "the relay is ready")
            status = pathlib.Path(f"/proc/{relay.pid}/status").read_text()
            for privilege in [r"Uid:(\s10001){4}\n", r"CapEff:\s0+\n", r"NoNewPrivs:\s1\n"]:
                self.assertRegex(status, privilege)
            device = Device(self.folder / "device")
            stack.callback(device.kill_agents)
            device.sign_in(
                "owner@example.org", type("Served", (), {"url": url}), lambda: mailed_codes(inbox))
            device.run("from the container")
            wait_until(lambda: inbox.memos() == [b"from the container"], "the memo arrives")
            result = run(*self.inside(
                self.image, data, program, "backup", "--data", "/data", "/data/copy"))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            written = run(*self.inside(
                self.image, data, program, "backup", "--data", "/data", "/copy"))
            self.assertEqual(written.returncode, 1)
        self.assertEqual(relay.returncode, 0)

    def test_the_relay_of_compose_serves_with_its_arguments_in_its_container(self):
        required(importlib.util.find_spec("yaml"), "Python's yaml (Debian's python3-yaml)")
        import yaml
        compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
        self.assertEqual(set(compose["services"]), {"relay", "proxy"})
        for service in compose["services"].values():
            # What `inside` gives the program.
            self.assertTrue(service["read_only"])
            self.assertEqual((service["network_mode"], service["tmpfs"]), ("host", ["/tmp"]))
            self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
            for volume in service["volumes"]:
                source = volume.split(":")[0]
                self.assertTrue(
                    source in compose["volumes"] or (DEPLOY / source).is_file(), source)
        relay = compose["services"]["relay"]
        self.assertEqual((relay["user"], relay["cap_drop"]), ("10001:10001", ["ALL"]))
        self.assertEqual((relay["secrets"], list(compose["secrets"])), (["memo-relay"],) * 2)
        port, data, inbox = quiet_port(), self.folder / "data", Inbox()
        data.mkdir(mode=0o700)
        secrets = self.image / "run/secrets"
        secrets.mkdir(parents=True)
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(MailServer(inbox))
            example = (DEPLOY / "memo-relay.settings").read_text()
            for name, value in [("port", port), ("mail", server.url), ("metrics-port", 0)]:
                example, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", example, flags=re.M)
                self.assertEqual(count, 1, name)
            example = re.sub(r"^smtp-.*\n", "", example, flags=re.M)
            settings = secrets / "memo-relay"
            settings.write_text(example)
            settings.chmod(0o600)
            for path in (data, settings):
                os.chown(path, 10001, 10001)
            log = stack.enter_context(open(self.folder / "log", "wb"))
            process = subprocess.Popen(
                self.inside(self.image, data, "/usr/local/bin/memo-relay", *relay["command"]),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            stack.callback(process.wait, SECONDS)
            stack.callback(process.send_signal, signal.SIGTERM)
            self.wait_until_ready(process, port)
            self.assertTrue((data / "relay.sqlite").is_file())
        self.assertEqual(process.returncode, 0)

    def test_the_relay_of_compose_serves_from_its_database_as_a_role_that_can_change_no_table(self):
        required(PROGRAMS, "PostgreSQL")
        required(importlib.util.find_spec("yaml"), "Python's yaml (Debian's python3-yaml)")
        import yaml
        compose = yaml.safe_load((DEPLOY / "compose.postgresql.yaml").read_text())
        services = compose["services"]
        self.assertEqual(set(services), {"database", "tables", "relay"})
        made = {"./database-passwords.sql", "./database-admin", "./owner.settings"}
        for name, service in services.items():
            if name != "relay":
                self.assertTrue(service["read_only"])
                self.assertEqual((service["network_mode"], service["cap_drop"]), ("none", ["ALL"]))
                self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
            for volume in service["volumes"]:
                source = volume.split(":")[0]
                self.assertTrue(
                    source in {*compose["volumes"], "data", *made} or (DEPLOY / source).is_file(), source)
        self.assertEqual({secret["file"] for secret in compose["secrets"].values()} - made, set())
        database = PostgreSQL(configuration=DEPLOY / "postgresql.conf")
        self.addCleanup(database.close)
        database.run_script(DEPLOY / "roles.sql")
        # The example's password is refused.
        passwords, count = re.subn("'replace-me(-too)?'", r"'edited\1'", (DEPLOY / "passwords.sql").read_text())
        self.assertEqual(count, 2)
        (self.folder / "passwords.sql").write_text(passwords)
        database.run_script(self.folder / "passwords.sql")
        database.require_passwords("memo_owner", "memo_relay")
        data, secrets = self.folder / "data", self.image / "run/secrets"
        data.mkdir(mode=0o700)
        secrets.mkdir(parents=True)
        (self.image / "var/run/postgresql").mkdir(parents=True)
        port, inbox = quiet_port(), Inbox()
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(MailServer(inbox))
            for name, role, settings in (
                    ("memo-owner", "memo_owner", ""),
                    ("memo-relay", "memo_relay", f"port = {port}\nmail = {server.url}\n")):
                password = re.search(rf"{role} PASSWORD '(.+)'", passwords)[1]
                (secrets / name).write_text(f"{settings}database-password = {password}\n")
                (secrets / name).chmod(0o600)
            for path in (data, *secrets.iterdir()):
                os.chown(path, 10001, 10001)
            environment = {**os.environ, "SOCKET": str(database.folder)}

            def command(name):
                # Debian's program has another database than the container's.
                words = [re.sub(r"^(postgres://.*)/memo$", r"\1/postgres", word)
                         for word in services[name]["command"]]
                return self.inside(self.image, data, "/usr/local/bin/memo-relay", *words)
            early = run(*command("relay"), env=environment)
            self.assertEqual(early.returncode, 1)
            self.assertIn("memo-relay migrate", early.stderr)
            tables = run(*command("tables"), env=environment)
            self.assertEqual((tables.returncode, tables.stderr), (0, ""))
            log = stack.enter_context(open(self.folder / "log", "wb"))
            process = subprocess.Popen(
                command("relay"), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
            stack.callback(process.wait, SECONDS)
            stack.callback(process.send_signal, signal.SIGTERM)
            self.wait_until_ready(process, port)
            self.assertEqual(database.ask("SELECT count(*) FROM relay_secret"), "1")
            self.assertEqual((data / "key").stat().st_mode & 0o777, 0o600)
        self.assertEqual(process.returncode, 0)

    def wait_until_ready(self, process, port):
        """Waits for the relay of `process`, whose log is in the test's folder."""
        def is_ready():
            self.assertIsNone(process.poll(), (self.folder / "log").read_text())
            with contextlib.suppress(OSError), urllib.request.urlopen(
                    f"http://127.0.0.1:{port}/readyz") as answer:
                return answer.status == 200
        wait_until(is_ready, "the relay is ready")

    def test_the_image_has_no_program_but_the_relay(self):
        programs = {path.name for path in self.image.rglob("*")
                    if path.is_file() and os.access(path, os.X_OK) and ".so" not in path.name}
        self.assertEqual(programs, {"memo-relay"})
        wide = [path for path in self.image.rglob("*")
                if not path.is_symlink() and path.stat().st_mode & 0o6002 and path.name != "tmp"]
        self.assertEqual(wide, [])

    def test_the_last_stage_builds_and_runs_as_an_ordinary_user(self):
        required(shutil.which("buildah"), "buildah")
        text = (DEPLOY / "Containerfile").read_text()
        self.assertEqual(re.findall(r"^COPY --from=(\S+) (\S+) ", text, re.M), [("build", "/image")])
        (self.folder / "Containerfile").write_text(text[text.rindex("\nFROM "):])
        (self.folder / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        buildah = ["buildah", "--storage-driver=vfs", f"--root={self.folder}/storage",
                   f"--runroot={self.folder}/run"]
        built = run(
            *buildah, "build", "--isolation=chroot", f"--build-context=build={self.folder}",
            f"--signature-policy={self.folder}/policy.json", "--tag=relay",
            f"--file={self.folder}/Containerfile", self.folder)
        self.assertEqual(built.returncode, 0, built.stderr)
        image = json.loads(run(*buildah, "inspect", "--type=image", "relay").stdout)
        config = image["OCIv1"]["config"]
        self.assertEqual(config["User"], "10001:10001")
        self.assertEqual(config["Entrypoint"], ["/usr/local/bin/memo-relay"])
        self.assertEqual(list(config["Volumes"]), ["/data"])
        container = run(
            *buildah, "from", f"--signature-policy={self.folder}/policy.json", "relay").stdout.strip()
        root = pathlib.Path(run(*buildah, "mount", container).stdout.strip())
        self.addCleanup(run, *buildah, "umount", container)
        data = self.folder / "data"
        data.mkdir()
        shown = run(*self.inside(
            root, data, *config["Entrypoint"], "check-config", "--data", "/data", "--mail",
            "smtp://127.0.0.1"))
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("data = /data  (option)", shown.stdout)
        # The user of the image owns the folder that a new volume is a copy of.
        self.assertEqual(((root / "data").stat().st_uid, (root / "data").stat().st_mode & 0o777),
                         (10001, 0o700))


if __name__ == "__main__":
    unittest.main()
