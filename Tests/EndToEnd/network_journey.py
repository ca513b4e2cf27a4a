"""What test_network.py runs in a network namespace of its own, which has a link to take down."""
import contextlib
import datetime
import pathlib
import subprocess
import tempfile
import time
import unittest

from counted_relay import CountedRelay
from inbox import Inbox, MailServer
from processes import Device, mailed_codes
from waiting import SECONDS, wait_until


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, timeout=SECONDS)


class Journey(unittest.TestCase):
    def setUp(self):
        cleanup = contextlib.ExitStack()
        self.addCleanup(cleanup.close)
        ip("link", "set", "lo", "up")
        ip("link", "add", "near", "type", "veth", "peer", "name", "far")
        ip("address", "add", "192.0.2.1/24", "dev", "near")
        ip("link", "set", "far", "up")
        folder = cleanup.enter_context(tempfile.TemporaryDirectory())
        inbox = Inbox()
        server = cleanup.enter_context(MailServer(inbox))
        self.relay = CountedRelay(f"{folder}/relay", server.url)
        cleanup.callback(lambda: self.relay.stop())
        self.device = Device(f"{folder}/device")
        cleanup.callback(self.device.kill_agents)
        self.device.sign_in("owner@example.org", self.relay, lambda: mailed_codes(inbox))
        self.device.wait_for_agents()

    def entry_after(self, attempts):
        entry = self.device.json("outbox", "list")[0]
        return entry if entry["attempts"] == attempts else None

    def test_a_memo_that_waits_for_the_network_leaves_at_once_when_a_link_returns(self):
        self.relay.disconnect()
        self.device.run("waiting")
        # It waits at least 4 s by itself after the third attempt: time for two commands.
        entry = wait_until(lambda: self.entry_after(3), "three attempts have failed")
        due = datetime.datetime.fromisoformat(entry["nextEligibleAt"].replace("Z", "+00:00"))
        self.relay.hold()
        self.relay.connect()
        began = time.time()
        self.assertEqual(self.relay.deliveries, {}, "nothing may have ended the wait yet")
        ip("link", "set", "near", "up")
        wait_until(lambda: self.relay.deliveries, "it is attempted")
        attempted = time.time()
        self.relay.let_pass()
        wait_until(
            lambda: self.device.json("history")[0]["status"] in ("sent", "delivered"), "it is sent")
        log = pathlib.Path(self.device.home, "agent.log").read_text()
        lost, returned = "network state=lost", "network state=returned"
        self.assertIn(lost, log)
        self.assertIn(returned, log.partition(lost)[2], "the outbox is told in this order")
        print(
            f"attempted {(attempted - began) * 1000:.0f} ms after the link; "
            f"it would have waited {due.timestamp() - began:.1f} s", flush=True)
        self.assertLess(attempted, due.timestamp(), "the wait ended by itself")


if __name__ == "__main__":
    unittest.main()
