"""A device keeps to the rate that its relay publishes."""
import collections
import tempfile
import time
import unittest

from counted_relay import CountedRelay
from inbox import Inbox, MailServer
from processes import Device, mailed_codes
from waiting import wait_until

MEMOS = 200
A_MINUTE = 150


class Pace(unittest.TestCase):
    def test_queued_memos_leave_at_the_relay_s_rate_and_none_is_refused(self):
        inbox = Inbox()
        with tempfile.TemporaryDirectory() as folder, MailServer(inbox) as server:
            relay = CountedRelay(
                f"{folder}/relay", server.url, "--device-minute", str(A_MINUTE),
                "--network-hour", "1000")
            device = Device(f"{folder}/device")
            try:
                for number in range(MEMOS):
                    device.run(f"memo {number}")
                began = time.monotonic()
                device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
                device.deliver()
                took = time.monotonic() - began
                wait_until(lambda: len(inbox.memos()) >= MEMOS, "all memos have arrived")
                inbox.wait_for_quiet()
            finally:
                device.kill_agents()
                relay.stop()
        print(f"\n{MEMOS} memos at {A_MINUTE} a minute took {took:.0f} s")
        # A refused memo comes again.
        self.assertEqual(len(relay.deliveries), MEMOS)
        self.assertEqual(set(relay.deliveries.values()), {1}, "a memo was refused")
        self.assertEqual(
            collections.Counter(inbox.memos()),
            collections.Counter(f"memo {number}".encode() for number in range(MEMOS)))
        self.assertGreater(took, 55, "the relay kept no limit")


if __name__ == "__main__":
    unittest.main()
