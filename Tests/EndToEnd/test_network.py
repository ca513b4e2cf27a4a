import os
import pathlib
import subprocess
import sys
import unittest

from required import required
from waiting import SECONDS

FOLDER = pathlib.Path(__file__).resolve().parent
NAMESPACE = ["unshare", "--net"]


def can_make_a_link():
    try:
        return subprocess.run(
            [*NAMESPACE, "ip", "link", "add", "near", "type", "veth", "peer", "name", "far"],
            stderr=subprocess.DEVNULL, timeout=SECONDS).returncode == 0
    except OSError:
        return False


class Network(unittest.TestCase):
    def test_a_memo_that_waits_for_the_network_leaves_at_once_when_a_link_returns(self):
        required(can_make_a_link(), "root, to make a network namespace")
        # The namespace goes with the last process in it: nothing is left to clean up.
        result = subprocess.run(
            [*NAMESPACE, sys.executable, "-W", "ignore", "network_journey.py"],
            cwd=FOLDER, env=os.environ | {"PYTHONPATH": str(FOLDER.parent)},
            # The journey waits three times for up to SECONDS each.
            timeout=3 * SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, 0, result.stdout.decode())
        print(result.stdout.decode().splitlines()[0], end=" ")
