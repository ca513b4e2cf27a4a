"""Draws what run.py measured.

usage: plot.py RESULTS_FILE SVG_FILE

Two bar charts beside one another: the median and the 99th percentile of an enqueue, and how many
operations a second a handler that does nothing is handed. Logarithmic, because the ends lie far
apart. The colours suit a light page and a dark one.
"""
import html
import json
import math
import sys

NAMES, BAR, ROW, TOP = 190, 300, 30, 64
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.note { fill: #59636e; font-size: 12px }
.grid { stroke: #d1d9e0 }
.ours { fill: #1a7f37 }
.peer { fill: #0969da }
.limit { fill: #818b98 }
.loses { fill: #cf222e }
.tail { fill-opacity: 0.35 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .note { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .ours { fill: #3fb950 }
  .peer { fill: #4493f8 }
  .limit { fill: #656c76 }
  .loses { fill: #f85149 }
}
"""


def kind(name, contender):
    if contender["syncs"]["durable"] < contender["syncs"]["enqueues"]:
        return "loses"
    return {"append": "limit", "sqlite": "ours", "files": "ours"}.get(name, "peer")


class Chart:
    """Rows of bars over a logarithmic scale from `low` to `high`."""

    def __init__(self, left, title, low, high):
        self.left, self.low, self.high = left, low, high
        self.parts = [f'<text class="title" x="{left}" y="24">{html.escape(title)}</text>']

    def width(self, value):
        value = min(max(value, self.low), self.high)
        return BAR * math.log(value / self.low) / math.log(self.high / self.low)

    def scale(self, ticks, bottom):
        for tick in ticks:
            x = self.left + self.width(tick)
            self.parts.append(
                f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 10}" y2="{bottom}"/>'
                f'<text class="note" x="{x:.1f}" y="{TOP - 16}" text-anchor="middle">{tick:,}</text>')

    def bar(self, row, value, classes):
        self.parts.append(
            f'<rect class="{classes}" x="{self.left}" y="{TOP + row * ROW}" '
            f'width="{self.width(value):.1f}" height="20" rx="2"/>')

    def number(self, row, value):
        """To the right of all bars."""
        self.parts.append(
            f'<text x="{self.left + BAR + 64}" y="{TOP + row * ROW + 15}" text-anchor="end">'
            f'{value:,.0f}</text>')


def draw(results):
    contenders = sorted(results["contenders"].items(), key=lambda item: item[1]["p50"])
    bottom = TOP + len(contenders) * ROW
    enqueue = Chart(NAMES, "Enqueue, µs: median, and 99th percentile (pale)", 10, 10_000)
    drain = Chart(NAMES + BAR + 110, "Drain, operations a second", 1_000, 100_000)
    enqueue.scale([10, 100, 1_000, 10_000], bottom)
    drain.scale([1_000, 10_000, 100_000], bottom)
    names = []
    for row, (name, contender) in enumerate(contenders):
        sort = kind(name, contender)
        names.append(
            f'<text x="{NAMES - 10}" y="{TOP + row * ROW + 15}" text-anchor="end">'
            f'{html.escape(contender["title"])}</text>')
        enqueue.bar(row, contender["p99"], f"{sort} tail")
        enqueue.bar(row, contender["p50"], sort)
        enqueue.number(row, contender["p50"])
        if contender["drain"]:
            drain.bar(row, contender["drain"], sort)
            drain.number(row, contender["drain"])
    legend = [("ours", "this outbox"), ("peer", "others, durable"), ("limit", "the disk alone"),
              ("loses", "not durable")]
    keys = "".join(
        f'<rect class="{sort}" x="{NAMES + 150 * place}" y="{bottom + 18}" width="12" height="12"/>'
        f'<text class="note" x="{NAMES + 150 * place + 18}" y="{bottom + 28}">{text}</text>'
        for place, (sort, text) in enumerate(legend))
    width = NAMES + 2 * BAR + 110 + 80
    body = "\n".join([*names, *enqueue.parts, *drain.parts, keys])
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 44}" '
            f'width="{width}" role="img" aria-label="Enqueue and drain of durable queues">\n'
            f"<style>{STYLE}</style>\n{body}\n</svg>\n")


with open(sys.argv[1], encoding="utf-8") as file:
    drawn = draw(json.load(file))
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(drawn)
