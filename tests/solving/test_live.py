"""A model sorted for packages: what is plain, guarded, aside, with products."""

from __future__ import annotations

import numpy as np
import pytest
from live_models import mixed, ranged_cuts
from small_models import products, rows, small

from treemip.core.files.profiles import EVERYTHING, NOTHING_MORE
from treemip.core.solving.live import live
from treemip.core.source.diagnostic import TreemipError


def test_rows_are_told_apart() -> None:
    said = live(mixed()[0], "a package", EVERYTHING, "rows", None)
    assert said.plain.tolist() == [2]  # rows without bounds before and behind it
    assert said.rows[said.guarded].tolist() == ["one", "two", "three", "four"]
    assert list(said.sided(said.guarded)) == [(5, "L", 2), (6, "L", 3), (7, "G", 4), (8, "E", 1)]
    assert said.kinds.tolist() == ["C", "C", "C", "B", "B"]


def test_a_cut_with_two_limits_is_two() -> None:
    said = live(ranged_cuts()[0], "a package", EVERYTHING, "lazy", None)
    assert list(said.sided(said.aside)) == [(1, "G", 2.0), (2, "L", 3.0)]
    assert len(set(said.rows)) == 3


def test_products_with_two_limits_are_two_rows_and_free_ones_none() -> None:
    form = products((0, 0, 0, 1.0), (1, 0, 1, 1.0))
    block = rows([[1.0, 0.0], [0.0, 1.0]], [1.0, -np.inf], [2.0, np.inf], form)
    said = live(small("cc", [1.0, 1.0], (block,)), "a package", EVERYTHING, "rows", None)
    assert list(said.sided(said.curved)) == [(0, "G", 1.0), (2, "L", 2.0)]
    first, second, coef = said.products(2)
    assert (first.tolist(), second.tolist(), coef.tolist()) == ([0], [0], [1.0])


def refused(*arguments: object) -> str:
    with pytest.raises(TreemipError) as caught:
        live(*arguments)  # type: ignore[arg-type]
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.remedy
    return f"{diagnostic.code}: {diagnostic.message}"


def test_what_a_package_has_not_is_refused() -> None:
    model = ranged_cuts()[0]
    assert refused(model, "Some", NOTHING_MORE, "lazy", None) == (
        "E601: Some has no section of lazy constraints"
    )


@pytest.mark.parametrize(
    ("kinds", "start", "message"),
    [
        ("cb", [0.0], "E607: a start of shape (1,) for a model of 2 columns"),
        ("cb", [0.0, np.inf], "E607: the start has infinite values"),
        ("cb", [0.0, np.nan], "E607: the start has no value for 1 columns"),
        ("cc", [0.0, 0.0], "E601: Some ignores a start on models without integers"),
    ],
)
def test_a_start_must_be_one(kinds: str, start: list[float], message: str) -> None:
    model = small(kinds, [1.0, 1.0])
    assert refused(model, "Some", EVERYTHING, "rows", start).startswith(message)
