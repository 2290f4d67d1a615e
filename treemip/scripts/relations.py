"""What the relations of a constraint come to as single rows."""

from __future__ import annotations

from dataclasses import dataclass

from treemip.resolve import typed as t
from treemip.resolve.spec import Constraint
from treemip.scripts.heading import one_line

MIRRORED = {"<=": ">=", ">=": "<="}


@dataclass(frozen=True)
class End:
    """left op right; `suffix` is what lowering adds to the family's name for it."""

    left: t.Typed
    op: str
    right: t.Typed
    suffix: str = ""


def ends(c: Constraint) -> list[End]:
    """One row, or two where the relation has two ends: those come last in each."""
    r = c.relation
    if r.op2 is None or r.right2 is None:
        return [End(r.left, r.op, r.right)]
    if r.left.degree or r.right2.degree:
        first = End(r.left, r.op, r.right, "_first")
        return [first, End(r.right, r.op2, r.right2, "_second")]
    return [End(r.right, MIRRORED[r.op], r.left), End(r.right, r.op2, r.right2)]


def remark(c: Constraint) -> str:
    """The name, the paper's number, and who states it."""
    parts = [c.name, c.tag, f"from {c.module}" if c.module not in ("", "spec") else ""]
    return one_line(" ".join(parts))
