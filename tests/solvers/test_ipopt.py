"""Ipopt's answers: checked by the model, honest about what is proven, stopped when asked."""

from __future__ import annotations

import gc
import json
import signal
import subprocess
import sys
import textwrap
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_models import products, rows, small
from tape_models import dense, every_step, mrct, nothing, random_data

from treemip.core.model.answer import Limits, Progress
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import stack
from treemip.core.model.tape import Affine, Elementwise, Smooth, Tape
from treemip.core.model.values import objective_value, slot_values, violation
from treemip.core.solvers.ipopt.solve import STEEP, Ipopt, random_point, solve_ipopt
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("casadi")

INF = float("inf")


def test_convex_program_has_its_optimum_and_no_bound():
    # min (x-3)^2 + (y+1)^2 on x + y <= 1 is at (2.5, -1.5).
    form = products((0, 0, 0, 1.0), (0, 1, 1, 1.0))
    block = rows([[1, 1]], -INF, 1)
    answer = solve_ipopt(small("cc", [-6, 2], (block,), -9, 9, constant=10.0, quadratic=form))
    assert answer.status == "locally_optimal"
    assert answer.values == pytest.approx([2.5, -1.5], abs=1e-6)
    assert answer.objective == pytest.approx(0.5, abs=1e-6)
    assert (answer.bound, answer.gap, answer.solver) == (None, None, "ipopt")


def test_what_casadi_holds_goes_with_the_ipopt_that_made_it():
    ipopt = Ipopt(small("c", [1], (rows([[1]], 0, 1),), 0, 1))
    ipopt.solve([np.zeros(1)])
    held = weakref.ref(ipopt._keep)
    gc.disable()  # it is not to wait for the collector
    try:
        del ipopt
        assert held() is None
    finally:
        gc.enable()


def test_maximizing_gives_the_objective_in_its_own_sense():
    form = products((0, 0, 0, -1.0))
    answer = solve_ipopt(small("c", [2], (), -9, 9, "maximize", 1.0, form))
    assert answer.objective == pytest.approx(2.0)


def test_start_is_followed_where_there_are_two_minima():
    # (x^2 - 1)^2 has its minima at -1 and 1.
    tape = Tape(
        (Affine(dense([[1.0]]), nothing(1), np.zeros(1)),
         Elementwise(Smooth.POWER, np.array([0]), 4.0))
    )  # fmt: skip
    squares = products((0, 0, 0, -2.0))
    model = small("c", [0], (), -3, 3, constant=1.0, quadratic=squares)
    model = model.with_(tape=tape, objective=replace(model.objective, slots=dense([[0.0, 1.0]])))
    for start in (-0.8, 0.8):
        answer = solve_ipopt(model, start=np.array([start]))
        assert answer.start_accepted
        assert answer.values == pytest.approx([np.sign(start)], abs=1e-5)
        assert answer.objective == pytest.approx(0, abs=1e-9)
    chosen = solve_ipopt(model, Limits(seed=3))
    assert chosen.start_accepted is None
    assert chosen.objective == pytest.approx(0, abs=1e-9)


def test_solution_satisfies_the_model_and_repeats():
    model = mrct(*random_data(40, 3, 3), 2)
    first, again = (solve_ipopt(model, Limits(seed=1)) for _ in range(2))
    assert first.status == "locally_optimal"
    assert violation(model, first.values) <= 1e-6
    assert first.objective == objective_value(model, first.values)
    assert (first.values == again.values).all()


def test_infeasible_model_gives_no_solution_and_no_proof():
    model = small("cc", [1, 1], (rows([[1, 1]], 5, INF),), 0, 1)
    answer = solve_ipopt(model)
    assert (answer.status, answer.values, answer.objective) == ("no_solution", None, None)
    assert "infeasible problem detected" in answer.message


def test_more_equations_than_columns_are_no_solution_and_no_noise(capfd):
    answer = solve_ipopt(small("c", [1], (rows([[1], [2]], [1, 2], [1, 2]),), 0, 5))
    assert (answer.status, answer.values) == ("no_solution", None)
    assert answer.message == "Ipopt: not enough degrees of freedom"
    assert capfd.readouterr() == ("", "")


def test_values_outside_a_function_s_domain_make_no_noise(capfd):
    tape = Tape(
        (Affine(dense([[1.0]]), nothing(1), np.zeros(1)), Elementwise(Smooth.LOG, np.array([0])))
    )
    model = small("c", [1], (), -3, 3).with_(tape=tape)
    model = model.with_(objective=replace(model.objective, slots=dense([[0.0, -1.0]])))
    negative = solve_ipopt(model, start=np.array([-2.0]))
    assert (negative.status, negative.values) == ("no_solution", None)
    assert negative.message == "Ipopt: invalid number detected"
    positive = solve_ipopt(model, start=np.array([0.5]))
    assert positive.values == pytest.approx([1.0], abs=1e-6)
    assert capfd.readouterr() == ("", "")


def test_integers_are_refused_where_they_stand():
    with pytest.raises(TreemipError) as caught:
        solve_ipopt(small("cb", [1, 1], (), 0, 1))
    (found,) = caught.value.diagnostics
    assert (found.code, found.remedy) == ("E601", "solve it with SCIP")
    assert found.message == "Ipopt has no integers: 'v1' is binary"
    assert found.span is not None


@pytest.mark.parametrize("start", [np.zeros(3), np.array([INF, 0.0])])
def test_start_of_the_wrong_form_is_refused(start):
    with pytest.raises(TreemipError, match="E607"):
        solve_ipopt(small("cc", [1, 1], (), 0, 1), start=start)


def test_best_of_the_runs_is_kept():
    model = mrct(*random_data(30, 2, 3), 2)
    ipopt = Ipopt(model)
    points = [ipopt.point(k) for k in range(6)]
    single = [ipopt.solve([p]).objective for p in points]
    best = ipopt.solve(points)
    assert max(single) > min(single) + 0.01
    assert best.objective == min(single)
    assert best.message.startswith("best of 6 starts, 6 of which gave a solution")


def test_time_limit_keeps_what_was_found():
    model = mrct(*random_data(300, 8, 3), 3)
    ipopt = Ipopt(model, Limits(time=0.3))
    answer = ipopt.solve(ipopt.point(k) for k in range(1000))
    assert answer.status == "time_limit"
    assert answer.seconds < 3
    if answer.values is not None:
        assert violation(model, answer.values) <= 1e-6


def test_progress_tells_the_best_after_every_run_and_may_end_the_search():
    model = every_step(1)
    seen: list[Progress] = []

    def listen(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 3:
            raise RuntimeError("enough")

    ipopt = Ipopt(model, on_progress=listen)
    with pytest.raises(RuntimeError, match="enough"):
        ipopt.solve(ipopt.point(k) for k in range(9))
    assert [p.nodes for p in seen] == [1, 2, 3]
    assert all(p.bound is None and p.objective is not None for p in seen)


INTERRUPTED = """
    import json, os, signal, sys, threading
    sys.path[:0] = {paths}
    from tape_models import mrct, random_data
    from treemip.core.solvers.ipopt.solve import Ipopt
    from treemip.core.solving.interrupt import stoppable
    with stoppable():
        ipopt = Ipopt(mrct(*random_data(300, 8, 3), 2))
        points = (ipopt.point(k) for k in range(100000))
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        answer = ipopt.solve(points)
    print(json.dumps([answer.status, answer.values is not None, answer.seconds]))
"""


def test_ctrl_c_keeps_what_was_found():
    paths = [str(Path(__file__).parents[1])]
    script = textwrap.dedent(INTERRUPTED).format(paths=paths)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    status, found, seconds = json.loads(done.stdout)
    assert (status, found) == ("interrupted", True)
    assert seconds < 10


# ------------------------------------------------------------------ random points

INF_of_random_start = np.inf


def test_point_of_a_seed_depends_on_nothing_else_and_keeps_to_bounds():
    model = small(
        "ccccc",
        np.ones(5),
        (),
        [0, -INF_of_random_start, -INF_of_random_start, 3, 2],
        [1, INF_of_random_start, -4, INF_of_random_start, 2],
    )
    points = [random_point(model, 7, k) for k in range(50)]
    assert (random_point(model, 7, 3) == points[3]).all()
    assert len({p[0] for p in points}) == 50
    for p in points:
        assert (p >= [0, -1, -6, 3, 2]).all()
        assert (p <= [1, 1, -4, 5, 2]).all()
    assert not (random_point(model, 8, 3) == points[3]).all()


def arguments(model: Model, point: np.ndarray) -> np.ndarray:
    return slot_values(model.tape, point)[: model.tape.steps[0].length]


def test_arguments_of_logistic_functions_are_a_few_units():
    model = mrct(*random_data(40, 5, 3), 2, gamma=512.0)
    for k in range(10):
        point = random_point(model, 0, k)
        assert (point >= model.lower).all()
        assert (point <= model.upper).all()
        assert abs(np.sqrt(np.mean(arguments(model, point) ** 2)) - STEEP) < 1e-9
        labels = point[model.variables[2].start :]
        assert labels.max() > 0.7  # which stand in no argument


def test_gentle_slopes_are_left_as_they_are_drawn():
    x, y = random_data(40, 5, 3)
    gentle, none = mrct(x, y, 2, gamma=1.0), small("c" * 32, np.ones(32), (), -1, 1)
    point, drawn = random_point(gentle, 0, 3), random_point(none, 0, 3)
    split = gentle.variables[1].stop
    assert point[:split].tolist() == drawn[:split].tolist()


def test_bounds_that_leave_0_out_are_kept_to():
    rows = Affine(dense([[100.0, 100.0]]), nothing(1), np.zeros(1))
    tape = Tape((rows, Elementwise(Smooth.LOGISTIC, np.zeros(1, int))))
    model = small("cc", [1, 1], (), [0.5, -1], [1, 1]).with_(tape=tape)
    for k in range(10):
        first, second = random_point(model, 0, k)
        assert 0.5 <= first < 0.6
        assert abs(second) < 0.2


def test_the_steepest_step_decides_on_a_column_of_several():
    both = stack([dense([[900.0, 0]]), dense([[0, 1.0]])])
    tape = Tape(
        (
            Affine(dense([[9.0, 0]]), nothing(1), np.zeros(1)),
            Affine(both, nothing(2), np.zeros(2)),
            Elementwise(Smooth.LOGISTIC, np.array([0, 1, 2])),
        )
    )
    model = small("cc", [1, 1], (), -1, 1).with_(tape=tape)
    for k in range(10):
        point = random_point(model, 0, k)
        sums = 900 * point[0], point[1]
        assert np.hypot(*sums) <= STEEP * np.sqrt(2) * (1 + 1e-9)
