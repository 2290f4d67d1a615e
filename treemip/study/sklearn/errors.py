"""Errors and warnings as scikit-learn's users expect them: a ValueError, a UserWarning."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from treemip.core.source.diagnostic import Diagnostic, TreemipError

if TYPE_CHECKING:
    from treemip.api.result import Result


class EstimatorError(TreemipError, ValueError):
    """A TreemipError that is a ValueError too: parameters or data that do not fit."""


class TreemipWarning(UserWarning):
    """What treemip warns of while it fits: questionable data, a start that is not feasible, …"""


def invalid(code: str, message: str, remedy: str = "") -> EstimatorError:
    return EstimatorError(Diagnostic.outside(code, message, remedy))


@contextmanager
def as_value_errors() -> Iterator[None]:
    """Makes an EstimatorError of every TreemipError."""
    try:
        yield
    except EstimatorError:
        raise
    except TreemipError as error:
        raise EstimatorError(error.diagnostics) from error


def require_tree(result: Result) -> None:
    """Raises EstimatorError: E605 where the solve ended without a solution, else why a solution
    gives no tree."""
    if result.tree is not None:
        return
    if result.failure:
        raise EstimatorError(result.failure)
    if result.status == "infeasible":
        raise invalid(
            "E605",
            "no tree of this shape satisfies all constraints",
            "relax a constraint, or take a deeper tree",
        )
    raise invalid(
        "E605",
        f"the solve ended without a tree: {result.status}",
        "raise time_limit, relax a constraint, or give a start",
    )


def warn_of(result: Result) -> None:
    """Python warnings for all that treemip warns of, for a tree that is not verified, and for one
    that is not proven to be as good as was asked for."""
    from sklearn.exceptions import ConvergenceWarning

    from treemip.core.model.answer import CLAIMED_STATUSES

    for diagnostic in result.warnings:
        remedy = f" ({diagnostic.remedy})" if diagnostic.remedy else ""
        _warn(f"{diagnostic.code}: {diagnostic.message}{remedy}", TreemipWarning)
    if result.verdict == "not verified":
        _warn(f"the tree is not verified: {'; '.join(result.problems)}", TreemipWarning)
    if result.status not in CLAIMED_STATUSES and result.optimality and result.verdict:
        limit = "" if result.time_limit is None else f" of {result.time_limit:g} s"
        ended = (
            f"the time limit{limit} ended the solve"
            if result.status == "time_limit"
            else f"the solve ended with the status '{result.status}'"
        )
        _warn(f"{ended}: {result.optimality.text(result.verdict)}", ConvergenceWarning)


def _warn(text: str, category: type[Warning]) -> None:
    """Level 6 is the caller of `fit`."""
    warnings.warn(text, category, stacklevel=6)
