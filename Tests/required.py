"""Things that a test needs and a machine may lack."""
import os
import unittest

#: Whether continuous integration runs the tests: it has everything, or is set up wrongly.
IS_CONTINUOUS_INTEGRATION = os.environ.get("CI") == "true"


def required(is_there, what):
    """Skips the calling test, or class of tests, where something is missing.

    In continuous integration the test fails instead: a test that nobody notices being skipped
    protects nothing.
    """
    if is_there:
        return
    if IS_CONTINUOUS_INTEGRATION:
        raise AssertionError(f"{what} is missing, and CI=true allows no test to be skipped")
    raise unittest.SkipTest(f"needs {what}")
