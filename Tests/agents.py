"""The agents that run for a data folder."""
import contextlib
import os
import pathlib
import signal
import time


def environment_of(process):
    """The variables of a folder of /proc. A program has none for a moment after its process has
    begun, and whoever began it goes on meanwhile: these are waited for."""
    for _ in range(1000):
        if variables := (process / "environ").read_bytes():
            return variables.split(b"\0")
        # Neither the kernel's threads nor processes that have ended have a program.
        os.readlink(process / "exe")
        time.sleep(0.001)
    return []


def agents_of(home):
    """The process ids of the agents of a data folder, which MEMO_HOME names."""
    marker = f"MEMO_HOME={home}".encode()
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if marker not in environment_of(process):
                continue
            command = (process / "cmdline").read_bytes().split(b"\0")
            if command[0].endswith(b"memo-agent") and b"run" in command:
                found.append(int(process.name))
    return found


def kill_agents_of(home):
    """Answers how many there were."""
    killed = 0
    for agent in agents_of(home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(agent, signal.SIGKILL)
            killed += 1
    return killed
