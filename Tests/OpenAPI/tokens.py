"""Signs schemathesis in to the relay under test, as a person does: by a code from the inbox."""
import itertools
import json
import os
import pathlib
import re
import time
import urllib.error
import urllib.request

import schemathesis

RELAY = os.environ["RELAY"]
INBOX = pathlib.Path(os.environ["RELAY_INBOX"])
SECONDS = 30
#: After this one the token is of no use, so it is spent on that request alone.
REVOKING = "DELETE"
numbers = itertools.count()


def post(path, body):
    request = urllib.request.Request(
        RELAY + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)


def mailed_code(address):
    """The code in the only mail that this address ever gets."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for path in sorted((INBOX / "new").iterdir()):
            text = path.read_text(errors="replace")
            if f"\nTo: <{address}>\n" in text:
                path.unlink()
                return re.search(r"^(\d{6,10})=0A=$", text, re.M)[1]
        time.sleep(0.01)
    raise AssertionError(f"no code came within {SECONDS} s")


def token():
    address = f"fuzz-{os.getpid()}-{next(numbers)}@device.example"
    handle = post("/v1/verifications", {"address": address})["handle"]
    return post("/v1/verifications/confirm", {
        "address": address, "code": mailed_code(address), "device": "fuzz", "handle": handle,
    })["token"]


@schemathesis.auth(refresh_interval=None)
class Token:
    """One device for all requests, and one more for each request that revokes a token."""

    shared = None

    def get(self, case, context):
        if case.method == REVOKING:
            return token()
        Token.shared = Token.shared or token()
        return Token.shared

    def set(self, case, data, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}
