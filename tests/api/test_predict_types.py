"""What `predict` gives back, and what unusable calls are told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treemip

TEXT = (
    'data "frame" { label cls; scale minmax; } topology complete(depth = 1); split oblique by soct;'
)
FRAME = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [0.0, 1, 0, 1, 0, 1]})


def solved(labels: list[object]) -> treemip.Result:
    return treemip.loads(TEXT, data=FRAME.assign(cls=labels)).compile().solve()


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [([0, 0, 0, 1, 1, 1], np.int64), ([0.5, 0.5, 0.5, 2, 2, 2], np.float64)],
)
def test_classes_that_are_numbers_come_back_as_numbers(labels: list[object], dtype: type) -> None:
    found = solved(labels).tree.predict(FRAME)
    assert found.dtype == dtype
    assert found.tolist() == labels


def test_classes_that_are_texts_come_back_as_texts() -> None:
    assert solved(["no"] * 3 + ["yes"] * 3).tree.predict(FRAME).tolist() == ["no"] * 3 + ["yes"] * 3


def test_no_rows_and_no_numbers_are_messages() -> None:
    result = solved([0, 0, 0, 1, 1, 1])
    with pytest.raises(treemip.TreemipError, match="no row of data"):
        result.tree.predict(FRAME.iloc[:0])
    with pytest.raises(treemip.TreemipError, match="'time' is '5', which is not a number"):
        result.compiled.solve(time_limit="5")
    with pytest.raises(treemip.TreemipError, match="'inf' in column 'c', which is not finite"):
        treemip.loads(TEXT, data=FRAME.assign(c=[np.inf] * 6, cls=[0, 0, 0, 1, 1, 1])).compile()
    with pytest.raises(treemip.TreemipError, match="is not a valid name for a spec"):
        treemip.Builder("my tree")
