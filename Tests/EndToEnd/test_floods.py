"""Many connections and many memos at once: what others notice of them."""
import concurrent.futures
import contextlib
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import uuid

from raw_relay import RawRelay, exchange, memo, read_answer, request
from required import required
from waiting import wait_until

MIB = 1 << 20
MEMO = "/v1/memos/{}"
#: For many people who sign in at once.
WITHOUT_CODE_LIMITS = [
    part for name in (
        "codes-address-hour", "codes-address-day", "codes-network-hour", "codes-site-hour",
        "codes-domain-minute", "codes-minute")
    for part in (f"--{name}", "1000000")] + ["--codes-day", "10000000"]


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

    def is_read(self, connection):
        """Whether nothing that was sent on a connection still waits for the relay, at either end."""
        relay, client = self.relay.address[1], connection.getsockname()[1]
        waiting = {}
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            local, remote, _, queues = line.split()[1:5]
            ports = tuple(int(end.split(":")[1], 16) for end in (local, remote))
            waiting[ports] = [int(count, 16) for count in queues.split(":")]
        sent, received = waiting.get((client, relay)), waiting.get((relay, client))
        return None not in (sent, received) and sent[0] == received[1] == 0


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

    def test_hundreds_of_connections_at_once_wait_until_the_relay_has_time_for_them(self):
        self.serve()
        self.relay.process.send_signal(signal.SIGSTOP)
        self.cleanup.callback(self.relay.process.send_signal, signal.SIGCONT)
        # One for which there is no room gets no answer, and is tried again after a second.
        for _ in range(700):
            connection = socket.create_connection(self.relay.address, timeout=0.5)
            self.cleanup.enter_context(connection)
        self.relay.process.send_signal(signal.SIGCONT)
        self.relay.require_health()

    def test_the_room_for_bytes_that_the_relay_has_not_read_does_not_grow(self):
        required(shutil.which("ss"), "ss")
        self.serve()
        token = self.relay.sign_in("owner@example.org")
        (connection,) = self.hold(1)
        # For a client that is read quickly a system makes ever more room.
        connection.sendall(memo(token, 6 * MIB)[:5 * MIB])
        wait_until(lambda: self.is_read(connection), "the relay has read what was sent")
        ports = f"sport = :{self.relay.address[1]} and dport = :{connection.getsockname()[1]}"
        told = subprocess.run(["ss", "-tmnH", ports], stdout=subprocess.PIPE, text=True, check=True)
        # Linux has twice what is asked for, with its own bookkeeping.
        self.assertIn(",rb131072,", told.stdout)

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


class Stop(FloodTest):
    def test_bodies_that_trickle_keep_no_stop_from_its_end_nor_a_memo_in_work_from_its_answer(self):
        self.serve("--trusted-proxies", "1", *WITHOUT_CODE_LIMITS)
        stranger = self.relay.sign_in("stranger@example.org")
        honest = self.relay.sign_in("owner@example.org")
        trickling = self.hold(40)
        for number, connection in enumerate(trickling):
            length = [16 * 1024, 4 * MIB][number % 2]
            network = f"198.18.{number}.1"
            data = request("PUT", MEMO.format(uuid.uuid4()), b"x" * length, stranger, network)
            connection.sendall(data[:-length])
        (uploading,) = self.hold(1)
        data = memo(honest, 1024)
        uploading.sendall(data[:-100])
        for connection in [*trickling[:2], uploading]:
            wait_until(lambda: self.is_read(connection), "the relay has read what was sent")
        begun = time.monotonic()
        self.relay.process.terminate()
        wait_until(self.is_closed, "nobody else is let in")
        uploading.sendall(data[-100:])
        self.assertEqual(read_answer(uploading).status, 202)
        while self.relay.process.poll() is None:
            time.sleep(0.1)
            self.drip(trickling)
            self.assertLess(time.monotonic() - begun, 60)
        seconds = time.monotonic() - begun
        print(f"\nthe stop took {seconds:.1f} s")
        # Else the bodies were in no work, and this test showed nothing.
        self.assertGreater(seconds, 9)
        self.assertEqual(self.relay.stop(), 0, "the stop was not cut")
        self.relay.start()
        with self.relay.connect() as connection:
            again = exchange(connection, data)
        self.assertEqual((again.status, again.fields["idempotent-replayed"]), (202, "true"))

    def is_closed(self):
        try:
            self.relay.connect().close()
        except ConnectionRefusedError:
            return True
        except ConnectionResetError:
            # The relay closed the socket that listens while this connection waited to be accepted. The
            # next one is refused.
            return False
        return False

    def drip(self, connections):
        for connection in connections:
            # The relay ends them one by one.
            with contextlib.suppress(OSError):
                connection.send(b"x")


class Places(FloodTest):
    """The places for memos, which strangers with mailboxes of their own want all."""

    #: What a proxy in front of the relay names.
    NETWORKS = [f"198.18.{number}.1" for number in range(4)]

    def trickle(self, token, length, network):
        """Begins a memo whose body comes no further."""
        (connection,) = self.hold(1)
        data = request("PUT", MEMO.format(uuid.uuid4()), b"x" * length, token, network)
        connection.sendall(data[:-length + 1])

    def test_short_bodies_that_trickle_keep_no_memo_out(self):
        self.serve("--trusted-proxies", "1", *WITHOUT_CODE_LIMITS)
        strangers = [self.relay.sign_in(f"stranger{number}@example.org") for number in range(16)]
        honest = self.relay.sign_in("owner@example.org")
        for number in range(256):
            self.trickle(strangers[number % 16], 16 * 1024, self.NETWORKS[number % 4])
        wait_until(lambda: self.relay.open_file_count() > 256, "all are accepted")
        statuses = [self.memo(honest) for _ in range(20)]
        self.assertEqual(statuses, [202] * 20)

    def test_long_bodies_that_trickle_lose_their_places_to_a_memo_that_arrives(self):
        self.serve("--trusted-proxies", "1", *WITHOUT_CODE_LIMITS)
        honest = self.relay.sign_in("owner@example.org")
        for number in range(4):
            token = self.relay.sign_in(f"stranger{number}@example.org")
            for _ in range(2):
                self.trickle(token, 4 * MIB, self.NETWORKS[number])
        # Places are not lost within the first moments.
        statuses = []
        wait_until(
            lambda: statuses.append(self.memo(honest, MIB)) or statuses[-1] == 202,
            "a place is lost")
        self.assertLessEqual(set(statuses), {202, 503})
        self.assertEqual([self.memo(honest, MIB) for _ in range(5)], [202] * 5)

    def memo(self, token, length=1024):
        with self.relay.connect() as connection:
            return exchange(connection, memo(token, length)).status


if __name__ == "__main__":
    unittest.main()
