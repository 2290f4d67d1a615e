"""What random trees said of a spec, for solves of it that differ by a price in the objective, or by
which rows of the table they learn from.

Whether sums mean what the spec says, and which rows of the formulation random trees break, does not
depend on that; finding out takes most of the time of a small solve. Trees are verified all the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Said = TypeVar("Said")
Known = dict[Hashable, object]

_known: ContextVar[Known | None] = ContextVar("known of random trees", default=None)


@contextmanager
def of_one_spec(known: Known) -> Iterator[None]:
    """All solves within, and all others that are given the same `known`, are of one spec at one
    depth. They differ by which rows of one table they learn from, and by a price above 0 that
    nothing but the objective has."""
    token = _known.set(known)
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
