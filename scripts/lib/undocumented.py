"""Names the public symbols of a symbol graph that have no documentation; fails when there are any."""
import json
import sys

with open(sys.argv[1]) as file:
    symbols = json.load(file)["symbols"]
missing = sorted(
    ".".join(symbol["pathComponents"]) for symbol in symbols
    # What the compiler or another module made has none of its own.
    if "docComment" not in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
)
for name in missing:
    print(f"not documented: {name}")
sys.exit(bool(missing))
