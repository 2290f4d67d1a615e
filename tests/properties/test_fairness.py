"""The notions of fairness of `use fairness;`: values by numpy, optima by all trees there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
import pytest
from reference.predictions import axis_sides, predictions
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

GROUPS = """
use fairness;
set groups = values(sex);
param belongs {i in points, g in groups} = if sex[i] = g then 1 else 0;
set strata = values(region);
param within {i in points, s in strata} = if region[i] = s then 1 else 0;
"""

Columns = dict[str, np.ndarray]


def random_columns(seed: int) -> Columns:
    """Two features on a grid, classes, two or three groups, two regions; rows come twice."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(7, 10))
    columns = {
        "a": rng.integers(0, 4, size) / 3,
        "b": rng.integers(0, 3, size) / 2,
        "sex": np.array(["f", "m", "d"])[rng.integers(0, 2 + seed % 2, size)],
        "region": np.array(["n", "s"])[rng.integers(0, 2, size)],
        "c": np.array(["no", "yes"])[np.append(rng.integers(0, 2, size - 2), [0, 1])],
    }
    if seed % 3 == 0:
        columns = {k: np.append(v[:-1], v[0]) if k != "c" else v for k, v in columns.items()}
    return columns


def spread(rates: Iterator[float]) -> float:
    every = list(rates)
    return max(every) - min(every) if every else 0.0


def shares(value: np.ndarray, where: np.ndarray, groups: np.ndarray) -> Iterator[float]:
    """The mean of `value` over a group's rows in `where`, for groups that have such rows."""
    for g in np.unique(groups):
        rows = where & (groups == g)
        if rows.any():
            yield float(value[rows].mean())


def demographic(t: Columns, called: np.ndarray) -> float:
    return spread(shares(called, np.ones(len(called), bool), t["sex"]))


def of_class(name: str, t: Columns, called: np.ndarray) -> float:
    return spread(shares(called, t["c"] == name, t["sex"]))


def odds(t: Columns, called: np.ndarray) -> float:
    return max(of_class("yes", t, called), of_class("no", t, called))


def conditional(t: Columns, called: np.ndarray) -> float:
    return max(spread(shares(called, t["region"] == s, t["sex"])) for s in np.unique(t["region"]))


def errors(t: Columns, called: np.ndarray) -> Iterator[float]:
    return shares(called != (t["c"] == "yes"), np.ones(len(called), bool), t["sex"])


NOTIONS: dict[str, Callable[[Columns, np.ndarray], float]] = {
    "demographic_disparity": demographic,
    "opportunity_disparity": partial(of_class, "yes"),
    "false_positive_disparity": partial(of_class, "no"),
    "odds_disparity": odds,
    "conditional_disparity": conditional,
    "error_disparity": lambda t, called: spread(errors(t, called)),
    "worst_group_error": lambda t, called: max(errors(t, called)),
}


def compiled(columns: Columns, depth: int, rest: str, groups: str = GROUPS) -> Compiled:
    text = (
        'data "t.csv" { label c positive "yes"; group sex, region; scale minmax; }\n'
        f"topology complete(depth = {depth});\nsplit univariate by oct;\n{groups}{rest}"
    )
    return treemip.loads(text, data=columns).compile()


def proven(made: Compiled, solver: str = "highs") -> Result:
    result = made.solve(solver, start="none", threads=1)
    assert result.status == "optimal"
    assert result.verdict == "verified", result.report
    return result


def all_calls(columns: Columns, depth: int) -> Iterator[np.ndarray]:
    """What trees can say of the points, bool (N,): True where the positive class is predicted."""
    x = np.column_stack([columns["a"], columns["b"]])
    for answer in predictions(x, 2, depth, axis_sides):
        yield np.array(answer) == 1


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("seed", one_in(8, range(56)))
def test_prices_and_limits_have_the_optima_of_all_trees(seed: int, solver: str) -> None:
    columns, depth = random_columns(seed), 1 + seed % 4 // 3
    name = list(NOTIONS)[seed % 7]
    value = NOTIONS[name]
    calls = [
        (int((called != (columns["c"] == "yes")).sum()), value(columns, called))
        for called in all_calls(columns, depth)
    ]
    made = compiled(columns, depth, f"minimize misclassified + 4 * {name};")
    expected = min(wrong + 4 * worth for wrong, worth in calls)
    assert proven(made, solver).objective == pytest.approx(expected, abs=1e-5)
    limit = sorted(worth for _, worth in calls)[len(calls) // 4] + 1e-4
    made = compiled(columns, depth, f"minimize misclassified; subject to fair: {name} <= {limit};")
    expected = min(wrong for wrong, worth in calls if worth <= limit)
    assert proven(made, solver).objective == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("seed", one_in(4, range(8)))
def test_each_term_is_what_numpy_has_for_the_tree(seed: int) -> None:
    """The values beside the objective, of the verified tree."""
    columns = random_columns(seed)
    named = " + ".join(f"0.01 * {name}" for name in NOTIONS)
    result = proven(compiled(columns, 1, f"minimize misclassified + {named};"))
    assert result.tree is not None
    called = result.tree.predict(columns) == "yes"
    total = sum(value(columns, called) for value in NOTIONS.values())
    wrong = int((called != (columns["c"] == "yes")).sum())
    assert result.objective == pytest.approx(wrong + 0.01 * total, abs=1e-6)


@pytest.mark.parametrize("seed", one_in(4, range(8)))
def test_bounded_loss_and_precision_and_the_rule_of_80_percent(seed: int) -> None:
    columns = random_columns(seed)
    yes, sex = columns["c"] == "yes", columns["sex"]
    rest = """minimize misclassified; subject to
      loss    {g in groups}: group_error[g] <= 0.67;
      precise {g in groups}: true_positives[g] >= 0.5 * selected[g];
      rule    {g in groups, h in groups}: selection_rate[g] >= 0.8 * selection_rate[h];"""

    def fair(called: np.ndarray) -> bool:
        parts = [(called[sex == g], yes[sex == g]) for g in np.unique(sex)]
        return all(
            (a != b).mean() <= 0.67 and (a & b).sum() >= 0.5 * a.sum() for a, b in parts
        ) and all(a.mean() >= 0.8 * b.mean() - 1e-9 for (a, _), (b, _) in product(parts, parts))

    wrong = [int((called != yes).sum()) for called in all_calls(columns, 1) if fair(called)]
    made = compiled(columns, 1, rest)
    if not wrong:
        assert made.solve("highs", start="none").status == "infeasible"
        return
    assert proven(made).objective == pytest.approx(min(wrong), abs=1e-6)


@pytest.mark.parametrize("seed", one_in(4, range(4)))
def test_predictive_parity_among_trees_that_choose_somebody_of_each_group(seed: int) -> None:
    """The share of a group that nobody is chosen of does not exist."""
    columns = random_columns(seed)
    yes, sex = columns["c"] == "yes", columns["sex"]
    best = np.inf
    for called in all_calls(columns, 1):
        chosen = [called & (sex == g) for g in np.unique(sex)]
        if all(rows.any() for rows in chosen):
            disparity = spread(float(yes[rows].mean()) for rows in chosen)
            best = min(best, (called != yes).sum() + disparity)
    made = compiled(columns, 1, "minimize misclassified + predictive_disparity;")
    assert proven(made, "scip").objective == pytest.approx(best, abs=1e-5)


def test_groups_may_be_listed_and_overlap() -> None:
    columns = random_columns(5)
    groups = """use fairness;
    set groups = {"men", "south"};
    param belongs {i in points, g in groups} =
      if g = "men" and sex[i] = "m" or g = "south" and region[i] = "s" then 1 else 0;
    """
    rows = [columns["sex"] == "m", columns["region"] == "s"]
    yes = columns["c"] == "yes"
    expected = min(
        max(float((called != yes)[r].mean()) for r in rows) for called in all_calls(columns, 1)
    )
    result = proven(compiled(columns, 1, "minimize worst_group_error;", groups))
    assert result.objective == pytest.approx(expected, abs=1e-5)


def test_a_group_without_points_is_refused_with_its_name() -> None:
    groups = """use fairness;
    set groups = {"men", "others"};
    param belongs {i in points, g in groups} = if g = "men" then 1 else 0;
    """
    with pytest.raises(TreemipError) as caught:
        compiled(random_columns(0), 1, "minimize worst_group_error;", groups)
    assert caught.value.diagnostics[0].message == (
        "a group has no points: no rate can be taken of it "
        "(it fails for element 'others' of 'groups')"
    )
