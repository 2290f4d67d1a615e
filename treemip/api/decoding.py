"""Solution files of other solvers as answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treemip.emit.names import CONSTANT, name_model
from treemip.model.answer import Answer
from treemip.model.model import Model
from treemip.read.formats import read_solution
from treemip.read.values import values_by_name
from treemip.source.diagnostic import Diagnostic, TreemipError


def read_answer(model: Model, path: str | Path) -> Answer:
    """The values of a solution file by column, whichever of the two name styles it uses.

    Raises E605 when the file holds no solution, E606 and E607.
    """
    solution = read_solution(path)
    if not solution.has_solution or solution.names is None:
        raise TreemipError(
            Diagnostic.outside(
                "E605",
                f"'{path}' holds no solution: its status is {solution.status}",
                "solve again with more time, or look for rows that contradict each other",
            )
        )
    columns = np.asarray(name_model(model, "spec").columns())
    short = np.asarray(name_model(model, "short").columns())
    known = set(columns.tolist())
    uses_spec = any(n in known for n in solution.names[:50].tolist())
    values = values_by_name(solution, columns if uses_spec else short, extra=(CONSTANT,))
    costs = model.costs
    objective = float(costs @ values[: len(costs)]) + model.objective.constant
    q = model.objective.quadratic
    objective += float((q.coef * values[q.first] * values[q.second]).sum())
    return Answer(
        status=solution.status or "feasible",
        values=values,
        objective=objective,
        bound=None,  # files state no bound, and "optimal" may mean within the solver's own gap
        gap=None,
        seconds=0.0,
        nodes=0,
        solver=solution.format,
        solver_version="",
    )
