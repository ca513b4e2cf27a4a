"""Postfix, which delivers by LMTP to Dovecot, which is read by IMAP: what people run.

Both are Debian's programs with folders and ports of their own. The machine's own mail servers and
their files in /etc are not touched.
"""
import contextlib
import imaplib
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import threading

from inbox import Mails
from ports import quiet_port
from required import required
from waiting import SECONDS, wait_until

ADDRESS = "owner@example.org"
PASSWORD = "of-a-mailbox-on-loopback"
POSTFIX = pathlib.Path("/usr/lib/postfix/sbin")
#: The owner of the mailbox: Dovecot delivers for no root.
OWNER = "nobody"

COLLAPSING = """require "duplicate";
if duplicate { discard; stop; }
"""

DOVECOT = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:~/Maildir
# Connections that a proxy keeps open count, too.
mail_max_userip_connections = 1000
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/home/%u
}}
service imap-login {{
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
# Where deliveries to one mailbox overlap, Dovecot 2.3 forgets some of the Message-IDs it has seen.
# Postfix is told to deliver one at a time; a Postfix that was killed may have left one behind.
service lmtp {{
  process_limit = {deliveries}
  client_limit = 1
  unix_listener lmtp {{
    mode = 0666
  }}
}}
protocol lmtp {{
  mail_plugins = {plugins}
}}
plugin {{
  sieve_before = {folder}/home/collapsing.sieve
}}
"""

POSTFIX_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = /usr/sbin
daemon_directory = {programs}
mail_owner = postfix
setgid_group = postdrop
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
myhostname = mail.example.org
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_tls_security_level = none
mydestination =
alias_maps =
alias_database =
local_recipient_maps =
virtual_mailbox_domains = example.org
virtual_transport = {transport}
lmtp_destination_recipient_limit = 1
lmtp_destination_concurrency_limit = 1
smtp_dns_support_level = disabled
minimal_backoff_time = 1s
maximal_backoff_time = 2s
queue_run_delay = 1s
"""

POSTFIX_SERVICES = """
127.0.0.1:{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
lmtp unix - - n - - lmtp
smtp unix - - n - - smtp
scache unix - - n - 1 scache
retry unix - - n - - error
error unix - - n - - error
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""


def require_mail_servers():
    """Skips the calling test where the machine cannot run both servers."""
    required(os.geteuid() == 0, "root: Postfix and Dovecot change their user")
    required((POSTFIX / "master").exists(), "Postfix (Debian's postfix)")
    for program in ("imap", "lmtp"):
        required(
            pathlib.Path("/usr/lib/dovecot", program).exists(),
            f"Dovecot (Debian's dovecot-{program}d)")
    required(shutil.which("sievec"), "Dovecot's Sieve (Debian's dovecot-sieve)")


def end_group(process):
    """Kills a server with all processes that it has started, and waits for the server."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(SECONDS)


def stop_group(process):
    """Has a server stand still, with all processes that it has started: it answers nothing."""
    os.killpg(process.pid, signal.SIGSTOP)


def continue_group(process):
    os.killpg(process.pid, signal.SIGCONT)


def accepts(port):
    """Whether a server greets.

    It gets all the time that it needs: Dovecot starts a program for each connection, so one that is
    given up after a second and tried again is never greeted on a machine that needs longer.
    """
    with contextlib.suppress(OSError), socket.create_connection(
            ("127.0.0.1", port), SECONDS) as probe:
        return bool(probe.recv(1))


class Mailbox(Mails):
    """A folder of the mailbox of an address, read by IMAP on a port of this machine."""

    def __init__(self, port, address=ADDRESS, folder="INBOX"):
        self.port, self._address, self._mails = port, address, folder

    def raw(self):
        with self.opened() as connection:
            _, [count] = connection.select(f'"{self._mails}"', readonly=True)
            if not int(count):
                return []
            _, parts = connection.fetch("1:*", "(BODY.PEEK[])")
            mails = [part[1] for part in parts if isinstance(part, tuple)]
            assert len(mails) >= int(count), f"{len(mails)} of {int(count)} mails were read"
            return mails

    @contextlib.contextmanager
    def opened(self):
        """A connection that is logged in."""
        with imaplib.IMAP4("127.0.0.1", self.port, timeout=SECONDS) as connection:
            connection.login(self._address, PASSWORD)
            yield connection


class Dovecot(Mailbox):
    """A mailbox that LMTP fills and IMAP reads; Sieve collapses equal Message-IDs, if told.

    `deliveries` is how many mails LMTP takes at once.
    """

    def __init__(self, folder, collapses, deliveries=1):
        super().__init__(quiet_port())
        self._folder = pathlib.Path(folder)
        self._folder.mkdir()
        self._folder.chmod(0o755)
        owner = pwd.getpwnam(OWNER)
        home = self._folder / "home"
        home.mkdir()
        (self._folder / "state").mkdir()
        self._configuration = self._folder / "dovecot.conf"
        self._configuration.write_text(DOVECOT.format(
            folder=self._folder, password=PASSWORD, uid=owner.pw_uid, gid=owner.pw_gid,
            port=self.port, plugins="sieve" if collapses else "", deliveries=deliveries))
        #: How Postfix reaches it.
        self.transport = f"lmtp:unix:{self._folder}/run/lmtp"
        script = home / "collapsing.sieve"
        script.write_text(COLLAPSING)
        subprocess.run(["sievec", "-c", self._configuration, script], check=True)
        for path in [home, *home.iterdir()]:
            os.chown(path, owner.pw_uid, owner.pw_gid)
        self._process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        end_group(self._process)

    def start(self):
        self._process = subprocess.Popen(
            ["dovecot", "-F", "-c", self._configuration], stdin=subprocess.DEVNULL,
            start_new_session=True)
        try:
            wait_until(
                lambda: self._process.poll() is not None or accepts(self.port),
                lambda: f"Dovecot listens: {self.log()[-2000:]}")
            assert self._process.poll() is None, f"Dovecot did not start: {self.log()[-2000:]}"
        except BaseException:
            end_group(self._process)
            raise

    def kill(self):
        """Kills Dovecot with all its programs, in the middle of what they do."""
        end_group(self._process)

    def stop(self):
        stop_group(self._process)

    def go_on(self):
        continue_group(self._process)

    def mails(self):
        """How many mails all mailboxes have together."""
        return sum(
            len(os.listdir(folder)) for name in ("new", "cur")
            for folder in self._folder.glob(f"home/*/Maildir/{name}"))

    def log(self):
        with contextlib.suppress(FileNotFoundError):
            return (self._folder / "log").read_text()
        return ""

    @property
    def collapsed(self):
        """How many mails Sieve has discarded."""
        return len(re.findall(r"Marked message to be discarded", self.log()))


class Postfix:
    """A mail server on a port that stays the same across restarts.

    It hands over by `transport`, as Postfix calls it: `lmtp:unix:PATH`, `smtp:[HOST]:PORT`.
    """

    #: The folders of the queue in which a mail waits or is being delivered; most mails move on in
    #: this order.
    _WAITING = ("maildrop", "incoming", "active", "deferred", "hold", "corrupt")

    def __init__(self, folder, transport, main="", services=""):
        """`main` and `services` are more lines of main.cf and master.cf."""
        self._folder = pathlib.Path(folder)
        (self._folder / "data").mkdir(parents=True)
        self._folder.chmod(0o755)
        shutil.chown(self._folder / "data", "postfix")
        queue = self._folder / "queue"
        queue.mkdir()
        for name in [*self._WAITING, "bounce", "defer", "flush", "saved", "trace", "private"]:
            (queue / name).mkdir(mode=0o700)
            shutil.chown(queue / name, "postfix")
        (queue / "pid").mkdir()
        (queue / "public").mkdir(mode=0o710)
        for name, mode in [("public", 0o710), ("maildrop", 0o730)]:
            shutil.chown(queue / name, "postfix", "postdrop")
            (queue / name).chmod(mode)
        self.port = quiet_port()
        configuration = self._folder / "etc"
        configuration.mkdir()
        (configuration / "main.cf").write_text(POSTFIX_MAIN.format(
            folder=self._folder, programs=POSTFIX, transport=transport) + main)
        (configuration / "master.cf").write_text(
            POSTFIX_SERVICES.format(port=self.port) + services)
        self._configuration = configuration
        self._process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        end_group(self._process)

    def start(self):
        # -d: stays in the foreground, as the leader of a process group that all its programs are in.
        self._process = subprocess.Popen(
            [POSTFIX / "master", "-c", self._configuration, "-d"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            wait_until(
                lambda: self._process.poll() is not None or accepts(self.port),
                lambda: f"Postfix listens: {self.log()[-2000:]}")
            assert self._process.poll() is None, f"Postfix did not start: {self.log()[-2000:]}"
        except BaseException:
            end_group(self._process)
            raise

    def set_transport(self, transport):
        """Has mails to the mailbox go another way from the next start on."""
        with open(self._configuration / "main.cf", "a") as main:
            main.write(f"virtual_transport = {transport}\n")

    def kill(self):
        """Kills Postfix with all its programs, in the middle of what they do."""
        end_group(self._process)

    def stop(self):
        stop_group(self._process)

    def go_on(self):
        continue_group(self._process)

    def log(self):
        with contextlib.suppress(FileNotFoundError):
            return (self._folder / "log").read_text(errors="replace")
        return ""

    def waiting(self):
        """How many mails are in its queue.

        A file that nobody may execute is the beginning of a mail that Postfix has not taken
        (mail_queue(3)): it stays where Postfix was killed, and is never delivered.
        """
        found = 0
        # A mail that comes back from `deferred` meanwhile is found in `active`.
        for name in [*self._WAITING, "active"]:
            for folder, _, files in os.walk(self._folder / "queue" / name):
                for file in files:
                    with contextlib.suppress(FileNotFoundError):
                        found += bool(os.stat(os.path.join(folder, file)).st_mode & 0o100)
        return found
