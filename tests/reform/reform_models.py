"""Small models as texts, and their optima by trying every point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from treemip.api.program import loads
from treemip.core.model.text import to_text
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

DECLARED = """
var a binary; var b binary; var p integer >= -2, <= 2; var q integer >= -1, <= 3;
var u {k in 1..2} integer >= -2, <= 1;
"""
NAMES = ("a", "b", "p", "q", "u1", "u2")
RANGES = (range(2), range(2), range(-2, 3), range(-1, 4), range(-2, 2), range(-2, 2))


def reformed_text(text: str) -> str:
    """The model of a text after all passes, as text."""
    return to_text(loads(text).compile().model)


@dataclass(frozen=True)
class Stated:
    """An expression or row in the language, and the same for Python's `eval`."""

    tree: str
    python: str


def points() -> Iterator[dict[str, int]]:
    for values in product(*RANGES):
        yield dict(zip(NAMES, values, strict=True))


def brute_force(sense: str, objective: Stated, rows: list[Stated]) -> float | None:
    """The best value over all points that satisfy the rows; None when there is none."""
    cost = compile(objective.python, "objective", "eval")
    tests = [compile(row.python, "row", "eval") for row in rows]
    found = [
        eval(cost, {}, dict(point))
        for point in points()
        if all(eval(test, {}, dict(point)) for test in tests)
    ]
    return (min(found) if sense == "minimize" else max(found)) if found else None


def text_of(sense: str, objective: Stated, rows: list[Stated]) -> str:
    body = "".join(f"subject to r{k}: {row.tree};\n" for k, row in enumerate(rows))
    return f"{DECLARED}{sense} {objective.tree};\n{body}"


def optimum(text: str) -> tuple[float | None, np.ndarray | None]:
    """HiGHS's optimum of the reformed model and the values of the unreformed one."""
    try:
        compiled = loads(text).compile()
    except TreemipError as error:
        assert error.diagnostics[0].code == "E403", text  # a row like 0 * v >= 1
        return None, None
    answer = solve(compiled.model, "highs")
    if answer.values is None:
        assert answer.status in ("infeasible", "infeasible_or_unbounded"), answer.status
        return None, None
    assert answer.status == "optimal"
    return answer.objective, compiled.reformed.invert(answer.values)


def check(sense: str, objective: Stated, rows: list[Stated]) -> None:
    """The reformed model has the optimum that trying every point finds, at a point that has it."""
    expected = brute_force(sense, objective, rows)
    text = text_of(sense, objective, rows)
    found, values = optimum(text)
    assert (found is None) == (expected is None), text
    if expected is None or values is None or found is None:
        return
    assert abs(found - expected) < 1e-3, text  # values are whole, a solver's are not
    point = dict(zip(NAMES, np.round(values[: len(NAMES)]).astype(int).tolist(), strict=True))
    assert all(eval(row.python, {}, dict(point)) for row in rows), (text, point)
    assert abs(eval(objective.python, {}, dict(point)) - expected) < 1e-6, (text, point)
