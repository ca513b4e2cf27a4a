"""Compares the terminal's instants with programs that people find instant.

usage: cli.py FOLDER_OF_MEMO SCRATCH_FOLDER [ROUNDS]

- `memo --version` as a whole process against `sqlite3 -version`: what a start costs.
- `memo "text"` as a whole process against the `sqlite3` command inserting one 1 KB row with
  synchronous=FULL. A relay and the agent run, as they do for a person.
- `memo` alone against `nano`, in a pseudo-terminal whose own echo is off: from starting the program
  to a letter, typed once the program has taken the terminal over, standing on the screen.
"""
import fcntl
import os
import pathlib
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time

programs, scratch = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 50
MEMO, LIMIT = str(programs / "memo"), 20
LETTER = b"\x7e"  # a tilde: neither program draws one by itself


def whole(arguments, environment):
    """Milliseconds from starting a program to its end."""
    start = time.perf_counter()
    process = os.posix_spawn(
        arguments[0], arguments, environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                      (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
                      (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    status = os.waitpid(process, 0)[1]
    taken = (time.perf_counter() - start) * 1000
    if status:
        sys.exit(f"{arguments[0]} ended with {os.waitstatus_to_exitcode(status)}")
    return taken


def ready(arguments, environment):
    """Milliseconds from starting a program to a typed letter standing on the screen."""
    person, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    attributes = termios.tcgetattr(terminal)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    start = time.perf_counter()
    process = os.posix_spawn(
        arguments[0], arguments, environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, terminal, number) for number in range(3)])
    typed = False
    try:
        while time.perf_counter() - start < LIMIT:
            if not typed and not termios.tcgetattr(terminal)[3] & termios.ICANON:
                os.write(person, LETTER)
                typed = True
            if select.select([person], [], [], 0.00005)[0] and LETTER in os.read(person, 65536):
                if typed:
                    return (time.perf_counter() - start) * 1000
        sys.exit(f"{arguments[0]} was not ready after {LIMIT} s")
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(person)
        os.close(terminal)


def sign_in(url, environment, mail):
    login = subprocess.Popen(
        [MEMO, "login", "bench@localhost", "--relay", url], env=environment,
        stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    codes = []
    while not codes and login.poll() is None:
        for path in (mail / "new").glob("*"):
            codes += re.findall(rb"^(\d{6,10})(?:=0A=)?\r?$", path.read_bytes(), re.M)
        time.sleep(0.02)
    login.communicate((codes or [b""])[0] + b"\n", timeout=60)
    if login.returncode:
        sys.exit("signing in failed")


def compare(name, title, ours, theirs):
    (our_title, measure_ours), (their_title, measure_theirs) = ours, theirs
    measured = ([], [])
    for turn in range(rounds + 3):
        for times, measure in zip(measured, (measure_ours, measure_theirs)):
            taken = measure()
            if turn >= 3:
                times.append(taken)
    ours, theirs = (statistics.median(times) for times in measured)
    print(f"  {title}: {our_title} {ours:.2f} ms, {their_title} {theirs:.2f} ms (medians of {rounds})")
    print(f"{name}: {ours / theirs:.2f} x", flush=True)


def main():
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(scratch), "LANG": "C.UTF-8",
        "TERM": "xterm-256color", "MEMO_HOME": str(scratch / "device"),
    }
    mail = scratch / "mail"
    relay = subprocess.Popen(
        [programs / "memo-relay", "serve", "--port", "0", "--data", scratch / "relay", "--mail",
         f"maildir:{mail}", "--device-minute", "100000", "--device-day", "100000"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        url = relay.stdout.readline().decode().removeprefix("listening on ").strip()
        sign_in(url, environment, mail)
        compare(
            "cli.start_vs_sqlite3", "a whole process that says its version",
            ("memo", lambda: whole([MEMO, "--version"], environment)),
            ("sqlite3", lambda: whole(["/usr/bin/sqlite3", "-version"], environment)))
        text = "x" * 1024
        database = str(scratch / "peer.sqlite")
        insert = f"PRAGMA synchronous=FULL; INSERT INTO memo VALUES ('{text}')"
        subprocess.run(["sqlite3", database, "CREATE TABLE memo(text TEXT)"], check=True)
        compare(
            "cli.send_vs_sqlite3", "a whole process that stores 1 KB",
            ("memo", lambda: whole([MEMO, text], environment)),
            ("sqlite3", lambda: whole(["/usr/bin/sqlite3", database, insert], environment)))
        compare(
            "cli.time_to_text_vs_nano", "from exec to a typed letter on the screen",
            ("memo", lambda: ready([MEMO], environment)),
            ("nano", lambda: ready(["/usr/bin/nano"], environment)))
    finally:
        relay.terminate()
        relay.wait(60)


main()
