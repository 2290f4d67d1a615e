"""A model as a CVXPY problem: a variable for each family, rows as sparse matrices of them.

Convex quadratic parts become atoms that CVXPY knows to be convex; a family of rows is one
constraint. The variables are named as in the spec.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.files.profiles import Caps, Profile, Reads
from treemip.core.model.blocks import Kind, Quadratic, Rows, SparseRows, Variables
from treemip.core.model.model import Model
from treemip.core.solving.arrays import assemble, is_convex
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import fail
from treemip.core.source.span import Span

if TYPE_CHECKING:
    import cvxpy as cp

CVXPY = Profile("cvxpy", "CVXPY", Caps(model=Reads(objective=True, rows=True)))


def to_cvxpy(model: Model) -> cp.Problem:
    """The model in CVXPY, by its rules of disciplined convex programming (DCP).

    Variables and constraints are in the model's order: `problem.var_dict["coef"]` is the family
    `coef`, a vector in the order of its index tuples. Raises E601 for products that are not
    convex, at their place, and when implications, functions or a tape are left; E402 and E403 as
    for solvers; E602 without cvxpy.
    """
    arrays = assemble(model, CVXPY)
    cp = needed("cvxpy", "cvxpy")
    columns = [_variable(cp, block) for block in model.variables]
    constraints = [c for b, v in zip(model.variables, columns, strict=True) for c in _fixed(b, v)]
    for rows in model.rows:
        constraints += _rows(cp, model, rows, columns)
    sign = model.objective.sign
    value = model.objective.constant
    for block, variable in zip(model.variables, columns, strict=True):
        costs = arrays.costs[block.start : block.stop]
        if costs.any():
            value = value + costs @ variable
    if model.objective.quadratic.count:
        form = model.objective.quadratic
        _require_convex(form, sign, "the objective", model.objective.span)
        value = value + sign * _form(cp, model, form, sign, columns)
    sense = cp.Minimize if sign > 0 else cp.Maximize
    return cp.Problem(sense(value), constraints)


def _variable(cp: Any, block: Variables) -> Any:
    if block.kind is Kind.BINARY:
        return cp.Variable(block.length, name=block.name, boolean=True)
    whole = block.kind is Kind.INTEGER
    return cp.Variable(block.length, name=block.name, bounds=list(block.domain), integer=whole)


def _fixed(block: Variables, variable: Any) -> list[Any]:
    """Constraints that fix binaries; CVXPY takes no bounds on boolean variables."""
    lower, upper = block.domain
    at = np.flatnonzero(lower == upper)
    return [variable[at] == lower[at]] if block.kind is Kind.BINARY and len(at) else []


def _rows(cp: Any, model: Model, block: Rows, columns: list[Any]) -> list[Any]:
    """One constraint for a family's equations, one for each side of its inequalities, and one for
    each of its quadratic rows."""
    value = _product(cp, model, block.matrix, columns)
    straight = np.ones(block.length, bool)
    found = []
    for r in np.unique(block.quadratic.row).tolist():
        straight[r] = False
        found.append(_quadratic_row(cp, model, block, r, value, columns))
    equal = straight & (block.lower == block.upper)
    for rows, limits, relation in (
        (equal, block.lower, lambda a, b: a == b),
        (straight & ~equal & np.isfinite(block.lower), block.lower, lambda a, b: a >= b),
        (straight & ~equal & np.isfinite(block.upper), block.upper, lambda a, b: a <= b),
    ):
        at = np.flatnonzero(rows)
        if len(at):
            found.append(relation(value if len(at) == block.length else value[at], limits[at]))
    return found


def _quadratic_row(
    cp: Any, model: Model, block: Rows, r: int, value: Any, columns: list[Any]
) -> Any:
    """A row whose form is convex below its limit, or concave above it."""
    at = slice(*np.searchsorted(block.quadratic.row, [r, r + 1]))
    form = block.quadratic.take(at)
    two_sided = np.isfinite(block.lower[r]) and np.isfinite(block.upper[r])
    sign = 1.0 if np.isfinite(block.upper[r]) else -1.0
    limit = block.upper[r] if sign > 0 else block.lower[r]
    if two_sided:
        message = f"'{block.name}' bounds a product from both sides, which is not convex"
        fail("E601", message, block.span, _REMEDY)
    _require_convex(form, sign, f"'{block.name}'", block.span)
    return sign * value[r] + _form(cp, model, form, sign, columns) <= sign * limit


def _form(cp: Any, model: Model, form: Quadratic, sign: float, columns: list[Any]) -> Any:
    """sign * the form, as an atom that CVXPY knows to be convex."""
    from scipy.sparse import coo_array

    ids, position = np.unique(np.concatenate([form.first, form.second]), return_inverse=True)
    first, second = position[: form.count], position[form.count :]
    taken = _taken(cp, model, ids, columns)
    coef = sign * form.coef
    if (first == second).all():
        return cp.sum_squares(cp.multiply(np.sqrt(np.bincount(first, coef)), taken))
    half = coo_array((coef / 2, (first, second)), shape=(len(ids), len(ids)))
    # `is_convex` has passed; CVXPY's own test computes eigenvalues and may disagree.
    return cp.quad_form(taken, cp.psd_wrap((half + half.T).tocsc()))


def _taken(cp: Any, model: Model, ids: np.ndarray, columns: list[Any]) -> Any:
    """The columns of these numbers, ascending, as one vector."""
    parts = []
    for block, variable in zip(model.variables, columns, strict=True):
        inside = ids[(ids >= block.start) & (ids < block.stop)] - block.start
        if len(inside):
            parts.append(variable[inside])
    return parts[0] if len(parts) == 1 else cp.hstack(parts)


def _product(cp: Any, model: Model, matrix: SparseRows, columns: list[Any]) -> Any:
    """The rows times the columns, a sparse matrix for each family they mention."""
    from scipy.sparse import csr_array

    size = (matrix.count, max(1, model.column_count))
    whole = csr_array((matrix.data, matrix.indices, matrix.indptr), shape=size).tocsc()
    parts = []
    for block, variable in zip(model.variables, columns, strict=True):
        part = whole[:, block.start : block.stop]
        if part.nnz:
            parts.append(part @ variable)
    # Comparing NumPy zeros would give an array of truth values, not a constraint.
    return sum(parts[1:], parts[0]) if parts else cp.Constant(np.zeros(matrix.count))


_REMEDY = "solve it with SCIP, or write the model as a file for a solver that takes it"


def _require_convex(form: Quadratic, sign: float, what: str, span: Span | None) -> None:
    if not is_convex(form, sign):
        message = f"the products in {what} are not convex, and CVXPY takes no others"
        fail("E601", message, span, _REMEDY)
