"""Rows of a few points tell what rows of all do, and an objective over these what all add up to."""

import numpy as np
import pytest

import treemip
from treemip.answers.search.agreement import random_tree
from treemip.answers.search.complete import complete
from treemip.answers.search.sum_builder import sums_of
from treemip.core.instance.instance import Instance
from treemip.core.lower import on_demand as rows_on_demand
from treemip.core.lower import telling_points
from treemip.core.lower.point_runs import PointRuns
from treemip.core.lower.telling_points import TellingPoints
from treemip.core.model.model import Model
from treemip.core.model.objective_on_demand import ObjectiveOnDemand
from treemip.core.model.values import objective_value, products_at
from treemip.core.tree.residuals import first_violations, model_violations
from treemip.core.tree.verify import _claims

POINTS = 24_000
Values = dict[str, np.ndarray]


def table(digits: int) -> dict[str, object]:
    """Numbers with as many digits, two groups, weights and classes by the first two columns."""
    rng = np.random.default_rng(3)
    x = np.round(rng.random((POINTS, 3)), digits)
    good = (x[:, 0] > 0.4) & (x[:, 1] + 0.3 * rng.random(POINTS) > 0.5)
    columns: dict[str, object] = {f"a{j}": x[:, j] for j in range(3)}
    columns["g"] = [("u", "v")[k] for k in rng.integers(0, 2, POINTS)]
    columns["w"] = rng.integers(1, 4, POINTS)
    return columns | {"c": [("no", "yes")[k] for k in good.astype(int)]}


def model_of(block: str, split: str, digits: int) -> tuple[Instance, Model]:
    text = f'data "t" {{ label c; group g; weight w; {block} }} topology complete(depth = 2); '
    text += f"split univariate by {split}; minimize wrong: misclassified + 0.5 * splits;"
    instance = treemip.loads(text, data=table(digits)).instance
    model = rows_on_demand.on_demand(instance, 0)
    assert model is not None
    return instance, model


CASES = [
    ("scale minmax;", "oct", 4),  # a feature has thousands of values
    ("scale minmax;", "oct", 1),
    ("bin quantile(4);", "oct", 4),
    ("bin quantile(4);", "flow_oct", 4),
]


def changed(rng: np.random.Generator, values: Values) -> Values:
    """One number of one variable changed by a little, or by 1."""
    name = str(rng.choice([n for n in values if len(values[n])]))
    other = values[name].copy()
    other[rng.integers(len(other))] += rng.choice([1.0, -1.0, 1e-3, 2e-6, 1e-9])
    return values | {name: other}


def solutions(instance: Instance, model: Model) -> list[Values]:
    """Those of random trees, and others that are off at one place."""
    rng, found = np.random.default_rng(0), []
    x, of_point = instance.table.distinct
    sums = sums_of(instance, of_point)
    for _ in range(4):
        tree = random_tree(instance, sums, x, rng, False)
        values = complete(instance, model, tree).values
        found += [values, *(changed(rng, values) for _ in range(8))]
    return found


@pytest.mark.parametrize(("block", "split", "digits"), CASES)
def test_the_worst_rows_are_those_of_all_points(
    block: str, split: str, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, model = model_of(block, split, digits)
    found, asked, over = [], [], []
    of_some, alike = TellingPoints.of, telling_points.alike_points

    def counted(self: TellingPoints, *given: object) -> np.ndarray | None:
        points = of_some(self, *given)
        asked.append(points)
        return points

    def noted(*given: object, **others: object) -> object:
        over.append(alike(*given, **others))  # type: ignore[arg-type]
        return over[-1]

    several = solutions(instance, model)
    for of, of_sums in ((counted, noted), (lambda *_: None, lambda *_, **__: None)):
        monkeypatch.setattr(TellingPoints, "of", of)
        monkeypatch.setattr(telling_points, "alike_points", of_sums)
        model.rows.found.clear()  # type: ignore[attr-defined]
        found.append([_of_all(model, values) for values in several])
    few, whole = found
    assert few == whole
    assert any(few) and not all(few)
    assert any(points is not None and len(points) < POINTS / 4 for points in asked)
    assert any(one is not None and len(one.points) < POINTS / 4 for one in over)
    assert [bool(first_violations(model, values)) for values in several] == list(map(bool, whole))


@pytest.mark.parametrize("block", ["", "bin quantile(4);"])
def test_rows_about_sums_over_runs_are_those_of_their_points(
    block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance, model = model_of(block, "binoct", 2)
    several, used, sums = solutions(instance, model)[:12], [], PointRuns.sum

    def noted(self: PointRuns, *given: object) -> np.ndarray | None:
        used.append(sums(self, *given))  # type: ignore[arg-type]
        return used[-1]

    found = []
    for way in (noted, lambda *_: None):
        monkeypatch.setattr(PointRuns, "sum", way)
        found.append([_of_all(model, values) for values in several])
    assert found[0] == found[1]
    assert any(found[0]) and not all(found[0])
    assert any(one is not None for one in used)


def _of_all(model: Model, values: Values) -> dict[str, float]:
    """By how much each family is off; places differ where several rows are off by as much."""
    model.rows.found.clear()  # type: ignore[attr-defined]
    return {one.name: round(one.amount, 12) for one in model_violations(model, values)}


def test_splits_of_several_features_are_looked_at_point_by_point() -> None:
    instance, model = model_of("scale minmax;", "oct", 1)
    family = next(c for c in instance.spec.constraints if c.name == "go_right")
    telling = TellingPoints(instance)
    values = {b.name: np.zeros(b.length) for b in model.variables}
    assert telling.of(family, values) is not None
    both = values | {"coef": np.ones(len(values["coef"]))}
    assert telling.of(family, both) is None
    assert telling.of(family, values | {"reach": np.full(len(values["reach"]), np.nan)}) is None


@pytest.mark.parametrize(("block", "split", "digits"), CASES)
def test_an_objective_is_worth_what_its_coefficients_say(
    block: str, split: str, digits: int
) -> None:
    instance, model = model_of(block, split, digits)
    objective = model.objective
    assert isinstance(objective, ObjectiveOnDemand)
    assert "whole" not in vars(objective)
    for values in solutions(instance, model)[:6]:
        x = np.concatenate([values[b.name] for b in model.variables])
        stated = objective.constant + objective.linear @ x[: len(objective.linear)]
        stated += products_at(objective.quadratic, x, 1)[0]
        assert objective_value(model, x) == pytest.approx(stated, rel=1e-12)
        assert sum(_claims(instance, values)) == pytest.approx(stated, rel=1e-12)
    assert bool(objective.alike.quadratic.count) == bool(objective.quadratic.count)
