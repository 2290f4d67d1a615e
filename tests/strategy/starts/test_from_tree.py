"""A tree as a start: by meaning, without a solver, where that is enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treemip
from treemip.answers.search.propagate import broken_rows
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.fixed import fix_tree
from treemip.answers.starts.from_tree import Begun, ends_of, from_tree
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Answer
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value, violation
from treemip.core.solving.solve import solve
from treemip.core.strategy.incumbent import unsolved


def columns(binary: bool = False, points: int = 30) -> dict[str, list[Any]]:
    draw = np.random.default_rng(7)
    x = draw.integers(0, 2 if binary else 20, (points, 3)).astype(float)
    y = np.where(
        draw.random(points) < 0.2, 1 - (x[:, 0] > x[:, 0].mean()), x[:, 0] > x[:, 0].mean()
    )
    named = {name: x[:, j].tolist() for j, name in enumerate("abd")}
    return named | {"c": np.where(y == 1, "y", "n").tolist()}


def compiled(by: str, more: str = "", depth: int = 2) -> Compiled:
    scale = "" if "flow" in by else "scale minmax;"
    text = f'data "t" {{ label c; {scale} }} topology complete(depth = {depth}); split {by}; {more}'
    return treemip.loads(text, data=columns("flow" in by)).compile()


def found(made: Compiled) -> Begun:
    """CART's start; `answer` is there where a solver was asked for it or for a better one."""

    def solve(model: Model) -> Answer:
        return unsolved("none", "time_limit", 0.0)

    tree = of_cart(made.instance, cart(made.instance))
    return from_tree(made.instance, made.stated, made.model, [tree], solve)


FORMS = [
    "oblique by soct",
    "oblique by svm1_odt",
    "oblique by octh",
    "univariate by oct",
    "univariate by binoct",
    "univariate by flow_oct",
]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("by", FORMS)
def test_it_is_a_solution_with_carts_tree(by: str, depth: int) -> None:
    made = compiled(by, depth=depth)
    values = found(made)
    assert values.values is not None
    assert violation(made.model, values.values) <= 1e-7
    result = made.tree_of(values.values)
    assert result.verified, result.report
    grown = cart(made.instance)
    given = grown.predicted
    assert result.train_errors == int((given != made.instance.table.y).sum())


@pytest.mark.parametrize("by", ["oblique by soct", "univariate by oct"])
def test_where_it_is_called_the_best_a_solver_finds_no_better(by: str) -> None:
    pytest.importorskip("highspy")
    made = compiled(by)
    values = found(made)
    assert values.values is not None
    assert values.answer is None
    tree = of_cart(made.instance, cart(made.instance))
    fixed = fix_tree(made.instance, made.model, *ends_of(tree, made.instance.table.inputs))
    other = solve(fixed, "highs")
    assert other.status == "optimal"
    assert objective_value(made.model, values.values) == pytest.approx(other.objective)


def test_where_the_splits_have_a_price_it_may_be_improved() -> None:
    values = found(compiled("oblique by svm1_odt"))
    assert values.values is not None
    assert values.answer is not None


def test_a_row_that_does_not_hold_leaves_it_to_a_solver() -> None:
    begun = found(compiled("oblique by soct(eps = 0.9)"))
    assert (begun.values, begun.broken) == (None, None)
    assert begun.answer is not None


def test_a_row_that_no_such_tree_keeps_needs_no_solver() -> None:
    begun = found(compiled("oblique by soct", "subject to none: splits <= 0;"))
    assert (begun.values, begun.answer, begun.broken) == (None, None, {"none": 1})


def test_a_variable_without_meaning_leaves_it_to_a_solver() -> None:
    begun = found(compiled("univariate by oct", "var extra >= 1; minimize misclassified + extra;"))
    assert begun.values is None
    assert begun.answer is not None


def test_no_solver_completes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(*arguments: object, **options: object) -> None:
        raise AssertionError("a solver was called")

    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", called)
    made = compiled("oblique by soct")
    values, notes = made.start_values("cart")
    assert values is not None
    assert notes == []


def broken(by: str, more: str) -> dict[str, int]:
    made = compiled(by, f"subject to {more}")
    tree = of_cart(made.instance, cart(made.instance))
    return broken_rows(made.instance, made.stated, tree)


@pytest.mark.parametrize("by", ["oblique by soct", "univariate by oct", "univariate by binoct"])
def test_rows_that_no_tree_with_this_routing_keeps(by: str) -> None:
    assert broken(by, "all {k in classes}: recall[k] >= 0.999;")["all"] >= 1
    assert broken(by, "some {k in classes}: recall[k] >= 0.001;") == {}
    sizes = broken(by, "size {l in leaves}: sum {i in points} reach[i,l] >= 29;")
    assert sizes == {"size": 4}


def test_rows_about_the_splits_may_be_kept_by_other_splits() -> None:
    assert broken("oblique by soct", "many {t in branches}: features_used >= 9;") == {}
    assert broken("oblique by soct", "low {t in branches}: bias[t] <= -0.9;") == {}
    assert (
        broken("univariate by oct", "not {t in branches}: sum {j in features} coef[t,j] = 0;") == {}
    )


def test_no_solver_is_asked_for_what_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(*arguments: object, **options: object) -> None:
        raise AssertionError("a solver was called")

    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", called)
    made = compiled(
        "oblique by soct", "subject to size {l in leaves}: sum {i in points} reach[i,l] >= 29;"
    )
    values, (note,) = made.start_values("cart")
    assert values is None
    assert note.message == (
        "CART's routing is not feasible for this model: it violates 4 rows of 'size'; "
        "solving without a start"
    )
