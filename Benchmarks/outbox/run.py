"""Measures the outbox against the disk's own limit and against other durable queues.

usage: run.py PROGRAM SCRATCH_FOLDER RESULTS_FILE [small]

Every contender is a process of its own that measures itself, does what it is told, a slice of
operations at a time, and stands still meanwhile: the slices of all alternate, so that whatever else
the machine does falls on all of them. A disk may answer one processor more quickly than another:
in a slice of enqueues whoever syncs is on the same one, in the next slice on the next one. 1 KB, one
file system, five runs in fresh folders. A figure that compares two is the median of the runs'
ratios.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SMALL = len(sys.argv) > 4
RUNS, SLICES, SLICE = (1, 2, 24) if SMALL else (5, 10, 240)
QUEUED, REREADS = (2_000, 3) if SMALL else (20_000, 9)
FEW, MANY, ROUNDS = (1_000, 20_000, 40) if SMALL else (1_000, 1_000_000, 1_000)
WRITES = 200 if SMALL else 2_000
PROCESSORS = sorted(os.sched_getaffinity(0))

OURS = {"sqlite": "Outbox on SQLite", "files": "Outbox on files"}
LIMIT = {"append": "append and fdatasync"}
PEERS = {
    "huey": "huey, fsync=True", "persist-queue": "persist-queue, acks",
    "beanstalkd": "beanstalkd -b -f0", "redis": "Redis, fsync always"}
REFERENCE = {"litequeue": "litequeue"}
TITLES = LIMIT | OURS | PEERS | REFERENCE


class Missing(Exception):
    pass


#: A thread may end at any moment.
ENDED = FileNotFoundError, ProcessLookupError


def threads(process):
    """The folders of a process' threads."""
    return pathlib.Path(f"/proc/{process}/task").iterdir()


class Contender:
    """A process that takes commands."""

    def __init__(self, name, folder, before=(), environment=None):
        self.folder = folder
        folder.mkdir(parents=True)
        program = [PROGRAM] if name in OURS | LIMIT | {"reread": ""} else [
            sys.executable, HERE / "peers.py"]
        self.process = subprocess.Popen(
            [*before, *program, name, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment)

    def tell(self, *words):
        try:
            print(*words, file=self.process.stdin, flush=True)
            return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            said = self.process.stderr.read().strip().splitlines()
            raise Missing(said[-1] if said else "it ended") from None

    def settle(self, processors):
        """Lets the process that syncs, the server where there is one, run on these alone."""
        servers = []
        for thread in threads(self.process.pid):
            with contextlib.suppress(*ENDED):
                servers += map(int, (thread / "children").read_text().split())
        for process in servers or [self.process.pid]:
            for thread in threads(process):
                with contextlib.suppress(*ENDED):
                    os.sched_setaffinity(int(thread.name), processors)

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        shutil.rmtree(self.folder)


def percentile(values, percent):
    return sorted(values)[(len(values) - 1) * percent // 100]


# Durability, as the kernel sees it.

def syncs(name):
    """How many of the enqueues had a sync end between their call and their return, and how many
    syncs there were for each enqueued and each handled operation.

    strace lists the system calls of contender and server in their order; the contender marks where
    each of its operations has returned.
    """
    trace = SCRATCH / "trace"
    contender = Contender(
        name, SCRATCH / "traced",
        ["strace", "-f", "-qq", "-o", trace, "-s", "16", "-e", "trace=fsync,fdatasync,write",
         "-E", "BENCH_MARKS=yes"])
    contender.tell("enqueue", 30)
    contender.tell("drain", 30)
    # The first one after draining might be credited with a sync of the drain's.
    contender.tell("enqueue", 61)
    contender.tell("drain", 61)
    contender.end()
    counts = {"@enqueued": [], "@handled": []}
    synced = 0
    for line in trace.read_text().splitlines():
        if re.search(r"(fsync|fdatasync)(\(| resumed).* = 0$", line):
            synced += 1
        elif mark := re.search(r'write\(\d+, "(@enqueued|@handled)', line):
            counts[mark[1]].append(synced)
            synced = 0
    # An outbox removes after its handler has returned.
    enqueued, handled = counts["@enqueued"][31:], counts["@handled"]
    return {
        "durable": sum(count > 0 for count in enqueued), "enqueues": len(enqueued),
        "enqueue": sum(enqueued) / len(enqueued),
        "drain": (sum(handled[1:]) + synced) / max(len(handled), 1)}


def find_contenders():
    """The syncs of each contender; those that cannot be had are named and left out."""
    found = {}
    for name, title in TITLES.items():
        try:
            found[name] = syncs(name)
        except Missing as reason:
            print(f"  missing: {title}: {reason}", flush=True)
            shutil.rmtree(SCRATCH / "traced")
    return found


# One writer, and a handler that does nothing.

def compare(names):
    """The times of each enqueue in each run, and the rates of draining in each run."""
    enqueues = {name: [] for name in names}
    drains = {name: [] for name in names}
    for run in range(RUNS):
        contenders = {name: Contender(name, SCRATCH / f"{name}-{run}") for name in names}
        times = {name: [] for name in names}
        rates = {name: {1: [], 3: []} for name in names}
        order = list(names)
        for turn in range(SLICES + 1):
            random.shuffle(order)
            consumers = 1 + turn % 2 * 2
            for name in order:
                contenders[name].settle({PROCESSORS[turn % len(PROCESSORS)]})
                taken = contenders[name].tell("enqueue", SLICE)
                contenders[name].settle(PROCESSORS)
                # The first slice warms up.
                times[name] += taken if turn else []
            for name in order:
                taken, = contenders[name].tell("drain", SLICE, consumers)
                if turn and name not in LIMIT:
                    rates[name][consumers].append(SLICE / taken)
        for name in names:
            contenders[name].end()
            enqueues[name].append(times[name])
            if name not in LIMIT:
                # With one consumer, or with three, whichever is quicker.
                drains[name].append(
                    max(statistics.median(some) for some in rates[name].values() if some))
    return enqueues, drains


def describe(name, found, enqueues, drains):
    every = [time * 1e6 for run in enqueues[name] for time in run]
    middle = statistics.median(percentile(run, 50) for run in enqueues[name]) * 1e6
    line = (f"  {TITLES[name]}: enqueue p50 {middle:.0f} µs, p99 {percentile(every, 99):.0f}, "
            f"max {max(every):.0f}")
    if drains[name]:
        line += f"; drain {statistics.median(drains[name]):,.0f} a second"
    traced = found[name]
    line += (f"; durable: {traced['durable']} of {traced['enqueues']} enqueues, "
             f"{traced['enqueue']:.2f} syncs each")
    if drains[name]:
        line += f", {traced['drain']:.2f} for each drained"
    print(line, flush=True)
    return {"p50": middle, "p99": percentile(every, 99), "max": max(every),
            "drain": statistics.median(drains[name]) if drains[name] else None} | {
                "syncs": traced}


def figure(name, value, unit="x"):
    print(f"{name}: {value:.2f} {unit}", flush=True)
    return value


def ratios(ours, theirs):
    return statistics.median(mine / other for mine, other in zip(ours, theirs))


def one_writer(results):
    found = find_contenders()
    enqueues, drains = compare(list(found))
    results["contenders"] = {
        name: {"title": TITLES[name]} | describe(name, found, enqueues, drains) for name in found}
    medians = {
        name: [percentile(run, 50) for run in runs] for name, runs in enqueues.items()}
    peers = [name for name in PEERS if name in found]
    durable = [
        name for name in peers if found[name]["durable"] == found[name]["enqueues"]]
    for name in set(peers) - set(durable):
        print(f"  not compared, since not every enqueue was durable: {TITLES[name]}")
    figures = results["figures"]
    figures["outbox.enqueue_vs_fdatasync"] = figure(
        "outbox.enqueue_vs_fdatasync", ratios(medians["sqlite"], medians["append"]))
    if not durable:
        print("  no durable peer could be had: nothing to compare with")
        return
    quickest = min(durable, key=lambda name: statistics.median(medians[name]))
    print(f"  the quickest durable peer to enqueue: {TITLES[quickest]}")
    figures["outbox.enqueue_vs_best_peer"] = figure(
        "outbox.enqueue_vs_best_peer", ratios(medians["sqlite"], medians[quickest]))
    quickest = max(durable, key=lambda name: statistics.median(drains[name]))
    print(f"  the quickest durable peer to claim and acknowledge: {TITLES[quickest]}")
    figures["outbox.drain_vs_best_peer"] = figure(
        "outbox.drain_vs_best_peer", ratios(drains["sqlite"], drains[quickest]))


def rereading(results):
    """Draining with many queued, against reading the folder again for each three operations."""
    reread = Contender("reread", SCRATCH / "reread")
    reread.tell("fill", QUEUED)
    ours, theirs = [], []
    for run in range(RUNS):
        sqlite = Contender("sqlite", SCRATCH / f"queued-{run}")
        sqlite.tell("fill", QUEUED)
        ours.append(QUEUED / sqlite.tell("drain", QUEUED)[0])
        theirs.append(REREADS / reread.tell("drain", REREADS)[0])
        sqlite.end()
    reread.end()
    print(f"  {QUEUED:,} queued: {statistics.median(ours):,.0f} a second; "
          f"reading the folder again: {statistics.median(theirs):,.0f}")
    results["rereading"] = {"ours": ours, "theirs": theirs}
    results["figures"]["outbox.drain_vs_reread"] = figure(
        "outbox.drain_vs_reread", ratios(ours, theirs))


def run_program(mode, folder, *arguments):
    """The answer of a process that is told everything at its start."""
    answer = subprocess.run(
        [PROGRAM, mode, folder, *map(str, arguments)], check=True, stdout=subprocess.PIPE)
    return json.loads(answer.stdout)


def writers(results):
    folder = SCRATCH / "writers"
    folder.mkdir()
    times = run_program("writers", folder, WRITES)["times"]
    shutil.rmtree(folder)
    rates = {count: [1 / time for time in runs] for count, runs in times.items()}
    results["writers"] = {count: statistics.median(runs) for count, runs in rates.items()}
    for count, rate in results["writers"].items():
        print(f"  {count} concurrent writers: {rate:,.0f} durable enqueues a second")
    for count in ("16", "64"):
        name = f"outbox.writers{count}_vs_1"
        results["figures"][name] = figure(name, ratios(rates[count], rates["1"]))


def backlogs(results):
    folder = SCRATCH / "backlogs"
    folder.mkdir()
    answer = run_program("backlogs", folder, FEW, MANY, ROUNDS)
    print(f"  filled {MANY:,} in {answer['fillSeconds']:.0f} s, "
          f"{answer['bytes'] / MANY:,.0f} bytes each on the disk")
    for name, what in ("next", "next eligible"), ("enqueue", "enqueue"), ("reopen", "reopen"):
        few, many = answer[name]
        unit, scale = ("µs", 1e6) if name != "reopen" else ("ms", 1e3)
        for size, times in (FEW, few), (MANY, many):
            times = [time * scale for time in times]
            print(f"  {what} with {size:,} queued: p50 {percentile(times, 50):.2f} {unit}, "
                  f"p99 {percentile(times, 99):.2f}, max {max(times):.2f}")
        full = f"outbox.{name}_1m_vs_1k"
        results["figures"][full] = figure(full, percentile(many, 50) / percentile(few, 50))
    first = run_program("first-attempt", folder / "many")["seconds"]
    results["figures"]["outbox.network_return_first_attempt_s"] = figure(
        "outbox.network_return_first_attempt_s", first, "s")
    returned = run_program("network-return", folder / "many")
    idle, peak = (returned[key] / 1024 for key in ("idleKilobytes", "peakKilobytes"))
    print(f"  ended the waits of {MANY:,}: {idle:.1f} MB idle, {peak:.1f} MB at most")
    results["figures"]["outbox.network_return_1m_mb"] = figure(
        "outbox.network_return_1m_mb", peak - idle, "MB")
    print(f"  outbox.network_return_1m_s {returned['seconds']:.1f} s")
    drained = run_program("drain", folder / "many")
    shutil.rmtree(folder)
    idle, peak = (drained[key] / 1024 for key in ("idleKilobytes", "peakKilobytes"))
    print(f"  drained {MANY:,} in {drained['seconds']:.0f} s, {MANY / drained['seconds']:,.0f} a "
          f"second; {idle:.1f} MB idle, {peak:.1f} MB at most")
    results["figures"]["outbox.drain_1m_mb"] = figure("outbox.drain_1m_mb", peak - idle, "MB")


def main():
    results = {"figures": {}}
    for part in one_writer, writers, rereading, backlogs:
        part(results)
    pathlib.Path(sys.argv[3]).write_text(json.dumps(results, indent=1))


main()
