"""Names the public symbols of symbol graphs that have no documentation; fails when there are any."""
import json
import sys

missing = set()
for path in sys.argv[1:]:
    with open(path) as file:
        symbols = json.load(file)["symbols"]
    missing.update(
        ".".join(symbol["pathComponents"]) for symbol in symbols
        # A symbol of the compiler or of another module has none of its own, nor has an extension as such.
        if "docComment" not in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
        and symbol["kind"]["identifier"] != "swift.extension"
    )
for name in sorted(missing):
    print(f"not documented: {name}")
sys.exit(bool(missing))
