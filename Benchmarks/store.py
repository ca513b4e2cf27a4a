"""Instructions that each contender of StoreBenchmark takes, counted by callgrind.

usage: store.py StoreBenchmark FOLDER [--figures]

Each contender runs twice with different numbers of rounds: the difference is free of what setting
up takes. Unlike a time, the count does not depend on what else the machine does. --figures: only the
store's own counts, which stand first in their groups, as figures.
"""
import os
import re
import subprocess
import sys

# Otherwise the shape of each hash table, and so the count, is another one in each run.
ENVIRONMENT = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1"}


def instructions(program, group, index, rounds, folder):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out",
         program, "count", group, index, str(rounds)],
        capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def main(built, folder, figures=None):
    # valgrind does not read the debugging information of Swift's linker.
    program = f"{folder}/StoreBenchmark"
    subprocess.run(["objcopy", "--strip-debug", built, program], check=True)
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        group, index, rounds, name = line.split(" ", 3)
        if figures and index != "0":
            continue
        few, many = (200, 1200) if int(rounds) > 1 else (1, 4)
        counts = [instructions(program, group, index, rounds, folder) for rounds in (few, many)]
        each = (counts[1] - counts[0]) / (many - few)
        if figures:
            print(f"store.{group}_instructions: {each:.0f} instructions", flush=True)
        else:
            print(f"  {group}: {name}: {each:,.0f} instructions", flush=True)


main(*sys.argv[1:])
