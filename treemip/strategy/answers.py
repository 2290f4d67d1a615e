"""What a solution file means for a model: its values by column, checked as far as numbers go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treemip.emit.names import CONSTANT, name_model
from treemip.model.answer import Answer
from treemip.model.model import Model
from treemip.model.tolerances import STATED, WHOLE
from treemip.model.values import objective_value
from treemip.read.solution import SolutionFile
from treemip.read.values import values_by_name
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.strategy.digits import completed

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
        message = f"the values are no numbers: {error}"
        raise TreemipError(Diagnostic.outside("E607", message, remedy)) from error
    if len(found) < model.column_count or not np.isfinite(found).all():
        message = f"{np.isfinite(found).sum()} values were given for {model.column_count} columns"
        raise TreemipError(Diagnostic.outside("E607", message, remedy))
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
    """float64 (columns,): the file's values in the model's order, with all digits as far as
    `completed` finds them. Raises E607."""
    extra = (CONSTANT,) if model.objective.constant else ()
    values = values_by_name(solution, _columns(model, solution), extra)
    _demand_whole(model, f"'{solution.path}'", values, NUMBERED if solution.ordinal else RELAXED)
    _demand_objective(model, solution, values)
    return completed(model, solution, values)


def stated(model: Model, value: float | None) -> float | None:
    """An objective or a bound of the model's MPS file, which minimizes, in the model's sense."""
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
        raise TreemipError(
            Diagnostic.outside(
                "E607",
                f"no solution in {source}: '{name}' is {values[worst]:.6g}, not whole",
                remedy,
            )
        )


def _demand_objective(model: Model, solution: SolutionFile, values: np.ndarray) -> None:
    claimed = stated(model, solution.objective)
    if claimed is None:
        return
    own = objective_value(model, values)
    printed = float(np.abs(model.costs * values[: len(model.costs)]).sum())
    allowed = STATED * max(1.0, abs(claimed)) + printed * 10.0 ** (1 - solution.digits)
    if abs(claimed - own) > allowed:
        raise TreemipError(
            Diagnostic.outside(
                "E607",
                f"'{solution.path}' states the objective {claimed:.9g}, "
                f"but that of its values is {own:.9g}",
                NUMBERED
                if solution.ordinal
                else "the file was cut, or belongs to another spec, other data or parameters",
            )
        )
