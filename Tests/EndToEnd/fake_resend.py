"""Resend as its documentation describes it, misbehaving on demand.

https://resend.com/docs/api-reference/emails/send-email, …/errors, …/rate-limit,
https://resend.com/docs/dashboard/emails/idempotency-keys and
https://resend.com/docs/webhooks/introduction
"""
import base64
import collections
import contextlib
import hashlib
import hmac
import http.server
import json
import socket
import threading
import time
import urllib.error
import urllib.request
import uuid

#: The bytes with which events are signed.
SIGNING_KEY = b"the signing key of these tests"
SIGNING_SECRET = f"whsec_{base64.b64encode(SIGNING_KEY).decode()}"


class FakeResend:
    """Takes mails under `key`.

    `faults` has the names of what the next requests meet, one each:

    - `cut`: the connection ends, and nothing is sent; `taken and cut`: the mail is sent
    - `html`: a proxy answers 502 in HTML, and nothing is sent; `taken and html`: the mail is sent
    - `held`: the mail is sent, and the answer is held until `release`
    - `hung`: nothing is sent, and the connection hangs until `release`
    - `taken and empty`: the mail is sent, and the answer is 200 without anything to read
    - `rate`, `quota`, `concurrent`, `recipient`: Resend's own refusals
    """

    def __init__(self, key):
        self.key = key
        self.faults = collections.deque()
        #: The mails that were sent, as their requests told them.
        self.mails = []
        #: How many requests came, by their keys.
        self.requests = collections.Counter()
        self.held = threading.Event()
        self._released = threading.Event()
        self._known = {}
        self._hours = 0
        self._lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}"

    def pass_hours(self, hours):
        """Lets time pass. Resend knows a key for 24 hours."""
        with self._lock:
            self._hours += hours
            self._known = {
                key: known for key, known in self._known.items()
                if self._hours - known[2] < 24}

    def release(self):
        self._released.set()

    def close(self):
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def memos(self):
        """Subjects and texts of the mails that bring no code."""
        return [(mail["subject"], mail["text"]) for mail in self.mails if not is_code(mail)]

    def bring(self, url, mail, kind, signing_key=SIGNING_KEY, **data):
        """Brings an event about a mail to a relay, once. Returns the status of the answer."""
        tags = {tag["name"]: tag["value"] for tag in mail.get("tags", [])}
        body = json.dumps({
            "type": kind, "created_at": "2026-11-22T23:41:12.126Z",
            "data": {
                "email_id": str(uuid.uuid4()), "from": mail["from"], "to": mail["to"],
                "subject": mail["subject"], "tags": tags, **data}}).encode()
        identifier, moment = f"msg_{uuid.uuid4()}", str(int(time.time()))
        code = hmac.digest(signing_key, f"{identifier}.{moment}.".encode() + body, hashlib.sha256)
        request = urllib.request.Request(f"{url}/v1/webhooks/resend", body, {
            "Content-Type": "application/json", "svix-id": identifier, "svix-timestamp": moment,
            "svix-signature": f"v1,{base64.b64encode(code).decode()}"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def _answer(self, headers, body):
        """Status, name or identifier, and whether the connection is cut."""
        given = headers.get("Authorization")
        if given is None:
            return problem(401, "missing_api_key")
        if given != f"Bearer {self.key}":
            return problem(403, "invalid_api_key")
        idempotency = headers.get("Idempotency-Key")
        if not idempotency or len(idempotency) > 256:
            return problem(400, "invalid_idempotency_key")
        with self._lock:
            self.requests[idempotency] += 1
            fault = self.faults.popleft() if self.faults else None
        if fault == "hung":
            self.held.set()
            self._released.wait()
            return None
        with self._lock:
            match fault:
                case "cut":
                    return None
                case "html":
                    return 502, b"<html>Bad gateway</html>", {}
                case "rate":
                    return problem(429, "rate_limit_exceeded", {"Retry-After": "1"})
                case "quota":
                    return problem(429, "daily_quota_exceeded", {"Retry-After": "86400"})
                case "concurrent":
                    return problem(409, "concurrent_idempotent_requests")
                case "recipient":
                    return problem(422, "validation_error", {}, "Invalid `to` field.")
            mail = json.loads(body)
            if not all(mail.get(name) for name in ("from", "to", "subject", "text")):
                return problem(422, "missing_required_field")
            known, identifier, _ = self._known.setdefault(
                idempotency, (mail, str(uuid.uuid4()), self._hours))
            if known != mail:
                return problem(409, "invalid_idempotent_request")
            if known is mail:
                self.mails.append(mail)
        if fault == "taken and empty":
            return 200, b"", {}
        if fault == "held":
            self.held.set()
            self._released.wait()
        if fault == "taken and cut":
            return None
        if fault == "taken and html":
            return 502, b"<html>Bad gateway</html>", {}
        return 200, json.dumps({"id": identifier}).encode(), {}

    def _handler(fake):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = (
                    fake._answer(self.headers, body) if self.path == "/emails"
                    else problem(404, "not_found"))
                if answer is None:
                    self.close_connection = True
                    with contextlib.suppress(OSError):
                        self.connection.shutdown(socket.SHUT_RDWR)
                    return
                status, content, fields = answer
                self.send_response(status)
                for name, value in {**fields, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                # The relay may be gone by now.
                with contextlib.suppress(OSError):
                    self.wfile.write(content)

            def log_message(self, *_):
                pass

        return Handler


def is_code(mail):
    return "code" in mail["subject"]


def problem(status, name, fields=None, message="…"):
    body = {"statusCode": status, "name": name, "message": message}
    return status, json.dumps(body).encode(), fields or {}
