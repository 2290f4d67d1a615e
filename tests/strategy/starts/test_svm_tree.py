"""The SVM tree: feasible in every formulation with hyperplanes, pruned to what the spec allows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import treemip
from treemip.answers.starts.svm_growth import Boundary, Part, entropy, errors, gini, placed
from treemip.answers.starts.svm_tree import prunings
from treemip.answers.starts.warm_start import WarmStart, warm_start
from treemip.core.model.answer import Limits
from treemip.core.model.values import objective_value, violation
from treemip.core.source.diagnostic import TreemipError

DRAW = np.random.default_rng(3)
X = np.round(DRAW.random((40, 2)), 3)
THREE = ["p" if a + b > 1.2 else "q" if a - b > 0.1 else "r" for a, b in X]
TWO = ["p" if (a > 0.5) == (b > 0.4) else "q" for a, b in X]


def compiled(text: str, depth: int = 2, label: list[str] = THREE) -> treemip.Compiled:
    table = {"a": X[:, 0].tolist(), "b": X[:, 1].tolist(), "class": label}
    positive = 'positive "p"' if label is TWO else ""
    head = f'data "t" {{ label class {positive}; scale minmax; }}'
    text = f"{head} topology complete(depth = {depth}); split {text};".replace("};", "}")
    return treemip.loads(text, data=table).compile()


def started(made: treemip.Compiled, seconds: float = 20.0) -> WarmStart:
    limits = Limits(time=seconds, seed=0)
    return warm_start("svm_tree", made.instance, made.model, "auto", limits, made.stated)


SPECS = {
    "S-OCT": ("oblique by soct", THREE),
    "OCT-H": ("oblique by octh", THREE),
    "SVM1-ODT": ("oblique by svm1_odt", THREE),
    "MARGOT": ("margin by margot(C = 4)", TWO),
    "MM-SVM-OCT": ("margin by mm_svm_oct(c1 = 4)", TWO),
    "errors and splits": ("oblique by soct; minimize misclassified + 0.5 * splits", THREE),
}


@pytest.mark.parametrize(("text", "label"), SPECS.values(), ids=list(SPECS))
def test_a_start_is_feasible_and_verified(text: str, label: list[str]) -> None:
    made = compiled(text, label=label)
    begun = started(made)
    assert begun.notes == ()
    assert begun.values is not None
    assert violation(made.model, begun.values) <= 1e-6
    assert made.tree_of(begun.values).verified


def test_three_classes_that_lines_part_take_two_splits() -> None:
    made = compiled("oblique by soct(eps = 0.0001)")
    begun = started(made)
    assert begun.values is not None
    assert objective_value(made.model, begun.values) == len(X)


@pytest.mark.parametrize("splits", [0, 1, 2])
@pytest.mark.parametrize("rest", ["soct(beta = {})", "soct; subject to few: splits <= {}"])
def test_it_is_pruned_to_the_splits_that_the_spec_allows(rest: str, splits: int) -> None:
    made = compiled("oblique by " + rest.format(splits), depth=3)
    begun = started(made)
    assert begun.values is not None
    tree = made.tree_of(begun.values).tree
    assert np.count_nonzero(tree.weights.any(axis=1)) <= splits


def test_it_has_the_gap_that_the_formulation_wants() -> None:
    """The SVMs' own hyperplanes are nearer to points than eps, which no axis-parallel cut shows."""
    made = compiled("oblique by soct(eps = 0.03)")
    begun = started(made)
    assert begun.notes == ()
    assert begun.values is not None
    assert objective_value(made.model, begun.values) > max(map(THREE.count, "pqr"))


def test_the_same_tree_each_time() -> None:
    made = compiled("oblique by soct")
    first, second = started(made), started(made)
    assert first.values is not None and second.values is not None
    assert (first.values == second.values).all()


def test_without_time_there_is_a_start_of_one_branch() -> None:
    begun = started(compiled("oblique by soct(eps = 0.0001)"), seconds=1e-6)
    assert begun.values is not None


REFUSALS = {
    "univariate by oct": "an SVM's split uses several features, and univariate splits use one\n"
    "  = help: it is for oblique and margin splits; for univariate ones use: start cart;",
    "randomized by mrct": "an SVM's split is a hyperplane, and those of the spec are randomized\n"
    "  = help: it is for oblique and margin splits; for randomized ones use: start search;",
}


@pytest.mark.parametrize(("text", "why"), REFUSALS.items(), ids=list(REFUSALS))
def test_other_splits_are_refused(text: str, why: str) -> None:
    made = compiled(text, label=TWO)
    with pytest.raises(TreemipError) as error:
        made.solve("mip", start="svm_tree", time_limit=1)
    assert str(error.value) == f"error[E902]: the start 'svm_tree' is not available: {why}"


def test_a_spec_s_own_is_a_warning_where_it_cannot_be() -> None:
    made = compiled("univariate by oct; strategy { start svm_tree; }")
    result = made.solve("highs", time_limit=0.3)
    (note,) = [w for w in result.warnings if w.code == "W601"]
    assert note.message == (
        "the spec's start 'svm_tree' is ignored: an SVM's split uses several features, and "
        "univariate splits use one"
    )


def test_impurities_are_what_they_are_called() -> None:
    counts = np.array([[3.0, 1.0], [4.0, 0.0], [0.0, 0.0]])
    assert gini(counts) == pytest.approx([4 * (1 - 9 / 16 - 1 / 16), 0, 0])
    assert entropy(counts) == pytest.approx([-3 * np.log(3 / 4) - np.log(1 / 4), 0, 0])
    assert errors(counts) == pytest.approx([1, 0, 0])


def test_a_hyperplane_moves_to_the_nearest_gap_that_is_wide_enough() -> None:
    x = np.array([[0.0], [0.1], [0.5], [0.52], [1.0]])
    theta = np.array([2.0, -1.02])  # x = 0.51
    near, wide = placed(x, theta, 0.0), placed(x, theta, 0.3)
    assert near is not None and wide is not None
    assert near.threshold == pytest.approx(0.51)
    assert wide.threshold == pytest.approx(0.3) and wide.gap == pytest.approx(0.4)
    assert placed(x, theta, 0.6) is None
    assert placed(x, np.array([0.0, 1.0]), 0.0) is None


def grown(depth: int, draw: np.random.Generator) -> Part:
    boundary = Boundary(np.ones(1), 0.0, np.zeros(0, bool), 1.0)
    if depth == 0 or draw.random() < 0.2:
        return Part(0, draw.integers(0, 9, 3).astype(float))
    left, right = grown(depth - 1, draw), grown(depth - 1, draw)
    return Part(0, left.counts + right.counts, boundary, left, right)


def every_pruning(part: Part) -> list[tuple[int, float]]:
    """Splits and errors of all prunings."""
    bare = [(0, float(errors(part.counts)))]
    if part.left is None or part.right is None:
        return bare
    pairs = product(every_pruning(part.left), every_pruning(part.right))
    return bare + [(1 + a + b, off + more) for (a, off), (b, more) in pairs]


@pytest.mark.parametrize("seed", range(6))
def test_pruned_trees_have_the_fewest_errors_of_their_size(seed: int) -> None:
    part = grown(3, np.random.default_rng(seed))
    best: dict[int, float] = {}
    for splits, off in every_pruning(part):
        best[splits] = min(off, best.get(splits, np.inf))
    assert [off for off, _ in prunings(part)] == [best[k] for k in range(len(best))]
