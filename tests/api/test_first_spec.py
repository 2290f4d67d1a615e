"""First specs: what a table gives a reason for stands in them, and they compile as they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from suite import class_formulations

import treemip
from treemip.api.program import loads
from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.format import format_text
from treemip.study.init.first_spec import first_spec

TABLES = sorted((specs_path() / "data").glob("*.csv"))


def with_constraint(text: str) -> str:
    """The text after its reader has followed the comment on the constraint."""
    head, tail = text.split("before the next two lines.\n")
    return head + "x\n" + re.sub(r"^# ", "", tail, count=2, flags=re.M)


def with_groups(text: str) -> str:
    return re.sub(r"^(\s*)# group", r"\1group", text, flags=re.M)


def made(folder: Path, table: str, **options) -> str:
    (folder / "t.csv").write_text(table)
    return first_spec(folder / "t.csv", folder, **options).text


def data_block(text: str) -> list[str]:
    """The lines of the data block, comments and all."""
    lines = text.split("\n")
    start = next(k for k, line in enumerate(lines) if line.startswith("data "))
    return [line.strip() for line in lines[start + 1 : lines.index("}")]]


ROWS = [(k, k % 7, "female" if k % 2 else "male", "yes" if k % 7 > 3 else "no") for k in range(24)]
CSV = "customer_id,visits,sex,buys\n" + "".join(f"{','.join(map(str, row))}\n" for row in ROWS)
TEXT = """\
# A first spec for t.csv, by treemip init.
data "t.csv" {
  # label: guessed: the last column, with few values
  # positive class: by its name
  # classes: no (15), yes (9)
  label  buys positive "yes";
  drop   customer_id;  # numbers the rows
  # group sex;  # for fairness constraints, not for splits
  encode onehot(drop = if_binary, unseen = zero);  # text: a 0/1 column for each value
  scale  minmax;  # for oct; trees are shown in the table's own units
  # train 0.75 seed 1;  # keeps a quarter of the rows for a test
}
topology complete(depth = 2);
split univariate by oct;

# A constraint to try: remove the "# " before the next two lines.
# subject to
#   found: recall["yes"] >= 0.7;

strategy {
  time_limit 60;  # seconds
  seed       1;
}
"""


def test_the_whole_text(tmp_path):
    assert made(tmp_path, CSV) == TEXT


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_shipped_tables_have_a_first_spec_whose_constraint_and_groups_can_be_tried(path):
    text = first_spec(path, path.parent).text
    assert format_text(Source("<text>", text)) == text
    for each in (
        text,
        with_constraint(text),
        with_groups(text),
        with_groups(with_constraint(text)),
    ):
        loads(each, base=path.parent).compile()


@pytest.mark.parametrize("formulation", class_formulations())
def test_every_formulation_takes_what_it_wants_of_the_features(formulation, tmp_path):
    text = made(tmp_path, CSV, formulation=formulation, depth=1)
    assert f" by {formulation};" in text and "complete(depth = 1)" in text
    loads(with_constraint(text), base=tmp_path).compile()


def test_a_label_that_is_a_measurement_is_predicted_as_a_number(tmp_path):
    table = "u,v,price\n" + "".join(f"{k % 7},{k % 3},{2.5 * k + k % 5}\n" for k in range(24))
    text = made(tmp_path, table, label="price", depth=1)
    assert data_block(text)[:2] == [
        "# numbers: 0 to 60.5, 24 different ones",
        "label price number;",
    ]
    assert "split univariate by ort(squared = 1);" in text and "points_in[l] >= 5" in text
    result = loads(with_constraint(text), base=tmp_path).compile().solve(time_limit=5)
    assert result.verified and result.objective < 1


def test_a_formulation_that_predicts_numbers_guesses_such_a_label(tmp_path):
    table = "u,kind,size\n" + "".join(f"{k * k % 11},{'ab'[k % 2]},{k % 4}\n" for k in range(24))
    spec = made(tmp_path, table, formulation="ort_linear")
    assert "guessed: the last column, a number" in spec and "size number;" in spec
    with pytest.raises(TreemipError) as caught:
        made(tmp_path, table, formulation="ort", label="kind")
    assert str(caught.value) == (
        "error[E902]: the label 'kind' holds text, and ort predicts numbers\n"
        "  = help: name another label: --label"
    )


def test_a_first_spec_solves_and_with_its_constraint_too(tmp_path):
    text = made(tmp_path, CSV)
    assert loads(text, base=tmp_path).compile().solve().train_errors == 0
    result = loads(with_constraint(text), base=tmp_path).compile().solve()
    assert (result.status, result.verdict) == ("optimal", "verified")


def test_formulations_that_want_0_or_1_get_bins_and_codes(tmp_path):
    rows = "".join(f"{2 * k},{k % 3},{'ab'[k % 2]}\n" for k in range(24))
    lines = data_block(made(tmp_path, "u,code,class\n" + rows, formulation="flow_oct"))
    assert lines[-3:-1] == [
        "encode onehot(drop = if_binary, unseen = zero) code;",
        "bin    quantile(4);  # flow_oct wants features that are 0 or 1",
    ] and not any(line.startswith("scale") for line in lines)


def test_few_missing_rows_are_left_out_and_many_are_filled_in(tmp_path):
    few = "a,b,class\n" + "".join(
        f"{k % 5},{'?' if k == 3 else k},{'xy'[k % 2]}\n" for k in range(40)
    )
    many = "a,b,class\n" + "".join(
        f"{'' if k % 4 else k},{'?' if k % 3 else 'uv'[k % 2]},{'xy'[k % 2]}\n" for k in range(40)
    )
    assert 'missing drop marks "?";  # 1 of 40 rows have missing values' in data_block(
        made(tmp_path, few)
    )
    text = made(tmp_path, many)
    assert [line for line in data_block(text) if line.startswith("missing")] == [
        "missing impute(median) a;  "
        "# or  missing side;  then each split chooses the side of missing values",
        "missing impute(mode) b;",
        'missing marks "?";',
    ]
    loads(text, base=tmp_path).compile()


def test_a_mark_that_is_a_class_marks_nothing(tmp_path):
    table = "a,b,class\n" + "".join(
        f"{k % 5},{'-' if k == 3 else 2 * k},{'-+'[k % 2]}\n" for k in range(40)
    )
    lines = data_block(made(tmp_path, table))
    assert "drop b; # its mark for a missing value is a class" in [
        " ".join(x.split()) for x in lines
    ]
    assert not any(line.startswith("missing") for line in lines)


def test_rows_without_a_label_are_left_out(tmp_path):
    table = "a,class\n" + "".join(
        f"{2 * k},{'?' if k % 4 == 0 else 'xy'[k % 2]}\n" for k in range(40)
    )
    program = loads(made(tmp_path, table), base=tmp_path)
    assert program.data is not None and program.data.train.classes == ("x", "y")
    assert len(program.data.train.y) == 30


def test_dates_and_numbers_with_a_unit_are_left_out_with_the_reason(tmp_path):
    rows = "".join(
        f"2024-{1 + k % 12:02}-{1 + k % 28:02},${k}.50,{k % 9},{'xy'[k % 2]}\n" for k in range(90)
    )
    lines = [" ".join(x.split()) for x in data_block(made(tmp_path, "day,paid,a,class\n" + rows))]
    assert "drop day; # dates: save them as plain numbers to split on them" in lines
    assert "drop paid; # numbers with a unit: save them as plain numbers to split on them" in lines


@pytest.mark.parametrize(
    ("more", "learned"),
    [({}, "0.75 seed 1;  # learn from 7500"), ({"depth": 3}, "0.2 seed 1;  # learn from 2000")],
)
def test_deep_trees_are_learned_from_a_part_of_large_tables(tmp_path, more, learned):
    """Of shallow univariate ones an exact engine proves the best in seconds."""
    table = "a,class\n" + "".join(f"{k % 50},{'xy'[k % 2]}\n" for k in range(10_000))
    assert data_block(made(tmp_path, table, **more))[-1] == f"train {learned} of 10000 rows"


def test_without_a_formulation_one_without_a_warning_is_taken(tmp_path):
    table = "a,class\n" + "".join(f"{k * 1e-7 + (k > 20)},{'xy'[k % 2]}\n" for k in range(40))
    (tmp_path / "t.csv").write_text(table)
    spec = first_spec(tmp_path / "t.csv", tmp_path)
    assert spec.formulation == "binoct"
    assert spec.passed_over.startswith("oct warns: points whose values differ by 1e-5 or less")
    far = "a,class\n" + "".join(f"{k % 9},{'xy'[k % 2]}\n" for k in range(40))
    (tmp_path / "t.csv").write_text(far)
    spec = first_spec(tmp_path / "t.csv", tmp_path)
    assert (spec.formulation, spec.passed_over) == ("oct", "")


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("a,b\n1,2\n3,4\n", {}),
    (CSV, {"label": "bys"}),
    (CSV, {"label": "zz"}),
    (CSV, {"formulation": "soctt"}),
    (CSV, {"depth": 0}),
    ("a,b\n1,x\n3,x\n", {"label": "b"}),
    ("id,c,class\n1,5,x\n2,5,y\n3,5,x\n4,5,y\n", {}),
    ("a;class\n1,5;x\n2,5;y\n3,1;x\n4,0;y\n", {}),
    ('a,class\n"1,200,000",x\n900,y\n"3,500",x\n"4,100",y\n', {}),
    ('a,class\n"1,200",x\n"2,500",y\n"3,500",x\n"4,100",y\n', {}),
    ("a,class\n1,x\n2,x\n3,x\n", {}),
    ("a,class\n" + "".join(f"{k % 2},c{k % 30}\n" for k in range(60)), {}),
    (
        "a,price\n" + "".join(f"{k % 2},{k}.5\n" for k in range(40)),
        {"label": "price", "formulation": "binoct"},
    ),
    ("class\nx\ny\nx\ny\n", {}),
    (
        "a,class\n" + "".join(f"{2 * k},{'xyz'[k % 3]}\n" for k in range(12)),
        {"formulation": "margot"},
    ),
    (
        "a,class\n" + "".join(f"{2 * k},{'uvxyz'[k % 5]}\n" for k in range(15)),
        {"formulation": "mrct"},
    ),
]


def test_tables_and_options_that_have_no_first_spec(tmp_path, golden):
    said = []
    for table, options in REFUSED:
        with pytest.raises(TreemipError) as error:
            made(tmp_path, table, **options)
        first = TreemipError(error.value.diagnostics[0])
        said.append(f"== {options} {table[:40]!r}\n{first}\n")
    golden("refused_tables.expected", "\n".join(said).replace(f"{tmp_path}/", ""))


# ---------------------------------------------------------------------------- whatever the table

CELLS = st.one_of(
    st.integers(-3, 3).map(str),
    st.floats(-1e6, 1e6, width=32).map(str),
    st.sampled_from(["?", "", "NA", "-", "none", "inf", "low", "x;y", '"a b"', "ä", "1e5", "+"]),
)
NAMES = st.sampled_from(
    [
        "a",
        "sex",
        "Age",
        "id",
        "x y",
        "größe",
        "positive",
        "marks",
        "all",
        "seed",
        "if",
        "V1",
        "100%",
    ]
)


@st.composite
def tables(draw) -> str:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    count = draw(st.integers(4, 30))
    pools = [draw(st.lists(CELLS, min_size=1, max_size=6)) for _ in names]
    rows = [[draw(st.sampled_from(pool)) for pool in pools] for _ in range(count)]
    classes = [draw(st.sampled_from(["u", "v", "?"])) for _ in range(count)]
    lines = [",".join([*row, c]) for row, c in zip(rows, classes, strict=True)]
    return "\n".join([",".join([*names, "class"]), *lines]) + "\n"


def test_a_column_without_a_value_where_the_label_has_one_is_dropped(tmp_path):
    text = made(tmp_path, "a,b,sex,class\n0,1,?,u\n0,2,0,?\n1,3,?,v\n0,3,1,?\n1,1,?,u\n")
    assert "drop sex;" in " ".join(text.split()) and treemip.loads(text, base=tmp_path).compile()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
def test_any_table_gets_a_spec_that_compiles_or_a_message(table, tmp_path):
    try:
        text = made(tmp_path, table)
    except TreemipError as error:
        assert {one.code for one in error.diagnostics} <= {"E301", "E902", "E306"}, table
        return
    assert format_text(Source("<text>", text)) == text
    for each in (text, with_constraint(text), with_groups(text)):
        assert treemip.loads(each, base=tmp_path).compile().model.row_count > 0
