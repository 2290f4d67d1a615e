from __future__ import annotations

import numpy as np
import pytest
from small_models import small

from treemip.core.registry import solvers
from treemip.core.solving.arrays import assemble
from treemip.core.solving.start_completion import checked, complete
from treemip.core.source.diagnostic import TreemipError

ARRAYS = assemble(small("bic", [1, 1, 1], upper=[1, 9, 9]), solvers()["highs"])
NAN = float("nan")


class Solver:
    """Stands for a solver: notes what it was asked, and finds something at the given try."""

    def __init__(self, finds_at: int) -> None:
        self.finds_at = finds_at
        self.asked: list[tuple[list[int], list[float]]] = []

    def __call__(self, columns: np.ndarray, values: np.ndarray) -> np.ndarray | None:
        self.asked.append((columns.tolist(), values.tolist()))
        return np.ones(3) if len(self.asked) == self.finds_at else None


@pytest.mark.parametrize(
    ("start", "finds_at", "asked"),
    [
        ([1, NAN, 0.5], 1, [([0, 2], [1, 0.5])]),
        ([1, NAN, 0.5], 2, [([0, 2], [1, 0.5]), ([0], [1])]),
        ([1, NAN, 0.5], 3, [([0, 2], [1, 0.5]), ([0], [1])]),
        ([1, 2, NAN], 2, [([0, 1], [1, 2])]),  # nothing real to let go
        ([NAN, NAN, 3], 2, [([2], [3])]),  # nothing integral to keep
        ([0.999999, 2.000001, 9.000001], 1, [([0, 1, 2], [1, 2, 9])]),  # rounded and clipped
        ([0.9, NAN, NAN], 1, []),
        ([2, NAN, NAN], 1, []),
        ([NAN, NAN, -1], 1, []),
        ([NAN, NAN, NAN], 1, []),
    ],
)
def test_what_is_tried(
    start: list[float], finds_at: int, asked: list[tuple[list[int], list[float]]]
) -> None:
    solver = Solver(finds_at)
    found = complete(np.array(start), ARRAYS, solver)
    assert solver.asked == asked
    assert (found is not None) == (len(asked) >= finds_at)


def test_starts_that_are_no_starts() -> None:
    assert checked([1, NAN, 2], ARRAYS.columns).dtype == np.float64  # type: ignore[arg-type]
    for start, words in ((np.ones(4), "shape"), (np.array([0, 0, np.inf]), "infinite")):
        with pytest.raises(TreemipError, match=words) as raised:
            checked(start, ARRAYS.columns)
        assert raised.value.diagnostics[0].code == "E607"
