"""The agents that run for a data folder."""
import contextlib
import os
import pathlib
import signal


def agents_of(home):
    """The process ids of the agents of a data folder, which MEMO_HOME names."""
    marker = f"MEMO_HOME={home}".encode()
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes().split(b"\0")
            if command[0].endswith(b"memo-agent") and b"run" in command:
                if marker in (process / "environ").read_bytes().split(b"\0"):
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
