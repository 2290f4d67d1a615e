"""`start search` against enumeration on tiny data, and what it says where there is nothing."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.search.start import trivial_bound
from treemip.answers.search.sum_builder import sums_of
from treemip.api.result import Result

HEAD = 'data "t" { label c; scale minmax; } '
FORMS = {
    "oblique by soct": "scale minmax;",
    "oblique by octh": "scale minmax;",
    "oblique by svm1_odt": "scale minmax;",
    "univariate by oct": "scale minmax;",
    "univariate by binoct": "",
    "univariate by flow_oct": "bin thresholds;",
}


def table(seed: int, points: int = 12, classes: int = 2) -> dict[str, object]:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 4, (points, 2)).astype(float)
    y = draw.integers(0, classes, points)
    y[:classes] = np.arange(classes)
    return {"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "c": [f"k{k}" for k in y]}


def solved(by: str, draw: int, more: str = "", **options: object) -> Result:
    text = f'data "t" {{ label c; {FORMS[by]} }} topology complete(depth = 1); split {by}; {more}'
    solver = "scip" if "svm1" in by else "highs"  # without a bound on weights, by indicators
    given: dict = {"solver": solver, "time_limit": 20, **options}
    return treemip.loads(text, data=table(draw)).compile().solve(**given)


OBJECTIVES = ["minimize misclassified;", "minimize misclassified + splits;"]


@pytest.mark.parametrize(("by", "seed", "more"), one_in(3, FORMS, range(2), OBJECTIVES))
def test_the_optimum_is_what_it_is_without(by: str, seed: int, more: str) -> None:
    plain = solved(by, seed, more, start="none")
    begun = solved(by, seed, more, start="search", time_limit=12)
    assert plain.status == begun.status == "optimal"
    assert begun.verified, begun.report
    assert begun.objective == pytest.approx(plain.objective, abs=1e-6)


@pytest.mark.parametrize(
    ("depth", "a", "classes", "right"),
    [
        (2, [0.0, 1.0, 2.0, 3.0], "nnyy", 4),
        pytest.param(1, [0.0, 0.0, 0.0, 1.0], "nnyy", 3, id="points that no tree tells apart"),
        pytest.param(1, [0.0, 1.0, 2.0, 3.0, 4.0], "nnyzz", 4, id="more classes than leaves"),
    ],
)
def test_a_tree_as_good_as_can_be_needs_no_solver(
    depth: int, a: list[float], classes: str, right: int
) -> None:
    text = HEAD + f"topology complete(depth = {depth}); split oblique by soct;"
    made = treemip.loads(text, data={"a": a, "c": list(classes)}).compile()
    _, of_point = np.unique(made.instance.table.inputs, axis=0, return_inverse=True)
    assert trivial_bound(sums_of(made.instance, of_point.ravel()), 2**depth) == -right
    result = made.solve("highs", start="search")
    assert (result.status, result.objective, result.answer.solver) == ("optimal", right, "search")
    assert result.optimality is not None
    assert result.optimality.text("verified") == (
        "proven optimal by the objective's own bound, found by tree search"
    )


def test_a_search_without_a_feasible_tree_names_what_fails() -> None:
    more = "subject to never {l in leaves}: points_in[l] >= 7;"
    result = solved("oblique by soct", 0, more, start="search", time_limit=12)
    (note,) = (w for w in result.warnings if w.code == "W601")
    assert "trees tried is feasible" in note.message
    assert result.status == "infeasible"


def test_values_that_oct_cannot_part_make_the_engine_s_tree_a_bound() -> None:
    columns = {
        "a": [0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        "b": [0.0, 0.5, 0.5000001, 0.5000002, 1.0, 0.2],  # parts the classes, were it allowed to
        "c": ["n", "n", "y", "y", "y", "n"],
    }
    text = HEAD + "topology complete(depth = 1); split univariate by oct; minimize misclassified;"
    result = treemip.loads(text, data=columns).compile().solve(time_limit=20)
    assert (result.status, result.objective, result.bound) == ("optimal", 1.0, 1.0)
    assert result.verified


def test_of_equal_columns_the_search_takes_the_cheap_one() -> None:
    """Fits and impurity cannot tell them apart; CART's tree may use either."""
    columns = {"a": [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], "c": list("nnyyyzn")}
    columns["b"] = columns["a"]
    text = HEAD + (
        "topology complete(depth = 2); split oblique by octh(alpha = 0.1);"
        'minimize misclassified + 1.5 * (sum {t in branches, j in features_of("a")} uses[t,j]);'
    )
    compiled = treemip.loads(text, data=columns).compile()
    begun = compiled.solve(start="search", time_limit=1)
    assert begun.objective == pytest.approx(compiled.solve("highs", start="none").objective)
