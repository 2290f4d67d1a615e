"""Solution files of other solvers as answers."""

from __future__ import annotations

from pathlib import Path

from treemip.files.solution_formats import read_solution
from treemip.model.answer import Answer
from treemip.model.model import Model
from treemip.solving.solution_values import answer_of


def read_answer(model: Model, path: str | Path) -> Answer:
    """The answer in a solution file, with either of the two name styles; see `answer_of`.

    A file that says there is no solution is an answer without values. Raises E606 and E607.
    """
    return answer_of(model, read_solution(path))
