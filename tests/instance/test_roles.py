import pytest
from small_data import spanned, spec_of

from treemip.instance.roles import Roles, assign
from treemip.source.diagnostic import TreemipError

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
    assign(spec_of("label y; group sex; missing drop y, sex;"), NAMES)
