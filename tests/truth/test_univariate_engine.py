"""The exact engine for univariate trees against what exact algorithms found."""

from __future__ import annotations

import pytest
from truth_cases import SPECS, compiled, known

from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.univariate import EngineResult, best_tree, fits
from treemip.api.compiled import Compiled


def answer(made: Compiled, seconds: float = 120) -> EngineResult:
    spec = summed(made.instance)
    assert fits(made.instance, spec) is None
    return best_tree(made.instance, spec, seconds)


ROWS = [
    (r["dataset"], int(r["depth"]), int(r["min_errors"])) for r in known("univariate_exact.csv")
]


@pytest.mark.truth
@pytest.mark.parametrize(("dataset", "depth", "errors"), ROWS)
def test_fewest_errors_of_whole_data_sets(dataset: str, depth: int, errors: int) -> None:
    result = answer(compiled("binoct", SPECS, f"{dataset}.csv", depth=depth))
    assert result.proven
    assert result.value == errors


@pytest.mark.truth
@pytest.mark.parametrize(
    ("dataset", "depth", "errors"),
    [("iris", 3, 1), ("wine", 2, 6), ("balance-scale", 3, 141), ("monks-1", 3, 11)],
)
def test_fewest_errors_at_other_depths(dataset: str, depth: int, errors: int) -> None:
    result = answer(compiled("binoct", SPECS, f"{dataset}.csv", depth=depth))
    assert result.proven
    assert result.value == errors


@pytest.mark.truth
def test_oct_counts_the_same_errors_in_units_of_the_largest_class() -> None:
    settings = "scale minmax(0.00001, 0.99999);"
    result = answer(compiled("oct", SPECS, "iris.csv", settings))
    assert result.proven
    assert result.value == pytest.approx(6 / 50)


@pytest.mark.parametrize("dataset", ["iris", "monks-1"])
def test_depth_2_takes_no_time(dataset: str) -> None:
    (errors,) = [e for d, depth, e in ROWS if (d, depth) == (dataset, 2)]
    result = answer(compiled("binoct", SPECS, f"{dataset}.csv"))
    assert result.proven
    assert result.value == errors


@pytest.mark.truth
@pytest.mark.parametrize(("least", "errors"), [(0.5, 270), (0.8, 349)])
def test_recall_floor_on_a_thousand_loans(least: float, errors: int) -> None:
    """What an enumeration of all roots finds, with the least false positives for each recall."""
    rest = f"minimize misclassified; subject to floor: recall[positive] >= {least};"
    settings = 'positive "2"; encode onehot;'
    result = answer(compiled("binoct", SPECS, "german-credit.csv", settings, rest=rest))
    assert result.proven
    assert result.value == errors
