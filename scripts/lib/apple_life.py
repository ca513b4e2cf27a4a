"""Lives a life of the iPhone app, over the stand-ins, into a real relay and its inbox.

usage: apple_life.py SCRATCH PROGRAMS MEMOS

SCRATCH has the tests as scripts/lib/apple_tries.py has linked them; PROGRAMS is the folder of memo-relay. A mail server on
loopback takes the relay's mails, and cuts some connections after the final dot. The app signs in at the relay, sends MEMOS
memos, and is killed at every third one. Prints a figure; exit status 1 unless each memo is in the inbox exactly once.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
SEED = 34
ADDRESS = "owner@example.org"
#: The share of mails after whose final dot the connection is cut.
CUT = 0.03


def post(relay, path, body):
    request = urllib.request.Request(relay.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def sign_in(relay, inbox, mailed_codes, wait_until):
    handle = post(relay, "/v1/verifications", {"address": ADDRESS})["handle"]
    code = wait_until(lambda: mailed_codes(inbox), "a code is mailed")[-1]
    grant = post(relay, "/v1/verifications/confirm", {"address": ADDRESS, "code": code, "device": "phone", "handle": handle})
    return grant["token"]


def live(scratch, relay, token, memos):
    environment = {
        **os.environ, "NO_COLOR": "1", "SWIFT_UNEXPECTED_EXECUTOR_LOG_LEVEL": "2",
        "MEMO_LIFE_RELAY": relay.url, "MEMO_LIFE_TOKEN": token, "MEMO_LIFE_MEMOS": str(memos),
    }
    ended = subprocess.run(
        [Path(scratch, "tried/tests").resolve(), "--testing-library", "swift-testing", "--filter", "LifeTests"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800, env=environment)
    if ended.returncode:
        sys.exit(ended.stdout)


def main():
    scratch, programs, memos = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.environ["MEMO_BIN_DIR"] = programs
    sys.path[:0] = [str(ROOT / "Tests"), str(ROOT / "Tests/EndToEnd")]
    from inbox import Inbox, MailServer
    from processes import Relay, mailed_codes
    from waiting import wait_until

    inbox = Inbox()
    with tempfile.TemporaryDirectory() as folder, MailServer(inbox, CUT, SEED) as server:
        relay = Relay(
            f"{folder}/relay", server.url, "--device-minute", "100000", "--device-day", "100000", "--mail-retry-base", "0.2")
        try:
            live(scratch, relay, sign_in(relay, inbox, mailed_codes, wait_until), memos)
            wait_until(lambda: len(inbox.memos()) >= memos, lambda: f"{memos} memos have arrived: {len(inbox.memos())} did")
            inbox.wait_for_quiet()
        finally:
            relay.stop()
    arrived = sorted(memo.decode().strip() for memo in inbox.memos())
    if arrived != sorted(f"memo {number}" for number in range(memos)):
        sys.exit(f"error: {memos} memos were sent, and {len(arrived)} mails are in the inbox: {arrived}")
    if inbox.differing:
        sys.exit(f"error: {inbox.differing} mails came again with other bytes")
    print(f"apple.life_memos: {memos} (cut off after the dot and taken twice: {inbox.collapsed})")


if __name__ == "__main__":
    main()
