"""Which specs the engine takes by what they mean, and each refusal in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treemip
from treemip.answers.engines import problem
from treemip.answers.engines.frontier.fitting import fitted, reproduces
from treemip.answers.engines.frontier.rows import rows_of
from treemip.answers.engines.own_rows import Summed, summed
from treemip.answers.engines.univariate import fits
from treemip.answers.search.agreement import reproduces_objective
from treemip.answers.search.sums import Sums
from treemip.core.compiled.library import kernel

COLUMNS = {
    "a": [0.0, 0.0, 1.0, 1.0, 0.0, 1.0],
    "b": [0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
    "c": ["0", "1", "1", "0", "1", "1"],
}


def objection(split: str, rest: str = "", shape: str = "complete(depth = 2)") -> str | None:
    text = f'data "t.csv" {{ label c; }} topology {shape}; split {split};\n{rest}'
    instance = treemip.loads(text, data=COLUMNS).instance
    return fits(instance, summed(instance))


DEMANDS = "it rewards or requires splits, features or leaves"
BY_BRANCH = "its branches differ in price or limits"
MORE = "var more >= 0; minimize misclassified - more; subject to few: more <= splits + 1;"
REFUSED = [
    ("oblique by soct", "", "it takes univariate splits"),
    ("univariate by oct", "minimize misclassified; subject to r: splits >= 2;", DEMANDS),
    ("univariate by flow_oct", "maximize distinct_features - misclassified;", DEMANDS),
    ("univariate by flow_oct", "maximize leaves_used;", DEMANDS),
    ("univariate by oct", "minimize misclassified; subject to r: leaves_used >= 3;", DEMANDS),
    ("univariate by binoct", "minimize misclassified - leaves_used;", DEMANDS),
    ("univariate by oct", MORE, DEMANDS),
    (
        "univariate by oct",
        MORE + " odd: more + splits >= 1;",
        "'more' does not follow from the tree: say what it `means`, or give it bounds that bound "
        "the objective",
    ),
    (
        "univariate by oct",
        'minimize misclassified + sum {l in leaves} label[l,"1"];',
        "its objective counts classes of leaves without points",
    ),
    (
        "univariate by oct",
        "minimize misclassified + points_in[root] + sum {l in leaves : depth(l) = 2} "
        "ord(l) * points_in[l];",
        "its objective treats leaves differently",
    ),
    (
        "univariate by oct",
        "minimize misclassified + active[root] + distinct_features;",
        BY_BRANCH,
    ),
    (
        "univariate by oct",
        'minimize misclassified + active[root]; subject to few: recall["1"] >= 0.7;',
        BY_BRANCH,
    ),
    (
        "univariate by oct",
        "minimize misclassified - 2 * max {k in classes} recall[k];",
        "it asks for more of a maximum or absolute value, or less of a minimum",
    ),
    (
        "univariate by oct",
        "minimize misclassified + abs(bias[root] - 0.5);",
        "it depends on where thresholds are, and not in one way",
    ),
    (
        "univariate by oct",
        "minimize sum {l in leaves} (points_in[l] - 6)^2 + misclassified;",
        "it multiplies counts, or takes squares or other functions of them",
    ),
]


@pytest.mark.parametrize(("split", "rest", "why"), REFUSED)
def test_says_why_it_does_not_take_a_spec(split: str, rest: str, why: str) -> None:
    assert objection(split, rest) == why


def test_takes_complete_trees_of_few_levels_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    if kernel() is not None:
        why = "it takes complete trees of depth 1 to 5"
        assert objection("univariate by oct", shape="complete(depth = 5)") is None
        assert objection("univariate by oct", shape="complete(depth = 6)") == why
    monkeypatch.setattr(problem, "kernel", lambda: None)
    why = "it takes complete trees of depth 1 to 3"
    assert objection("univariate by oct", shape="complete(depth = 4)").startswith(why)


def test_prices_by_branch_of_many_branches_are_refused_at_once() -> None:
    """All sets of the 31 branches of depth 5 were made one by one."""
    prices = "param bp {t in branches} = if t = root then 0.1 else 0.5;"
    goal = "minimize o: misclassified + sum {t in branches} bp[t] * active[t];"
    why = objection("univariate by oct", f"{prices}\n{goal}", "complete(depth = 5)")
    assert why is not None
    assert kernel() is None or why == "its branches differ in price or limits"


def changed(sums: Sums) -> Sums:
    shared = sums.shared.copy()
    shared[0, 0, 0] += 1e-3
    parts = {name: getattr(sums, name) for name in Sums.__dataclass_fields__}
    return Sums(**{**parts, "shared": shared})


def test_sums_that_are_not_the_specs_are_noticed() -> None:
    text = (
        'data "t.csv" { label c; } topology complete(depth = 2); split univariate by binoct;'
        "minimize misclassified;"
    )
    instance = treemip.loads(text, data=COLUMNS).instance
    spec = summed(instance)
    other = replace(spec, sums=changed(spec.sums))
    assert reproduces_objective(instance, spec.sums, spec.x, True, families=spec.families)
    assert not reproduces_objective(instance, other.sums, spec.x, True, families=spec.families)
    assert fits(instance, other) == ("its objective or a row is no sum over points")


TWO_CONSTRAINTS = (
    'data "t.csv" { label c; } topology complete(depth = 2); split univariate by binoct;'
    "minimize misclassified; subject to"
    '  most: recall["1"] >= 1; '
    "  some: sum {i in points} correct[i] >= 2;"
)
"""A tree at random breaks the first, whatever becomes of the other."""


def stricter(spec: Summed) -> Summed:
    """With a bound that is not the constraint's, which asks for all points to be right."""
    low = spec.sums.low.copy()
    low[spec.sums.constraints.index("some")] += 3
    return replace(spec, sums=replace(spec.sums, low=low))


def test_rows_are_held_against_their_own_constraint() -> None:
    """A wrong row is noticed although every tree in question breaks another one as well."""
    instance = treemip.loads(TWO_CONSTRAINTS, data=COLUMNS).instance
    spec = summed(instance)
    all_wrong = replace(spec.sums, low=np.where(np.isfinite(spec.sums.low), 1e6, -np.inf))
    assert reproduces_objective(instance, spec.sums, spec.x, True, families=spec.families)
    assert not reproduces_objective(
        instance, stricter(spec).sums, spec.x, True, families=spec.families
    )
    assert not reproduces_objective(instance, all_wrong, spec.x, True, families=spec.families)


def test_relaxed_rows_are_held_against_their_own_constraint() -> None:
    model = treemip.loads(TWO_CONSTRAINTS, data=COLUMNS).compile()
    spec, rows = fitted(model.instance, model.stated)
    assert reproduces(model.instance, spec, rows, lambda: False)
    wrong = rows_of(model.instance, model.stated, stricter(spec))
    assert not reproduces(model.instance, spec, wrong, lambda: False)
