"""A restricted model is the whole one, but for a constant, wherever its free columns go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tape_models import any_steps, every_step, mrct, random_data

from treemip.core.model.dependence import moving_slots
from treemip.core.model.model import Model
from treemip.core.model.restriction import restricted
from treemip.core.model.values import objective_value, row_values, slot_values


def assert_same(model: Model, free: np.ndarray, seed: int, proximal: float = 0.0) -> None:
    random = np.random.default_rng(seed)
    x, y = random.uniform(model.lower, model.upper, (2, model.column_count))
    y = np.where(free, y, x)
    part = restricted(model, free, proximal, free)
    slots = slot_values(model.tape, x)
    known = part.parameters(x, slots)
    assert len(known) == part.count == part.model.column_count - free.sum()
    own = [np.concatenate([point[free], known]) for point in (x, y)]
    sign = -1.0 if model.objective.sense == "maximize" else 1.0
    rise = objective_value(model, y) - objective_value(model, x)
    rise += sign * proximal / 2 * ((y - x) ** 2).sum()
    found = objective_value(part.model, own[1]) - objective_value(part.model, own[0])
    assert found == pytest.approx(rise, rel=1e-9, abs=1e-9)
    body = [row_values(model, point) for point in (x, y)]
    risen = row_values(part.model, own[1]) - row_values(part.model, own[0])
    assert risen == pytest.approx((body[1] - body[0])[part.rows], rel=1e-9, abs=1e-9)
    others = np.setdiff1d(np.arange(model.row_count), [*part.rows, *part.single.row])
    assert (body[1][others] == body[0][others]).all()


@given(seed=st.integers(0, 10**6), mask=st.integers(1, 14))
def test_a_part_of_any_tape_is_the_whole_of_it(seed: int, mask: int) -> None:
    for model in (every_step(seed), every_step(seed, "maximize"), any_steps(seed)):
        free = np.array([mask >> k & 1 for k in range(model.column_count)], bool)
        free[0] |= not free.any()
        assert_same(model, free, seed, proximal=0.7 * (seed % 2))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_part_of_a_randomized_tree(depth: int) -> None:
    model = mrct(*random_data(20, 3, 2), depth)
    bias, label = model.block("bias"), model.block("label")
    for branch in range(bias.length):
        free = np.zeros(model.column_count, bool)
        free[3 * branch : 3 * branch + 3] = free[bias.start + branch] = True
        assert_same(model, free, branch)
        free[label.start :] = True
        assert_same(model, free, branch, 0.1)


def test_with_the_branches_known_a_term_is_left_for_each_leaf_and_class() -> None:
    model = mrct(*random_data(50, 2, 3), 2)
    label = model.block("label")
    free = np.arange(model.column_count) >= label.start
    part = restricted(model, free, 0.0, free)
    few = mrct(*random_data(20, 2, 3), 2)
    assert part.model.tape.length - part.count == (
        restricted(few, free, 0.0, free).model.tape.length - restricted(few, free, 0.0, free).count
    )


def test_only_what_depends_on_a_free_column_moves() -> None:
    model = every_step(3)
    none, every = (np.full(model.column_count, here) for here in (False, True))
    assert not moving_slots(model.tape, none).any()
    random = np.random.default_rng(0)
    x = random.uniform(model.lower, model.upper)
    changed = np.zeros(model.tape.length, bool)
    for _ in range(5):
        y = random.uniform(model.lower, model.upper)
        changed |= slot_values(model.tape, x) != slot_values(model.tape, y)
    assert (moving_slots(model.tape, every) >= changed).all()
