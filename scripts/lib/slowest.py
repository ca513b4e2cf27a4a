"""Names the ten slowest tests of a log of Swift Testing. usage: slowest.py LOG"""

import re
import sys
from pathlib import Path

ENDED = re.compile(r"[✔✘] Test (.*?) (?:with .* test cases? )?(?:passed|failed) after ([\d.]+) seconds")

seconds = [(float(found[2]), found[1])
           for found in ENDED.finditer(Path(sys.argv[1]).read_text(errors="replace"))]
for duration, name in sorted(seconds, reverse=True)[:10]:
    print(f"{duration:8.1f} s  {name}")
