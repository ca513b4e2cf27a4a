"""Compares figures with the marks that stand in docs/benchmarks.md.

usage: marks.py [--exact | --record COMMIT] TABLES < FIGURES
FIGURES has a line "name: value unit" for each figure.

A mark that is known to be missed stands in a table of the same document with its cause: it is
printed as known. Exit status 1 when another figure falls short.

--exact: only the figures that are the same on every machine, whose mark says "exact". Exit status 1
also when one of them is missing; a line "name: not measured, WHY" is not a missing figure.
--record: writes those figures into the table, with the commit at which they were measured.
"""

import re
import sys
from pathlib import Path

MARK = re.compile(r"^\| `([\w.]+)` \|.*\| at (most|least) ([\d.]+)(, exact)? \|")
MISS = re.compile(r"^\| `([\w.]+)` \| missed \| (.*) \|$")
FIGURE = re.compile(r"^([\w.]+): (-?[\d.]+) ?(\w*)", re.M)

is_exact = len(sys.argv) > 2
table = Path(sys.argv[-1])
marks, misses = {}, {}
for line in table.read_text().splitlines():
    if found := MARK.match(line):
        marks[found[1]] = (found[2], float(found[3]), bool(found[4]))
    elif found := MISS.match(line):
        misses[found[1]] = found[2]
lines = sys.stdin.read().splitlines()
figures = {found[1]: float(found[2]) for line in lines if (found := FIGURE.match(line))}
short = 0
if is_exact:
    exact = {name for name, (_, _, is_exact_mark) in marks.items() if is_exact_mark}
    figures = {name: value for name, value in figures.items() if name in exact}
    for name in sorted(exact - figures.keys()):
        why = next((line for line in lines if line.startswith(f"{name}: not measured, ")), None)
        print(why or f"MISSING      {name}")
        short += why is None
elif not figures:
    sys.exit("error: there is no figure")

for name, value in figures.items():
    if name not in marks:
        print(f"no mark      {name}: {value:g}")
        continue
    bound, mark, _ = marks[name]
    holds = value <= mark if bound == "most" else value >= mark
    short += not holds and name not in misses
    verdict = "holds" if holds else "known" if name in misses else "FALLS SHORT"
    cause = f": {misses[name]}" if verdict == "known" else ""
    print(f"{verdict:<12} {name}: {value:g}, at {bound} {mark:g}{cause}")
print(f"{short} figures fall short or are missing")
if "--record" in sys.argv:
    text = table.read_text()
    for name, _, unit in FIGURE.findall("\n".join(lines)):
        if name in figures:
            bound, mark, _ = marks[name]
            value = figures[name]
            holds = value <= mark if bound == "most" else value >= mark
            told = f"{value:,g} {unit}" if holds else f"**{value:,g} {unit}**"
            text = re.sub(rf"(?m)^(\| `{re.escape(name)}` \|) [^|]* \|",
                          rf"\1 {told} (at {sys.argv[2]}) |", text)
    table.write_text(text)
sys.exit(1 if short else 0)
