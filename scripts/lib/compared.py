"""Compares what the documents say with each other and with the files beside them. Needs no build.

usage: compared.py    in the project's folder; names each contradiction. Exit status 1 if there is any.

- A relative link leads to a file, and its fragment to a heading.
- A source that docs/ or CONTRIBUTING.md names exists; so does a script.
- A figure that names its row of docs/benchmarks.md is that row's. A ratio names its row.
- A row that misses its mark is bold in docs/benchmarks.md, has its cause there, and stands under Q5 of
  docs/specification.md. No other row stands there.
- A requirement has "Missing" exactly if its state is "Partly". One that names a missed row is not "Built".
- A manual page is cited under its section.
"""

import re
import subprocess
import sys
from pathlib import Path

TABLE = "docs/benchmarks.md"
SPECIFICATION = "docs/specification.md"
#: A part that is told apart from others in a document: a paragraph, or a row of a table.
PART = re.compile(r"\n\s*\n|\n(?=\|)|\n(?=- )")
CODE = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r'(?:\]\(|src=")([^)"\s]+)')
ROW = re.compile(r"^\| `([\w.]+)` \| (.*?) \| at (most|least) ([\d.]+)(?:, exact)? \|", re.M)
#: A row of the table of missed marks, which has the cause.
CAUSE = re.compile(r"^\| `([\w.]+)` \| missed \|", re.M)
NUMBER = r"\d[\d,]*(?:\.\d+)?"
FIGURE = re.compile(rf"\b({NUMBER}) (?:x|s|ms|µs|KB|MB|a second)(?!\w)")
RATIO = re.compile(rf"\b{NUMBER} x(?!\w)")
REQUIREMENT = re.compile(r"^\*\*([A-Z]\d+) · (Built|Partly|Not yet)\.\*\*", re.M)
FILE = re.compile(r"`([\w.+/-]+\.(?:swift|py|sh|mjs|md|c|h))`")
SCRIPT = re.compile(r"`(scripts/[\w/.-]+)")
#: As `manual_section` of scripts/lib/documents.sh has them.
SECTIONS = {"memo": "1", "memo-agent": "1", "memo-relay": "8"}
PAGE = re.compile(r"\b(memo(?:-agent|-relay)?)(?:\\fR)? ?\((\d)\)")

known = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True, text=True)
files = [name for name in known.stdout.split("\0") if name and Path(name).is_file()]
documents = {name: Path(name).read_text() for name in files if name.endswith(".md")}
contradictions = []


def contradicts(name, text):
    contradictions.append(f"{name}: {text}")


def anchors(text):
    """The fragments of a document's headings, by GitHub's rule."""
    for heading in re.findall(r"^#+ (.*)$", CODE.sub("", text), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def check_links(name, text):
    for link in LINK.findall(CODE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (Path(name).parent / path) if path else Path(name)
        if not target.exists():
            contradicts(name, f"there is no {link}")
        elif fragment and target.suffix == ".md" and fragment not in anchors(target.read_text()):
            contradicts(name, f"{link} is no heading")


def check_files(name, text):
    for path in FILE.findall(text):
        if not any(file == path or file.endswith("/" + path) for file in files):
            contradicts(name, f"there is no file {path}")
    for script in SCRIPT.findall(text):
        if not Path(script).exists():
            contradicts(name, f"there is no {script}")


def check_figures(name, text, rows):
    groups = {row.split(".")[0] for row in rows}
    for part in PART.split(CODE.sub("", text)):
        named = re.findall(r"`([a-z]+\.\w+_\w+)`", part)
        named = [row for row in named if row.split(".")[0] in groups]
        for row in named:
            if row not in rows:
                contradicts(name, f"{TABLE} has no row {row}")
        # A decision keeps the figures of its time.
        if name.startswith("docs/decisions/"):
            continue
        for ratio in [] if named else RATIO.findall(part):
            contradicts(name, f"the ratio {ratio} names no row of {TABLE}")
        told = " ".join(" ".join(rows[row]) for row in named if row in rows)
        for figure in FIGURE.findall(part) if told else []:
            if figure not in re.findall(NUMBER, told):
                contradicts(name, f"{figure} is not in the rows {', '.join(named)} of {TABLE}")


def check_marks(rows):
    """The rows that miss their marks."""
    missed = set()
    for row, (figure, bound, mark) in rows.items():
        value = float(re.search(NUMBER, figure)[0].replace(",", ""))
        if value > float(mark) if bound == "most" else value < float(mark):
            missed.add(row)
            if "**" not in figure:
                contradicts(TABLE, f"{row} misses its mark and is not bold")
    explained = set(CAUSE.findall(documents[TABLE]))
    for row in sorted(missed - explained):
        contradicts(TABLE, f"{row} misses its mark and has no cause")
    return missed | explained


def check_states(rows, missed):
    text = documents[SPECIFICATION]
    found = list(REQUIREMENT.finditer(text))
    for number, requirement in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        name, state, part = requirement[1], requirement[2], text[requirement.start():end]
        if ("*Missing:*" in part) != (state == "Partly"):
            contradicts(SPECIFICATION, f"{name} is {state}: only Partly has a *Missing:*")
        named = {row for row in re.findall(r"`([\w.]+)`", part) if row in rows}
        if state == "Built" and named & missed:
            contradicts(SPECIFICATION, f"{name} is Built and {', '.join(named & missed)} is missed")
        if name == "Q5":
            for row in sorted(missed - named):
                contradicts(SPECIFICATION, f"Q5 does not say that {row} misses its mark")
            for row in sorted(named - missed):
                contradicts(SPECIFICATION, f"Q5 names {row}, which holds")


def check_pages():
    for name in files:
        if Path(name).suffix not in (".md", ".roff", ".service", ".swift"):
            continue
        text = re.sub(r"\\f[BRI]", "", Path(name).read_text()).replace("\\-", "-")
        for page, section in PAGE.findall(text):
            if section != SECTIONS[page]:
                contradicts(name, f"the manual page is {page}({SECTIONS[page]}), not ({section})")


rows = {row[1]: row.groups()[1:] for row in ROW.finditer(documents[TABLE])}
for name, text in documents.items():
    check_links(name, text)
    if name != TABLE:
        check_figures(name, text, rows)
    # A decision may name a file of its time, or of somebody else.
    if re.match("docs/(?!decisions/)|CONTRIBUTING", name):
        check_files(name, text)
check_states(rows, check_marks(rows))
check_pages()
for contradiction in contradictions:
    print(contradiction, file=sys.stderr)
sys.exit(1 if contradictions else 0)
