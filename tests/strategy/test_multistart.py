"""Several starts: nested, repeatable, honest, and told apart from a single start."""

from __future__ import annotations

import numpy as np
import pytest
from tape_models import every_step, mrct, random_data

import treemip.core.strategy.multistart as module
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.values import violation
from treemip.core.solvers.ipopt.solve import Ipopt, Run
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.multistart import multistart, solve_from_starts

pytest.importorskip("casadi")

MODEL = mrct(*random_data(30, 2, 3), 2)
SEED = Limits(seed=4)


def test_more_starts_are_never_worse_and_the_first_ones_stay():
    worth = [multistart(MODEL, SEED, starts=n).objective for n in (1, 2, 4, 8)]
    assert worth == sorted(worth, reverse=True)
    assert worth[0] > worth[-1] + 1e-3


def test_a_seed_gives_the_same_answer_and_another_seed_other_points():
    first, again = (multistart(MODEL, SEED, starts=3) for _ in range(2))
    assert (first.values == again.values).all()
    other = multistart(MODEL, Limits(seed=5), starts=1)
    assert not (other.values == multistart(MODEL, SEED, starts=1).values).all()
    assert (multistart(MODEL, starts=2).values == multistart(MODEL, Limits(seed=0), 2).values).all()


def test_the_best_of_all_is_a_solution_and_no_proof():
    answer = multistart(MODEL)
    assert (answer.status, answer.bound, answer.gap) == ("locally_optimal", None, None)
    assert violation(MODEL, answer.values) <= 1e-6
    assert answer.message == "best of 10 starts, 10 of which gave a solution"


def test_a_given_start_is_the_first_point():
    best = multistart(MODEL)
    answer = multistart(MODEL, starts=1, start=best.values)
    assert answer.start_accepted
    assert answer.objective <= best.objective + 1e-6
    half = np.where(np.arange(MODEL.column_count) < 6, best.values, np.nan)
    assert multistart(MODEL, starts=1, start=half).start_accepted
    with pytest.raises(TreemipError, match="E607"):
        multistart(MODEL, start=np.zeros(3))


def test_points_stand_in_for_the_first_half_of_the_random_ones(monkeypatch):
    begun: list[np.ndarray] = []
    run = Ipopt._run

    def record(self: Ipopt, point: np.ndarray, near: bool = False) -> Run:
        begun.append(np.append(point, near))
        return run(self, point, near)

    monkeypatch.setattr(Ipopt, "_run", record)
    multistart(MODEL, SEED, 6)
    random = np.array(begun)
    own = np.linspace(0.1, 0.4, 4)[:, None] * np.ones(MODEL.column_count)
    begun.clear()
    multistart(MODEL, SEED, 6, start=own[0], points=own[1:])
    np.testing.assert_array_equal(np.array(begun)[:3, :-1], own[:3])
    np.testing.assert_array_equal(np.array(begun)[3:], random[3:])
    assert [row[-1] for row in begun] == [1, 0, 0, 0, 0, 0]
    begun.clear()
    multistart(MODEL, SEED, 1, start=np.where(own[0] > 1, 0, np.nan), points=own)
    assert [row[-1] for row in begun] == [0]


def test_a_run_from_a_solution_stays_near_it():
    best = multistart(MODEL)
    assert best.values is not None
    ipopt = Ipopt(MODEL)
    stayed = ipopt.solve([best.values], near=1)
    np.testing.assert_allclose(stayed.values, best.values, atol=0.05)
    assert stayed.objective == pytest.approx(best.objective, abs=1e-6)


def test_ipopt_is_chosen_for_nonlinear_models_and_only_it_gets_the_starts(monkeypatch):
    assert solve_from_starts(MODEL, limits=SEED, starts=2).message.startswith("best of 2 starts")
    single = solve_from_starts(every_step(0), "ipopt", starts=1)
    assert (single.solver, single.message) == ("ipopt", "")
    asked: list[tuple] = []

    def record(*arguments: object) -> Answer:
        asked.append(arguments[1:4])
        return single

    monkeypatch.setattr(module, "solve", record)
    solve_from_starts(MODEL, "scip", SEED, 7)
    assert asked == [("scip", SEED, None)]


@pytest.mark.parametrize("starts", [0, -3])
def test_no_starts_at_all_is_refused(starts):
    with pytest.raises(TreemipError, match=f"E902.*'starts' is {starts}"):
        solve_from_starts(MODEL, starts=starts)
