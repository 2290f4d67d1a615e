"""Sets of points by sorted ranges are those found by testing every point."""

import numpy as np
import pandas as pd
import pytest

from treemip.api.program import loads
from treemip.lower import sets as ranges
from treemip.model.text import to_text

NEVER, ALWAYS = 10**12, 0
SPEC = """
data "points" { label y; }
topology complete(depth = 2);
split univariate by oct;
subject to probe {t in branches, j in features, v in thresholds(j)}:
  (sum {i in points : CONDITIONS} ord(i)) * sum {k in features} coef[t,k] <= 10000;
"""
CONDITIONS = [
    "x[i,j] > v",
    "x[i,j] >= v and x[i,j] < v + 0.5",
    "x[i,j] > v - 0.25 and x[i,j] <= v + 0.25",
    "v < x[i,j] and v + 0.5 >= x[i,j]",
    "x[i,j] >= 0.5",
    "x[i,argmin {k in features} ord(k)] < v",
]
BY_EVERY_POINT = [
    "x[i,j] != v",
    "x[i,j] < x[i,j] + v",
    "x[i,j] < v and ord(i) > 3",
    "x[i,j] < v and x[i,argmax {k in features} ord(k)] > v",
]


def model_text(condition: str, worth_it: int, monkeypatch: pytest.MonkeyPatch) -> str:
    random = np.random.default_rng(7)
    x = random.integers(0, 4, size=(12, 3)) / 3
    monkeypatch.setattr(ranges, "WORTH_IT", worth_it)
    program = loads(
        SPEC.replace("CONDITIONS", condition),
        data=pd.DataFrame(x, columns=list("abc")).assign(y=np.arange(12) % 2),
    )
    return to_text(program.compile().model)


@pytest.mark.parametrize("condition", CONDITIONS + BY_EVERY_POINT)
def test_ranges_and_tests_of_every_point_agree(
    condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[bool] = []
    lists = ranges.Ranges.lists

    def watched(*arguments: object) -> object:
        found = lists(*arguments)  # type: ignore[arg-type]
        used.append(found is not None)
        return found

    monkeypatch.setattr(ranges.Ranges, "lists", watched)
    text = model_text(condition, ALWAYS, monkeypatch)
    assert any(used) == (condition in CONDITIONS)
    assert text == model_text(condition, NEVER, monkeypatch)
    assert "probe(" in text
