import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemip.instance.train_test import fold_of, share_rows, training_rows
from treemip.resolve.data_spec import Fold, Share
from treemip.source.span import Source, Span

AT = Span(Source("", ""), 0, 0)
LABELS = st.lists(st.integers(0, 4), min_size=1, max_size=80).map(np.array)
SEEDS = st.integers(0, 2**40)


@given(LABELS, st.floats(0.01, 1), SEEDS)
def test_a_share_has_its_size_and_its_classes(y: np.ndarray, share: float, seed: int) -> None:
    chosen = share_rows(y, share, seed)
    assert chosen.sum() == round(share * len(y))
    for k in range(5):
        exact = chosen.sum() * (y == k).mean()
        assert abs(chosen[y == k].sum() - exact) < 1
    np.testing.assert_array_equal(chosen, share_rows(y, share, seed))


@given(LABELS, st.integers(2, 7), SEEDS)
def test_folds_partition_the_rows(y: np.ndarray, count: int, seed: int) -> None:
    fold = fold_of(y, count, seed)
    tests = [
        ~training_rows(Fold(number=k, count=count, seed=seed, span=AT), y)
        for k in range(1, count + 1)
    ]
    assert (np.sum(tests, axis=0) == 1).all()
    for number, test in enumerate(tests, 1):
        np.testing.assert_array_equal(test, fold == number)
    for rows in (np.ones(len(y), bool), *(y == k for k in range(5))):
        sizes = np.bincount(fold[rows], minlength=count + 1)[1:]
        assert sizes.max() - sizes.min() <= 1


def test_these_rows_for_ever() -> None:
    """The rows of a seed are part of what a spec says: no release may change them."""
    y = np.array([0, 1] * 6)
    share = training_rows(Share(share=0.5, seed=1, span=AT), y)
    assert np.flatnonzero(share).tolist() == [0, 2, 4, 5, 7, 9]
    assert fold_of(y, 3, 1).tolist() == [3, 3, 1, 2, 2, 3, 3, 2, 1, 1, 2, 1]


def test_seeds_differ() -> None:
    y = np.zeros(50, np.int64)
    assert len({share_rows(y, 0.5, seed).tobytes() for seed in range(20)}) == 20


@pytest.mark.parametrize("share", [None, Share(share=1.0, span=AT)])
def test_all_rows(share: Share | None) -> None:
    assert training_rows(share, np.array([0, 1, 1])).all()
