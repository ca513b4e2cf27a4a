"""A real SMTP server and the mailbox behind it."""
import asyncio
import email
import email.policy
import random
import threading
import time

from aiosmtpd.smtp import SMTP

from waiting import wait_until

#: How long no mail comes before a test counts the mails: a second copy that is on its way, of a
#: memo that two deliver at once, takes a few milliseconds.
QUIET_SECONDS = 1


class Mails:
    """What a subclass holds, whose `raw` answers each mail's bytes, read as mails and as memos."""

    def messages(self):
        return [email.message_from_bytes(raw, policy=email.policy.default) for raw in self.raw()]

    def memos(self):
        """The decoded bodies of all memos, as bytes. A mail of the relay's own has no Reply-To."""
        return [
            message.get_payload(decode=True)
            for message in self.messages()
            if message["Reply-To"]
        ]


class Inbox(Mails):
    """Collapses equal Message-IDs, as some mailboxes do, and counts what it collapsed.

    SMTP cannot tell whether a mail that was cut off after the final dot was taken (RFC 1047), so a
    careful sender hands in the same bytes again.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._messages = {}
        self._last = time.monotonic()
        self.collapsed = 0
        self.differing = 0

    def deliver(self, content):
        identifier = email.message_from_bytes(content)["Message-ID"]
        with self._lock:
            self._last = time.monotonic()
            if identifier in self._messages:
                self.collapsed += 1
                self.differing += self._messages[identifier] != content
            else:
                self._messages[identifier] = content

    def wait_for_quiet(self):
        wait_until(
            lambda: time.monotonic() - self._last >= QUIET_SECONDS, "no more mail comes")

    def raw(self):
        with self._lock:
            return list(self._messages.values())


class MailServer:
    """An SMTP server on loopback.

    `answer` is the answer to each mail that is not taken, or a function from a mail's bytes to it."""

    def __init__(self, inbox, cut_after_dot=0.0, seed=0):
        self.inbox = inbox
        self.cut_after_dot = cut_after_dot
        self.cuts = 0
        self.answer = None
        self.hang = False
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(20)
        self.url = f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(20)

    async def _listen(self):
        return await self._loop.create_server(
            lambda: SMTP(self, loop=self._loop), "127.0.0.1", 0)

    async def handle_DATA(self, server, session, envelope):
        if self.hang:
            await asyncio.sleep(3600)
        answer = self.answer(envelope.content) if callable(self.answer) else self.answer
        if answer:
            return answer
        self.inbox.deliver(envelope.content)
        if self._random.random() < self.cut_after_dot:
            self.cuts += 1
            server.transport.abort()
        return "250 taken"
