"""The parts of the engine for oblique trees: labels of leaves, sums of weights, supports."""

from __future__ import annotations

import time
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from reference.oblique_trees import widest
from suite import one_in

from treemip.answers.engines.oblique import program
from treemip.answers.engines.oblique.labelings import alike, labelings
from treemip.answers.engines.oblique.problem import ObliqueProblem, in_units
from treemip.answers.engines.oblique.routing import Late, Routing, totalizer
from treemip.answers.engines.oblique.supports import Supports
from treemip.answers.engines.refusal import Refusal
from treemip.core.instance.trees import Forest, shape
from treemip.core.model.tolerances import PROGRAM_BAND
from treemip.core.source.span import Source, Span


def forest(text: str) -> Forest:
    return shape(text, Span(Source("<test>", text), 0, len(text)))


def test_two_classes_have_one_labeling_at_each_depth() -> None:
    assert labelings(forest("((. .) (. .))"), 2) == [(0, 1, 0, 1)]


def test_three_classes_have_six_labelings_at_depth_2() -> None:
    found = labelings(forest("((. .) (. .))"), 3)
    assert len(found) == 6
    assert (0, 1, 1, 2) in found


def test_subtrees_of_two_shapes_are_not_exchanged() -> None:
    tree = forest("(. (. .))")
    assert len(labelings(tree, 2)) == 2
    assert not alike(tree, (0, 0, 1), 0)


@pytest.mark.parametrize("seed", range(20))
def test_a_literal_for_each_sum(seed: int) -> None:
    pysat = pytest.importorskip("pysat.solvers")
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 5, 6).tolist()
    cap = int(rng.integers(1, 16))
    solver, top = pysat.Solver(name="cadical195"), [6]

    def fresh() -> int:
        top[0] += 1
        return top[0]

    at_least = totalizer(range(1, 7), weights, cap, fresh, solver.add_clause)
    for chosen in product([False, True], repeat=6):
        true = sum(w for w, on in zip(weights, chosen, strict=True) if on)
        literals = [v if on else -v for v, on in zip(range(1, 7), chosen, strict=True)]
        for value, literal in at_least.items():
            assert solver.solve(assumptions=[*literals, -literal]) is (true < value)
    sums = {sum(some) for k in range(7) for some in combinations(weights, k)} - {0}
    assert set(at_least) == {min(s, cap) for s in sums}


@pytest.mark.parametrize("seed", one_in(4, range(40)))
def test_a_support_where_no_gap_is_wide_enough(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, (12, 3)) / 5.0
    side = rng.random(12) < 0.5
    left, right = np.flatnonzero(side), np.flatnonzero(~side)
    gap = float(rng.choice([0.005, 0.05, 0.2]))
    found = Supports(x, gap, rng).among(left, right, 5)
    assert bool(found) is (widest(x[left], x[right]) < gap - 2 * PROGRAM_BAND)
    for one, other in found:
        assert set(one) <= set(left.tolist())
        assert set(other) <= set(right.tolist())
        assert widest(x[list(one)], x[list(other)]) < gap


@pytest.mark.parametrize("short", [-1e-8, 0.0, 1e-8])
def test_a_gap_that_is_met_up_to_rounding_has_no_support(short: float) -> None:
    x = np.array([[0.0], [0.25]])
    finder = Supports(x, 0.25 + short, np.random.default_rng(0))
    assert not finder.among(np.array([0]), np.array([1]), 3)


def test_a_support_is_checked_apart_from_the_linear_program() -> None:
    """Multipliers that a faulty linear program might give prove nothing."""
    finder = Supports(np.array([[0.0], [0.25]]), 0.1, np.random.default_rng(0))
    assert finder._checked(np.array([0]), np.array([1]), np.ones(2)) is None


@pytest.mark.parametrize(
    ("loss", "unit"),
    [([[0, 2.0], [3.0, 0]], 1.0), ([[0, 0.5], [1.5, 0]], 0.5), ([[0, 1 / 50], [1 / 50, 0]], 0.02)],
)
def test_the_unit_of_losses(loss: list[list[float]], unit: float) -> None:
    whole, found = in_units(np.array(loss))
    assert found == pytest.approx(unit)
    assert whole * found == pytest.approx(np.array(loss))


def test_losses_without_a_unit() -> None:
    with pytest.raises(Refusal, match="losses are not small multiples"):
        in_units(np.array([[0.0, 1.0], [2**0.5, 0.0]]))


def test_a_bound_from_scip_owes_nothing_to_its_presolve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Presolve has called models infeasible that are not."""
    pytest.importorskip("pyscipopt")
    loaded: list[Any] = []

    def kept(model: Any, arrays: Any) -> Any:
        scip, columns = load(model, arrays)
        loaded.append(scip)
        return scip, columns

    load = program.load
    monkeypatch.setattr(program, "load", kept)
    x = np.array([[0.0], [0.5], [1.0]])
    loss = np.array([[0, 1], [1, 0], [0, 1]])
    problem = ObliqueProblem(forest("(. .)"), x, loss, 1.0, 0.0, 0.1)
    routed = program.Program(problem, (0, 1)).solve(1, time.perf_counter() + 60)
    assert (routed.low, routed.passes) == (1, None)
    assert loaded[0].getParam("presolving/maxrounds") == 0


def test_clauses_are_set_up_within_the_time() -> None:
    """Of many points they alone take longer than a short limit."""
    pytest.importorskip("pysat")
    x, loss = np.array([[0.0], [0.5], [1.0]]), np.array([[0, 1], [1, 0], [0, 1]])
    problem = ObliqueProblem(forest("(. .)"), x, loss, 1.0, 0.0, 0.1)
    routing = Routing(problem, (0, 1))
    with pytest.raises(Late):
        routing.begin(2, until=0.0)
    assert routing.top == 0
    routing.end()
