"""Puts several sabotages into one Swift file, of which the environment chooses one at start.

The body of a function becomes `if sabotage == 1 { sabotaged body } else { body }`, so that one build
serves all sabotages. What stands outside of functions cannot be chosen so.
"""

import re

NAME = "SABOTAGE"

# The code that each sabotaged module gets.
CHOICE = f"""#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

let sabotage: Int32 = getenv("{NAME}").map {{ atoi($0) }} ?? 0
"""

FUNCTION = re.compile(
    r"[ \t]*(?:@\w+(?:\([^)]*\))?\s+|(?:\w+(?:\(\w+\))?)\s+)*?"
    r"(?:func\s|init[?!]?\s*[(<]|deinit\b|subscript\s*[(<]|var\s+\w+\s*:)")
ACCESSORS = re.compile(r"(?:\s|//[^\n]*\n)*(?:get|set|willSet|didSet|_read|_modify)\b")
STRING = re.compile(r'(#*)("""|")')


def braces(text):
    """The pairs of braces, as (open, close); none of strings and comments."""
    pairs, stack, at = [], [], 0
    while at < len(text):
        if stack and stack[-1][0] == "string":
            _, end, escape = stack[-1]
            if text.startswith(escape + "(", at):
                stack.append(("(", at))
                at += len(escape) + 1
            elif text.startswith(escape, at):
                at += len(escape) + 1
            elif text.startswith(end, at):
                stack.pop()
                at += len(end)
            else:
                at += 1
            continue
        if text.startswith("//", at):
            at = text.find("\n", at)
            if at < 0:
                break
            continue
        if text.startswith("/*", at):
            at = text.index("*/", at) + 2
            continue
        string = STRING.match(text, at)
        if string:
            hashes, quotes = string.groups()
            stack.append(("string", quotes + hashes, "\\" + hashes))
            at = string.end()
            continue
        if text[at] in "{(":
            stack.append((text[at], at))
        elif text[at] in "})":
            opened = stack.pop()
            if text[at] == "}":
                pairs.append((opened[1], at))
        at += 1
    return pairs


def is_function(text, opened, closed):
    """Whether these braces hold the body of a function, an initializer or a computed property.

    Reads the line on which its declaration begins: formatted code indents that like its end."""
    lines = text[:opened + 1].splitlines()
    end = text[text.rfind("\n", 0, closed) + 1:closed]
    indentation = len(end) if not end.strip() else len(lines[-1]) - len(lines[-1].lstrip())
    for line in reversed(lines):
        if line.strip() and len(line) - len(line.lstrip()) == indentation and (
                line.lstrip()[0] not in "){"):
            return FUNCTION.match(line) and not ACCESSORS.match(text, opened + 1)
    return False


def body_around(text, place, pairs):
    """The outermost body of a function around the place, without its braces; None if none is."""
    around = sorted(pair for pair in pairs if pair[0] < place[0] and place[1] <= pair[1])
    for opened, closed in around:
        if is_function(text, opened, closed):
            return opened + 1, closed
    return None


def switched(text, mutants):
    """The text with switches for all of the mutants that can have one, by number.

    Returns it, and the lines of the switches as [(first, last, number)]; the lines of a whole
    function belong to all of its mutants."""
    pairs = braces(text)
    bodies = {}
    for number, mutant in mutants.items():
        body = body_around(text, mutant.place(text), pairs)
        if body:
            bodies.setdefault(body, []).append(number)
    result, at, regions = "", 0, []
    for (start, end), numbers in sorted(bodies.items()):
        result += text[at:start]
        first = result.count("\n") + 1
        inner = []
        for number in numbers:
            place_start, place_end = mutants[number].place(text)
            line = result.count("\n") + 1
            result += f"\nif sabotage == {number} {{" + text[start:place_start]
            result += mutants[number].sabotage(text) + text[place_end:end] + "\n} else "
            inner.append((line, result.count("\n") + 1, number))
        result += "{" + text[start:end] + "\n}\n"
        # The inner ones first: an error belongs to the narrowest region that has it.
        regions += inner
        regions += [(first, result.count("\n") + 1, number) for number in numbers]
        at = end
    return result + text[at:], regions


def culprits(line, regions):
    """The mutants that an error in this line speaks of."""
    hits = [(last - first, number) for first, last, number in regions if first <= line <= last]
    return {number for size, number in hits if size == min(hits)[0]}
