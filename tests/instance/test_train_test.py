from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_data import load, spanned

from treemip.core.instance.train_test import fold_of, share_rows, training_rows
from treemip.core.resolve.settings.data_spec import Fold, Share
from treemip.core.source.span import Source, Span


def test_a_label_that_looks_like_a_quantity(tmp_path: Path) -> None:
    csv = "\n".join(["a,y", *(f"{k},{k / 7}" for k in range(30))])
    (warning,) = load(tmp_path, csv, "label y;").warnings
    assert (warning.code, spanned(warning)) == ("W302", "y")
    assert warning.message == "the label 'y' has 30 different numbers in 30 rows"
    assert warning.remedy == (
        "each number is a class of its own: write  label y number;  for a formulation that uses "
        "the label as a number, or cut it into a few classes, such as low, middle and high"
    )


@pytest.mark.parametrize(
    ("rows", "classes", "unit", "message"),
    [
        (434, 113, 1, "the label 'y' has 113 different numbers in 434 rows"),
        (2000, 30, 0.5, "the label 'y' has 30 different numbers in 2000 rows"),
        (30, 10, 1, None),  # digits
        (520, 26, 1, None),  # letters, by their numbers
        (300, 20, 0.5, None),  # marks
        (6000, 100, 1, None),
    ],
)
def test_which_numbers_are_quantities(
    tmp_path: Path, rows: int, classes: int, unit: float, message: str | None
) -> None:
    csv = "\n".join(["a,y", *(f"{k},{k % classes * unit}" for k in range(rows))])
    warnings = load(tmp_path, csv, "label y;").warnings
    assert [w.message for w in warnings] == ([] if message is None else [message])


def test_texts_that_are_nearly_all_different(tmp_path: Path) -> None:
    csv = "\n".join(["a,y", *(f"{k},name{k}" for k in range(30))])
    (warning,) = load(tmp_path, csv, "label y;").warnings
    assert warning.message == "the label 'y' has 30 classes for 30 rows"


def test_a_class_that_training_lacks(tmp_path: Path) -> None:
    rows = [f"{k},{'abc'[k % 3] if k < 28 else 'rare'}" for k in range(29)]
    csv = "\n".join(["a,y", *rows])
    data = load(tmp_path, csv, "label y; train 0.25;")
    (warning,) = data.warnings
    assert (warning.code, spanned(warning)) == ("W302", "train 0.25;")
    assert warning.message == "the training part has no row of the class 'rare'"
    assert data.train.classes == ("a", "b", "c", "rare")
    assert data.test is not None and 3 in data.test.y


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
