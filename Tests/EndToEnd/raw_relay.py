"""A relay whose clients are sockets: connections that are held, bodies that do not end, floods."""
import email
import email.policy
import json
import pathlib
import re
import socket
import uuid

from processes import Relay
from waiting import SECONDS, wait_until


#: The line of a mail that is a code.
CODE = r"^(\d{6,10})$"


class RawRelay(Relay):
    """A relay that mails into a folder; `open_files` are its soft and its hard limit."""

    def __init__(self, folder, *options, open_files=None, data=None):
        self._maildir = pathlib.Path(folder, "mail")
        self._open_files = open_files
        super().__init__(f"{folder}/relay", f"maildir:{self._maildir}", *options, data=data)

    def command(self):
        """`prlimit` sets the limits before it becomes the relay."""
        limits = ["prlimit", "--nofile={}:{}".format(*self._open_files)] if self._open_files else []
        return [*limits, *super().command()]

    @property
    def address(self):
        return "127.0.0.1", self._port

    def open_file_count(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def connect(self):
        return socket.create_connection(self.address, timeout=SECONDS)

    def sign_in(self, address):
        """The token of a new device."""
        asked = json.loads(self.ask_code(address).body)
        code = wait_until(lambda: self.codes(address), "a code is mailed")[-1]
        return json.loads(self.try_code(address, code, asked["handle"]).body)["token"]

    def sign_in_all(self, addresses):
        """The token of a new device for each address. No code was mailed to any of them before."""
        handles = [json.loads(self.ask_code(address).body)["handle"] for address in addresses]
        codes = wait_until(lambda: self._code_of_each(addresses), "all codes are mailed")
        return [
            json.loads(self.try_code(address, code, handle).body)["token"]
            for address, code, handle in zip(addresses, codes, handles)]

    def _code_of_each(self, addresses):
        """The code that was mailed to each address; nothing while one is missing."""
        mails = list(self._maildir.glob("new/*"))
        if len(mails) < len(addresses):
            return None
        codes = {to: code for path in mails for to, code in self._codes(path)}
        return [codes[address] for address in addresses]

    def ask_code(self, address, network=None):
        """Asks for a code, from a network that a proxy in front of the relay would name."""
        return self.exchange("POST", "/v1/verifications", {"address": address}, network=network)

    def try_code(self, address, code, handle, network=None):
        """Tries a code; without a handle as an old client does."""
        body = {"address": address, "code": code, "device": "raw"}
        if handle is not None:
            body["handle"] = handle
        return self.exchange("POST", "/v1/verifications/confirm", body, network=network)

    def long_codes(self, address):
        """The long codes that were mailed to an address, the oldest first."""
        return self.codes(address, r"^((?:\w{4}-){4}\w{4})$")

    def codes(self, address, form=CODE):
        """The codes that were mailed to an address, the oldest first."""
        paths = sorted(self._maildir.glob("new/*"), key=lambda path: path.stat().st_mtime)
        return [code for path in paths for to, code in self._codes(path, form) if address in to]

    def _codes(self, path, form=CODE):
        """The codes of a mail, each with the address that the mail went to."""
        mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        text = mail.get_payload(decode=True).decode()
        return [(mail["To"].strip(), code) for code in re.findall(form, text, re.M)]

    def exchange(self, method, path, body=None, token=None, seconds=SECONDS, network=None):
        """Sends a request on a connection of its own; answers the answer."""
        with socket.create_connection(self.address, timeout=seconds) as connection:
            return exchange(connection, request(method, path, body, token, network))

    def require_health(self):
        """Asks for the relay's health on a new connection."""
        answer = self.exchange("GET", "/healthz")
        assert answer.status == 200, answer

    def memory(self, name="VmRSS"):
        """Bytes of resident memory; VmHWM for the most since `forget_peak`."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{name}:\s+(\d+) kB$", status, re.M)[1]) * 1024

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")


def address_at_site(number):
    """An address; each number below 16,384 has one at a site of its own."""
    return f"100.{64 + (number >> 8)}.{number & 255}.7"


class Answer:
    """An answer of HTTP/1.1 with a declared length."""

    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        first, *fields = head.decode().split("\r\n")
        self.status = int(first.split(" ")[1])
        self.fields = {
            name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}

    def __repr__(self):
        return f"Answer({self.status}, {self.fields})"


def request(method, path, body=None, token=None, network=None):
    """The bytes of a request; a body that is not bytes is sent as JSON."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    fields = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    if body is not None:
        fields.append(f"Content-Length: {len(body)}")
    if token:
        fields.append(f"Authorization: Bearer {token}")
    if network:
        fields.append(f"X-Forwarded-For: {network}")
    return "\r\n".join([*fields, "", ""]).encode() + (body or b"")


def memo(token, length, network=None):
    """The bytes of a request with a memo of its own."""
    return request("PUT", f"/v1/memos/{uuid.uuid4()}", {"text": "x" * length}, token, network)


def exchange(connection, data):
    """Sends a request; answers the answer, also one that comes before all is sent."""
    try:
        connection.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return read_answer(connection)


def read_answer(connection):
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        if end:
            length = re.search(rb"^content-length: *(\d+)\r?$", head, re.M | re.I)
            if len(body) >= int(length[1] if length else 0):
                return Answer(data)
        received = connection.recv(65536)
        if not received:
            raise ConnectionResetError(f"the answer ends after {len(data)} bytes")
        data += received
