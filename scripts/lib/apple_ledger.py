"""Compares the stand-ins of Apple's interfaces with the ledger of Apple's declarations.

usage: apple_ledger.py SCRATCH LEDGER

SCRATCH has the compiled stand-ins, macos/StandIns and ios/StandIns. LEDGER has a line for each symbol: its module, its
name, Apple's declaration, since which systems it is there, and the page that says so. Both declarations
are compared in a normal form: without attributes and the names that only a function's body sees.

Prints figures; exit status 1 when a symbol has no row, no page or another declaration, or when a row
has no symbol.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

# Each module of Apple's, and those that stand in for it.
MODULES = {
    "AppIntents": ["AppIntents"], "BackgroundTasks": ["BackgroundTasks"], "CoreFoundation": ["CoreFoundation"], "Darwin": ["Darwin", "DarwinTypes"], "MachO": ["MachO"],
    "Network": ["Network"], "Security": ["Security"], "StoreKit": ["StoreKit"], "SwiftUI": ["SwiftUI"],
    "UIKit": ["UIKit"], "UserNotifications": ["UserNotifications"], "WidgetKit": ["WidgetKit"],
    "os": ["os"],
}
C_LIBRARY = {"Darwin", "MachO"}
# The modules that only an iPhone has.
ON_IOS = {"AppIntents", "BackgroundTasks", "StoreKit", "SwiftUI", "UIKit", "UserNotifications", "WidgetKit"}
# What a view, a widget or a control that the system draws has in place of a body. No page has it, nor how Never conforms.
DRAWN = {"typealias Body = Never", "var body: Never { get }"}
COLUMNS = ["module", "symbol", "declaration", "availability", "page"]


def graph_of(module, scratch):
    """The symbols of a stand-in, also those that it adds to types of other modules: name and declaration. Without
    overrides, the bodies of optional requirements, the raw values of option sets, and what stands for a body, which have no page there."""
    folder = Path(scratch, "graphs")
    folder.mkdir(exist_ok=True)
    system = "ios" if module in ON_IOS else "macos"
    target = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, check=True).stdout)
    subprocess.run(
        ["swift-symbolgraph-extract", "-module-name", module, "-I", f"{scratch}/{system}/StandIns", "-output-dir", folder,
         "-target", target["target"]["triple"], "-skip-synthesized-members", "-minimum-access-level", "public"],
        check=True,
    )
    for file in [folder / f"{module}.symbols.json", *sorted(folder.glob(f"{module}@*.symbols.json"))]:
        graph = json.loads(file.read_text())
        elsewhere = {
            relation["source"] for relation in graph["relationships"]
            if relation["kind"] in {"overrides", "defaultImplementationOf"}
        }
        for symbol in graph["symbols"]:
            *_, last = symbol["pathComponents"]
            if symbol["identifier"]["precise"] in elsewhere or (module in ON_IOS and last == "rawValue"):
                continue
            name = ".".join(symbol["pathComponents"])
            text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
            if symbol["pathComponents"][0] == "Never" or normal(text) in DRAWN:
                continue
            yield name.split("(")[0], text


def hidden_in(module):
    """The symbols that begin with an underscore: no graph has them, so that their text is read."""
    for file in Path("Apple/StandIns", module).glob("*.swift"):
        text = re.sub(r"\s+", " ", file.read_text()).replace("( ", "(").replace(" )", ")")
        for kind, name, rest in re.findall(r"public (struct|func|var|typealias) (_\w+)([^{=]*)", text):
            yield name, f"{kind} {name}{rest}".strip() + (" { get }" if rest.endswith(": Int32 ") else "")


def normal(declaration):
    # A graph tells neither of a C function's convention nor of this alias's type.
    text = declaration.replace("@convention(c) ", "").replace(" = AnyObject", "")
    # C's name of a class that Swift calls by its own.
    text = text.replace("dispatch_queue_t", "DispatchQueue")
    # Swift gives no default to a parameter of a requirement.
    if re.search(r"\boptional func\b", text):
        text = text.replace(" = nil", "")
    text = re.sub(r"@(?!escaping|Sendable)\w+(\([^)]*\))?\s*", "", text)
    text = re.sub(r"\b(public|open|final|convenience|required|optional|nonisolated|mutating|dynamic)\s+", "", text)
    text = re.sub(r"\s+", " ", text).strip()
    # A stored variable can be read and set.
    text = re.sub(r"^((?:weak )?var .*) \{ get set \}$", r"\1", text)
    # "let x: T" and "var x: T { get }" promise the same.
    text = re.sub(r"^let (.*)$", r"var \1 { get }", text)
    # "_ name: T" and "_: T" are one parameter to a caller, and so are "label name: T" and "label: T".
    text = re.sub(r"([(,] ?)(\w+) \w+:", r"\1\2:", text)
    # An array of C is a tuple of equal types.
    return re.sub(r"\((\w+)(, \1){7,}\)", lambda found: f"({found[1]} x {found[0].count(found[1])})", text)


def agrees(stand_in, row):
    declared, own = normal(row["declaration"]), normal(stand_in)
    # Swift on Linux bridges nothing to the types of CoreFoundation: there the bridged type stands in.
    bridged = re.match(r"class (\w+)$", declared)
    if row["module"] == "CoreFoundation" and bridged:
        return own.startswith(f"typealias {bridged[1]} = ")
    return own == declared


def main():
    scratch, ledger = sys.argv[1:]
    rows = {}
    for number, line in enumerate(Path(ledger).read_text().splitlines()):
        if number == 0 or not line:
            continue
        row = dict(zip(COLUMNS, line.split("\t"), strict=True))
        *_, last = row["symbol"].split(".")
        name = last if last.startswith("_") else row["symbol"]
        rows.setdefault((row["module"], name), []).append(row)
    symbols = of_frameworks = without_page = faults = 0
    for module, stand_ins in MODULES.items():
        found = {}
        for stand_in in stand_ins:
            for name, declaration in [*graph_of(stand_in, scratch), *hidden_in(stand_in)]:
                found.setdefault(name, []).append(declaration)
        for name, declarations in sorted(found.items()):
            candidates = rows.pop((module, name), [])
            for declaration in declarations:
                symbols += 1
                of_frameworks += module not in C_LIBRARY
                row = next((row for row in candidates if agrees(declaration, row)), None)
                if row is None:
                    faults += 1
                    other = [normal(row["declaration"]) for row in candidates]
                    print(f"error: {module}.{name}: the stand-in has: {normal(declaration)}; the ledger: {other or 'nothing'}")
                    without_page += not candidates
                    continue
                candidates.remove(row)
                if not row["page"].startswith("https://"):
                    without_page += 1
                    print(f"error: {module}.{name}: the ledger names no page")
            for row in candidates:
                faults += 1
                print(f"error: {module}.{name}: no stand-in is {normal(row['declaration'])}")
    for module, name in rows:
        faults += 1
        print(f"error: {module}.{name}: no stand-in has it")
    print(f"apple.symbols: {symbols}")
    print(f"apple.framework_symbols: {of_frameworks}")
    print(f"apple.symbols_without_page: {without_page}")
    sys.exit(faults + without_page > 0)


if __name__ == "__main__":
    main()
