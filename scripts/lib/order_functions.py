"""Puts functions of a wasm module that are alike beside each other, for a compressor that looks back
only so far; gzip looks back 32 KiB. Nothing else of the module changes.

Reads the module from standard input and writes it to standard output.

Reads the instructions that Swift's Embedded mode makes: wasm 1.0, sign extension, conversions that do
not trap, bulk memory. Ends with an error at any other. The specification is
https://webassembly.github.io/spec/core/binary/.
"""

import sys

IMPORTS, FUNCTIONS, EXPORTS, START, ELEMENTS, CODE = 2, 3, 7, 8, 9, 10
#: The sections that name functions.
REWRITTEN = (FUNCTIONS, EXPORTS, ELEMENTS, CODE)
CALL, REF_FUNC, CONSTANT, END = 0x10, 0xD2, 0x41, 0x0B
#: How many numbers follow an instruction.
OPERANDS = {
    0x02: 1, 0x03: 1, 0x04: 1,  # block, loop, if
    0x0C: 1, 0x0D: 1,  # br, br_if
    CALL: 1, 0x11: 2, REF_FUNC: 1,
    **{code: 1 for code in range(0x20, 0x25)},  # variables
    **{code: 2 for code in range(0x28, 0x3F)},  # loads and stores
    0x3F: 1, 0x40: 1,  # memory.size, memory.grow
    CONSTANT: 1, 0x42: 1,
    **{code: 0 for code in (0x00, 0x01, 0x05, END, 0x0F, 0x1A, 0x1B, *range(0x45, 0xC5))},
}
#: The same for those behind the byte 0xFC.
LONG_OPERANDS = {**{code: 0 for code in range(8)}, 8: 2, 10: 2, 11: 1}
BRANCH_TABLE, FLOAT, DOUBLE, LONG = 0x0E, 0x43, 0x44, 0xFC
#: Functions count as alike by the runs of so many bytes that they share.
RUN = 5
#: The highest number that is one byte long.
SHORT = 127


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        """An unsigned number; for a signed one only its length is right."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def block(self):
        return self.bytes(self.number())


def encoded(number):
    out = bytearray()
    while number > SHORT:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def blocks(items):
    return encoded(len(items)) + b"".join(encoded(len(item)) + item for item in items)


def named_functions(body):
    """The places in a function's body at which it names another function: (begin, end, number)."""
    reader, places = Reader(body), []
    for _ in range(reader.number()):
        reader.number()
        reader.byte()
    while reader.at < len(body):
        code = reader.byte()
        if code == FLOAT:
            reader.bytes(4)
        elif code == DOUBLE:
            reader.bytes(8)
        else:
            if code == BRANCH_TABLE:
                count = reader.number() + 1
            elif code == LONG:
                count = LONG_OPERANDS[reader.number()]
            else:
                count = OPERANDS[code]
            begin = reader.at
            for _ in range(count):
                number = reader.number()
            if code in (CALL, REF_FUNC):
                places.append((begin, reader.at, number))
    return places


def chain(bodies):
    """The functions, the longest first, each followed by the one that repeats most of it."""
    runs = [{body[at:at + RUN] for at in range(len(body) - RUN + 1)} for body in bodies]
    rest = list(range(len(bodies)))
    order = [max(rest, key=lambda index: len(bodies[index]))]
    rest.remove(order[0])
    while rest:
        last = runs[order[-1]]
        # Runs that a short function shares by chance do not count.
        best = max(rest, key=lambda index: len(last & runs[index]) / (len(runs[index]) + 20))
        rest.remove(best)
        order.append(best)
    return order


def turned(order, uses, count):
    """The same circle, begun so that its first `count` functions, whose numbers are short, are called
    most."""
    calls = [uses[index] for index in order] * 2
    begin = max(range(len(order)), key=lambda at: sum(calls[at:at + count]))
    return order[begin:] + order[:begin]


def ordered(module):
    reader, sections = Reader(module), []
    header = reader.bytes(8)
    while reader.at < len(module):
        sections.append((reader.byte(), reader.block()))
    found = dict(sections)
    assert START not in found, "a start section names a function"
    imported = imported_functions(Reader(found[IMPORTS]))
    code = Reader(found[CODE])
    bodies = [code.block() for _ in range(code.number())]
    types = Reader(found[FUNCTIONS])
    types = [types.number() for _ in range(types.number())]
    places = [named_functions(body) for body in bodies]
    uses = [0] * len(bodies)
    for _, _, number in (place for body in places for place in body):
        if number >= imported:
            uses[number - imported] += 1
    order = turned(chain(bodies), uses, SHORT + 1 - imported)
    moved = {old: new for new, old in enumerate(order)}

    def renamed(number):
        return number if number < imported else imported + moved[number - imported]

    def body_of(index):
        body, out, last = bodies[index], b"", 0
        for begin, end, number in places[index]:
            out += body[last:begin] + encoded(renamed(number))
            last = end
        return out + body[last:]

    written = {
        FUNCTIONS: encoded(len(types)) + b"".join(encoded(types[index]) for index in order),
        EXPORTS: exports(Reader(found[EXPORTS]), renamed),
        ELEMENTS: elements(Reader(found[ELEMENTS]), renamed),
        CODE: blocks([body_of(index) for index in order]),
    }
    return header + b"".join(
        bytes([kind]) + blocks([written[kind] if kind in REWRITTEN else content])[1:]
        for kind, content in sections)


def imported_functions(reader):
    count = reader.number()
    for _ in range(count):
        reader.block()
        reader.block()
        assert reader.byte() == 0, "not a function is imported"
        reader.number()
    return count


def exports(reader, renamed):
    count = reader.number()
    out = encoded(count)
    for _ in range(count):
        name, kind, number = reader.block(), reader.byte(), reader.number()
        out += encoded(len(name)) + name + bytes([kind])
        out += encoded(number if kind else renamed(number))
    return out


def elements(reader, renamed):
    count = reader.number()
    out = encoded(count)
    for _ in range(count):
        begin = reader.at
        assert reader.byte() == 0 and reader.byte() == CONSTANT, "a table of another shape"
        reader.number()
        assert reader.byte() == END, "a table of another shape"
        length = reader.number()
        out += reader.data[begin:reader.at]
        out += b"".join(encoded(renamed(reader.number())) for _ in range(length))
    return out


if __name__ == "__main__":
    sys.stdout.buffer.write(ordered(sys.stdin.buffer.read()))
