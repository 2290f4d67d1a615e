"""Terms are worth the same however their parts are added together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.core.solvers.ipopt.taylor_terms import Terms, distinct, matrix, merged, ordered

ca = pytest.importorskip("casadi")

SIZE = 6
Pairs = list[list[tuple[int, int]]]
pairs_of_parts = st.lists(
    st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), min_size=1, max_size=9),
    min_size=1,
    max_size=4,
)


def parts_of(pairs: Pairs) -> tuple[ca.MX, list[Terms]]:
    """A symbol of all values, and a part for each list of pairs."""
    u, parts, begin = ca.MX.sym("u", sum(map(len, pairs))), [], 0
    for some in pairs:
        first, second = np.array(some).T
        parts.append(ordered(first, second, u[begin : begin + len(some)]))
        begin += len(some)
    return u, parts


def totals(u: ca.MX, parts: list[Terms]) -> np.ndarray:
    """The sum of the terms of each pair, (SIZE, SIZE), where the values are 1, 2, 4, ..."""
    total = np.zeros((SIZE, SIZE))
    for part in parts:
        value = np.array(ca.Function("f", [u], [part.value])(2.0 ** np.arange(u.numel())))
        np.add.at(total, (part.first, part.second), value.ravel())
    return total


@given(pairs_of_parts, st.sampled_from([0.0, 0.5, 1.0]))
def test_merged_terms_are_worth_the_same(pairs, worth):
    u, parts = parts_of(pairs)
    found = merged(ca, parts, worth)
    assert totals(u, found).tolist() == totals(u, parts).tolist()
    assert all(part.highest == part.first.max() for part in found)
    if worth == 1.0:
        every = [(f, s) for part in found for f, s in zip(part.first, part.second, strict=True)]
        assert len(every) == len(set(every))


@given(pairs_of_parts)
def test_matrix_of_terms(pairs):
    u, parts = parts_of(pairs)
    found = ca.Function("f", [u], [matrix(ca, parts, (SIZE, SIZE))])(2.0 ** np.arange(u.numel()))
    assert np.array(ca.DM(found)).tolist() == totals(u, parts).tolist()
    assert found.nnz() == np.count_nonzero(totals(u, parts))


@given(st.lists(st.tuples(st.integers(3, 10**9), st.integers(0, 3)), min_size=1, max_size=30))
def test_distinct_pairs(pairs):
    first, second = np.array(pairs).T
    found = distinct(first, second)
    if len(set(pairs)) == len(pairs):
        assert found is None
        return
    kept, which = found
    assert [pairs[k] for k in kept] == sorted(set(pairs))
    assert [pairs[kept[k]] for k in which] == pairs


def test_parts_of_the_same_pairs_in_another_order_need_no_matrix():
    u, parts = parts_of([[(3, 1), (2, 0), (5, 4)], [(5, 4), (3, 1), (2, 0)]])
    (found,) = merged(ca, parts)
    assert totals(u, [found]).tolist() == totals(u, parts).tolist()
    function = ca.Function("f", [u], [found.value])
    made = [function.instruction_id(k) for k in range(function.n_instructions())]
    assert ca.OP_MTIMES not in made


def test_little_is_not_worth_a_matrix():
    _, parts = parts_of([[(0, 0), (1, 0), (2, 0)], [(3, 0), (2, 0)]])
    assert merged(ca, parts, 0.75) == parts
    (together,) = merged(ca, parts, 0.81)
    assert len(together.first) == 4
