"""The copy of the project in which mutants are built: only what their tests need."""

import json
import re
import subprocess
from pathlib import Path

import mutant_switches

ROOT = Path(__file__).resolve().parent.parent.parent
SCRATCH = ROOT / ".build-mutants"
TREE = SCRATCH / "tree"


class Package:
    """A package of the project and its targets."""

    def __init__(self, folder):
        self.folder = folder
        self.scratch = SCRATCH / ("build" if folder == "." else f"build-{folder}")
        dump = subprocess.run(
            ["swift", "package", "--scratch-path", str(self.scratch), "dump-package"],
            cwd=ROOT / folder, capture_output=True, text=True, check=True)
        self.targets = {target["name"]: target for target in json.loads(dump.stdout)["targets"]}
        for target in self.targets.values():
            place = "Tests" if target["type"] == "test" else "Sources"
            inside = target.get("path") or f"{place}/{target['name']}"
            target["folder"] = str(Path(folder) / inside)

    def tests_of(self, mutant):
        """The test targets of this package that the mutant names."""
        return [name for name, target in self.targets.items()
                if target["type"] == "test" and re.search(rf"\b{name}\b", mutant.tests)]

    def needed(self, names):
        """Those targets and all that they need, also products of other packages; the names."""
        kept, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name in kept:
                continue
            kept.add(name)
            for dependency in self.targets.get(name, {"dependencies": []})["dependencies"]:
                waiting.append(next(iter(dependency.values()))[0])
        return kept


def copy(packages, mutants):
    """Copies what the mutants' tests need of the packages, each of which needs only those before it.

    Leaves alone the files that are sabotaged: ``write_switches`` writes them."""
    files = {mutant.file for mutant in mutants}
    sabotaged = {Path(file) for file in files} | {choice_of(file) for file in files}
    kept = set()
    for package in reversed(packages):
        kept |= {name for mutant in mutants for name in package.tests_of(mutant)}
        kept = package.needed(kept)
        for name in kept & set(package.targets):
            mirror(package.targets[name]["folder"], sabotaged)
        copy_manifest(package.folder, kept)
    mirror("Vectors", set())


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


def copy_manifest(folder, kept):
    names = ", ".join(f'"{name}"' for name in sorted(kept))
    # A sabotage may leave something unused; that is no way to be caught.
    manifest = re.sub(r"\.treat(All)?Warnings?\([^)]*\),?", "",
                      (ROOT / folder / "Package.swift").read_text())
    write(Path(folder) / "Package.swift", f"""{manifest}
// Only what the mutants' tests need.
package.targets.removeAll {{ ![{names}].contains($0.name) }}
package.products.removeAll {{ ![{names}].contains($0.name) }}
""".encode())
    if (ROOT / folder / "Package.resolved").exists():
        write(Path(folder) / "Package.resolved",
              (ROOT / folder / "Package.resolved").read_bytes())


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
