from pathlib import Path

import pytest
from small_data import fault, load, spanned

CSV = "a,w,y\n1,1,good\n2,0.5,bad\n3,2,good\n4,1,bad\n"


def test_classes_and_their_numbers(tmp_path: Path) -> None:
    train = load(tmp_path, CSV, "label y; use a;").train
    assert train.classes == ("bad", "good")
    assert train.y.tolist() == [1, 0, 1, 0]
    assert train.y.dtype == "int64"


def test_classes_that_are_numbers_sort_as_numbers(tmp_path: Path) -> None:
    csv = "a,y\n1,10\n2,9\n3,9.0\n4,-1\n"
    train = load(tmp_path, csv, "label y;").train
    assert train.classes == ("-1", "9", "10")
    assert train.y.tolist() == [2, 1, 1, 0]


@pytest.mark.parametrize(
    ("said", "number"),
    [("label y;", None), ("label y positive good;", 1), ('label y; positive "bad";', 0)],
)
def test_the_positive_class(tmp_path: Path, said: str, number: int | None) -> None:
    assert load(tmp_path, CSV, said).positive == number


@pytest.mark.parametrize("said", ["1", '"1.0"', "1.0"])
def test_a_positive_number(tmp_path: Path, said: str) -> None:
    assert load(tmp_path, "a,y\n1,0\n2,1\n", f"label y positive {said};").positive == 1


def test_an_unknown_positive_class(tmp_path: Path) -> None:
    error = fault(tmp_path, CSV, 'label y positive "Good";')
    assert (error.code, error.caret, spanned(error)) == ("E309", "did you mean 'good'?", '"Good"')
    assert error.remedy == "its classes are 'bad', 'good'"


def test_one_class(tmp_path: Path) -> None:
    error = fault(tmp_path, "a,y\n1,x\n2,x\n", "label y;")
    assert (error.code, spanned(error)) == ("E305", "y")
    assert error.message == "the label 'y' has one class only, 'x', where two are needed"


def test_a_label_that_looks_like_a_quantity(tmp_path: Path) -> None:
    csv = "\n".join(["a,y", *(f"{k},{k / 7}" for k in range(30))])
    (warning,) = load(tmp_path, csv, "label y;").warnings
    assert (warning.code, spanned(warning)) == ("W302", "y")
    assert warning.message == "the label 'y' has 30 different numbers in 30 rows"
    assert warning.remedy == (
        "each number is a class of its own: a tree predicts classes, not quantities yet; cut the "
        "label into a few classes beforehand, such as low, middle and high"
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


@pytest.mark.parametrize("train", ["train 0.3;", "train fold 1 of 2;", "train 0.01;"])
def test_a_training_part_without_two_classes(tmp_path: Path, train: str) -> None:
    error = fault(tmp_path, "a,y\n1,x\n2,z\n", f"label y; {train}")
    assert (error.code, spanned(error)) == ("E306", train)


def test_a_class_that_training_lacks(tmp_path: Path) -> None:
    rows = [f"{k},{'abc'[k % 3] if k < 28 else 'rare'}" for k in range(29)]
    csv = "\n".join(["a,y", *rows])
    data = load(tmp_path, csv, "label y; train 0.25;")
    (warning,) = data.warnings
    assert (warning.code, spanned(warning)) == ("W302", "train 0.25;")
    assert warning.message == "the training part has no row of the class 'rare'"
    assert data.train.classes == ("a", "b", "c", "rare")
    assert data.test is not None and 3 in data.test.y


def test_weights(tmp_path: Path) -> None:
    data = load(tmp_path, CSV, "label y; weight w;")
    assert data.train.weight.tolist() == [1, 0.5, 2, 1]
    assert data.train.features == ("a",)
    assert load(tmp_path, CSV, "label y;").train.weight.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("weight", ["0", "-1", "x", "inf"])
def test_weights_that_weigh_nothing(tmp_path: Path, weight: str) -> None:
    error = fault(tmp_path, CSV.replace("0.5", weight), "label y; weight w;")
    assert (error.code, spanned(error)) == ("E311", "w")
    assert error.message == (
        f"row 2 of small.csv has the weight '{weight}', not a positive finite number"
    )
