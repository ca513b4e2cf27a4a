"""Names the tests that are not steady. usage: steady.py FOLDER RUNS KNOWN

FOLDER holds N.swift (a log of Swift Testing) and N.programs (results of Tests/run.py) of each run N.
KNOWN has a line "test: cause" for each test whose unsteady time has a known cause.
Exit status 1 if a test failed, or a run has no results.
"""

import json
import re
import statistics
import sys
from pathlib import Path

ENDED = re.compile(r"^[✔✘] Test (.*?) (?:with \d+ test cases? )?(passed|failed) after ([\d.]+) seconds", re.M)
BEGUN = re.compile(r"^◇ Test (?!case|run)(.*?) started\.$", re.M)
SUMMARY = re.compile(r"^[✔✘] Test run with \d+ tests?", re.M)
#: Seconds below which nobody notices that a test took longer than before.
NOTICED = 1


def results(folder, run):
    """Of each test of a run its seconds and whether it failed."""
    log = (folder / f"{run}.swift").read_text(errors="replace")
    for name, verdict, seconds in ENDED.findall(log):
        yield f"Swift: {name}", float(seconds), verdict == "failed"
    ended = {name for name, _, _ in ENDED.findall(log)}
    for name in set(BEGUN.findall(log)) - ended:
        yield f"Swift: {name}", 0.0, True
    # Two of the light ones, and two of the heavy ones.
    if len(SUMMARY.findall(log)) != 4:
        yield "Swift: a test process ended before its tests", 0.0, True
    for name, result in json.loads((folder / f"{run}.programs").read_text()).items():
        yield name, result["seconds"], result["failed"]


folder, runs = Path(sys.argv[1]), int(sys.argv[2])
known = dict(line.rsplit(": ", 1) for line in Path(sys.argv[3]).read_text().splitlines()
             if line and not line.startswith("#"))
seconds, failures, broken = {}, {}, []
for run in range(1, runs + 1):
    try:
        for name, value, has_failed in results(folder, run):
            seconds.setdefault(name, []).append(value)
            if has_failed:
                failures.setdefault(name, []).append(run)
    except OSError as error:
        broken.append(f"run {run} has no results: {error}; see {folder}/{run}.log")

for name, values in sorted(seconds.items()):
    median, slowest = statistics.median(values), max(values)
    if name not in failures and slowest > 3 * median and slowest > NOTICED:
        print(f"uneven   {name}: {slowest:.1f} s, median {median:.1f} s ({known.get(name, 'cause not known')})")
for name, numbers in sorted(failures.items()):
    print(f"FAILED   {name}: in run {', '.join(map(str, numbers))}")
print(*broken, sep="\n", end="\n" if broken else "")
print(f"{len(seconds)} tests, {sum(map(len, seconds.values()))} results")
print(f"steady.runs: {runs}\nsteady.failures: {len(failures) + len(broken)}")
sys.exit(1 if failures or broken else 0)
