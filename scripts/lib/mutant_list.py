"""The sabotages of Tests/mutants, and where each has its place."""

import re
import sys


class Inapplicable(Exception):
    pass


# A word, a mark of three quotes, or any other sign.
TOKEN = re.compile(r'\w+|"""|\S')


def pattern_of(lines):
    """Matches the code of these lines however it is broken into lines: white space may differ, and a
    list may end with a comma or without one."""
    pattern, last = "", ""
    for token in TOKEN.findall("\n".join(lines)):
        if token in ")]":
            pattern += r"\s*,?" if last != "," else "?"
        separator = r"\s+" if re.match(r"\w", token) and re.match(r"\w", last) else r"\s*"
        pattern += (separator if last else "") + re.escape(token)
        last = token
    return re.compile(pattern)


class Mutant:
    """The code `find` must be in `file` exactly once and becomes `replacement`."""

    def __init__(self, name, file, tests, find, replacement):
        self.name, self.file, self.tests = name, file, tests
        self.find, self.replacement = find, replacement

    def place(self, text):
        """The part of the text that is sabotaged, as (start, end)."""
        places = list(pattern_of(self.find).finditer(text))
        if len(places) != 1:
            raise Inapplicable(f"{self.name}: {len(places)} places in {self.file}")
        return places[0].span()

    def sabotage(self, text):
        """The text in its place; indented like it, because a string's lines need that."""
        start, _ = self.place(text)
        indentation = re.match(r"[ \t]*", text[text.rfind("\n", 0, start) + 1:start]).group()
        return f"\n{indentation}".join(self.replacement)

    def applied(self, text):
        start, end = self.place(text)
        return text[:start] + self.sabotage(text) + text[end:]


def read_list(folder):
    mutants = []
    for path in sorted(folder.glob("*.txt")):
        for block in re.split(r"\n\s*\n", path.read_text()):
            lines = [line for line in block.splitlines() if not line.startswith("#")]
            if lines:
                mutants.append(read_mutant(lines, path.name))
    names = [mutant.name for mutant in mutants]
    for name in {name for name in names if names.count(name) > 1}:
        sys.exit(f"error: two mutants are called {name!r}")
    return mutants


def read_mutant(lines, file_name):
    fields, find, replacement = {}, [], []
    for line in lines:
        if line[:1] == "-":
            find.append(line[1:].strip())
        elif line[:1] == "+":
            replacement.append(line[1:].strip())
        else:
            key, _, value = line.partition(": ")
            fields[key] = value.strip()
    try:
        mutant = Mutant(fields["name"], fields["file"], fields["tests"], find, replacement)
    except KeyError as missing:
        sys.exit(f"error: {file_name}: no {missing} in the block that begins {lines[0]!r}")
    if not find or find == replacement:
        sys.exit(f"error: {file_name}: {mutant.name} changes nothing")
    return mutant


def all_apply(mutants, root):
    """Whether all apply to the code as it is; names those that do not."""
    errors = 0
    for mutant in mutants:
        try:
            mutant.place((root / mutant.file).read_text())
        except (Inapplicable, OSError) as error:
            print(f"does not apply: {error}")
            errors += 1
    print(f"{len(mutants) - errors} of {len(mutants)} mutants apply")
    return errors == 0
