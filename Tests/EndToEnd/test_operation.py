"""What an operator sees and does beside a relay that runs."""
import json
import subprocess
import threading
import unittest
import urllib.error
import urllib.request

from processes import BIN
from test_faults import FaultTest
from waiting import SECONDS, wait_until


class Operation(FaultTest):
    def operate(self, *arguments, check=True):
        command, *rest = arguments
        sub = [rest.pop(0)] if command in ("dead-letters", "queue") else []
        result = subprocess.run(
            [BIN / "memo-relay", command, *sub, "--data", self.relay.folder, *rest],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=SECONDS)
        if check:
            self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def json(self, *arguments):
        return json.loads(self.operate(*arguments, "--json").stdout)

    def readiness(self):
        try:
            with urllib.request.urlopen(f"{self.relay.url}/readyz", timeout=SECONDS) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def test_a_mail_server_that_refuses_the_relay_is_named_and_the_mails_wait(self):
        self.sign_in()
        self.assertEqual(self.readiness()[1]["waits"], [])
        self.server.answer = "550 5.7.1 this relay may not send"
        memo = self.device.json("patience")["id"]
        wait_until(lambda: self.json("stats")["waits"], "the mail waits")
        wait_until(
            lambda: f"memo={memo} " in self.relay.log_path.read_text(), "the log names the memo")
        self.assertRegex(
            self.relay.log_path.read_text(), rf" memo={memo} .*reason=smtp\.relay\.550\.5\.7\.1 .*not delivered yet")
        self.assertEqual(self.json("stats")["waits"], {"smtp.relay.550.5.7.1": 1})
        wait_until(lambda: self.readiness()[1]["waits"], "a fresh report")
        status, report = self.readiness()
        self.assertEqual((status, report["waits"]), (200, ["smtp.relay.550.5.7.1"]))
        self.assertEqual(self.operate("dead-letters", "list").stdout, b"")
        self.server.answer = None
        self.arrives("patience")
        self.assertEqual(self.json("stats")["waits"], {})

    def test_a_key_that_is_gone_makes_the_relay_unready_before_it_is_started_again(self):
        key = self.relay.folder / "key"
        kept = key.rename(self.relay.folder / "kept")
        wait_until(lambda: self.readiness()[0] == 503, "the key is missed")
        self.assertEqual(self.readiness()[1]["checks"]["key"], "key.missing")
        kept.rename(key)
        wait_until(lambda: self.readiness()[0] == 200, "the key is back")

    def test_a_dead_letter_that_is_tried_again_arrives_once(self):
        self.sign_in()
        self.server.answer = "550 5.1.1 nobody here"
        memo = self.device.json("second chance")["id"]
        wait_until(lambda: self.json("dead-letters", "list"), "the mail is refused")
        letter, = self.json("dead-letters", "list", "--domain", "example.org")
        self.assertEqual((letter["reason"], letter["attempts"]), ("smtp.550", 1))
        # One identifier from the person's history to the dead letter and the log.
        self.assertEqual(self.device.json("history")[0]["id"], memo)
        self.assertEqual(letter["memo"], memo)
        for identifier in [letter["id"], memo]:
            self.assertEqual(letter, self.json("dead-letters", "show", identifier))
        self.assertIn(memo.encode(), self.operate("dead-letters", "list").stdout)
        self.assertRegex(
            self.relay.log_path.read_text(),
            rf"memo={memo} operation={letter['id']} reason=smtp\.550 status=bounced .*mail finished")
        self.assertEqual(self.json("dead-letters", "list", "--older-than", "1h"), [])
        self.server.answer = None
        done = self.operate("dead-letters", "retry", memo)
        self.assertEqual(done.stdout, b"queued again: 1\n")
        self.arrives("second chance")
        wait_until(lambda: self.json("stats")["memos"] == {"delivered": 1}, "it is recorded")
        again = self.operate("dead-letters", "retry", letter["id"], check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn(letter["id"].encode(), again.stderr)
        self.inbox.wait_for_quiet()
        self.assertEqual(self.inbox.collapsed, 0)

    def test_a_discarded_dead_letter_is_gone_and_its_memo_stays_bounced(self):
        self.sign_in()
        self.server.answer = "550 never"
        self.device.run("never")
        wait_until(lambda: self.json("dead-letters", "list"), "the mail is refused")
        unsaid = self.operate("dead-letters", "discard", check=False)
        self.assertEqual(unsaid.returncode, 64)
        self.assertEqual(len(self.json("dead-letters", "list")), 1)
        self.operate("dead-letters", "discard", "--reason", "smtp.550")
        self.assertEqual(self.json("dead-letters", "list"), [])
        self.assertEqual(self.json("stats")["memos"], {"bounced": 1})

    def test_commands_that_run_all_the_time_neither_lose_nor_double_a_memo(self):
        self.sign_in()
        ended = threading.Event()
        failures = []

        def operate():
            while not ended.is_set():
                for arguments in [("stats",), ("dead-letters", "retry", "--all"),
                                  ("dead-letters", "list")]:
                    result = self.operate(*arguments, check=False)
                    if result.returncode:
                        failures.append(result.stderr)

        threads = [threading.Thread(target=operate) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            texts = [f"memo {number}" for number in range(20)]
            for number, text in enumerate(texts):
                self.server.answer = "550 not now" if number % 3 else None
                self.device.run(text)
            wait_until(lambda: self.json("stats")["memos"].get("accepted", 0)
                       + len(self.inbox.memos()) > 0, "memos reach the relay")
            self.server.answer = None
            self.arrives(*texts)
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(self.inbox.collapsed, 0)
        wait_until(lambda: self.json("stats")["memos"] == {"delivered": 20}, "all is recorded")

    def test_a_folder_without_a_relay_is_named_and_stays_empty(self):
        self.relay.folder = self.relay.folder.parent / "none"
        self.relay.folder.mkdir()
        for arguments in [("stats",), ("dead-letters", "list")]:
            result = self.operate(*arguments, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn(str(self.relay.folder).encode(), result.stderr)
        self.assertEqual(list(self.relay.folder.iterdir()), [])

    def test_a_held_mail_arrives_once_after_it_is_released(self):
        self.sign_in()
        self.server.answer = "451 4.3.0 not now"
        memo = self.device.json("kept back")["id"]
        wait_until(
            lambda: [mail for mail in self.json("queue", "list") if mail["attempts"]],
            "the mail waits")
        mail, = self.json("queue", "list", "--domain", "example.org", "--reason", "smtp.451")
        self.assertEqual((mail["memo"], mail["kind"], mail.get("heldSince")), (memo, "memo", None))
        self.assertEqual(self.operate("queue", "hold", memo).stdout, b"held: 1\n")
        shown = self.operate("queue", "show", mail["id"]).stdout.decode()
        self.assertRegex(shown, r"next: +held since 20")
        self.assertNotIn("kept back", shown)
        self.assertNotIn("@", shown)
        # No attempt is under way when the server takes mails again.
        self.relay.kill()
        self.server.answer = None
        self.relay.start()
        self.assertEqual(self.operate("queue", "retry", "--all").stdout, b"due at once: 0\n")
        self.device.json("free to go")
        self.arrives("free to go")
        self.assertEqual(self.json("stats")["heldMails"], 1)
        self.assertEqual(self.json("dead-letters", "list"), [])
        self.assertEqual(self.operate("queue", "release", "--all").stdout, b"released: 1\n")
        self.arrives("free to go", "kept back")
        wait_until(lambda: self.json("stats")["memos"] == {"delivered": 2}, "it is recorded")
        again = self.operate("queue", "release", mail["id"], check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn(mail["id"].encode(), again.stderr)
        self.assertEqual(self.inbox.collapsed, 0)

    def test_a_mail_that_waits_is_tried_at_once_when_its_operator_says_so(self):
        self.relay.stop()
        # A second attempt by itself would come after the test.
        self.relay = self.make_relay(
            f"{self.folder}/patient", self.server.url, "--mail-retry-base", "3600")
        self.sign_in()
        self.server.answer = "451 4.3.0 not now"
        memo = self.device.json("impatient")["id"]
        wait_until(
            lambda: [mail for mail in self.json("queue", "list") if mail.get("dueAt")],
            "the mail waits")
        self.server.answer = None
        self.assertEqual(self.operate("queue", "retry", memo).stdout, b"due at once: 1\n")
        self.arrives("impatient")
        for arguments in [["hold"], ["hold", "--all", "--domain", "example.org"], ["show", "x"]]:
            wrong = self.operate("queue", *arguments, check=False)
            self.assertEqual(wrong.returncode, 64, arguments)


if __name__ == "__main__":
    unittest.main()
