"""nginx and Caddy as `deploy/` sets them up, in front of a relay, with a certificate of a test's own."""
import contextlib
import ctypes
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess

from ports import quiet_port
from required import required
from waiting import SECONDS, wait_until

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
HOST = "relay.example.org"
#: The certificates that libcurl of Debian trusts.
TRUSTED = "/etc/ssl/certs/ca-certificates.crt"
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000
LIBC = ctypes.CDLL(None, use_errno=True)


def call(function, *arguments):
    if function(*arguments):
        raise OSError(ctypes.get_errno(), function.__name__)


def trust(certificate, hosts):
    """Lets this thread, and the programs that it starts, trust a certificate and know hosts, for good.

    They get a mount namespace of their own, in which other files are /etc/hosts and the trusted
    certificates. Each file of tests runs in a process of its own, see run.py.
    """
    required(os.geteuid() == 0, "root: programs that trust a certificate of the test's own")
    call(LIBC.unshare, CLONE_NEWNS)
    call(LIBC.mount, b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    for source, target in [(certificate, TRUSTED), (hosts, "/etc/hosts")]:
        call(LIBC.mount, os.fsencode(source), target.encode(), None, MS_BIND, None)


class Certificate:
    """A certificate of `HOST` that signs itself."""

    def __init__(self, folder):
        required(shutil.which("openssl"), "openssl")
        self.path, self.key = pathlib.Path(folder, "certificate"), pathlib.Path(folder, "key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", f"/CN={HOST}", "-addext",
             f"subjectAltName=DNS:{HOST}", "-keyout", self.key, "-out", self.path],
            check=True, stderr=subprocess.DEVNULL)


def replaced(text, pattern, by, least=1):
    """The text with every match replaced; a setting that is not there makes the test fail."""
    text, count = re.subn(pattern, by, text, flags=re.M)
    assert count >= least, f"{pattern} is in the example {count} times"
    return text


class Proxy:
    """A proxy that listens on a port of loopback."""

    def __init__(self, folder, certificate):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.certificate = certificate
        self.port = quiet_port()
        self.plain_port = quiet_port()
        self._process = None

    @property
    def url(self):
        return f"https://{HOST}:{self.port}"

    def start(self, relay, change=lambda text: text):
        """Starts the proxy of the example, changed by `change`, in front of a relay."""
        text = change(replaced(self.example(), r"127\.0\.0\.1:8080", relay.url.split("//")[1]))
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                self.command(text), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "HOME": str(self.folder)}, start_new_session=True)
        wait_until(lambda: self._process.poll() is not None or self._listens(), "the proxy listens")
        assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]

    def _listens(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True

    def stop(self):
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(SECONDS)

    def connect(self, source="127.0.0.1"):
        """A connection by TLS from an address of loopback."""
        connection = socket.create_connection(
            ("127.0.0.1", self.port), SECONDS, source_address=(source, 0))
        context = ssl.create_default_context(cafile=self.certificate.path)
        return context.wrap_socket(connection, server_hostname=HOST)

    def exchange(self, method, path, body=None, fields=None, source="127.0.0.1"):
        connection = http.client.HTTPSConnection(HOST, self.port, timeout=SECONDS)
        connection.sock = self.connect(source)
        return exchange(connection, method, path, body, fields)


class Answer:
    """An answer whose fields are pairs of a name in lower case and a value, in their order."""

    #: The fields that belong to one connection or one moment.
    PASSING = {"connection", "date", "relay-time", "keep-alive", "server", "transfer-encoding", "via"}

    def __init__(self, answer):
        self.status = answer.status
        self.fields = [(name.lower(), value) for name, value in answer.getheaders()]
        self.body = answer.read()

    def values(self, name):
        return [value for each, value in self.fields if each == name]

    def json(self):
        return json.loads(self.body)

    def lasting(self):
        """The answer without what two equal requests may differ in."""
        fields = [(name, re.sub(r";[rt]=\d+", "", value)) for name, value in self.fields
                  if name not in self.PASSING]
        return self.status, sorted(fields), self.body


def exchange(connection, method, path, body=None, fields=None):
    """The answer to a request. A body that is a number is a length: no byte of it is sent."""
    fields = {"Accept-Encoding": "gzip", "Content-Type": "application/json", **(fields or {})}
    if isinstance(body, dict):
        body = json.dumps(body).encode()
    if isinstance(body, int):
        fields["Content-Length"], body = str(body), None
    with contextlib.closing(connection):
        connection.putrequest(
            method, path, skip_host="Host" in fields, skip_accept_encoding=True)
        if body is not None:
            fields["Content-Length"] = str(len(body))
        for name, value in fields.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        return Answer(connection.getresponse())


class Nginx(Proxy):
    program = "nginx"

    def example(self):
        text = (DEPLOY / "nginx.conf").read_text()
        text = replaced(text, r"^ *listen \[::\].*\n", "", 2)
        text = replaced(text, r"\blisten 443 ", f"listen 127.0.0.1:{self.port} ")
        text = replaced(text, r"\blisten 80;", f"listen 127.0.0.1:{self.plain_port};")
        text = replaced(text, r"/var/log/nginx/error\.log", f"{self.folder}/errors")
        text = replaced(text, r"ssl_certificate .*;", f"ssl_certificate {self.certificate.path};")
        return replaced(
            text, r"ssl_certificate_key .*;", f"ssl_certificate_key {self.certificate.key};")

    def open_bodies(self):
        """The files with bodies that nginx has open; it unlinks such a file when it makes it."""
        found = []
        workers = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        for worker in workers.read_text().split():
            for descriptor in pathlib.Path(f"/proc/{worker}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):
                    found.append(os.readlink(descriptor))
        assert found, "nginx has no worker"
        return [path for path in found if path.startswith(f"{self.folder}/bodies/")]

    def command(self, text):
        (self.folder / "site").write_text(text)
        temporary = "".join(
            f"{name}_temp_path {self.folder}/{name};\n"
            for name in ["proxy", "fastcgi", "uwsgi", "scgi"])
        # Debian's nginx.conf has gzip on, too.
        (self.folder / "nginx.conf").write_text(
            f"user root;\nworker_processes 1;\npid {self.folder}/pid;\ndaemon off;\n"
            f"error_log {self.folder}/log warn;\nevents {{}}\nhttp {{\ngzip on;\n"
            f"client_body_temp_path {self.folder}/bodies;\n{temporary}include {self.folder}/site;\n}}\n")
        return [self.program, "-p", self.folder, "-c", self.folder / "nginx.conf"]


class Caddy(Proxy):
    program = "caddy"

    def example(self):
        text = (DEPLOY / "Caddyfile").read_text()
        text = replaced(
            text, r"^\{$", f"{{\nadmin off\nhttp_port {self.plain_port}\n"
            f"https_port {self.port}\nauto_https disable_redirects\ndefault_bind 127.0.0.1")
        return replaced(
            text, rf"^{re.escape(HOST)} {{$",
            f"{HOST} {{\ntls {self.certificate.path} {self.certificate.key}")

    def command(self, text):
        (self.folder / "Caddyfile").write_text(text)
        return [self.program, "run", "--config", self.folder / "Caddyfile", "--adapter", "caddyfile"]
