"""The seeds of the tests that draw at random: `seeds.txt`, or one that MEMO_TEST_SEED chooses.

usage: seeds.py NAME    prints the known seeds of NAME, a line each
"""
import os
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parent / "seeds.txt"


def known():
    """All seeds of the file, by their names."""
    seeds = {}
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, seed = line.split()[:2]
            seeds.setdefault(name, []).append(int(seed))
    return seeds


def seed_of(name):
    """The seed of a test with real processes, or the one that MEMO_TEST_SEED explores instead.

    A seed chooses what such a test does, and the machine how that meets: what a seed found does not
    come back for certain, so that a second seed of a name would not keep a finding.
    """
    [seed] = known()[name]
    if explored := os.environ.get("MEMO_TEST_SEED"):
        # FNV-1a over the name, as in TestSeeds.swift.
        seed = 0xcbf29ce484222325 ^ int(explored)
        for byte in name.encode():
            seed = (seed ^ byte) * 0x100000001b3 % 2**64
    return seed


if __name__ == "__main__":
    print(*known()[sys.argv[1]], sep="\n")
