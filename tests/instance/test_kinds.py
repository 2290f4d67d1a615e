from pathlib import Path

import pytest
from small_data import fault, load, spanned

from treemip.source.render import render


def csv(cells: list[str]) -> str:
    return "\n".join(["a,y", *(f"{cell},{k % 2}" for k, cell in enumerate(cells))])


@pytest.mark.parametrize(
    ("cells", "features"),
    [
        (["1", "2.5", "1e3"], ("a",)),
        (["x", "y", "x"], ("a=x", "a=y")),
        (["1_0", "2_0", "3"], ("a=1_0", "a=2_0", "a=3")),
        (["1", "x", "y"], ("a=1", "a=x", "a=y")),
    ],
)
def test_numbers_and_texts(tmp_path: Path, cells: list[str], features: tuple[str, ...]) -> None:
    data = load(tmp_path, csv(cells), "label y;")
    assert data.train.features == features
    assert not data.warnings


@pytest.mark.parametrize("word", ["?", "NA", "n/a", "NaN", "NULL", "-", "missing"])
def test_words_for_missing_among_numbers(tmp_path: Path, word: str) -> None:
    error = fault(tmp_path, csv(["1", "2", word, "4"]), "label y;")
    assert error.code == "E303"
    assert error.message == (
        f"row 3 of small.csv has '{word}' in column 'a', which otherwise holds numbers"
    )
    assert f'missing drop marks "{word}";' in error.remedy
    assert "encode onehot a;" in error.remedy
    marked = load(tmp_path, csv(["1", "2", word, "4"]), f'label y; missing drop marks "{word}";')
    assert marked.train.x.tolist() == [[1], [2], [4]]
    named = load(tmp_path, csv(["1", "2", word, "4"]), "label y; encode onehot a;")
    assert named.train.features == tuple(sorted(["a=1", "a=2", f"a={word}", "a=4"]))
    assert not named.warnings


@pytest.mark.parametrize("word", ["inf", "-Infinity"])
def test_infinity_among_numbers(tmp_path: Path, word: str) -> None:
    error = fault(tmp_path, csv(["1", word, "3"]), "label y; scale minmax a;")
    assert (error.code, spanned(error)) == ("E304", "a")
    assert error.message == f"row 2 of small.csv has '{word}' in column 'a', which is not finite"


def test_a_text_among_numbers_is_worth_a_warning(tmp_path: Path) -> None:
    data = load(tmp_path, csv(["2", "3", "4", "5more"]), "label y;")
    (warning,) = data.warnings
    assert warning.code == "W302"
    assert warning.message == "column 'a' is read as text, for row 4 of small.csv has '5more'"
    assert "encode onehot a;" in render(warning)
    assert not load(tmp_path, csv(["2", "3", "4", "5more"]), "label y; encode onehot a;").warnings


def test_a_question_mark_among_texts_is_a_category(tmp_path: Path) -> None:
    data = load(tmp_path, csv(["y", "?", "n", "y"]), "label y;")
    assert data.train.features == ("a=?", "a=n", "a=y")
    assert not data.warnings
