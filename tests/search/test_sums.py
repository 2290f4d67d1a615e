"""The arrays of a spec against the spec's own meanings, on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.search.alternate import Alternation
from treemip.answers.search.answer_columns import split_values
from treemip.answers.search.beginnings import Beginnings
from treemip.answers.search.candidate import Candidate, canonical
from treemip.answers.search.complete import tables_of
from treemip.answers.search.sum_arrays import Arrays
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.sums import UNDEFINED, Sums
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.model_columns import ModelBuilder
from treemip.core.lower.relations import Relations
from treemip.core.lower.value_sources import Meaning
from treemip.core.tree.tree_map import TreeMap

TREES = 20

RATE = (
    "let rate {g in values(sex)} = sum {i in points : sex[i] = g} predicts[i,positive]"
    " / card({i in points : sex[i] = g}); "
)
OBJECTIVES = {
    "own": "",
    "errors": "minimize misclassified;",
    "prices": "minimize misclassified + 0.5 * splits + 2 * features_used"
    " + 0.3 * distinct_features;",
    "balanced": "minimize balanced_error + 0.2 * leaves_used;",
    "accuracy": "maximize accuracy;",
    "costs": "minimize sum {k in classes, m in classes} "
    "(if k = m then 0 else ord(k)) * confusion[k,m];",
    "rows": "minimize misclassified; subject to a: recall[positive] >= 0.8; "
    "b {l in leaves}: points_in[l] >= 5 * occupied[l];",
    "parity": RATE + "minimize misclassified; subject to "
    "parity {g in values(sex), h in values(sex) : g != h}: rate[g] - rate[h] <= 0.2;",
    "worst group": RATE + "minimize misclassified + 3 * (max {g in values(sex)} rate[g]);",
    "weights": "minimize misclassified + 0.3 * l1 + 0.2 * linf; "
    "subject to rising {t in branches, j in features}: coef[t,j] >= 0;",
    "gap": RATE + 'minimize misclassified + abs(rate["f"] - rate["m"]);',
    "squares": "minimize sum {l in leaves} (points_in[l] - 6)^2 + misclassified;",
    "fairness": RATE + 'minimize misclassified + 10 * (rate["f"] - rate["m"])^2;',
    "product": RATE + 'maximize rate["f"] * (1 - rate["m"]) * accuracy;',
    "powers": "minimize misclassified ^ 3 + misclassified ^ 2 + splits * misclassified;",
    "smooth": "minimize exp(0.1 * misclassified) + log(1 + misclassified)"
    " + sqrt(misclassified) + logistic(misclassified - 20);",
    "quotient": "maximize accuracy / (1 + splits);",
    "of a definition": "let share = misclassified / (1 + leaves_used); "
    "minimize share + share ^ 2; subject to few: share ^ 2 <= 9;",
    "of a maximum": RATE + "minimize (max {g in values(sex)} rate[g])^2 + misclassified;",
    "square in a row": "minimize misclassified; subject to "
    "even: sum {l in leaves} (points_in[l] - 10)^2 <= 300;",
}
FORMS = {
    "oblique by soct": "scale minmax;",
    "oblique by octh": "scale minmax;",
    "univariate by oct": "scale minmax;",
    "univariate by binoct": "",
    "univariate by flow_oct": "bin quantile(3);",
}


def table() -> dict[str, object]:
    draw = np.random.default_rng(3)
    x = draw.integers(0, 6, (40, 3)).astype(float)
    label = np.where(x[:, 0] + x[:, 1] + draw.normal(0, 2, 40) > 5, "good", "bad")
    columns = {name: x[:, j].tolist() for j, name in enumerate("abd")}
    sex = np.where(draw.random(40) < 0.5, "m", "f").tolist()
    return {**columns, "sex": sex, "class": label.tolist()}


def bound(by: str, objective: str, depth: int = 2) -> Instance:
    text = (
        f'data "t" {{ label class positive "good"; group sex; {FORMS[by]} }} '
        f"topology complete(depth = {depth}); split {by}; {objective}"
    )
    return treemip.loads(text, data=table()).instance


def searched(instance: Instance) -> tuple[Sums, Alternation]:
    x, of_point = np.unique(instance.table.inputs, axis=0, return_inverse=True)
    sums = sums_of(instance, of_point.ravel())
    rng = np.random.default_rng(0)
    assert instance.topology is not None
    plain = instance.spec.split == "univariate"
    return sums, Alternation(instance.topology, x, sums, rng, np.inf, plain)


def by_meaning(instance: Instance, tree: Candidate) -> tuple[float, bool]:
    """The spec's own objective, and whether its constraints hold, by what names mean."""
    tables = tables_of(instance, tree)
    evaluator = Evaluator(instance, Meaning(tables, split_values(instance, tree)))
    objective = instance.spec.objective
    assert objective is not None
    value = float(evaluator.known(objective.value, Frame.empty())[0])
    relations, holds = Relations(ModelBuilder(instance), evaluator), True
    for constraint in instance.spec.constraints:
        if constraint.module == "spec":
            frame = relations.frame(constraint)
            body, low, high = relations.between(constraint.relation, frame)
            off = np.maximum(low - body.constant, body.constant - high)
            holds &= bool((off <= 1e-9).all())
    return value, holds


@pytest.mark.parametrize(("objective", "by"), one_in(4, OBJECTIVES, FORMS))
def test_the_arrays_are_worth_what_the_spec_says(by: str, objective: str) -> None:
    instance = bound(by, OBJECTIVES[objective])
    sums, search = searched(instance)
    assert sums.opaque == ()
    x = instance.table.inputs
    draw = np.random.default_rng(1)
    classes = (sums.sign * sums.shared[:, :, 0]).argmin(axis=1)
    for _ in range(TREES):
        tree = canonical(
            Beginnings(search).random_tree(classes), x, TreeMap.of(instance).unsplit_left
        )
        tree.labels[:] = draw.integers(sums.classes, size=len(tree.labels))
        ends = search.leaf_number[tree.ends(x)]
        in_leaf = np.bincount(ends, minlength=len(tree.labels))
        added, broken = search.structure.of(tree, in_leaf)
        value, violation = sums.worth(search.totals(tree) + added)
        own, holds = by_meaning(instance, tree)
        assert sums.sign * float(value) == pytest.approx(own, abs=1e-9)
        assert (float(violation) + broken <= 1e-9) is holds


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_many_trees_are_evaluated_as_each_is_alone(objective: str) -> None:
    sums, _ = searched(bound("univariate by oct", OBJECTIVES[objective]))
    draw = np.random.default_rng(2)
    rows = sums.constant + draw.integers(0, 9, (2, 7, sums.rows))
    together = np.stack(sums.worth(rows), axis=-1).reshape(-1, 2)
    alone = [np.array(sums.worth(one)).ravel() for one in rows.reshape(-1, sums.rows)]
    np.testing.assert_allclose(together, np.array(alone), rtol=1e-12)


def test_a_tree_outside_a_functions_domain_is_worth_no_tree() -> None:
    instance = bound("univariate by oct", "maximize log(misclassified - 3);")
    sums, _ = searched(instance)
    (fold,) = sums.folds
    rows = np.zeros((2, sums.rows))
    rows[:, fold.rows] = [[0.0], [1.0]]
    objective, violation = sums.worth(rows)
    assert objective.tolist() == [UNDEFINED, 0.0]
    assert violation.tolist() == [UNDEFINED, 0.0]


def test_functions_that_nothing_mentions_are_left_out() -> None:
    own = "let share = misclassified / (1 + leaves_used); minimize 1 + share;"
    sums, _ = searched(bound("univariate by oct", own))
    assert len(sums.folds) == 2  # a power and a product


def test_no_array_over_all_points_for_functions_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """The logarithm of a hazard is taken for each point; the curve tried first has none."""
    rng, built = np.random.default_rng(0), list[int]()
    data = {"a": rng.integers(0, 9, 40), "months": rng.exponential(2, 40), "died": [0, 1] * 20}
    text = """data "t" { label none; number time from months, event from died; scale minmax; }
      topology complete(depth = 2); split univariate by ost(min_leaf = 5);"""
    instance = treemip.loads(text, data=data).compile().instance
    whole = Arrays.sums.fget
    assert whole is not None

    def counted(arrays: Arrays) -> Sums:
        built.append(arrays.rows)
        return whole(arrays)

    monkeypatch.setattr(Arrays, "sums", property(counted))
    sums = sums_of(instance, instance.table.distinct[1])
    assert sums.curve is not None and built == [1]
