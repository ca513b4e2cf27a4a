"""Devices that send memos to several relays without a pause."""
import itertools
import threading
import time

from test_relay_postgresql import MEMO
from waiting import SECONDS, wait_until

#: What a caller of a relay that is away gets.
AWAY = (OSError, ValueError, IndexError)


class MemoSenders:
    """Send memos, each to one relay after the other until one takes it, as a device and a proxy do.

    `away` are the errors of a relay that does not answer: what became of the request is not known.
    """

    def __init__(self, relays, token, away=()):
        self._relays, self._token, self._away = relays, token, away
        self._ended = threading.Event()
        self._accepted = [[] for _ in range(4)]
        #: The answers that are neither an acceptance nor ask for patience.
        self.refused = []
        self._threads = [
            threading.Thread(target=self._send, args=(1_000_000 * index, accepted), daemon=True)
            for index, accepted in enumerate(self._accepted)]
        for thread in self._threads:
            thread.start()

    def _send(self, first, accepted):
        for number in itertools.count(first):
            if self._ended.is_set() or not self._is_accepted(number):
                return
            accepted.append(number)

    def _is_accepted(self, number):
        for attempt in itertools.count(number):
            try:
                answer = self._relays[attempt % len(self._relays)].exchange(
                    "PUT", MEMO.format(number), {"text": f"Milk {number}"}, self._token)
            except self._away:
                continue
            if answer.status == 202:
                return True
            if answer.status != 503:
                self.refused.append(answer)
                return False
            # No database takes writes for a while.
            time.sleep(0.2)

    def wait_for_more(self, count):
        """Waits until more than so many further memos of each sender are accepted, or one is refused."""
        before = [len(accepted) for accepted in self._accepted]
        wait_until(
            lambda: self.refused or all(
                len(accepted) > earlier + count for accepted, earlier in zip(self._accepted, before)),
            "memos are accepted")

    def end(self):
        """Ends, and answers the numbers of the memos that were accepted, as often as they were."""
        self._ended.set()
        for thread in self._threads:
            thread.join(SECONDS)
        return sorted(number for accepted in self._accepted for number in accepted)


def numbers_of(mails):
    """The numbers of the senders' memos in files of mails."""
    lines = [line for path in mails for line in path.read_text().splitlines()]
    return sorted(int(line.split()[-1]) for line in lines if line.startswith("Subject: Milk"))
