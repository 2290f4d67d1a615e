"""A solution file's values in the order of the model's columns."""

from __future__ import annotations

import numpy as np

from treemip.model.tolerances import STATED
from treemip.read.solution import SolutionFile
from treemip.source.diagnostic import Diagnostic, TreemipError
from treemip.source.suggest import listed

SHOWN = 3
OTHER_MODEL = "was the file written for this very spec, data and names?"


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
        raise TreemipError(
            Diagnostic.outside(
                "E605", f"'{solution.path}' has no solution: {_spoken(solution.status)}"
            )
        )
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
    """The values of a file without names, which must be as many as the model was written with."""
    assert solution.values is not None
    found = len(solution.values)
    if not solution.ordinal:
        raise TreemipError(
            Diagnostic.outside(
                "E607",
                f"'{solution.path}' has no names, and no .col file for its {found} columns "
                "stands beside it",
                "put the .col file of the same model there, under the same name",
            )
        )
    if found != count + extra:
        raise TreemipError(
            Diagnostic.outside(
                "E607",
                f"'{solution.path}' has {found} columns, the model {count + extra}",
                OTHER_MODEL,
            )
        )
    return solution.values[:count].copy()


def _positions(solution: SolutionFile, found: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Where in `names` each of `found` stands; E607 when one is not there or comes twice."""
    order = np.argsort(names, kind="stable")
    rank = np.searchsorted(names[order], found)
    position = order[np.minimum(rank, len(names) - 1)]
    unknown = names[position] != found
    if unknown.any():
        raise _unfit(solution, found[unknown], "has columns that the model has not:")
    counts = np.bincount(position, minlength=len(names))
    if (counts > 1).any():
        raise _unfit(solution, names[counts > 1], "has more than one value for")
    return position


def _demand_sum(solution: SolutionFile) -> None:
    stated, summed = solution.objective, solution.listed
    if stated is None or summed is None:
        return
    if abs(stated - summed) > STATED * max(1.0, abs(stated)):
        raise TreemipError(
            Diagnostic.outside(
                "E607",
                f"'{solution.path}' states the objective {stated:.9g}, "
                f"but its values add up to {summed:.9g}",
                "the file was cut, or the model was changed after treemip wrote it",
            )
        )


def _unfit(solution: SolutionFile, names: np.ndarray, what: str) -> TreemipError:
    shown = listed([name.decode(errors="replace") for name in names.tolist()], SHOWN)
    return TreemipError(
        Diagnostic.outside("E607", f"'{solution.path}' {what} {shown}", OTHER_MODEL)
    )


def _spoken(status: str) -> str:
    return status.replace("_", " ")
