"""What a slot follows, through several steps."""

from __future__ import annotations

import numpy as np
from tape_models import dense, nothing

from treemip.model.tape import Affine, Elementwise, Product, Smooth, Tape
from treemip.solvers.ipopt.model import follows, sources


def test_a_slot_follows_the_first_of_a_chain():
    p = Elementwise(Smooth.EXP, np.zeros(2, int))
    q = Affine(nothing(2), dense([[0, -1.0, 0], [0, 0, 2.0]]), np.array([1.0, 0]))
    r = Affine(nothing(1), dense([[0, 0, 0, -3.0, 0]]), np.array([4.0]))
    both = Affine(nothing(1), dense([[0, 1.0, 1.0, 0, 0, 0]]), np.zeros(1))
    mixed = Affine(dense([[2.0]]), dense([[0, 1.0, 0, 0, 0, 0, 0]]), np.zeros(1))
    x = Affine(dense([[2.0]]), nothing(1), np.ones(1))
    found = sources(Tape((x, p, q, r, both, mixed)))
    assert found.slots.tolist() == [0, 1, 2, 1, 2, 1, 6, 7]
    assert found.rates.tolist() == [1, 1, 1, -1, 2, 3, 1, 1]
    assert found.shifts.tolist() == [0, 0, 0, 1, 0, 1, 0, 0]


def test_a_probability_and_what_is_left_of_1_come_from_the_same_tanh():
    """Paths are products of 1 + tanh(u / 2) and -1 + tanh(u / 2), each with its rate."""
    u = Affine(dense([[2.0]]), nothing(1), np.zeros(1))
    p = Elementwise(Smooth.LOGISTIC, np.zeros(1, int))
    rest = Affine(nothing(1), dense([[0, -1.0]]), np.ones(1))
    paths = Product(np.array([0, 2, 4, 4]), np.array([1, 2, 2, 2]))
    found = sources(Tape((u, p, rest, paths)))
    assert found.slots.tolist() == [0, 1, 1, 3, 4, 5]
    assert found.rates.tolist() == [2, 0.5, -0.5, -0.25, 0.25, 1]
    assert found.shifts.tolist() == [0, 0.5, 0.5, 0, 0, 0]


def test_a_constant_beyond_measure_is_no_shift():
    u = Affine(dense([[2.0]]), nothing(1), np.zeros(1))
    far = Affine(nothing(1), dense([[1e-9]]), np.ones(1))
    assert not follows(far)
    assert sources(Tape((u, far))).slots.tolist() == [0, 1]
