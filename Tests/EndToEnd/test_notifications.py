"""A memo that did not arrive, told by the person's desktop: the real programs, a real session bus, and a
notification server of the tests' own."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import unittest

from agents import environment_of
from inbox import Inbox, MailServer
from notifications import NAME, Notifications
from processes import BIN, Device, Relay, mailed_codes
from session_bus import SessionBus
from waiting import SECONDS, wait_until

NOT_ARRIVED = "Simple Memo: A memo did not arrive. Its text is kept."
BUTTON = {"send-again": "Send again"}
SEE = "Simple Memo: Memos that did not arrive, and that you have not seen: {}."
LINE = "Memos that did not arrive, and that you have not seen: "


class NotificationsTest(unittest.TestCase):
    def setUp(self):
        self.cleanup = contextlib.ExitStack()
        self.addCleanup(self.cleanup.close)
        self.folder = pathlib.Path(self.cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.inbox = Inbox()
        self.server = self.cleanup.enter_context(MailServer(self.inbox))
        self.relay = Relay(self.folder / "relay", self.server.url)
        self.cleanup.callback(lambda: self.relay.stop())
        self.device = Device(self.folder / "device")
        self.device.environment["MEMO_KEY_STORE"] = "file"
        self.cleanup.callback(self.end_notifiers)
        self.cleanup.callback(self.device.kill_agents)

    def sign_in(self):
        self.device.sign_in("owner@example.org", self.relay, lambda: mailed_codes(self.inbox))

    def on_a_desktop(self, mode="buttons"):
        """A desktop that shows notifications."""
        bus = self.cleanup.enter_context(SessionBus(self.folder / "session"))
        self.device.environment.update(bus.environment)
        self.desktop = self.cleanup.enter_context(Notifications(bus, mode))
        return bus

    def bounce(self, text):
        """Sends a memo that bounces, and waits until this device knows."""
        self.server.answer = "550 never"
        self.device.run(text)
        wait_until(lambda: self.status(text) == "bounced", "the memo bounces")
        self.server.answer = None

    def status(self, text):
        [status] = [
            entry["status"] for entry in self.device.json("history") if entry["text"] == text]
        return status

    def notifiers(self):
        """The processes that tell."""
        marker, found = f"MEMO_HOME={self.device.home}".encode(), []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                command = (process / "cmdline").read_bytes().split(b"\0")
                if b"notify" in command and marker in environment_of(process):
                    found.append(int(process.name))
        return found

    def end_notifiers(self):
        for process in self.notifiers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def quiet(self):
        """Waits until neither an agent nor a process that tells runs."""
        self.device.wait_for_agents()
        wait_until(lambda: not self.notifiers(), "the processes that tell have ended")

    def shown(self, number=1):
        """Waits for this many notifications."""
        return wait_until(
            lambda: len(shown := self.desktop.shown()) >= number and shown,
            lambda: f"{number} notifications: {self.desktop.shown()}")

    def doctor(self):
        return self.device.run("doctor", check=False).stdout.decode()


class WithButtons(NotificationsTest):
    def setUp(self):
        super().setUp()
        self.bus = self.on_a_desktop()
        self.sign_in()

    def test_a_bounce_is_told_once_without_the_text_and_its_button_sends_the_memo_again(self):
        self.bounce("secret words")
        self.assertEqual(self.shown(), [[1, 0, NOT_ARRIVED, BUTTON, 1]])
        # The button works when no agent runs any more, and the line is there beside it.
        self.device.wait_for_agents()
        self.assertIn(LINE + "1", self.doctor())
        self.desktop.press(1)
        wait_until(lambda: self.inbox.memos() == [b"secret words"], "the memo arrives")
        self.quiet()
        self.assertNotIn(LINE, self.doctor())
        self.assertEqual(len(self.desktop.shown()), 1)
        log = (self.device.home / "agent.log").read_text()
        self.assertNotIn("secret", log)

    def test_a_dismissed_notification_does_not_come_again_and_the_line_stays(self):
        self.bounce("once")
        self.shown()
        self.desktop.dismiss(1)
        self.quiet()
        self.device.deliver()
        self.device.run("arrives")
        wait_until(lambda: self.inbox.memos() == [b"arrives"], "another memo arrives")
        self.quiet()
        self.assertEqual(len(self.desktop.shown()), 1)
        self.assertIn(LINE + "1", self.doctor())

    def test_what_is_seen_in_the_history_loses_its_notification(self):
        self.bounce("seen")
        self.shown()
        self.device.run("history")
        wait_until(lambda: self.desktop.calls("Close") == [[1]], "the notification is taken back")
        self.quiet()
        self.assertEqual(len(self.desktop.shown()), 1)

    def test_one_process_tells_of_all_and_three_have_a_button(self):
        for number in range(3):
            self.bounce(f"memo {number}")
            self.shown(number + 1)
            self.device.wait_for_agents()
            wait_until(lambda: len(self.notifiers()) == 1, "one process is left")
        for number in (4, 5):
            self.bounce(f"memo {number}")
            *_, last = self.shown(number)
            self.device.wait_for_agents()
            self.assertEqual((last[0], last[3]), (4, {}))
            self.assertTrue(last[2].startswith(SEE.format(number)), last)
            self.assertIn("memo history", last[2])
        self.assertEqual([each[1] for each in self.desktop.shown()], [0, 0, 0, 0, 4])
        self.desktop.press(2)
        wait_until(lambda: self.inbox.memos() == [b"memo 1"], "the memo of this button arrives")

    def test_a_process_that_ends_leaves_no_button_that_does_nothing(self):
        self.bounce("waits")
        self.shown()
        self.device.wait_for_agents()
        # A second process may have found the first one at work.
        wait_until(lambda: len(self.notifiers()) == 1, "one process is left")
        [notifier] = self.notifiers()
        os.kill(notifier, signal.SIGTERM)
        self.quiet()
        _, last = self.desktop.shown()
        self.assertEqual((last[:2], last[3:]), ([1, 1], [{}, 0]))
        self.assertTrue(last[2].startswith(SEE.format(1)), last)

    def test_a_button_whose_time_is_over_gives_way_to_a_sentence(self):
        bare = dict(self.device.environment)
        del self.device.environment["DBUS_SESSION_BUS_ADDRESS"]
        del self.device.environment["XDG_RUNTIME_DIR"]
        self.bounce("waits")
        self.device.wait_for_agents()
        self.assertEqual(self.desktop.shown(), [])
        subprocess.run(
            [BIN / "memo-agent", "notify", "--seconds", "0"], env=bare, check=True,
            stdin=subprocess.DEVNULL, timeout=SECONDS)
        self.assertEqual(
            [(each[0], each[3]) for each in self.desktop.shown()], [(1, BUTTON), (1, {})])

    def test_a_server_that_goes_away_ends_the_process_and_nothing_else(self):
        self.bounce("waits")
        self.shown()
        self.desktop.kill()
        self.quiet()
        self.device.run("arrives")
        wait_until(lambda: self.inbox.memos() == [b"arrives"], "a memo arrives")


class OtherDesktops(NotificationsTest):
    def test_a_server_without_buttons_gets_the_command(self):
        self.on_a_desktop("plain")
        self.sign_in()
        self.bounce("waits")
        [[_, _, text, buttons, _]] = self.shown()
        self.assertEqual(buttons, {})
        self.assertTrue(text.startswith(SEE.format(1)), text)
        self.quiet()

    def test_what_no_server_has_taken_is_told_by_the_next_one(self):
        bus = self.on_a_desktop("refusing")
        self.sign_in()
        self.bounce("waits")
        wait_until(lambda: self.desktop.calls("Refused"), "the server refuses")
        self.quiet()
        self.assertIn(LINE + "1", self.doctor())
        self.desktop.kill()
        self.desktop = self.cleanup.enter_context(Notifications(bus))
        self.device.deliver()
        self.assertEqual(self.shown(), [[1, 0, NOT_ARRIVED, BUTTON, 1]])

    def test_without_a_server_on_the_bus_memos_leave_and_the_line_tells(self):
        bus = self.cleanup.enter_context(SessionBus(self.folder / "session"))
        self.device.environment.update(bus.environment)
        self.sign_in()
        self.bounce("waits")
        self.quiet()
        self.assertFalse(bus.is_owned(NAME))
        self.assertIn(LINE + "1", self.doctor())

    def test_a_bus_that_never_answers_holds_nothing_up(self):
        address = str(self.folder / "silent")
        silent = self.cleanup.enter_context(socket.socket(socket.AF_UNIX))
        silent.bind(address)
        silent.listen()
        silent.settimeout(SECONDS)
        self.device.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={address}"
        self.sign_in()
        self.bounce("waits")
        waits, _ = silent.accept()
        self.cleanup.enter_context(waits)
        self.device.run("arrives")
        wait_until(lambda: self.inbox.memos() == [b"arrives"], "a memo arrives meanwhile")
        self.quiet()
        self.assertIn(LINE + "1", self.doctor())


if __name__ == "__main__":
    unittest.main()
