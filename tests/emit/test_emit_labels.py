"""Index labels as text, for whole blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.files.names import count_tokens, label_tokens, labels_of
from treemip.model.blocks import Index


@given(st.integers(0, 12345))
@settings(max_examples=20, deadline=None)
def test_decimals(count: int) -> None:
    assert count_tokens(count, "").tolist() == [str(k).encode() for k in range(1, count + 1)]


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1), st.booleans())
@settings(deadline=None)
def test_labels_of_any_size(labels: list[int], small: bool) -> None:
    column = np.array([label % 1000 if small else label for label in labels])
    found = label_tokens(labels_of(Index(("i",), ("number",), (column,), len(column))), "a")
    texts = [f"m{-v}" if v < 0 else str(v) for v in column.tolist()]
    if len(set(texts)) < len(texts):
        texts = [f"{t},{k + 1}" for k, t in enumerate(texts)]
    assert found.tolist() == [f"a({t})".encode() for t in texts]


@given(st.lists(st.floats(-1e300, 1e300).map(lambda v: v + 0.0), min_size=1))
@settings(deadline=None)
def test_labels_that_are_not_whole_are_the_numbers(values: list[float]) -> None:
    column = np.array([0.5, *values])
    found = labels_of(Index(("v",), ("number",), (column,), len(column)))
    texts = label_tokens(found, "a").tolist()
    assert len(set(texts)) == len(texts)
    assert found.counted == (len(set(column.tolist())) < len(column))
    assert max(len(text) for text in texts) <= len("a") + found.width
    for text, value in zip(texts, column.tolist(), strict=True):
        said = text.decode()[2:-1].split(",")[0].replace("m", "-")
        assert float(said) == value


def test_a_threshold_in_a_name() -> None:
    columns = (np.array([1, 1, 2]), np.array([0.25, 2.0, -1e-5]))
    found = label_tokens(labels_of(Index(("j", "v"), ("feature", "number"), columns, 3)), "bar")
    assert found.tolist() == [b"bar(1,0.25)", b"bar(1,2)", b"bar(2,m1em05)"]
