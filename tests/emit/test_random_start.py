"""Random points keep to the bounds, and to where logistic functions are not flat."""

from __future__ import annotations

import numpy as np
from small_models import small
from tape_models import dense, mrct, nothing, random_data

from treemip.model.model import Model
from treemip.model.rows import stack
from treemip.model.tape import Affine, Elementwise, Smooth, Tape
from treemip.model.tape_values import slot_values
from treemip.solvers.ipopt.solve import STEEP, random_point

INF = np.inf


def test_point_of_a_seed_depends_on_nothing_else_and_keeps_to_bounds():
    model = small("ccccc", np.ones(5), (), [0, -INF, -INF, 3, 2], [1, INF, -4, INF, 2])
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
