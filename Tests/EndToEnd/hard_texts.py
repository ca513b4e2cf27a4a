"""Memos that are hard for mail."""
import random

#: How a memo of the web app begins, where others come from elsewhere.
WEB_MEMO = "web "
PIECES = [
    "buy milk", "👩‍👩‍👧‍👦 is one", "مرحبا بالعالم", "\n.\n..\n", "\nFrom here\n", "\r\n", "\r", "\n", "\t",
    "日本語の文", "e\u0301", "=3D = ", "x" * 1000, " ", "\x01\x7f",
]


def text(number, seed):
    """A memo nobody else writes, hard for mail in a different way each time."""
    chosen = random.Random(seed * 1_000_003 + number)
    return f"{number}:" + "".join(chosen.choices(PIECES, k=chosen.randint(1, 8))) + f":{number}"
