"""The copy of the project in which mutants are built: only what their tests need."""

import json
import re
import subprocess
from pathlib import Path

import mutant_switches

ROOT = Path(__file__).resolve().parent.parent.parent
SCRATCH = ROOT / ".build-mutants"
TREE = SCRATCH / "tree"
BUILD = SCRATCH / "build"


class Package:
    """The project's package and its targets."""

    def __init__(self):
        dump = subprocess.run(
            ["swift", "package", "--scratch-path", str(BUILD), "dump-package"],
            cwd=ROOT, capture_output=True, text=True, check=True)
        self.targets = {target["name"]: target for target in json.loads(dump.stdout)["targets"]}

    def folder(self, name):
        target = self.targets[name]
        place = "Tests" if target["type"] == "test" else "Sources"
        return target.get("path") or f"{place}/{name}"

    def tests_of(self, mutant):
        """The test targets that the mutant names."""
        return [name for name, target in self.targets.items()
                if target["type"] == "test" and re.search(rf"\b{name}\b", mutant.tests)]

    def needed(self, names):
        """Those targets and all of the package that they need."""
        kept, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name in kept or name not in self.targets:
                continue
            kept.add(name)
            for dependency in self.targets[name]["dependencies"]:
                waiting.append(next(iter(dependency.values()))[0])
        return kept


def copy(package, mutants):
    """Copies what the mutants' tests need of the package.

    Leaves alone the files that are sabotaged: ``write_switches`` writes them."""
    files = {mutant.file for mutant in mutants}
    sabotaged = {Path(file) for file in files} | {choice_of(file) for file in files}
    kept = package.needed(name for mutant in mutants for name in package.tests_of(mutant))
    for name in kept:
        mirror(package.folder(name), sabotaged)
    copy_manifest(kept)
    mirror("Vectors", set())
    write(Path("Tests/seeds.txt"), (ROOT / "Tests/seeds.txt").read_bytes())


def mirror(folder, sabotaged):
    """Makes the copy of one folder equal to it, but for the files that are sabotaged."""
    wanted = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
    for path in (TREE / folder).rglob("*"):
        if path.is_file() and path.relative_to(TREE) not in wanted | sabotaged:
            path.unlink()
    for path in wanted - sabotaged:
        write(path, (ROOT / path).read_bytes())


def write(path, content):
    """Leaves a file of the copy that is equal alone, so that nothing is built again."""
    path = TREE / path
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_manifest(kept):
    names = ", ".join(f'"{name}"' for name in sorted(kept))
    # A sabotage may leave something unused; that is no way to be caught.
    manifest = re.sub(r"\.treat(All)?Warnings?\([^)]*\),?", "", (ROOT / "Package.swift").read_text())
    write("Package.swift", f"""{manifest}
// Only what the mutants' tests need.
package.targets.removeAll {{ ![{names}].contains($0.name) }}
package.products.removeAll {{ ![{names}].contains($0.name) }}
""".encode())
    if (ROOT / "Package.resolved").exists():
        write("Package.resolved", (ROOT / "Package.resolved").read_bytes())


def choice_of(file):
    """The file that chooses the sabotages of another file's module."""
    parts = Path(file).parts
    return Path(*parts[:parts.index("Sources") + 2]) / "Sabotage.swift"


def write_switches(mutants, alone):
    """Writes the sabotaged files, with switches for all numbered mutants but those to be `alone`.

    Returns the switches, by file, as ``mutant_switches.switched`` tells them."""
    switches = {}
    for file in sorted({mutant.file for mutant in mutants.values()}):
        inner = {number: mutant for number, mutant in mutants.items()
                 if mutant.file == file and number not in alone}
        text, switches[file] = mutant_switches.switched((ROOT / file).read_text(), inner)
        write(file, text.encode())
        write(choice_of(file), mutant_switches.CHOICE.encode())
    return switches
