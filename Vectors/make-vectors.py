#!/usr/bin/env python3
"""Writes the vectors in this folder from docs/wire-format.md, independently of the Swift code.

Run it after a change of a format, look at the difference, and commit both. It needs Python's
`cryptography` package; the tests do not run it.
"""
import json
import pathlib
import struct
import zlib

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HERE = pathlib.Path(__file__).parent
ID = bytes.fromhex("017f22e279b07cc398c4dc0c0c07398f")


def field(tag, value):
    return struct.pack(">BH", tag, len(value)) + value


def envelope(*fields, version=1, id=ID):
    body = bytes([version]) + id + b"".join(fields)
    return body + struct.pack(">I", zlib.crc32(body))


def kind(name):
    return field(1, name.encode())


def created(milliseconds):
    return field(2, struct.pack(">q", milliseconds))


def state(attempts, due, cause):
    return [
        field(3, struct.pack(">I", attempts)),
        field(4, struct.pack(">q", due)),
        field(5, bytes([cause])),
    ]


fresh = [kind("memo"), created(1_700_000_000_000), *state(0, 0, 0)]
full = [
    kind("memo"),
    created(1_700_000_000_000),
    *state(3, 1_700_000_004_000, 3),
    field(6, b"relay.http.500"),
    field(7, b"\x00lane\xff"),
    field(200, b"from a newer build"),
]
good = envelope(*full)
blocking = full[:-1] + [field(8, b"")] + full[-1:]
flipped = bytearray(good)
flipped[20] ^= 1
envelopes = [
    {"name": "never attempted", "hex": envelope(*fresh).hex(), "kind": "memo", "attempts": 0},
    {"name": "every field and an unknown one", "hex": good.hex(), "kind": "memo", "attempts": 3},
    {"name": "parked, and its lane waits", "hex": envelope(*blocking).hex(), "kind": "memo",
     "attempts": 3},
    {"name": "negative times", "kind": "k", "attempts": 0,
     "hex": envelope(kind("k"), created(-1), *state(0, -5, 1)).hex()},
    {"name": "the longest kind", "kind": "k" * 255, "attempts": 4294967295,
     "hex": envelope(kind("k" * 255), created(0), *state(4294967295, 2**63 - 1, 2)).hex()},
    {"name": "empty", "hex": "", "error": "truncated"},
    {"name": "cut short", "hex": good[:20].hex(), "error": "truncated"},
    {"name": "one bit flipped", "hex": bytes(flipped).hex(), "error": "corrupted"},
    {"name": "a later version", "hex": envelope(*full, version=2).hex(),
     "error": "unsupportedVersion"},
    {"name": "no kind", "hex": envelope(created(0)).hex(), "error": "malformed"},
    {"name": "two kinds", "hex": envelope(kind("a"), kind("a"), created(0)).hex(),
     "error": "malformed"},
    {"name": "a flag that says more", "hex": envelope(kind("a"), created(0), field(8, b"1")).hex(),
     "error": "malformed"},
    {"name": "the same flag twice", "error": "malformed",
     "hex": envelope(kind("a"), created(0), field(8, b""), field(8, b"")).hex()},
    {"name": "a length beyond the end", "error": "malformed",
     "hex": envelope(kind("a"), created(0), b"\xc8\xff\xffabc").hex()},
    {"name": "a kind that is too long", "error": "malformed",
     "hex": envelope(kind("k" * 256), created(0)).hex()},
]

KEY = bytes(range(32))
KEY_ID = 0x0123456789ABCDEF
NONCE = bytes(range(100, 112))


def sealed(plaintext, kind=b"memo", time=1_700_000_000_000, id=ID):
    associated = struct.pack(">BQ", 1, KEY_ID) + id + struct.pack(">q", time) + kind
    box = AESGCM(KEY).encrypt(NONCE, plaintext, associated)
    return {
        "key": KEY.hex(), "keyID": f"{KEY_ID:016x}", "id": id.hex(), "kind": kind.decode(),
        "createdAt": time, "associatedData": associated.hex(),
        "hex": (struct.pack(">BQ", 1, KEY_ID) + NONCE + box).hex(), "plaintext": plaintext.hex(),
    }


def broken(name, error, change):
    record = sealed(b"text") | {"name": name, "error": error}
    change(record)
    return record


records = [
    sealed(b"") | {"name": "empty payload"},
    sealed("Grüße 👩‍👩‍👧 مرحبا".encode()) | {"name": "text beyond ASCII"},
    sealed(bytes(range(256)) * 4, kind=b"other.kind", time=-1) | {"name": "every byte"},
    broken("cut short", "truncated", lambda r: r.update(hex=r["hex"][:72])),
    broken("a later version", "unsupportedVersion", lambda r: r.update(hex="02" + r["hex"][2:])),
    broken("moved to another operation", "notAuthentic", lambda r: r.update(id="00" * 16)),
    broken("another kind", "notAuthentic", lambda r: r.update(kind="memo2")),
    broken("another time", "notAuthentic", lambda r: r.update(createdAt=1)),
    broken("one bit of the ciphertext flipped", "notAuthentic",
           lambda r: r.update(hex=r["hex"][:44] + f"{int(r['hex'][44], 16) ^ 1:x}" + r["hex"][45:])),
]

identifiers = [
    {"time": 0x017F22E279B0, "random": [f"{0xCC3:x}", f"{0x18C4DC0C0C07398F:x}"],
     "text": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
    {"time": 0, "random": ["0", "0"], "text": "00000000-0000-7000-8000-000000000000"},
    {"time": 2**48 - 1, "random": ["f" * 16, "f" * 16],
     "text": "ffffffff-ffff-7fff-bfff-ffffffffffff"},
]


def delay(attempt, jitter):
    wait = min(600_000, 1000 * 2 ** min(max(attempt, 1) - 1, 40))
    permille = 300 * (jitter >> 8) // (0xFFFFFFFF >> 8)
    return wait + wait // 1000 * permille + wait % 1000 * permille // 1000


retries = [
    {"attempt": attempt, "jitter": jitter, "milliseconds": delay(attempt, jitter)}
    for attempt in [0, 1, 2, 3, 9, 10, 11, 100, 4294967295]
    for jitter in [0, 2**31, 2**32 - 1]
]

for name, content in [
    ("envelopes", envelopes), ("sealed-records", records), ("identifiers", identifiers),
    ("device-retries", retries),
]:
    text = json.dumps(content, indent=1, ensure_ascii=True)
    (HERE / f"{name}.json").write_text(text + "\n")
