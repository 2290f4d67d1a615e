"""When a step without an answer of its own, such as reading, has to end at the latest.

Such a step goes piece by piece and calls `heed` between two of them, which is also where Python
looks for signals.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

PIECE = 1 << 24
"""Bytes that are looked at between two looks at the clock, in a few hundredths of a second."""

_end: ContextVar[float] = ContextVar("end", default=inf)


class TimeEnded(Exception):
    """The time has passed; whoever knows what it was for makes it a Diagnostic. Its text says what
    was going on, where `heed` was told."""


@contextmanager
def until(end: float) -> Iterator[None]:
    """Within the block `heed` raises once time.perf_counter() has passed `end`."""
    token = _end.set(end)
    try:
        yield
    finally:
        _end.reset(token)


def heed(doing: str = "") -> None:
    """Raises TimeEnded with that text."""
    if time.perf_counter() > _end.get():
        raise TimeEnded(doing)
