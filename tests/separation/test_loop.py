"""The loop solve, separate, solve again, against models with all rows stated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lazy_models import Known, split

from treemip.core.model.answer import NO_LIMITS, Answer, Limits, OnProgress, Progress
from treemip.core.model.model import Model
from treemip.core.solving.solve import solve
from treemip.methods.separation.loop import solve_lazily
from treemip.methods.separation.relaxation import relaxed, rounds_of_cuts
from treemip.methods.separation.separated_model import with_rows


def _highs(
    model: Model, limits: Limits, start: np.ndarray | None, tell: OnProgress | None
) -> Answer:
    return solve(model, "highs", limits, start, tell)


@pytest.mark.parametrize("seed", range(6))
def test_loop_is_exact(seed: int) -> None:
    """Status and optimum are those of the whole model, and the bound is the optimum."""
    whole, part, source = split(seed)
    expected = solve(whole, "highs")
    answer = solve_lazily(part, source, _highs, NO_LIMITS, None, None)
    assert answer.status == expected.status
    if expected.status == "optimal":
        assert answer.objective == pytest.approx(expected.objective)
        assert answer.bound == pytest.approx(expected.objective)
        assert answer.values is not None
        assert source.violated(answer.values, True) is None


def test_bounds_of_relaxations_are_kept() -> None:
    """An answer that breaks rows at the end of the time limit is none; its bound is one, and the
    start is the solution."""
    whole, part, source = _that_breaks_rows()
    best, relaxed = solve(whole, "highs"), solve(part, "highs")

    def once(
        model: Model, limits: Limits, start: np.ndarray | None, tell: OnProgress | None
    ) -> Answer:
        return solve(part, "highs")

    source.only_integral = True
    limits = Limits(time=1e-9)
    answer = solve_lazily(part, source, once, limits, best.values, None)
    assert answer.status == "time_limit"
    assert answer.objective == pytest.approx(best.objective)
    assert answer.bound == pytest.approx(relaxed.objective)
    bare = solve_lazily(part, source, once, limits, None, None)
    assert (bare.values, bare.bound) == (None, pytest.approx(relaxed.objective))


def test_a_solver_that_breaks_rows_it_was_given_is_an_error() -> None:
    from treemip.core.source.diagnostic import TreemipError

    for _, part, source in map(split, range(40)):
        first = solve(part, "highs")
        if first.status != "optimal" or source.violated(first.values, True) is None:
            continue
        source.only_integral = True
        with pytest.raises(TreemipError, match="E604"):
            solve_lazily(part, source, lambda *_: first, NO_LIMITS, None, None)
        return
    raise AssertionError("no example")


def test_reports_are_of_all_solves() -> None:
    """Seconds never fall, and what a relaxation finds is not called a solution."""
    for _, part, source in map(split, range(2)):
        reports: list[Progress] = []
        solve_lazily(part, source, _highs, NO_LIMITS, None, reports.append)
        seconds = [one.seconds for one in reports]
        assert seconds == sorted(seconds)
        assert all(one.objective is None for one in reports)


def test_the_start_is_the_first_incumbent() -> None:
    """Each report has the start's objective, and the gap between it and the bound."""
    whole, part, source = _that_breaks_rows()
    best = solve(whole, "highs")
    reports: list[Progress] = []

    def once(
        model: Model, limits: Limits, start: np.ndarray | None, tell: OnProgress | None
    ) -> Answer:
        assert tell is not None
        tell(Progress(0.0, None, 7.0, None, 0))
        return solve(model, "highs")

    solve_lazily(part, source, once, NO_LIMITS, best.values, reports.append)
    assert reports
    assert best.objective is not None
    for one in reports:
        assert one.objective == pytest.approx(best.objective)
        assert one.bound is not None
        assert one.gap == pytest.approx(abs(one.bound - best.objective) / abs(best.objective))


class _Repairing(Known):
    """Repairs each point to one solution of the whole model."""

    solution: np.ndarray | None = None

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        return self.solution


def test_a_repaired_solution_is_an_incumbent() -> None:
    """It is the answer at the end of the time, what the next solve starts from, and in its
    reports; it is optimal where a relaxation's bound says so."""
    whole, part, source = _that_breaks_rows()
    best, relaxed = solve(whole, "highs"), solve(part, "highs")
    repairing = _Repairing(source.matrix, source.lower, source.upper, only_integral=True)
    repairing.solution = best.values
    starts: list[np.ndarray | None] = []

    def once(
        model: Model, limits: Limits, start: np.ndarray | None, tell: OnProgress | None
    ) -> Answer:
        starts.append(start)
        return solve(model, "highs", start=start)

    stopped = solve_lazily(part, repairing, once, Limits(time=1e-9), None, None)
    assert (stopped.status, stopped.objective) == ("time_limit", pytest.approx(best.objective))
    assert stopped.bound == pytest.approx(relaxed.objective)
    starts.clear()
    answer = solve_lazily(part, repairing, once, NO_LIMITS, None, None)
    assert (answer.status, answer.objective) == ("optimal", pytest.approx(best.objective))
    assert starts[0] is None
    assert all(start is best.values for start in starts[1:])


def _that_breaks_rows() -> tuple[Model, Model, Known]:
    """A model whose optimum without the lazy rows breaks some of them."""
    for whole, part, source in map(split, range(1, 40)):
        first, best = solve(part, "highs"), solve(whole, "highs")
        if first.status == best.status == "optimal" and source.violated(first.values, True):
            source.only_integral = True
            return whole, part, source
    raise AssertionError("no example")


def test_an_interrupted_solve_ends_the_loop() -> None:
    _, part, source = split(1)
    source.only_integral = True
    calls = []

    def once(*_: object) -> Answer:
        calls.append(1)
        return replace(solve(part, "highs"), status="interrupted")

    answer = solve_lazily(part, source, once, NO_LIMITS, None, None)
    assert (answer.status, len(calls)) == ("interrupted", 1)


def test_rounds_of_cuts_end_with_their_time() -> None:
    """No round begins after its time, and what rounds find closes the relaxation's gap."""
    whole, part, source = split(2)
    assert rounds_of_cuts(part, lambda x: source.violated(x, False), 10, until=0.0) == []
    blocks = rounds_of_cuts(part, lambda x: source.violated(x, False), 10)
    tightened = part
    for block in blocks:
        tightened = with_rows(tightened, block, "cuts")
    bounds = [solve(relaxed(model), "highs").objective for model in (part, tightened, whole)]
    assert blocks and bounds[0] != bounds[1] == pytest.approx(bounds[2])
