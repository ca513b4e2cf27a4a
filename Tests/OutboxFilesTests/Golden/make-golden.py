#!/usr/bin/env python3
"""Writes the store in this folder from docs/wire-format.md, independently of the Swift code.

A store of a format that was ever released stays as it is: a new format gets a folder of its own.
It needs Python's `cryptography` package; the tests do not run it.
"""
import hashlib
import pathlib
import runpy
import shutil
import struct

HERE = pathlib.Path(__file__).parent
vectors = runpy.run_path(str(HERE / "../../../Vectors/make-vectors.py"))
envelope, field, kind, created, state = (
    vectors[name] for name in ["envelope", "field", "kind", "created", "state"])

TIME = 1_700_000_000_000
LATER = 1_900_000_000_000
QUEUED, PARKED, QUARANTINED = 0, 1, 2
NETWORK = 2


def check(data):
    return hashlib.sha256(data).digest()[:8]


def identifier(number):
    return bytes.fromhex("017f22e279b07cc398c4dc0c0c0739") + bytes([number])


def name(number):
    text = identifier(number).hex()
    return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])


def operation(number, fields, place=QUEUED, epoch=0, reason=b"", unknown=b"", magic=b"SMF1"):
    text = f"memo number {number}".encode()
    record = bytes.fromhex(vectors["sealed"](text, time=TIME, id=identifier(number))["hex"])
    header = envelope(kind("memo"), created(TIME), *fields, id=identifier(number))
    head = struct.pack(">BIII", place, epoch, len(header), len(record)) + check(record)
    head += bytes([len(reason)]) + reason + unknown
    data = magic + struct.pack(">H", len(head)) + head + header
    return data + check(data) + record


def flipped(data, index):
    return data[:index] + bytes([data[index] ^ 1]) + data[index + 1:]


fresh = state(0, 0, 0)
waiting = state(2, LATER, NETWORK) + [field(6, b"unreachable")]
files = {
    1: operation(1, fresh),
    2: operation(2, waiting, epoch=5),
    3: operation(3, waiting, epoch=4),
    4: operation(4, fresh + [field(6, b"relay.refused"), field(7, b"lane")], place=PARKED),
    5: operation(5, fresh, place=QUARANTINED, reason=b"quarantine.unknown-key"),
    6: operation(6, fresh + [field(200, b"from a newer build")], unknown=b"newer"),
    7: flipped(operation(7, fresh), 8),
    8: operation(8, fresh, magic=b"SMF2"),
}

store = HERE / "version-1"
shutil.rmtree(store, ignore_errors=True)
(store / "operations").mkdir(parents=True)
for number, data in files.items():
    (store / "operations" / name(number)).write_bytes(data)
waits = b"SMW1" + struct.pack(">IIII", 0, 0, 5, 0)
(store / "waits").write_bytes(waits + check(waits))
(store / "used").write_bytes(b"")
