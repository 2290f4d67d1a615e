"""A model as a `highspy.Highs`: the joined arrays are passed in one call, nothing row by row."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.files.names import name_model
from treemip.core.model.blocks import Quadratic
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.solving.arrays import Arrays, assemble, is_convex
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Span

if TYPE_CHECKING:
    from highspy import Highs

ROWWISE, TRIANGULAR = 2, 1  # HiGHS's MatrixFormat and HessianFormat
MINIMIZE, MAXIMIZE = 1, -1  # HiGHS's ObjSense

MOST_NONZEROS = 2**31 - 1
"""HiGHS counts nonzeros in 32 bits."""


def to_highs(model: Model) -> Highs:
    """The model in a quiet `highspy.Highs`, in the order and under the names of model files.

    HiGHS takes names one by one: 4 microseconds each. Raises E601 when implications, functions,
    quadratic rows, or a quadratic objective that is not convex or has integers beside it are left;
    E602 without highspy; E604 when HiGHS refuses.
    """
    highs, complaints = load(model, assemble(model, solvers()["highs"]))
    names = name_model(model)
    for given, take in ((names.columns(), highs.passColName), (names.rows(), highs.passRowName)):
        statuses = map(take, range(len(given)), given.astype(str).tolist())
        if any(int(status) < 0 for status in statuses):
            raise failure("HiGHS refuses a name", complaints)
    return highs


def load(model: Model, arrays: Arrays) -> tuple[Highs, list[str]]:
    """`to_highs`, with the list in which HiGHS's warnings and errors gather from now on."""
    demand_convex(model)
    if arrays.matrix.nonzeros > MOST_NONZEROS:
        raise _refused("the model has more nonzeros than HiGHS can count", None)
    highs = silent_highs()
    complaints = _gather_complaints(highs)
    matrix = arrays.matrix
    status = int(
        highs.passModel(
            arrays.columns,
            arrays.rows,
            matrix.nonzeros,
            ROWWISE,
            MINIMIZE if model.objective.sense == "minimize" else MAXIMIZE,
            model.objective.constant,
            arrays.costs,
            arrays.lower,
            arrays.upper,
            arrays.row_lower,
            arrays.row_upper,
            matrix.indptr[:-1].astype(np.int32),
            matrix.indices,
            matrix.data,
            arrays.integer.astype(np.int32),
        )
    )
    if model.objective.quadratic.count and status >= 0:
        status = int(highs.passHessian(*_hessian(model.objective.quadratic, arrays.columns)))
    if status < 0:
        raise failure("HiGHS refuses the model", complaints)
    return highs, complaints


def silent_highs() -> Any:
    """A new `highspy.Highs` that prints nothing. Raises E602 without highspy."""
    return _silent_class()()


@cache
def _silent_class() -> Any:
    highspy = needed("highspy", "highs")

    class Silent(highspy.Highs):  # type: ignore[name-defined]
        def enableCallbacks(self) -> None:
            """Called by the constructor, where 1.16 prints its banner."""
            self.setOptionValue("log_to_console", False)
            super().enableCallbacks()

    Silent.__name__ = "Highs"
    return Silent


def run(highs: Highs) -> None:
    """Solve. A process keeps the number of threads of its first run of HiGHS, perhaps the host
    program's, and refuses another one until its scheduler is reset."""
    if int(highs.run()) < 0 and highs.getModelStatus().name == "kNotset":
        highs.resetGlobalScheduler(True)
        highs.run()


def failure(what: str, complaints: list[str]) -> TreemipError:
    """E604 with what HiGHS itself said last."""
    said = ": " + "; ".join(complaints[-3:]) if complaints else ""
    return TreemipError(
        Diagnostic.outside(
            "E604", what + said, "solve with SCIP, or with the log on to see where it happens"
        )
    )


def _hessian(form: Quadratic, columns: int) -> tuple[int, int, int, object, object, object]:
    """Arguments of passHessian: HiGHS minimises x'Qx / 2 and takes the lower triangle of Q."""
    order = np.lexsort((form.second, form.first))
    starts = np.searchsorted(form.first[order], np.arange(columns)).astype(np.int32)
    entries = np.where(form.first == form.second, 2.0, 1.0) * form.coef
    return columns, form.count, TRIANGULAR, starts, form.second[order], entries[order]


def _gather_complaints(highs: Highs) -> list[str]:
    """Warnings and errors are kept, for which the output flag stays on."""
    from highspy import HighsLogType

    complaints: list[str] = []
    serious = (HighsLogType.kWarning, HighsLogType.kError)

    def on_log(event: object) -> None:
        if event.data_out.log_type in serious:  # type: ignore[attr-defined]
            text = event.message.partition(":")[2]  # type: ignore[attr-defined]
            complaints.append(" ".join(text.split()))

    highs.cbLogging += on_log
    return complaints


def demand_convex(model: Model) -> None:
    """Raises E601 for a quadratic objective that is not convex or has integers beside it."""
    objective = model.objective
    if not objective.quadratic.count:
        return
    if model.integer.any():
        raise _refused("a quadratic objective beside integer variables", objective.span)
    if not is_convex(objective.quadratic, objective.sign):
        raise _refused(f"the quadratic objective '{objective.name}' is not convex", objective.span)


def _refused(message: str, span: Span | None) -> TreemipError:
    return TreemipError(
        Diagnostic("E601", f"{message}; HiGHS cannot take it", span, "solve with SCIP")
    )
