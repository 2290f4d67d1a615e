"""From the best tree to a solution, where formulations want more of a tree than its splits."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search import complete as completed
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import as_columns, complete
from treemip.answers.search.sum_builder import sums_of
from treemip.answers.search.tree_search import SearchReport, TreeSearch
from treemip.api.compiled import Compiled
from treemip.core.model.values import objective_value
from treemip.core.tree.tree_map import TreeMap

A, B, C = [0.0, 1, 2, 3, 0, 1, 2, 3], [0.0, 0, 1, 1, 1, 1, 0, 0], list("nnyyyynn")


def compiled(by: str, more: str = "", depth: int = 2, **columns: object) -> Compiled:
    form = "" if "binoct" in by else "scale minmax;"
    text = f'data "t" {{ label c; {form} }} topology complete(depth = {depth}); split {by}; {more}'
    return treemip.loads(text, data={**columns, "c": C}).compile()


def searched(model: Compiled) -> SearchReport:
    return TreeSearch(model.instance, model.stated, 60.0, 0).run(patient=False)


def test_a_first_feature_without_thresholds_is_no_hindrance() -> None:
    """BinOCT has no threshold at all where every variable is 0 then."""
    more = "minimize misclassified + 0.25 * features_used;"
    model = compiled("univariate by binoct", more, a=[1.0] * 8, b=B)
    assert isinstance(TreeMap.of(model.instance).unsplit_left, bool)
    result = model.solve(start="search", time_limit=5)
    assert (result.status, result.answer.solver) == ("optimal", "engine")
    assert result.objective == pytest.approx(0.75)


@pytest.mark.parametrize("dear", ["a", "b"])
def test_splits_that_part_nothing_are_those_that_cost_least(dear: str) -> None:
    """Every branch of BinOCT has a split, and one that parts nothing costs as much as others."""
    more = f'minimize misclassified + sum {{t in branches, j in features_of("{dear}")}} uses[t,j];'
    model = compiled("univariate by binoct", more, a=A, b=B)
    report = searched(model)
    assert report.best is not None
    plain = model.solve("highs", start="none")
    assert report.best.objective == pytest.approx(plain.objective)


def test_rows_are_checked_of_the_splits_that_cost_least_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Six features may fill the branches above leaves of one class. After the tree without these
    splits, at three places of its threshold, the cheapest filling is checked and no other."""
    columns = dict.fromkeys("pqrs", A) | {"a": A, "b": B}
    price = {"p": 5, "q": 4, "r": 3, "s": 1, "a": 6, "b": 2}
    prices = " + ".join(
        f'{k} * sum {{t in branches, j in features_of("{name}")}} uses[t,j]'
        for name, k in price.items()
    )
    model = compiled("univariate by binoct", f"minimize misclassified + {prices};", **columns)
    assert model.instance.topology is not None
    tree = Candidate.empty(model.instance.topology, 6)
    tree.weights[0, 5], tree.threshold[0] = 1.0, 0.5
    tree.labels[:] = [0, 0, 1, 1]
    checked, check = [], completed.first_violations

    def counted(rows, values):  # type: ignore[no-untyped-def]
        checked.append(objective_value(model.stated, as_columns(model.stated, values)))
        return check(rows, values)

    monkeypatch.setattr(completed, "first_violations", counted)
    completion = complete(model.instance, model.stated, tree)
    assert completion.violations == ()
    assert checked == [2, 2, 2, 2 + 2 * price["s"]]
    assert completion.tree is not None
    used = np.array(model.instance.table.features)[completion.tree.weights.any(axis=0)]
    assert sorted(used) == ["b", "s"]


def test_an_exact_tree_keeps_the_splits_it_was_priced_with() -> None:
    more = 'minimize misclassified + 0.6 * (sum {t in branches, j in features_of("a")} uses[t,j]);'
    result = compiled("univariate by binoct", more, a=A, b=B).solve(start="search", time_limit=5)
    assert (result.status, result.answer.solver) == ("optimal", "engine")


def test_rows_of_a_formulation_that_forbid_trees_are_learned() -> None:
    model = compiled("oblique by octh(min_leaf = 3)", "maximize accuracy;", a=A, b=B)
    search = TreeSearch(model.instance, model.stated, 60.0, 0)
    report = search.run(patient=False)
    assert report.best is not None
    if search.learned.families:
        assert search.learned.families == {"leaf_size"}
    sizes = np.bincount(report.best.tree.ends(model.instance.table.inputs))
    assert sizes[sizes > 0].min() >= 3


def test_a_learned_family_is_counted_like_a_side_constraint() -> None:
    model = compiled("oblique by octh(min_leaf = 3)", "maximize accuracy;", a=A, b=B)
    search = TreeSearch(model.instance, model.stated, 1.0, 0)
    tree = search.begin.random_tree(search.classes)
    tree.weights[:], tree.weights[0, 0] = 0.0, 1.0
    tree.threshold[:], tree.threshold[0] = 1.0, 0.1  # two points to the left
    assert search.search.worth(tree)[1] == 0
    broken = complete(model.instance, model.stated, tree)
    assert [v.name for v in broken.violations] == ["leaf_size"]
    search._learn(broken.violations)
    assert search.search.worth(tree)[1] > 0


def test_a_tree_that_is_no_solution_is_completed_once() -> None:
    more = "subject to never {l in leaves}: sum {j in features} coef[root,j] >= 7;"
    model = compiled("oblique by soct", more, a=A, b=B)
    report = searched(model)
    assert report.best is None
    assert report.failed["never"] < report.starts


@pytest.mark.parametrize(
    "goal, unit",
    [
        ("misclassified", 1.0),
        ("worst_class_error", 0.25),
        ("3 * abs(sum {i in points} correct[i] - 2)", 3.0),
        ("0.5 * splits", 0.5),
        ("0", 1.0),
    ],
)
def test_the_unit_is_what_a_point_or_split_is_worth(goal: str, unit: float) -> None:
    model = compiled("oblique by soct", f"minimize goal: {goal};", a=A, b=B)
    _, of_point = np.unique(model.instance.table.inputs, axis=0, return_inverse=True)
    assert sums_of(model.instance, of_point.ravel()).unit == pytest.approx(unit)


def test_few_leaves_lead_to_trees_without_a_split() -> None:
    more = "minimize misclassified; subject to few_leaves: leaves_used <= 1;"
    report = searched(compiled("oblique by octh", more, a=A, b=B))
    assert report.best is not None and report.best.objective == 4


def test_no_point_pays_for_a_branch_without_a_split() -> None:
    """SVM1-ODT prices points that are too close to a hyperplane; one without weights can be moved
    away from all of them."""
    model = compiled("oblique by svm1_odt", a=A, b=B)
    tree = Candidate.empty(model.instance.topology, 2)
    for _ in range(2):  # the second time it is known to help
        completion = complete(model.instance, model.stated, tree)
        assert not completion.violations and not completion.unknown
        x = np.concatenate([completion.values[b.name] for b in model.stated.variables])
        assert objective_value(model.stated, x) == 4


def test_however_late_it_is_no_tree_is_worse_than_the_best_constant() -> None:
    """Points on both sides of CART's split are closer to it than they may be."""
    near = [0.0, 0.4998, 0.5002, 0.5004, 0.5003, 0.5005, 0.4999, 1.0]
    model = compiled("oblique by svm1_odt", a=near)
    report = TreeSearch(model.instance, model.stated, 0.0, 0).run(patient=False)
    assert report.best is not None
    assert report.best.objective <= 4


def test_splits_where_each_branch_needs_one_leave_leaves_as_large_as_they_are() -> None:
    """A tree of one split, whose leaves are as small as a row allows."""
    data = {"a": list(range(20)), "b": [0, 1] * 10, "c": ["n"] * 12 + ["y"] * 8}
    text = """data "t" { label c; } topology complete(depth = 3); split univariate by binoct;
    minimize misclassified;
    subject to sizes {l in leaves}: points_in[l] >= 8 * occupied[l];"""
    compiled = treemip.loads(text, data=data).compile()
    assert compiled.instance.topology is not None
    tree = Candidate.empty(compiled.instance.topology, 2)
    tree.weights[0, 0], tree.threshold[0] = 1.0, 11.5
    tree.labels[:] = [0, 0, 0, 0, 1, 1, 1, 1]
    completion = complete(compiled.instance, compiled.stated, tree)
    assert completion.violations == () and completion.tree is not None
    x = compiled.instance.table.inputs
    assert np.unique(completion.tree.ends(x), return_counts=True)[1].tolist() == [12, 8]


def test_cuts_that_oct_cannot_make_are_told_from_broken_rows() -> None:
    """From then on, cuts are as wide as the rows ask for."""
    data = {
        "a": [0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        "b": [0.0, 0.5, 0.5000001, 0.5000002, 1.0, 0.2],
        "c": list("nnyyyn"),
    }
    text = """data "t" { label c; scale minmax; } topology complete(depth = 1);
    split univariate by oct; minimize misclassified;"""
    made = treemip.loads(text, data=data).compile()
    search = TreeSearch(made.instance, made.stated, 60.0, 0)
    report = search.run(patient=False)
    assert report.best is not None and report.best.objective == 1
    assert search.search.cuts.least.any()
