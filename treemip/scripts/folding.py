"""Where long expressions may be broken: outside of brackets and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise


def split_outside(text: str, at: str) -> list[str]:
    """The text cut at each match of the pattern that is outside of brackets and quotes."""
    free = set(outside(text))
    cuts = [m for m in re.finditer(at, text) if m.start() in free]
    places = [(0, 0), *((m.start(), m.end()) for m in cuts), (len(text), len(text))]
    return [text[a[1] : b[0]] for a, b in pairwise(places)]


def outside(text: str) -> Iterator[int]:
    """Places of the text that are outside of brackets and quotes."""
    depth, quote = 0, ""
    for k, c in enumerate(text):
        if quote:
            quote = "" if c == quote and text[k - 1] != "\\" else quote
        elif c in "'\"":
            quote = c
        else:
            depth += (c in "([{") - (c in ")]}")
            if not depth:
                yield k
