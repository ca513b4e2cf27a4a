"""Many connections and many memos at once: what others notice of them."""
import concurrent.futures
import contextlib
import resource
import tempfile
import time
import unittest

from raw_relay import RawRelay, exchange, memo, read_answer, request
from waiting import wait_until

MIB = 1 << 20


class FloodTest(unittest.TestCase):
    def setUp(self):
        self.cleanup = contextlib.ExitStack()
        self.addCleanup(self.cleanup.close)
        self.folder = self.cleanup.enter_context(tempfile.TemporaryDirectory())

    def serve(self, *options, **limits):
        self.relay = RawRelay(self.folder, *options, **limits)
        self.cleanup.callback(self.relay.stop)

    def hold(self, count):
        """Opens connections and leaves them open."""
        return [self.cleanup.enter_context(self.relay.connect()) for _ in range(count)]


class OpenFiles(FloodTest):
    def test_more_connections_than_open_files_keep_nobody_from_being_served(self):
        self.serve(open_files=(256, 256))
        for _ in range(5):
            self.hold(60)
            self.relay.require_health()
        # While nothing changes, too.
        for _ in range(10):
            self.relay.require_health()
        self.assertLess(self.relay.open_file_count(), 256)

    def test_the_soft_limit_on_open_files_is_raised(self):
        self.serve(open_files=(100, 1000))
        held = self.hold(200)
        self.relay.require_health()
        for connection in held:
            self.assertEqual(exchange(connection, request("GET", "/healthz")).status, 200)

    def test_a_relay_without_any_free_file_closes_idle_connections_and_goes_on(self):
        self.serve(open_files=(256, 256))
        self.hold(100)
        wait_until(lambda: self.relay.open_file_count() > 100, "all are accepted")
        pid, files = self.relay.process.pid, self.relay.open_file_count()
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (files, 256))
        for _ in range(3):
            self.relay.require_health()
            self.hold(10)
        self.assertIsNone(self.relay.process.poll())

    def test_a_connection_with_a_memo_on_its_way_outlives_idle_ones(self):
        self.serve(open_files=(256, 256))
        token = self.relay.sign_in("owner@example.org")
        data = memo(token, MIB)
        (uploading,) = self.hold(1)
        uploading.sendall(data[:100_000])
        for _ in range(5):
            time.sleep(0.2)
            self.hold(80)
        uploading.sendall(data[100_000:])
        self.assertEqual(read_answer(uploading).status, 202)


class Memory(FloodTest):
    FLOOD = 200

    def test_long_memos_beyond_a_device_s_limit_take_no_memory_and_delay_nobody(self):
        self.serve("--device-minute", "2")
        token = self.relay.sign_in("flood@example.org")
        for _ in range(2):
            self.assertEqual(self.send(memo(token, 10)).status, 202)
        honest = self.relay.sign_in("owner@example.org")
        data = memo(token, MIB)
        before = self.relay.memory()
        self.relay.forget_peak()
        waits = []
        with concurrent.futures.ThreadPoolExecutor(self.FLOOD) as pool:
            flood = [pool.submit(self.send, data) for _ in range(self.FLOOD)]
            while not all(answer.done() for answer in flood):
                began = time.monotonic()
                answer = self.relay.exchange("GET", "/v1/devices", token=honest)
                waits.append(time.monotonic() - began)
                self.assertEqual(answer.status, 200)
        growth = (self.relay.memory("VmHWM") - before) / MIB
        print(f"\n{growth:.0f} MiB more, an honest caller waited {max(waits):.2f} s at most")
        self.assertEqual({answer.result().status for answer in flood}, {429})
        self.assertLess(growth, 64)
        self.assertEqual(self.send(memo(honest, 10)).status, 202)

    def test_long_memos_of_a_device_within_its_limits_take_bounded_memory(self):
        self.serve(
            "--device-minute", "1000", "--device-day", "1000", "--account-day-megabytes", "1000",
            "--waiting-megabytes", "1000")
        token = self.relay.sign_in("owner@example.org")
        before = self.relay.memory()
        self.relay.forget_peak()
        with concurrent.futures.ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(lambda _: self.send(memo(token, MIB)), range(100)))
        growth = (self.relay.memory("VmHWM") - before) / MIB
        print(f"\n{growth:.0f} MiB more")
        statuses = {answer.status for answer in answers}
        self.assertLessEqual(statuses, {202, 503})
        self.assertIn(202, statuses)
        for answer in answers:
            self.assertEqual("retry-after" in answer.fields, answer.status == 503)
        self.assertLess(growth, 128)

    def send(self, data):
        with self.relay.connect() as connection:
            return exchange(connection, data)


if __name__ == "__main__":
    unittest.main()
