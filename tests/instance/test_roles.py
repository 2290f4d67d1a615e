from pathlib import Path

import pytest
from small_data import fault, load, spanned, spec_of

from treemip.core.instance.roles import Roles, assign
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.render import render

NAMES = ("a", "b", "größe", "sex", "w", "row", "y")


@pytest.mark.parametrize(
    ("settings", "roles"),
    [
        ("label y;", Roles("y", ("a", "b", "größe", "sex", "w", "row"))),
        (
            "label y; drop b; group sex; weight w; id row;",
            Roles("y", ("a", "größe"), ("sex",), "w", "row"),
        ),
        ('label y; use "größe", a;', Roles("y", ("größe", "a"))),
        ("label y; use a; group w, sex;", Roles("y", ("a",), ("w", "sex"))),
    ],
)
def test_who_is_what(settings: str, roles: Roles) -> None:
    assert assign(spec_of(settings), NAMES) == roles


def test_all_columns_that_are_read() -> None:
    roles = assign(spec_of("label y; use a; group sex; weight w; id row;"), NAMES)
    assert roles.all == ("y", "w", "row", "sex", "a")


@pytest.mark.parametrize(
    ("settings", "place", "code", "caret"),
    [
        ("label Y;", "Y", "E302", "did you mean 'y'?"),
        ("label y; drop c;", "c", "E302", ""),
        ('label y; use "grösse";', '"grösse"', "E302", "did you mean 'größe'?"),
        ("label y; group sexx;", "sexx", "E302", "did you mean 'sex'?"),
        ("label y; weight v;", "v", "E302", ""),
        ("label y; id rwo;", "rwo", "E302", "did you mean 'row'?"),
        ("label y; encode onehot c;", "c", "E302", ""),
        ('label y; encode ordinal c("1", "2");', 'c("1", "2")', "E302", ""),
        ("label y; scale minmax c;", "c", "E302", ""),
        ("label y; bin quantile(5) c;", "c", "E302", ""),
        ("label y; missing drop c;", "c", "E302", ""),
        ("label y; encode onehot y;", "y", "E209", ""),
        ("label y; drop b; scale minmax b;", "b", "E209", ""),
        ("label y; use a; bin quantile(5) b;", "b", "E209", ""),
        ("label y; group sex; missing impute(mode) sex;", "sex", "E209", ""),
        (
            'label y; drop a, b, "größe", sex, w, row;',
            'data "small.csv" { label y; drop a, b, "größe", sex, w, row; }',
            "E306",
            "",
        ),
    ],
)
def test_faults_stand_at_their_setting(settings: str, place: str, code: str, caret: str) -> None:
    with pytest.raises(TreemipError) as caught:
        assign(spec_of(settings), NAMES)
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.caret, spanned(fault)) == (code, caret, place)
    if code == "E302":
        assert "'a', 'b', 'größe', 'sex', 'w', 'row', 'y'" in fault.remedy


def test_all_unknown_names_at_once() -> None:
    with pytest.raises(TreemipError) as caught:
        assign(spec_of("label z; drop p; scale minmax q;"), NAMES)
    assert [spanned(fault) for fault in caught.value.diagnostics] == ["z", "p", "q"]


def test_a_missing_rule_may_name_what_is_no_feature() -> None:
    roles = assign(spec_of("label y; group sex; missing drop y, sex;"), NAMES)
    assert roles == Roles("y", ("a", "b", "größe", "w", "row"), ("sex",))


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


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("inf", "which is not finite"),
        ("-Infinity", "which is not finite"),
        ("1e400", "a number too large for a double"),
        ("-2.5E+999", "a number too large for a double"),
    ],
)
def test_infinity_among_numbers(tmp_path: Path, word: str, why: str) -> None:
    error = fault(tmp_path, csv(["1", word, "3"]), "label y; scale minmax a;")
    assert (error.code, spanned(error)) == ("E304", "a")
    assert error.message == f"row 2 of small.csv has '{word}' in column 'a', {why}"


def test_a_text_among_numbers_is_worth_a_warning(tmp_path: Path) -> None:
    data = load(tmp_path, csv(["2", "3", "4", "5more"]), "label y;")
    (warning,) = data.warnings
    assert warning.code == "W302"
    assert warning.message == "column 'a' is read as text, because row 4 of small.csv has '5more'"
    assert "encode onehot a;" in render(warning)
    assert not load(tmp_path, csv(["2", "3", "4", "5more"]), "label y; encode onehot a;").warnings


def test_numbers_with_a_decimal_comma_are_worth_a_warning(tmp_path: Path) -> None:
    data = load(tmp_path, csv(['"1,5"', '"2,25"', "3", "4"]), "label y;")
    (warning,) = data.warnings
    assert (warning.code, warning.message, warning.remedy) == (
        "W302",
        "column 'a' has numbers with a decimal comma, such as 1,5, so it is read as text",
        "save the table with decimal points: 1.5, or write  encode onehot a;  if the column is "
        "meant as text",
    )


def test_a_question_mark_among_texts_is_a_category(tmp_path: Path) -> None:
    data = load(tmp_path, csv(["y", "?", "n", "y"]), "label y;")
    assert data.train.features == ("a=?", "a=n", "a=y")
    assert not data.warnings
