"""Points that a spec cannot tell apart, counted: what is said of them is said of all points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treemip
from treemip.answers.search import agreement, sum_builder
from treemip.answers.search import complete as completed
from treemip.answers.search.agreement import broken_families, by_meaning, random_tree
from treemip.answers.search.complete import tables_of
from treemip.answers.search.sum_builder import provable_sums
from treemip.answers.search.sums import Sums
from treemip.core.instance.instance import Instance
from treemip.core.lower.alike_points import alike_points
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Meaning
from treemip.core.resolve.spec import Constraint

POINTS = 200

SEEN_ALIKE = [
    "minimize misclassified + 0.1 * splits;",
    "maximize accuracy;",
    "minimize worst_class_error;",
    "minimize misclassified + 2 * leaves_used;",
    "minimize sum {i in points} v[i] * (1 - correct[i]);",
    "minimize sum {i in points} abs(v[i] - correct[i]);",
    "minimize sum {l in leaves} max(0, points_in[l] - 33);",
    "minimize misclassified; subject to small {l in leaves}: points_in[l] >= 5 * occupied[l];",
    "minimize misclassified; subject to "
    'few: sum {i in points : g[i] = "a"} predicts[i,positive] / card(points) <= 0.3;',
    "minimize misclassified; subject to "
    'like: abs(sum {i in points : g[i] = "a"} predicts[i,positive] '
    '- sum {i in points : g[i] = "b"} predicts[i,positive]) <= 10;',
]
TOLD_APART = [
    "minimize sum {i in points} x[i,first] * (1 - correct[i]);",
    "minimize sum {i in points} ord(i) * (1 - correct[i]);",
    "minimize misclassified; subject to all {i in points : y[i] = positive}: correct[i] >= 0;",
    "minimize misclassified; subject to one: correct[point(1)] = 1;",
]


def data() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(0)
    columns = {f"f{j}": draw.integers(0, 3, POINTS).astype(float) for j in range(3)}
    columns["w"], columns["v"] = draw.choice([1.0, 2.0, 0.5], POINTS), draw.integers(0, 3, POINTS)
    columns["g"] = draw.choice(["a", "b"], POINTS)
    columns["c"] = np.where(draw.random(POINTS) < 0.4, "y", "n")
    return columns


def text_of(objective: str, formulation: str) -> str:
    text = (
        'data "t.csv" { label c; weight w; group g; number v; positive "y"; bin quantile(3); } '
        f"topology complete(depth = 2); split univariate by {formulation}; {objective}"
    )
    return text.replace("first", '"f0>=1"')


def instance_of(objective: str, formulation: str = "oct") -> Instance:
    return treemip.loads(text_of(objective, formulation), data=data()).compile().instance


def own(instance: Instance) -> list[Constraint]:
    return [c for c in instance.spec.constraints if c.module == "spec"]


def seen(instance: Instance) -> object:
    assert instance.spec.objective is not None
    return alike_points(instance, [instance.spec.objective.value], own(instance), least=1)


def always(instance, expressions, rows, leaf=None):  # type: ignore[no-untyped-def]
    return alike_points(instance, expressions, rows, leaf, 1)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of any size count as large."""
    for module in (agreement, sum_builder):
        monkeypatch.setattr(module, "alike_points", always)


def assert_same(one: Sums, other: Sums) -> None:
    for name in ("shared", "local", "label", "constant", "low", "high", "scale", "structure"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), 1e-12, 1e-12, name)
    assert one.constraints == other.constraints and one.opaque == other.opaque
    assert len(one.folds) == len(other.folds)


@pytest.mark.parametrize(
    ("objective", "formulation"),
    [
        pytest.param(objective, formulation, marks=() if short else pytest.mark.truth)
        for k, objective in enumerate(SEEN_ALIKE)
        for formulation in ("oct", "binoct", "flow_oct")
        for short in [formulation == "oct" or k in (0, 7)]
    ],
)
def test_sums_and_meanings_are_those_of_all_points(
    objective: str, formulation: str, request: pytest.FixtureRequest
) -> None:
    instance = instance_of(objective, formulation)
    assert seen(instance) is not None
    x, of_point = instance.table.distinct
    sums, draw = provable_sums(instance, of_point), np.random.default_rng(1)
    trees = [random_tree(instance, sums, x, draw, True) for _ in range(3)]
    true = [(by_meaning(instance, t), broken_families(instance, [t], 64)) for t in trees]
    request.getfixturevalue("few")
    assert_same(provable_sums(instance, of_point), sums)
    for tree, ((value, violated), broken) in zip(trees, true, strict=True):
        own_value, own_violated = by_meaning(instance, tree)
        assert own_value == pytest.approx(value, rel=1e-12)
        assert own_violated == violated
        assert broken_families(instance, [tree], 64) == broken


@pytest.mark.parametrize("objective", TOLD_APART)
def test_what_sees_more_of_points_is_not_taken(objective: str) -> None:
    assert seen(instance_of(objective)) is None


def test_a_kind_of_many_points_is_never_one_point() -> None:
    instance = instance_of("minimize sum {i in points} weight[i] * correct[i];")
    alike = seen(instance)
    assert alike is not None
    counts = alike.instance.counts  # type: ignore[attr-defined]
    assert len(counts) == 2 * 6 and counts.sum() == POINTS
    assert (np.bincount(alike.kind) == counts[:6] + 1).all()  # type: ignore[attr-defined]


@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_reductions_over_many_points_are_made_in_pieces(
    op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        f"minimize {op} {{l in leaves, i in points : y[i] = positive}} (reach[i,l] - x[i,first]);"
    )
    instance = instance_of(text)
    x, of_point = instance.table.distinct
    plain = replace(instance, spec=instance_of("minimize misclassified;").spec)
    tree = random_tree(plain, provable_sums(plain, of_point), x, np.random.default_rng(0), True)
    objective = instance.spec.objective
    assert objective is not None

    def value() -> float:
        evaluator = Evaluator(instance, Meaning(tables_of(instance, tree), {}))
        return float(evaluator.known(objective.value, Frame.empty())[0])

    whole = value()
    monkeypatch.setattr("treemip.core.lower.reductions.PIECE", 7)
    assert value() == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("formulation", ["oct", "binoct", "flow_oct"])
def test_completed_variables_are_those_of_all_points(
    formulation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = treemip.loads(text_of("minimize misclassified;", formulation), data=data()).compile()
    instance, stated = compiled.instance, compiled.stated
    x, of_point = instance.table.distinct
    sums, draw = provable_sums(instance, of_point), np.random.default_rng(1)
    tree = random_tree(instance, sums, x, draw, True)
    whole = completed.complete(instance, stated, tree)
    monkeypatch.setattr(completed, "MANY", 1)
    monkeypatch.setattr(completed, "alike_points", always)
    few = completed.complete(instance, stated, tree)
    assert few.values.keys() == whole.values.keys()
    for name, values in whole.values.items():
        np.testing.assert_allclose(few.values[name], values, 1e-12, 1e-12, err_msg=name)
