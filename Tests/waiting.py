"""How tests wait: for a condition, never for a time."""
import time

#: How long anything may take before it counts as hanging: much longer than a machine with one core
#: needs that is busy with something else. A bound ends a hang, and says nothing about speed.
SECONDS = 300


def wait_until(condition, what, seconds=SECONDS):
    """Answers the first true answer of `condition`; `what` may be a function that tells more."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(
                f"after {seconds} s still not: {what() if callable(what) else what}")
        time.sleep(0.02)
    return result
