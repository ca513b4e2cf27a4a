"""What test_network.py runs in a network namespace of its own, which has a link to take down."""
import contextlib
import datetime
import subprocess
import tempfile
import time
import unittest

from inbox import Inbox, MailServer
from processes import Device, Relay, mailed_codes, wait_until


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, timeout=10)


class Journey(unittest.TestCase):
    def test_a_memo_that_waits_for_the_network_leaves_at_once_when_a_link_returns(self):
        with contextlib.ExitStack() as cleanup:
            ip("link", "set", "lo", "up")
            ip("link", "add", "near", "type", "veth", "peer", "name", "far")
            ip("address", "add", "192.0.2.1/24", "dev", "near")
            ip("link", "set", "far", "up")
            folder = cleanup.enter_context(tempfile.TemporaryDirectory())
            inbox = Inbox()
            server = cleanup.enter_context(MailServer(inbox))
            relay = Relay(f"{folder}/relay", server.url)
            cleanup.callback(lambda: relay.stop())
            device = Device(f"{folder}/device")
            cleanup.callback(device.kill_agents)
            device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
            wait_until(lambda: not device.agents(), "the agents have ended")
            relay.stop()
            device.run("waiting")

            def entry():
                return device.json("outbox", "list")[0]
            # It waits at least 4 s by itself after the third attempt.
            wait_until(lambda: entry()["attempts"] == 3, "three attempts have failed")
            relay.start()
            due = datetime.datetime.fromisoformat(entry()["nextEligibleAt"].replace("Z", "+00:00"))
            wait = (due - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
            self.assertEqual(entry()["attempts"], 3, "nothing may have ended the wait yet")
            self.assertGreater(wait, 2.5, "the wait would soon have ended by itself")
            began = time.monotonic()
            ip("link", "set", "near", "up")
            wait_until(lambda: device.json("history")[0]["status"] == "sent", "it is sent")
            took = time.monotonic() - began
            print(f"sent {took * 1000:.0f} ms after the link; it would have waited {wait:.1f} s",
                  flush=True)
            self.assertLess(took, wait - 1)


if __name__ == "__main__":
    unittest.main()
