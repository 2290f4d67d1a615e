from pathlib import Path

import pytest
from small_data import fault, load, spec_of

from treemip.core.instance.roles import assign

NAMES = ("a", "b", "größe", "sex", "w", "row", "y")


def test_all_columns_that_are_read() -> None:
    roles = assign(spec_of("label y; use a; group sex; weight w; id row;"), NAMES)
    assert roles.all == ("y", "w", "row", "sex", "a")


def csv(cells: list[str]) -> str:
    return "\n".join(["a,y", *(f"{cell},{k % 2}" for k, cell in enumerate(cells))])


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


def test_a_column_of_many_dates_brings_a_warning(tmp_path: Path) -> None:
    days = [f"2023-01-{day:02}" for day in range(1, 31)]
    (warning,) = load(tmp_path, csv(days), "label y;").warnings
    assert warning.code == "W302" and "has 30 dates, such as 2023-01-01" in warning.message
    assert "weekday" in warning.remedy and "write  drop a;  or  encode onehot a;" in warning.remedy
    assert not load(tmp_path, csv(days), "label y; encode onehot a;").warnings
    assert not load(tmp_path, csv(days[:12] * 2), "label y;").warnings  # such as months
    assert not load(tmp_path, csv([*days, "later"]), "label y;").warnings
