#!/usr/bin/env python3
"""Writes what the fuzzers begin with: the project's vectors and golden store, one file an input.

usage: seeds.py FOLDER    makes FOLDER/TARGET/... and leaves what is there
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = pathlib.Path(sys.argv[1])


def write(target, name, data):
    folder = FOLDER / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def vectors(name):
    return enumerate(json.loads((ROOT / "Vectors" / f"{name}.json").read_text()))


for number, vector in vectors("identifiers"):
    write("identifier", f"text-{number}", vector["text"].encode())
    write("identifier", f"bytes-{number}", bytes.fromhex(vector["text"].replace("-", "")))
for number, vector in vectors("envelopes"):
    data = bytes.fromhex(vector["hex"])
    write("envelope", f"vector-{number}", data)
    write("envelope", f"vector-{number}-without-check", data[:-4])
for number, vector in vectors("sealed-records"):
    write("sealed-record", f"vector-{number}", bytes.fromhex(vector["hex"]))
for path in sorted(ROOT.glob("Tests/OutboxFilesTests/Golden/*/operations/*")):
    write("operation-file", path.name, path.read_bytes())
