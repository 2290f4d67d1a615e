"""What reformulation appends to a solution is computed, so that no solver is called for it."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.starts import warm_start
from treemip.answers.starts.from_tree import holds, with_implied

BY = {"univariate by oct": "scale minmax;", "oblique by octh": "scale minmax;"}
BY |= {"univariate by binoct": "", "univariate by flow_oct": "bin thresholds;"}


def compiled(by: str, objective: str) -> treemip.Compiled:
    text = f'data "t" {{ label c; {BY[by]} }} topology complete(depth = 2); split {by}; '
    draw = np.random.default_rng(5)
    a, b = draw.integers(0, 5, (2, 14))
    columns = {"a": a.tolist(), "b": b.tolist(), "c": draw.choice(["n", "y"], 14).tolist()}
    return treemip.loads(text + f"minimize {objective};", data=columns).compile()


def test_products_of_known_columns_are_known() -> None:
    made = compiled("univariate by oct", "misclassified")
    assert made.model.column_count > made.stated.column_count
    result = made.solve("highs", time_limit=2, start="none")
    assert result.answer.values is not None
    known = result.answer.values[: made.stated.column_count]
    integer = made.model.integer[: len(known)]
    whole = np.where(integer, np.round(known), known)  # a start's are, a solver's nearly
    values = with_implied(made.model, whole)
    assert holds(made.model, values)
    assert values == pytest.approx(result.answer.values, abs=1e-5)


def test_what_rows_do_not_settle_stays_unknown() -> None:
    made = compiled("univariate by oct", "misclassified")
    assert np.isnan(with_implied(made.model, np.zeros(0))).any()


@pytest.mark.parametrize(
    ("by", "objective"), one_in(3, BY, ["misclassified", "worst_class_error + 0.01 * splits"])
)
def test_a_searched_tree_needs_no_solver(
    by: str, objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = compiled(by, objective)

    def refuse(*given: object) -> None:
        raise AssertionError("a solver was called to complete the tree")

    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", refuse)
    limits = warm_start.Limits(time=4.0)
    begun = warm_start.warm_start("search", made.instance, made.model, "highs", limits, made.stated)
    assert begun.values is not None
    assert holds(made.model, begun.values)
