"""Computes what relays and databases hold from measured figures.

usage: scaling.py FIGURES DOCUMENT [--check]

Prints the table for docs/scaling.md; with --check, exit status 1 if the document has another one.
"""
import json
import math
import pathlib
import sys

figures = json.loads(pathlib.Path(sys.argv[1]).read_text())
document = pathlib.Path(sys.argv[2])

TITLES = {
    "accepted_a_second": ("accepted at the highest rate", " a second"),
    "finished_a_second": ("finished until all had left", " a second"),
    "bytes": ("bytes of rows and indexes that stay", ""),
    "wal_bytes": ("bytes of WAL", ""),
    "commits": ("commits", ""),
    "dead_rows": ("dead rows", ""),
    "relay_microseconds": ("processor time of the relay", " µs"),
    "database_microseconds": ("processor time of the database", " µs"),
}
#: What people do, which nothing measures.
MEMOS_A_DAY = 10
#: The busiest second over the mean of the day.
PEAK = 5
#: A machine has so many processors, and is to be busy for this share of its time at the peak.
PROCESSORS, BUSY = 8, 0.5
#: A database of which each byte is kept three times.
COPIES = 3
DAY, GB = 86_400, 1e9


def number(value):
    """Two digits that count."""
    if value < 10:
        return f"{value:.2g}"
    digits = len(str(int(value)))
    return f"{round(value, 2 - digits):,.0f}"


def machines(microseconds, rate):
    return max(1, math.ceil(rate * microseconds / 1e6 / (PROCESSORS * BUSY)))


def column(people):
    """What so many people need, by the row's title."""
    mean = people * MEMOS_A_DAY / DAY
    peak = mean * PEAK
    databases = max(1, math.ceil(peak / (figures["finished_a_second"] * BUSY)))
    relays = max(2, machines(figures["relay_microseconds"], peak))
    return {
        "memos a second, mean": number(mean),
        "memos a second, peak": number(peak),
        "the turns of one database, busy at the peak": f"{number(100 * peak / figures['finished_a_second'])} %",
        "commits a second, peak": number(peak * figures["commits"]),
        "WAL a day": f"{number(mean * DAY * figures['wal_bytes'] / GB)} GB",
        "rows that die in a second, peak": number(peak * figures["dead_rows"]),
        "rows of memos that are added in a year": f"{number(mean * DAY * 365 * figures['bytes'] / GB)} GB",
        "processors of relays, peak": number(peak * figures["relay_microseconds"] / 1e6),
        "processors of databases, peak": number(peak * figures["database_microseconds"] / 1e6),
        "machines for relays": f"{relays:,}",
        "databases, by their turns": f"{databases:,}",
        "machines for databases, with two standbys each": f"{databases * COPIES:,}",
    }


def table():
    people = {"1 thousand": 1e3, "1 million": 1e6, "100 million": 1e8}
    columns = {title: column(count) for title, count in people.items()}
    lines = ["| people | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for title in next(iter(columns.values())):
        lines.append(f"| {title} | " + " | ".join(each[title] for each in columns.values()) + " |")
    return "\n".join(lines)


def measured():
    lines = ["| figure | a memo of 1 KB |", "|---|---|"]
    for name, (title, unit) in TITLES.items():
        lines.append(f"| {title} | {figures[name]:,}{unit} |")
    return "\n".join(lines)


def main():
    for part in (measured(), table()):
        print(part + "\n")
        if "--check" in sys.argv and part not in document.read_text():
            sys.exit(f"error: {document} has another table than scripts/scaling prints.")


main()
