"""Compares figures with the marks that stand in the table of docs/benchmarks.md.

usage: marks.py TABLE FIGURES    FIGURES has a line "name: value unit" for each figure
Exit status 1 when a figure falls short, or has no mark.
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| `([\w.]+)` \|.*\| at (most|least) ([\d.]+) \|")
FIGURE = re.compile(r"^([\w.]+): (-?[\d.]+)")

marks = {}
for line in Path(sys.argv[1]).read_text().splitlines():
    if found := ROW.match(line):
        marks[found[1]] = (found[2], float(found[3]))
figures = {}
for line in Path(sys.argv[2]).read_text().splitlines():
    if found := FIGURE.match(line):
        figures[found[1]] = float(found[2])
if not figures:
    sys.exit("error: there is no figure")

short = 0
for name, value in figures.items():
    if name not in marks:
        print(f"no mark      {name}: {value:g}")
        continue
    bound, mark = marks[name]
    holds = value <= mark if bound == "most" else value >= mark
    short += not holds
    print(f"{'holds' if holds else 'FALLS SHORT':<12} {name}: {value:g}, at {bound} {mark:g}")
print(f"{short} of {len(figures)} figures fall short")
sys.exit(1 if short else 0)
