"""An owner signs in while a stranger, who knows the address, asks for codes and tries them."""
import json
import pathlib
import tempfile
import threading
import unittest

from raw_relay import RawRelay
from waiting import wait_until

OWNER = "owner@example.org"
HOME = "203.0.113.7"
ELSEWHERE = "198.51.100.{}"


class Stranger:
    """Tries bogus codes, and asks for codes whenever the relay lets it, until it is stopped."""

    def __init__(self, relay, network):
        self._relay = relay
        self._network = network
        self._stopped = threading.Event()
        self.tries = 0
        self.handles = []
        self.tokens = 0
        self._thread = threading.Thread(target=self._attack, daemon=True)
        self._thread.start()

    def stop(self):
        self._stopped.set()
        self._thread.join()

    def _attack(self):
        while not self._stopped.is_set():
            answer = self._relay.ask_code(OWNER, self._network)
            handle = json.loads(answer.body).get("handle") if answer.status == 202 else None
            if handle:
                self.handles.append(handle)
            for number in range(5):
                for known in {None, "x" * 32, *self.handles[-1:]}:
                    answer = self._relay.try_code(OWNER, f"{number:06}", known, self._network)
                    self.tokens += answer.status == 200
                    self.tries += 1


class Lockout(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.relay = RawRelay(pathlib.Path(folder.name), "--trusted-proxies", "1")
        self.addCleanup(self.relay.stop)

    def attack(self, network):
        stranger = Stranger(self.relay, network)
        self.addCleanup(stranger.stop)
        wait_until(lambda: stranger.tries > 50, "the attack is on")
        return stranger

    def sign_in(self, network):
        """The token of a new device: tries each code that is mailed from now on, as a person does
        who cannot tell the own code from that of the stranger."""
        seen = set(self.relay.codes(OWNER))
        asked = self.relay.ask_code(OWNER, network)
        self.assertEqual(asked.status, 202, asked.body)
        handle = json.loads(asked.body).get("handle")

        def token():
            for code in set(self.relay.codes(OWNER)) - seen:
                seen.add(code)
                answer = self.relay.try_code(OWNER, code, handle, network)
                if answer.status == 200:
                    return json.loads(answer.body)["token"]
            return None
        return wait_until(token, "the owner is signed in", 20)

    def test_two_devices_are_signed_in_while_a_stranger_tries_codes(self):
        stranger = self.attack(ELSEWHERE.format(1))
        first = self.sign_in(HOME)
        second = self.sign_in(HOME)
        tries = stranger.tries
        wait_until(lambda: stranger.tries > tries, "the attack went on")
        self.assertEqual(stranger.tokens, 0)
        listed = self.relay.exchange("GET", "/v1/devices", token=second)
        self.assertEqual(len(json.loads(listed.body)["devices"]), 2)
        self.assertNotEqual(first, second)

    def test_strangers_in_many_networks_leave_codes_where_a_device_is_signed_in(self):
        first = self.sign_in(HOME)
        for number in range(20):
            # Each network is of another block.
            self.relay.ask_code(OWNER, f"198.{number}.100.1")
        asked = self.relay.ask_code(OWNER, "192.0.2.1")
        self.assertEqual(asked.status, 202)
        self.assertIs(json.loads(asked.body).get("longCode"), True)
        self.assertNotEqual(first, self.sign_in(HOME))

    def test_an_owner_signs_in_from_a_new_network_while_strangers_use_up_the_mailbox(self):
        for number in range(20):
            self.relay.ask_code(OWNER, f"198.{number}.100.1")
        asked = json.loads(self.relay.ask_code(OWNER, "192.0.2.1").body)
        code = wait_until(lambda: self.relay.long_codes(OWNER), "a long code is mailed")[-1]
        answer = self.relay.try_code(OWNER, code.lower(), asked["handle"], "192.0.2.1")
        self.assertEqual(answer.status, 200, answer.body)


if __name__ == "__main__":
    unittest.main()
