"""What a solution file means for a model: its values by column, checked as far as numbers go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treemip.core.files.names import CONSTANT, name_model
from treemip.core.files.solution_files import SolutionFile
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.blocks import Kind
from treemip.core.model.model import Model
from treemip.core.model.tolerances import EXACT, LEAST_FEASIBILITY, STATED, WHOLE
from treemip.core.model.values import objective_value, violation
from treemip.core.solving.solve import is_available, solve
from treemip.core.source.diagnostic import Diagnostic, TreemipError, fail
from treemip.core.source.suggest import listed

RELAXED = "the solver wrote its relaxation, which it does when it found nothing better"

NUMBERED = (
    "the file has columns by number, and readers of LP files number them anew: give the solver the "
    "MPS file or let it write names (glpsol -o); or the file belongs to another spec, other data "
    "or parameters"
)


def answer_from(model: Model, values: Sequence[float] | np.ndarray, solver: str) -> Answer:
    """Values (columns,) in the model's order, as an answer of which nothing more is known.

    More values than columns are cut off: live models have some of their own at the end. Raises
    E607 for fewer, for what is not a finite number, and for integers that are not whole.
    """
    remedy = "give one finite number for each column, in the model's order"
    try:
        found = np.asarray(values, float).ravel()[: model.column_count]
    except (TypeError, ValueError) as error:
        message = f"the values are not numbers: {error}"
        raise TreemipError(Diagnostic.outside("E607", message, remedy)) from error
    if len(found) < model.column_count or not np.isfinite(found).all():
        message = f"{np.isfinite(found).sum()} values were given for {model.column_count} columns"
        fail("E607", message, remedy=remedy)
    _demand_whole(model, "the values", found)
    objective = objective_value(model, found)
    return Answer("feasible", found, objective, None, None, 0.0, None, solver, "")


def answer_of(model: Model, solution: SolutionFile) -> Answer:
    """The answer in a solution file of the model's MPS file; without values if the file has none.

    Names are taken in either style. Values are not held against the rows: verification does that.
    Raises E607 for columns that do not fit the model, integers that are not whole and an
    objective other than the file states.
    """
    values = None if solution.values is None else model_values(model, solution)
    return Answer(
        status=solution.status,
        values=values,
        objective=None if values is None else objective_value(model, values),
        bound=stated(model, solution.bound),
        gap=None,
        seconds=0.0,
        nodes=None,
        solver=solution.format,
        solver_version="",
    )


def model_values(model: Model, solution: SolutionFile) -> np.ndarray:
    """float64 (columns,): the file's values in the model's order, with the digits that the file
    lacks where `restore_digits` can restore them. Raises E607."""
    extra = (CONSTANT,) if model.objective.constant else ()
    values = values_by_name(solution, _columns(model, solution), extra)
    _demand_whole(model, f"'{solution.path}'", values, NUMBERED if solution.ordinal else RELAXED)
    _demand_objective(model, solution, values)
    return restore_digits(model, solution, values)


def stated(model: Model, value: float | None) -> float | None:
    """An objective or bound of the model's MPS file, which minimizes, in the model's sense."""
    return -value if value is not None and model.objective.sense == "maximize" else value


def _columns(model: Model, solution: SolutionFile) -> np.ndarray:
    """The columns' names in the style the file uses."""
    columns = name_model(model, "spec").columns()
    if solution.names is None or np.isin(solution.names[:50], columns).any():
        return columns
    return name_model(model, "short").columns()


def _demand_whole(model: Model, source: str, values: np.ndarray, remedy: str = RELAXED) -> None:
    off = np.where(model.integer, np.abs(values - np.round(values)), 0.0)
    worst = int(off.argmax()) if len(off) else 0
    if len(off) and off[worst] > WHOLE:
        name = name_model(model, "spec").columns()[worst].decode()
        fail(
            "E607",
            f"no solution in {source}: '{name}' is {values[worst]:.6g}, not whole",
            remedy=remedy,
        )


def _demand_objective(model: Model, solution: SolutionFile, values: np.ndarray) -> None:
    claimed = stated(model, solution.objective)
    if claimed is None:
        return
    own = objective_value(model, values)
    printed = float(np.abs(model.costs * values[: len(model.costs)]).sum())
    allowed = STATED * max(1.0, abs(claimed)) + printed * 10.0 ** (1 - solution.digits)
    if abs(claimed - own) > allowed:
        fail(
            "E607",
            f"'{solution.path}' states the objective {claimed:.9g}, "
            f"but that of its values is {own:.9g}",
            remedy=NUMBERED
            if solution.ordinal
            else "the file was cut, or belongs to another spec, other data or parameters",
        )


# -------------------------------------------------------------------------------------------- names

SHOWN = 3
OTHER_MODEL = "was the file written for this spec, these data and these names?"


def values_by_name(
    solution: SolutionFile, names: np.ndarray, extra: tuple[str, ...] = ()
) -> np.ndarray:
    """float64 (columns,): the value of each of `names`, an 'S' array as the model was emitted.

    `extra`: columns that the emitted file has after the model's own, like the one that carries
    the objective's constant; their values are dropped. Values without names are taken in order.

    Raises E605 when the file has no solution, E607 when names are missing from a complete file,
    unknown, or there twice, and when the listed costs and values do not add up to the objective
    the file states: lines are missing. (For that, the emitted model must have its constant, if
    any, on a column; formats without costs cannot be checked this way.)
    """
    if solution.values is None:
        fail("E605", f"'{solution.path}' has no solution: {_spoken(solution.status)}")
    if solution.names is None:
        return _in_order(solution, len(names), len(extra))
    names = np.asarray(names, "S")
    dropped = np.array([*(name.encode() for name in extra), *solution.added], "S")
    _demand_sum(solution)
    if np.array_equal(names, solution.names):
        return solution.values.copy()
    kept = ~np.isin(solution.names, dropped) | np.isin(solution.names, names)
    position = _positions(solution, solution.names[kept], names)
    values = np.zeros(len(names))
    values[position] = solution.values[kept]
    if solution.complete and len(position) < len(names):
        missing = np.ones(len(names), bool)
        missing[position] = False
        raise _unfit(solution, names[missing], "has no value for")
    return values


def _in_order(solution: SolutionFile, count: int, extra: int) -> np.ndarray:
    """The values of a file without names; their number must be that of the columns written."""
    assert solution.values is not None
    found = len(solution.values)
    if not solution.ordinal:
        fail(
            "E607",
            f"'{solution.path}' has no names, and no .col file for its {found} columns "
            "stands beside it",
            remedy="put the .col file of the same model there, under the same name",
        )
    if found != count + extra:
        fail(
            "E607",
            f"'{solution.path}' has {found} columns, the model {count + extra}",
            remedy=OTHER_MODEL,
        )
    return solution.values[:count].copy()


def _positions(solution: SolutionFile, found: np.ndarray, names: np.ndarray) -> np.ndarray:
    """The position of each of `found` in `names`; E607 for an unknown or a duplicate name."""
    order = np.argsort(names, kind="stable")
    rank = np.searchsorted(names[order], found)
    position = order[np.minimum(rank, len(names) - 1)]
    unknown = names[position] != found
    if unknown.any():
        raise _unfit(solution, found[unknown], "has columns that the model does not have:")
    counts = np.bincount(position, minlength=len(names))
    if (counts > 1).any():
        raise _unfit(solution, names[counts > 1], "has more than one value for")
    return position


def _demand_sum(solution: SolutionFile) -> None:
    stated, summed = solution.objective, solution.listed
    if stated is None or summed is None:
        return
    if abs(stated - summed) > STATED * max(1.0, abs(stated)):
        fail(
            "E607",
            f"'{solution.path}' states the objective {stated:.9g}, "
            f"but its values add up to {summed:.9g}",
            remedy="the file was cut, or the model was changed after treemip wrote it",
        )


def _unfit(solution: SolutionFile, names: np.ndarray, what: str) -> TreemipError:
    shown = listed([name.decode(errors="replace") for name in names.tolist()], SHOWN)
    return TreemipError(
        Diagnostic.outside("E607", f"'{solution.path}' {what} {shown}", OTHER_MODEL)
    )


def _spoken(status: str) -> str:
    return status.replace("_", " ")


# ------------------------------------------------------------------------------------------- digits

FEW_DIGITS = 10
"""Values printed with this many digits or more are not restored."""

SECONDS = 10.0


def restore_digits(model: Model, solution: SolutionFile, values: np.ndarray) -> np.ndarray:
    """float64 (columns,): values that print as the file's do and keep the model's rows.

    lp_solve, GLPK's ``-o`` and HiGHS's readable style print six digits. Rounding then violates rows
    by 1e-6 of their size, which is enough to fail verification where slack costs 1000 or a split
    passes close to a point. The solver's own values round to the printed ones and satisfy the rows.
    With the integers fixed, a linear program over the intervals of rounding finds such values; as
    its objective gains by every row that it may miss, it misses them by the least it can.

    Returns `values` unchanged where they satisfy the rows already, where the file has all digits or
    leaves out zeros, where the model is not linear, and where there are no such values.
    """
    few = solution.complete and solution.digits < FEW_DIGITS
    whole = np.abs(values[model.integer]) < 10.0**solution.digits
    if not (few and model.is_linear and whole.all() and is_available("highs")):
        return values
    if violation(model, values) <= EXACT:
        return values
    limits = Limits(SECONDS, feasibility=LEAST_FEASIBILITY)
    answer = solve(_printed(model, solution.digits, values), "highs", limits)
    return values if answer.values is None or answer.status != "optimal" else answer.values


def _printed(model: Model, digits: int, values: np.ndarray) -> Model:
    """The model without integers, each column in the interval that prints as its value."""
    whole, size = np.round(values), np.maximum(np.abs(values), np.finfo(float).tiny)
    half = np.maximum(0.5 * 10.0 ** (np.floor(np.log10(size)) - digits + 1), EXACT)
    lower = np.where(model.integer, whole, values - half)
    upper = np.where(model.integer, whole, values + half)
    lower = np.clip(lower, model.lower, model.upper)
    upper = np.clip(upper, model.lower, model.upper)
    blocks = (
        replace(
            block,
            lower=lower[block.start : block.stop],
            upper=upper[block.start : block.stop],
            kind=Kind.CONTINUOUS,
        )
        for block in model.variables
    )
    return replace(model, variables=tuple(blocks))
