"""What the script of a target cannot state exactly, found before it is written."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treemip.model.blocks import Functions, Kind, Quadratic
from treemip.model.model import Model
from treemip.resolve import typed as t
from treemip.resolve.sorts import Degree
from treemip.resolve.spec import Spec
from treemip.resolve.typed import Symbol
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.span import Span

NATIVE_PRODUCTS = ("gurobipy", "pyscipopt")
CONVEX_ONLY = ("cvxpy",)
NONLINEAR = ("pyomo", "pyscipopt", "ampl")


def require_expressible(stated: Model, spec: Spec, target: str) -> None:
    """Raise E601 at the place of what the target's script cannot state exactly."""
    for block in stated.functions:
        if block.slots is not None:
            raise not_in_scripts(block, "nonlinear expressions", target)
    if stated.tape.steps:
        _require_nonlinear(stated, spec, target)
    if target in (*NATIVE_PRODUCTS, "ampl"):
        return
    objective = stated.objective
    sign = 1.0 if objective.sense == "minimize" else -1.0
    if objective.quadratic.count:
        _require_products(stated, objective.quadratic, [sign], objective.span, target)
    for rows in (*stated.rows, *(i.body for i in stated.implications)):
        q = rows.quadratic
        for r in np.unique(q.row):
            own = q.row == r
            one = Quadratic(q.row[own], q.first[own], q.second[own], q.coef[own])
            ends = (1.0, rows.upper[r]), (-1.0, rows.lower[r])
            signs = [sign for sign, end in ends if np.isfinite(end)]
            _require_products(stated, one, signs, rows.span, target)


def degree_of(stated: Model) -> str:
    """linear, quadratic or nonlinear; a product with a binary factor counts as linear."""
    if stated.tape.steps:
        return "nonlinear"
    forms = [stated.objective.quadratic, *(r.quadratic for r in stated.rows)]
    forms += [i.body.quadratic for i in stated.implications]
    binary = _binaries(stated)
    curved = any((~(binary[q.first] | binary[q.second])).any() for q in forms if q.count)
    return "quadratic" if curved else "linear"


def _binaries(stated: Model) -> np.ndarray:
    """Which columns are binary, bool (columns,)."""
    return np.concatenate([np.full(b.length, b.kind is Kind.BINARY) for b in stated.variables])


def not_in_scripts(block: Functions, inner: str, target: str) -> TreemipError:
    """E601: a function whose statement scripts do not have."""
    message = f"scripts for {target} cannot state '{block.function.value}' of {inner}"
    remedy = "write a model file: treemip compile -o model.mps, or .nl for a nonlinear model"
    return TreemipError(Diagnostic("E601", message, block.span, remedy))


# ------------------------------------------------------------------------ nonlinear


def _require_nonlinear(stated: Model, spec: Spec, target: str) -> None:
    place = next(nonlinear_places(spec), None)
    span = stated.objective.span if place is None else place.span
    if target not in NONLINEAR:
        message = f"scripts for {target} hold linear and quadratic models, and this is nonlinear"
        remedy = f"export to {', '.join(NONLINEAR)}, or write NL: treemip compile -o model.nl"
        raise TreemipError(Diagnostic("E601", message, span, remedy))
    if target == "pyscipopt":
        from treemip.model.bounds import tape_ranges
        from treemip.solvers.scip.model import require_computable

        low, high = tape_ranges(stated.tape, stated.lower, stated.upper)
        require_computable(stated, low, high, span)


def nonlinear_places(spec: Spec) -> Iterator[t.Typed]:
    """The innermost nonlinear expressions of the objective and the rows, as they are written."""
    seen: set[Symbol] = set()
    if spec.objective is not None:
        yield from _innermost(spec.objective.value, seen)
    for c in spec.constraints:
        for side in (c.relation.left, c.relation.right, c.relation.right2):
            if side is not None:
                yield from _innermost(side, seen)


def _innermost(e: t.Typed, seen: set[Symbol]) -> Iterator[t.Typed]:
    if e.degree is not Degree.NONLINEAR:
        return
    deeper = list(e.parts)
    if isinstance(e, t.At) and e.symbol.value is not None and e.symbol not in seen:
        seen.add(e.symbol)
        deeper.append(e.symbol.value)
    found = [p for part in deeper for p in _innermost(part, seen)]
    yield from found or ([] if isinstance(e, t.At) else [e])


# ------------------------------------------------------------------------- products


def _require_products(
    stated: Model, q: Quadratic, signs: list[float], span: Span | None, target: str
) -> None:
    """Products with a binary become inequalities and need bounds; others a package that has them.

    signs: by which the form must be convex, one for each side that is bounded.
    """
    binary = _binaries(stated)
    own = np.concatenate([np.full(b.length, not b.made_by) for b in stated.variables])
    bounded = own & np.isfinite(stated.lower) & np.isfinite(stated.upper)
    mixed = binary[q.first] | binary[q.second]
    other = np.where(binary[q.first], q.second, q.first)
    remedy = f"export to {' or '.join(NATIVE_PRODUCTS)}, which take products as they stand"
    if target in CONVEX_ONLY and not _is_convex(q, ~mixed, signs):
        message = f"{target} takes products of variables that are not binary where they are convex"
        message += " only, and these are not"
    elif not bounded[other[mixed]].all():
        message = "a product of a binary with a variable that is declared without bounds"
        message += " needs another package"
    else:
        return
    raise TreemipError(Diagnostic("E601", message, span, remedy))


def _is_convex(q: Quadratic, rows: np.ndarray, signs: list[float]) -> bool:
    from treemip.solving.arrays import is_convex

    left = Quadratic(q.row[rows], q.first[rows], q.second[rows], q.coef[rows])
    return not left.count or all(is_convex(left, sign) for sign in signs)
