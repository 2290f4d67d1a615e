"""What a file of rows and columns can hold: the rest is refused at its place in the source."""

from __future__ import annotations

import numpy as np

from treemip.core.files.profiles import Profile, Reads
from treemip.core.model.blocks import Index, Kind, Rows, SparseRows, Variables
from treemip.core.model.model import Model, Objective
from treemip.core.model.tape import Affine
from treemip.core.model.text import label
from treemip.core.source.diagnostic import Report

HUGE = 1e20  # from here on some readers take a bound for infinite, others for a number


def require_taken(model: Model, target: str, takes: Reads, report: Report) -> None:
    """E601 for each part of the model that is not among what `target` takes.

    Implications are taken as reform/implications.py leaves them: of one binary column each.
    """
    if takes.indicators:
        require_indicators(model, target, report)
        require_reformed(model.with_(implications=()), target, report)
    else:
        require_reformed(model, target, report)
    if not takes.sos:
        require_no_sets(model, target, report)
    if not takes.nonlinear:
        require_no_tape(model, target, report)
    require_products(model, target, takes, report)
    if not takes.integers:
        require_continuous(model, target, report)


def demand_taken(model: Model, target: Profile) -> None:
    """Raises E601 with all that a solver in memory, or a modelling package, does not take."""
    report = Report()
    require_taken(model, target.title, target.caps.in_memory, report)
    report.raise_errors()


def require_products(model: Model, target: str, takes: Reads, report: Report) -> None:
    """E601 for products of variables in the objective, or in rows, where `target` has none."""
    if model.objective.quadratic.count and not takes.objective:
        name = model.objective.name
        message = f"{target} has no quadratic objective: '{name}' multiplies variables"
        report.error("E601", message, model.objective.span, _TAKE_PRODUCTS)
    for block in model.rows:
        if block.quadratic.count and not takes.rows:
            message = f"{target} has no quadratic rows: '{block.name}' multiplies variables"
            report.error("E601", message, block.span, _TAKE_PRODUCTS)


_TAKE_PRODUCTS = "choose a target that takes them, such as SCIP, or a formulation without products"


def require_indicators(model: Model, target: str, report: Report) -> None:
    """E601 for implications that are not as reform/implications.py leaves them: one binary column,
    and one relation in each row."""
    is_binary = model.binary
    for block in model.implications:
        guard, body = block.guard, block.body
        single = guard.nonzeros == guard.count == block.length
        single = single and bool((guard.data == 1).all() and not block.guard_constant.any())
        one_sided = np.isinf(body.lower) ^ np.isinf(body.upper) ^ (body.lower == body.upper)
        if not (single and is_binary[guard.indices].all() and one_sided.all()):
            message = f"{target} takes indicators of one binary: '{block.name}' must become one"
            report.error("E601", message, body.span, _REFORM)


_REFORM = "reform the model for this target before it is written"


def require_no_sets(model: Model, target: str, report: Report) -> None:
    """E601 for special ordered sets, where `target` has none."""
    for block in model.special_sets:
        message = f"{target} has no special ordered sets, by which '{block.name}' is stated"
        report.error("E601", message, block.span, _NO_SETS)


_NO_SETS = "choose a target that has them, or --implications big_m or indicator in place of sos1"


def require_reformed(model: Model, target: str, report: Report) -> None:
    """E601 for implications and functions, which reform turns into rows."""
    for implication in model.implications:
        message = f"{target} has no implications: '{implication.name}' must become plain rows"
        report.error("E601", message, implication.body.span, _NO_INDICATORS)
    for function in model.functions:
        message = f"{target} has no '{function.function.value}': '{function.name}' must be linear"
        report.error("E601", message, function.span, _REFORM)


def require_no_tape(model: Model, target: str, report: Report) -> None:
    """E601 for each row family, and for the objective, with nonlinear expressions."""
    objective = model.objective
    found = [(f"'{b.name}'", b.span) for b in model.rows if b.slots is not None]
    if objective.slots is not None:
        found.append((f"the objective '{objective.name}'", objective.span))
    for what, where in found:
        report.error(
            "E601",
            f"{target} has no nonlinear functions: {what} is neither linear nor quadratic",
            where,
            "solve it with Ipopt or SCIP, or write an NL file",
        )


def require_continuous(model: Model, target: str, report: Report) -> None:
    """E601 for integer variables that their bounds do not fix."""
    for block in model.variables:
        if block.kind is Kind.CONTINUOUS:
            continue
        low, high = block.domain
        if (low < high).any():
            message = f"{target} has no integers: '{block.name}' is {block.kind.value}"
            report.error("E601", message, block.span, "solve it with SCIP")


_NO_INDICATORS = "compile for this target, or with --implications big_m"


def require_finite(model: Model, report: Report) -> None:
    """E402 for numbers that no file can state, E403 for bounds that exclude each other.

    Coefficients and the objective must be below 1e20 in magnitude, and so must bounds, which may
    be infinite on their own side.
    """
    objective = model.objective
    numbers = (objective.linear, objective.quadratic.coef, np.array([objective.constant]))
    if not all(map(_is_usable, numbers)):
        finite = all(np.isfinite(n).all() for n in numbers)
        report.error(
            "E402",
            f"objective '{objective.name}' has a coefficient that is "
            + ("1e20 or more in magnitude" if finite else "not finite"),
            objective.span,
            _SMALLER if finite else _DIVISIONS,
        )
    _require_tape(model, report)
    for rows in model.rows:
        _require_matrix(rows, report)
        _require_bounds(rows, rows.lower, rows.upper, report)
    for variables in model.variables:
        _require_bounds(variables, *variables.domain, report)


_DIVISIONS = "look for a division by zero, or for a parameter or data value that is not finite"


_SMALLER = "solvers treat such a number as infinite: choose smaller units"


def _is_usable(numbers: np.ndarray) -> bool:
    """Whether all are below HUGE in magnitude; nan is not. Makes no array of that size."""
    return not len(numbers) or bool(numbers.max() < HUGE and numbers.min() > -HUGE)


def _require_matrix(rows: Rows, report: Report) -> None:
    matrix = rows.matrix
    if not _is_usable(matrix.data):
        entry = int(np.flatnonzero(~(np.abs(matrix.data) < HUGE))[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        report.error(
            "E402",
            f"row {place(rows.name, rows.index, row)} has the coefficient {matrix.data[entry]}",
            rows.span,
            _SMALLER if np.isfinite(matrix.data[entry]) else _DIVISIONS,
        )
    if not _canonical(matrix):
        raise ValueError(f"rows block '{rows.name}' stores a zero, or a column twice in a row")


def _require_tape(model: Model, report: Report) -> None:
    """The numbers of the tape, and of those who use it."""
    affine = [step for step in model.tape.steps if isinstance(step, Affine)]
    numbers = [n for s in affine for n in (s.columns.data, s.slots.data, s.constants)]
    if not all(np.isfinite(n).all() for n in numbers if len(n)):
        message = "a nonlinear expression has a coefficient that is not finite"
        report.error("E402", message, model.objective.span, _DIVISIONS)
    users: list[Objective | Rows] = [model.objective, *model.rows]
    for user in users:
        if user.slots is not None and not np.isfinite(user.slots.data).all():
            message = f"'{user.name}' has a coefficient that is not finite"
            report.error("E402", message, user.span, _DIVISIONS)


def _canonical(matrix: SparseRows) -> bool:
    """The contract of SparseRows, which readers of files take differently when it is broken."""
    falls = matrix.indices[1:] <= matrix.indices[:-1]
    starts = matrix.indptr[1:-1]
    falls[starts[(starts > 0) & (starts < matrix.nonzeros)] - 1] = False
    return not falls.any() and np.count_nonzero(matrix.data) == matrix.nonzeros


def _require_bounds(
    block: Variables | Rows, lower: np.ndarray, upper: np.ndarray, report: Report
) -> None:
    if _is_usable(lower) and _is_usable(upper) and (lower <= upper).all():
        return
    for side, bound, open_end in (("lower", lower, -np.inf), ("upper", upper, np.inf)):
        bad = np.flatnonzero(~((np.abs(bound) < HUGE) | (bound == open_end)))
        if len(bad):
            at = place(block.name, block.index, int(bad[0]))
            report.error(
                "E402",
                f"{at} has the {side} bound {bound[bad[0]]}",
                block.span,
                "leave the bound out where there is none, or give one below 1e20 in magnitude",
            )
    crossed = np.flatnonzero(lower > upper)
    if len(crossed):
        k = int(crossed[0])
        report.error(
            "E403",
            f"{place(block.name, block.index, k)} is at least {lower[k]} and at most {upper[k]}",
            block.span,
            "no value satisfies both; check the bounds and the data they come from",
        )


def place(name: str, index: Index, position: int) -> str:
    """One element of a block as the language writes it: ``go_left[12,3]``."""
    labels = ",".join(label(column[position].item()) for column in index.columns)
    return f"{name}[{labels}]" if labels else name
