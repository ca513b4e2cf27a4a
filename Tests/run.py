#!/usr/bin/env python3
"""Runs the tests that are written in Python, and names the slowest.

usage: run.py [--jobs N] [--results FILE] TARGET ...
       run.py --list TARGET ...

A target is a folder beside this file, a file in it, or a class or test of a file:
`terminal`, `EndToEnd/test_faults`, `web/test_tabs.TwoTabsInFirefox`. Each file runs in a process of
its own, N of them at once (1 by default), once, in the order of the targets. The exit status is 1
where a test failed or a target holds no test file. The results are an object: of each test its
seconds and whether it failed. --list names the tests and runs none.

A test whose program, package, browser or privilege is missing is skipped with a sentence. In
continuous integration (CI=true) the test fails instead: see required.py.
"""
import argparse
import concurrent.futures
import importlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from required import required

TESTS = pathlib.Path(__file__).resolve().parent
SLOWEST = 10
#: Packages that a machine may lack: Debian's python3-aiosmtpd and python3-dkim, and what
#: web/requirements.txt names.
PACKAGES = {
    "aiosmtpd", "axe_playwright_python", "dkim", "marionette_driver", "playwright", "selenium"}


class TimedResult(unittest.TextTestResult):
    """Measures each test with its own preparation, but without its class's."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.seconds = {}

    def startTest(self, test):
        self._began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.seconds[test.id()] = time.monotonic() - self._began


def tests_of(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from tests_of(each)
        else:
            yield each


def load(name):
    """The tests of `module[.class[.test]]` in the folder that stands first in sys.path.

    Where a package is not installed, one test that needs it stands for all of them.
    """
    try:
        importlib.import_module(name.split(".")[0])
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES:
            raise
        package = error.name

        def needs_package():
            required(False, f"Python's package {package}")
        return unittest.TestSuite([unittest.FunctionTestCase(needs_package, description=name)])
    found = unittest.defaultTestLoader.loadTestsFromName(name)
    return unittest.TestSuite(
        test for test in tests_of(found) if getattr(test, "is_wanted", True))


def run_file(folder, name, report):
    """Runs the tests of one file, in a process of their own, and writes the report."""
    sys.path[:0] = [str(TESTS / folder), str(TESTS), str(TESTS / "EndToEnd")]
    os.chdir(TESTS / folder)
    tests = load(name)
    # A file without a wanted test says nothing.
    stream = sys.stdout if tests.countTestCases() else io.StringIO()
    result = unittest.TextTestRunner(stream, verbosity=2, resultclass=TimedResult).run(tests)
    failed = [test.id() for test, _ in result.failures + result.errors]
    failed += [test.id() for test in result.unexpectedSuccesses]
    report.write_text(json.dumps({
        "seconds": {f"{folder}/{test}": value for test, value in result.seconds.items()},
        "skipped": [reason for _, reason in result.skipped],
        "failed": [f"{folder}/{test}" for test in failed],
    }))
    return 0 if result.wasSuccessful() else 1


def files_of(target):
    """The folder, and the names for `load`, of a target."""
    folder, _, name = target.strip("/").partition("/")
    if name:
        return [(folder, name.removesuffix(".py"))]
    return [(folder, path.stem) for path in sorted((TESTS / folder).glob("test_*.py"))]


def in_own_process(folder, name, is_alone):
    """Starts the process of one file and answers its report.

    Its output appears at once where no other file runs beside it, and else when the process ends.
    """
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch, "report")
        process = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, "--report", report, f"{folder}/{name}"],
            stdin=subprocess.DEVNULL, stdout=None if is_alone else subprocess.PIPE,
            stderr=None if is_alone else subprocess.STDOUT)
        if process.stdout:
            sys.stdout.buffer.write(f"\n{folder}/{name}\n".encode() + process.stdout)
            sys.stdout.flush()
        if not report.exists():
            return {"seconds": {}, "skipped": [], "failed": [f"{folder}/{name}"]}
        return json.loads(report.read_text())


def list_tests(files):
    """Names the tests of the files, in a process for each: files of two folders have equal names."""
    for folder, name in files:
        source = (f"import sys; sys.path[:0] = {[str(TESTS / folder), str(TESTS), str(TESTS / 'EndToEnd')]}\n"
                  f"import run\n"
                  f"for test in run.load({name!r}): print({folder + '/'!r} + test.id())")
        print(subprocess.run([sys.executable, "-W", "ignore", "-c", source], cwd=TESTS / folder,
                             stdout=subprocess.PIPE, text=True, check=True).stdout, end="")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--report", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("targets", nargs="+", metavar="TARGET")
    options = parser.parse_args()
    if options.report:
        [(folder, name)] = files_of(options.targets[0])
        return run_file(folder, name, options.report)

    began = time.monotonic()
    files = []
    for target in options.targets:
        found = files_of(target)
        if not found:
            sys.exit(f"run.py: no test file in {target}")
        files += [file for file in found if file not in files]
    if options.list:
        return list_tests(files)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        reports = list(pool.map(lambda file: in_own_process(*file, options.jobs == 1), files))
    seconds = {test: value for report in reports for test, value in report["seconds"].items()}
    skipped = [reason for report in reports for reason in report["skipped"]]
    failed = [test for report in reports for test in report["failed"]]
    if options.results:
        options.results.write_text(json.dumps({
            test: {"seconds": seconds.get(test, 0), "failed": test in failed}
            for test in {*seconds, *failed}}))
    print(f"\n{len(seconds)} tests in {time.monotonic() - began:.0f} s, "
          f"{len(skipped)} skipped, {len(failed)} failed. The slowest:")
    for test, value in sorted(seconds.items(), key=lambda item: -item[1])[:SLOWEST]:
        print(f"{value:8.1f} s  {test}")
    for reason in sorted({*skipped}):
        print(f"{skipped.count(reason)} skipped: {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
