"""What random trees said of a spec, for solves of it that differ by a price in the objective alone.

Whether sums mean what the spec says, and which rows of the formulation random trees break, does not
depend on how high such a price is; finding out takes most of the time of a small solve.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Said = TypeVar("Said")

_known: ContextVar[dict[Hashable, object] | None] = ContextVar(
    "known of random trees", default=None
)


@contextmanager
def prices_alone() -> Iterator[None]:
    """All solves within are of one spec, one table and one depth, and differ by a price above 0
    that only the objective has."""
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def remembered(
    what: Hashable, find: Callable[[], Said], keep: Callable[[Said], bool] = lambda said: True
) -> Said:
    """What `find` returns, or returned before of `what`. keep: whether it is worth knowing."""
    known = _known.get()
    if known is None:
        return find()
    if what in known:
        return known[what]  # type: ignore[return-value]
    said = find()
    if keep(said):
        known[what] = said
    return said
