"""Implications as big-M rows: with the M that the spec gives, or the one that the bounds prove."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treemip.lower.frame import Frame
from treemip.resolve import typed as t
from treemip.resolve.spec import Constraint
from treemip.scripts.decided import Decided
from treemip.scripts.expressions import SIGN, Expressions
from treemip.scripts.relations import End

PROVEN = "greatest violation that the variables' bounds allow"


@dataclass(frozen=True)
class Relaxed:
    """left <= right + big_m * off (side 1) or left >= right - big_m * off (side -1)."""

    end: End
    side: int
    big_m: str
    off: str


def relaxations(
    write: Expressions, c: Constraint, end: End, decided: Decided, frame: Frame
) -> Iterator[Relaxed]:
    """The rows of an implication for one of its relations; an equation has two."""
    for side in (1, -1):
        if end.op not in ("=", "<=" if side > 0 else ">="):
            continue
        off = _off(write, c)
        if c.big_m is not None:
            big_m = write.text(c.big_m, SIGN)
        else:
            name = _proven(write, c, end.suffix, side, frame, decided)
            inside = write.scope.index(c.domain.names)
            big_m = f"{name}[{inside}]" if inside else name
        yield Relaxed(end, side, big_m, off)


def _off(write: Expressions, c: Constraint) -> str:
    """What is 0 where the implication applies and 1 where it does not."""
    assert c.guard is not None and c.guard_value is not None
    guard, value = write.text(c.guard, SIGN), c.guard_value
    if isinstance(value, t.Const):
        return f"(1 - {guard})" if value.value == 1 else guard
    known = write.text(value, SIGN)
    return f"({known} + (1 - 2 * {known}) * {guard})"


def _proven(
    write: Expressions, c: Constraint, suffix: str, side: int, frame: Frame, decided: Decided
) -> str:
    """The table of the M that the bounds prove, one for each row of the family."""
    values = decided.big_m[c.name + suffix, side]
    both = (c.name + suffix, -side) in decided.big_m
    wish = f"M_{c.name}{suffix}" + (("_upper" if side > 0 else "_lower") if both else "")
    name = write.names.of(("M", c.name, suffix, side), wish)
    write.add_rows(name, c, frame, values, PROVEN)
    return name
