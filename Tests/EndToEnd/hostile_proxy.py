"""A mail server's bad days: a proxy between the relay and a mail server, which reads along."""
from disturbing_proxy import DisturbingProxy

#: What may become of a mail: it is refused for now, at the beginning or after the final dot without
#: the server having it; the connection is cut in the middle of the text; it is cut as soon as the
#: final dot has left, taken or not; it is cut after the server has taken the mail.
FAULTS = ["451 at MAIL", "451 at the dot", "cut in the text", "cut at the dot", "answer lost"]


class HostileProxy(DisturbingProxy):
    """Passes SMTP on.

    `hold_answers` keeps the answers to final dots from the relay, while it is true.
    """

    scheme, FAULTS = "smtp", FAULTS

    def __init__(self, port, seed=0):
        super().__init__(port, seed)
        self.hold_answers = False
        #: How many mails the server has taken.
        self.taken = 0

    def converse(self, client, server):
        Conversation(self, client, server).run()

    def mail_taken(self):
        with self._lock:
            self.taken += 1


class Conversation:
    """One SMTP connection. What the client sends at once is passed on piece by piece."""

    def __init__(self, proxy, client, server):
        self._proxy = proxy
        self._client, self._server = client, server
        self._lines, self._answers = client.makefile("rb"), server.makefile("rb")

    def run(self):
        self._pass_answer()
        fault = None
        while line := self._lines.readline():
            command = line[:4].upper()
            if command == b"MAIL":
                fault = self._proxy.fault()
                if fault == "451 at MAIL":
                    self._client.sendall(b"451 4.3.0 come again\r\n")
                    continue
            self._server.sendall(line)
            if self._pass_answer().startswith(b"354"):
                if not self._pass_mail(fault):
                    return
            if command == b"QUIT":
                return

    def _answer(self):
        answer = b""
        while True:
            line = self._answers.readline()
            if not line:
                raise EOFError
            answer += line
            if line[3:4] != b"-":
                return answer

    def _pass_answer(self):
        answer = self._answer()
        self._client.sendall(answer)
        return answer

    def _pass_mail(self, fault):
        """Passes the text on; answers whether the connection goes on."""
        mail = b""
        while (line := self._lines.readline()) != b".\r\n":
            if not line:
                return False
            mail += line
        if fault == "cut in the text":
            self._server.sendall(mail[:len(mail) // 2])
            return False
        self._server.sendall(mail)
        if fault == "451 at the dot":
            self._client.sendall(b"451 4.3.0 come again\r\n")
            return False
        self._server.sendall(b".\r\n")
        if fault == "cut at the dot":
            return False
        answer = self._answer()
        if answer.startswith(b"250"):
            self._proxy.mail_taken()
        if fault == "answer lost":
            return False
        if self._proxy.hold_answers:
            # The client, or its end, is the next to speak.
            self._lines.readline()
            return False
        self._client.sendall(answer)
        return True
