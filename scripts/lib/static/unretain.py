"""Copies objects and archives of objects, and lets the linker drop from the copies what nothing refers to.

usage: unretain.py FOLDER FILE …

Swift marks each public function as retained (SHF_GNU_RETAIN of an ELF section), because others may link
to it. Nobody links to a static program. The sections that Swift's runtime reads as lists (`swift5_…`)
keep the mark: what it can look up by name or by protocol stays. The copies are FOLDER/NAME for an
archive, and FOLDER/NUMBER.o for an object; their paths are printed.

The layout of the files: elf(5), ar(5).
"""

import pathlib
import struct
import sys

RETAIN = 1 << 21
SECTION_HEADER = 64


def unretain(data, start):
    """Clears the mark in the object that begins at `start`."""
    if data[start:start + 4] != b"\x7fELF":
        return
    [table] = struct.unpack_from("<Q", data, start + 40)
    _, count, names = struct.unpack_from("<HHH", data, start + 58)
    # Numbers that need more than 16 bits are in the first header.
    if count == 0:
        [count] = struct.unpack_from("<Q", data, start + table + 32)
    if names == 0xFFFF:
        [names] = struct.unpack_from("<I", data, start + table + 40)
    [strings] = struct.unpack_from("<Q", data, start + table + names * SECTION_HEADER + 24)
    for number in range(count):
        header = start + table + number * SECTION_HEADER
        [name] = struct.unpack_from("<I", data, header)
        [flags] = struct.unpack_from("<Q", data, header + 8)
        if flags & RETAIN and not data.startswith(b"swift5_", start + strings + name):
            struct.pack_into("<Q", data, header + 8, flags & ~RETAIN)


def members(data):
    """Where the members of an archive begin; the object itself for an object."""
    if not data.startswith(b"!<arch>\n"):
        return [0]
    starts, position = [], 8
    while position < len(data):
        size = int(data[position + 48:position + 58])
        starts.append(position + 60)
        position += 60 + size + size % 2
    return starts


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(map(pathlib.Path, sys.argv[2:])):
        data = bytearray(path.read_bytes())
        for start in members(data):
            unretain(data, start)
        copy = folder / (path.name if path.suffix == ".a" else f"{number}.o")
        copy.write_bytes(data)
        print(copy)


main()
