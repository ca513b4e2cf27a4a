import multiprocessing
import os
import random
import tempfile
import time
import unittest

from hard_texts import text
from inbox import Inbox, MailServer
from processes import Device, Relay, mailed_codes
from seeds import seed_of
from waiting import wait_until

SENDERS = 4
MEMOS = int(os.environ.get("MEMO_TEST_MEMOS", 300))
KILLS = int(os.environ.get("MEMO_TEST_KILLS", 30))


def send(home, numbers, seed, failures):
    device = Device(home)
    for number in numbers:
        memo = text(number, seed).encode()
        if number % 2:
            result = device.run(memo.decode(), check=False)
        else:
            result = device.run(stdin=memo + b"\n", check=False)
        if result.returncode:
            failures.put((number, result.returncode, result.stderr.decode()))
        time.sleep(random.Random(number).random() * 0.05)


class ExactlyOnce(unittest.TestCase):
    def test_every_memo_is_in_the_inbox_once_though_agent_and_relay_are_killed(self):
        seed = seed_of("exactly-once")
        print(f"\nseed {seed}", flush=True)
        chance = random.Random(seed)
        inbox = Inbox()
        with tempfile.TemporaryDirectory() as folder, MailServer(inbox, 0.03, seed) as server:
            relay = Relay(
                f"{folder}/relay", server.url, "--device-minute", "100000", "--device-day",
                "100000", "--mail-retry-base", "0.2")
            device = Device(f"{folder}/device")
            try:
                device.sign_in("owner@example.org", relay, lambda: mailed_codes(inbox))
                killed = self.send_under_fire(device, relay, seed, chance)
                device.run("outbox", "retry")
                device.deliver()
                wait_until(
                    lambda: len(inbox.memos()) >= MEMOS,
                    lambda: f"{MEMOS} memos have arrived: {len(inbox.memos())} did")
                inbox.wait_for_quiet()
                entries = device.json("outbox", "list")
            finally:
                device.kill_agents()
                relay.stop()
            self.check(inbox, server, killed, seed, entries)

    def send_under_fire(self, device, relay, seed, chance):
        failures = multiprocessing.Queue()
        senders = [
            multiprocessing.Process(
                target=send, args=(device.home, range(first, MEMOS, SENDERS), seed, failures))
            for first in range(SENDERS)
        ]
        for sender in senders:
            sender.start()
        killed = {"agent": 0, "relay": 0}
        while any(sender.is_alive() for sender in senders) or sum(killed.values()) < KILLS:
            time.sleep(chance.uniform(0.02, 0.3))
            if chance.random() < 0.5:
                relay.kill()
                killed["relay"] += 1
                relay.start()
            else:
                killed["agent"] += device.kill_agents()
            if not any(sender.is_alive() for sender in senders):
                device.run("outbox", "retry")
        for sender in senders:
            sender.join()
        self.assertTrue(failures.empty(), "a send failed")
        return killed

    def check(self, inbox, server, killed, seed, entries):
        expected = sorted(text(number, seed).encode() for number in range(MEMOS))
        arrived = sorted(inbox.memos())
        lost = [memo for memo in expected if memo not in arrived]
        doubled = len(arrived) - len(set(arrived))
        print(
            f"{MEMOS} memos from {SENDERS} processes, {killed['agent']} agents and "
            f"{killed['relay']} relays killed: {len(arrived)} in the inbox, {len(lost)} lost, "
            f"{doubled} doubled; {server.cuts} mails cut off after the final dot, "
            f"{inbox.collapsed} collapsed by Message-ID, {inbox.differing} of them with other bytes",
            flush=True)
        self.assertEqual(lost, [])
        self.assertEqual(arrived, expected, "bodies are not byte-equal, or doubled")
        self.assertEqual(inbox.differing, 0)
        self.assertGreaterEqual(sum(killed.values()), KILLS)
        self.assertGreaterEqual(min(killed.values()), 1)
        self.assertEqual(entries, [])
