"""Sums of products that are mostly 0: `sum {j in features} coef[t,j] * x[i,j]` of known numbers.

The coefficients of a few branches are few, and most of them 0, however many points there are. What
is 0 is left out before the features of points are looked at.
"""

from __future__ import annotations

import numpy as np

from treemip.core.lower import numbers
from treemip.core.lower.frame import Frame
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.model.arrays import Ragged, offsets_of
from treemip.core.resolve import typed as t
from treemip.core.resolve.builtins import is_only_on_a_tree
from treemip.core.resolve.typed import Role

MANY = 1 << 12
"""Rows from which on it is worth looking for zeros."""


def sparse_sum(e: t.Reduction, frame: Frame, evaluator: EvaluatorParts) -> np.ndarray | None:
    """A sum over one name, float64 (frame.size,), where one factor has few different rows, and the
    other is finite; None of other sums, and where hardly anything is 0."""
    if e.op != "sum" or e.guard or len(e.binders) != 1 or frame.size < MANY:
        return None
    (binder,), factor = e.binders, factor_of(e.body)
    if factor is None:
        return None
    names = (factor.free | binder.free) - {binder.name}
    distinct, which = frame.project(names, factor.local | binder.local)
    if 2 * distinct.size > frame.size:
        return None
    child, rows = evaluator.expand(e.binders, (), distinct)
    some = np.flatnonzero(evaluator.known(factor, child))
    if 2 * len(some) > child.size:
        return None
    lengths = np.bincount(rows[some], minlength=distinct.size)
    lists = Ragged(offsets_of(lengths), child.column(binder.name)[some])
    grown = frame.grow(binder.name, lists, which)
    assert grown.rows is not None
    return numbers.reduce("sum", evaluator.known(e.body, grown), grown.rows, frame.size)


def factor_of(body: t.Typed) -> t.Typed | None:
    """The factor of a product that a solution has, beside one that the data have."""
    if isinstance(body, t.Arithmetic) and body.op == "*":
        for one, other in ((body.left, body.right), (body.right, body.left)):
            if _is_variable(one) and _is_finite(other) and other.free - one.free:
                return one
    return None


def _is_variable(e: t.Typed) -> bool:
    return isinstance(e, t.At) and e.symbol.role is Role.VARIABLE


def _is_finite(e: t.Typed) -> bool:
    """Whether it is made of numbers of the data and of parameters, none of which is infinite."""
    if isinstance(e, t.At):
        known = e.symbol.role in (Role.DATA, Role.PARAMETER) and not is_only_on_a_tree(
            e.symbol.name
        )
        return known and all(isinstance(part, t.Bound) for part in e.arguments)
    if isinstance(e, t.Arithmetic):
        return e.op in ("+", "-", "*") and _is_finite(e.left) and _is_finite(e.right)
    return isinstance(e, t.Const) or (isinstance(e, t.Negation) and _is_finite(e.operand))
