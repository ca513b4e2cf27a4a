import pathlib
import subprocess
import sys
import unittest

NAMESPACE = ["unshare", "--net"]


def can_make_a_link():
    try:
        return subprocess.run(
            [*NAMESPACE, "ip", "link", "add", "near", "type", "veth", "peer", "name", "far"],
            stderr=subprocess.DEVNULL, timeout=10).returncode == 0
    except OSError:
        return False


class Network(unittest.TestCase):
    @unittest.skipUnless(can_make_a_link(), "no network namespace can be made here (needs root)")
    def test_a_memo_that_waits_for_the_network_leaves_at_once_when_a_link_returns(self):
        # The namespace goes with the last process in it: nothing is left to clean up.
        result = subprocess.run(
            [*NAMESPACE, sys.executable, "-W", "ignore", "network_journey.py"],
            cwd=pathlib.Path(__file__).parent, timeout=180,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, 0, result.stdout.decode())
        print(result.stdout.decode().splitlines()[0], end=" ")


if __name__ == "__main__":
    unittest.main()
