"""Builders: the text they make, the data they take, and where their errors point."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemip
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse

X = np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 5.0], [3.0, 3.0], [4.0, 5.0], [5.0, 3.0]])
Y = np.array(["no", "no", "no", "yes", "yes", "yes"])

WHOLE = """\
tree demo;
data "memory" {
  label   y positive yes;
  use     "age band", "say \\"a\\"\\\\b", "drop";
  group   g;
  encode  ordinal("lo", "hi") "age band";
  scale   minmax "drop";
  scale   none "say \\"a\\"\\\\b";
  missing drop marks "?";
  train   0.75 seed 1;
}
topology complete(depth = 1);
split oblique by soct(eps = 0.01);
param budget = 1 "features a split may use";
var extra {l in leaves} >= 0, <= 3;
minimize cost: misclassified + 0.5 * splits;
subject to
  few {t in branches}: sum {j in features} uses[t,j] <= budget;
drop go_left, go_right;
strategy {
  start      cart;
  time_limit 60;
}
"""


def whole() -> treemip.Builder:
    columns = {
        "age band": ["lo", "hi"] * 3,
        'say "a"\\b': [1.0, 2, 3, 4, 5, 6],
        "g": ["m", "f"] * 3,
        "drop": [0.0, 1, 2, 3, 4, 5],
        "y": ["yes", "no"] * 3,
    }
    return (
        treemip.Builder("demo")
        .data(
            columns,
            label="y",
            positive="yes",
            use=["age band", 'say "a"\\b', "drop"],
            group="g",
            encode={"ordinal": {"age band": ["lo", "hi"]}},
            scale={"minmax": "drop", "none": ['say "a"\\b']},
            missing="drop",
            marks="?",
            train=(0.75, 1),
        )
        .topology(depth=1)
        .split("oblique", by="soct", eps=0.01)
        .param("budget", 1, "features a split may use")
        .var("extra {l in leaves} >= 0, <= 3")
        .minimize("misclassified + 0.5 * splits", name="cost")
        .subject_to("few {t in branches}: sum {j in features} uses[t,j] <= budget;")
        .drop("go_left", "go_right")
        .strategy(start="cart", time_limit=60)
    )


def test_the_text_of_every_call() -> None:
    assert whole().text() == WHOLE


def test_the_program_is_that_of_the_text() -> None:
    assert whole().program().file == treemip.loads(WHOLE).file


def frames() -> list[object]:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"a": X[:, 0], "b": X[:, 1], "class": Y}
    return [pandas.DataFrame(columns), polars.DataFrame(columns), columns, (X, Y)]


@pytest.mark.parametrize("kind", range(4), ids=["pandas", "polars", "dict", "X, y"])
def test_every_table_gives_the_same_verified_tree(kind: int) -> None:
    frame = frames()[kind]
    builder = treemip.Builder().data(frame, scale="minmax").topology(depth=1).split("univariate")
    result = builder.compile().solve("highs")
    assert result.tree is not None
    assert (result.status, result.train_errors, result.verified) == ("optimal", 0, True)
    assert (
        result.tree.predict_numbers(result.compiled.instance.table.x) == [0] * 3 + [1] * 3
    ).all()


def test_a_path_is_taken_from_the_base(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,class\n0,n\n1,y\n2,y\n")
    builder = treemip.Builder(base=tmp_path).data("t.csv").topology(shape="(. (. .))")
    compiled = builder.split("univariate").compile()
    assert compiled.instance.table.x.tolist() == [[0.0], [1.0], [2.0]]
    assert compiled.instance.topology is not None
    assert compiled.instance.topology.heap.tolist() == [1, 2, 3, 6, 7]


def test_parameters_and_cuts_at_compilation() -> None:
    builder = treemip.Builder().data((X, Y), scale="minmax").topology(depth=1)
    builder.split("oblique", by="soct").cut("some {l in leaves}: sum {i in points} reach[i,l] >= 1")
    compiled = builder.compile(cuts=["some"], eps=0.25)
    assert compiled.instance.values["eps"].values.tolist() == [0.25]
    assert [r.length for r in compiled.model.rows if r.name == "some"] == [2]
    assert "some" not in {r.name for r in builder.compile().model.rows}


def test_sets_lets_and_statements() -> None:
    builder = treemip.Builder().set("ks", "1..3").let("double {k in ks}", "2 * v[k]")
    builder.var("v {k in ks} >= 0, <= 4", "amount").maximize("sum {k in ks} double[k]")
    builder.statement("subject to cap: sum {k in ks} v[k] <= 5;")
    assert builder.text() == (
        "set ks = 1..3;\n"
        "let double {k in ks} = 2 * v[k];\n"
        'var v {k in ks} >= 0, <= 4 "amount";\n'
        "maximize sum {k in ks} double[k];\n"
        "subject to\n  cap: sum {k in ks} v[k] <= 5;\n"
    )
    assert builder.compile().solve("highs").objective == 10


# A column's name is any text of one line; names that settings read are among those tried.
NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).map(str.strip),
    st.sampled_from(
        ["all", "marks", "class", "in", "sum", "data", "seed", 'a"b', "a\\", "ähm", "1"]
    ),
).filter(bool)


def parsed(builder: treemip.Builder) -> n.File:
    return parse(Source("text", builder.text()))


@given(st.lists(NAMES, min_size=3, max_size=3, unique=True), NAMES)
def test_any_name_arrives_as_it_is(names: list[str], path: str) -> None:
    label, dropped, group = names
    data = parsed(treemip.Builder().data(path, label=label, drop=[dropped], group=group))
    (statement,) = data.statements
    assert isinstance(statement, n.Data) and statement.path == path
    said = {s.key: s.groups[0][0] for s in statement.settings}
    found = {key: w.string if w.string is not None else w.name for key, w in said.items()}
    assert found == {"label": label, "drop": dropped, "group": group}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_exact(number: float) -> None:
    (statement,) = parsed(treemip.Builder().param("p", number)).statements
    assert isinstance(statement, n.Param)
    sign, value = 1.0, statement.value
    if isinstance(value, n.Negative):
        sign, value = -1.0, value.operand
    assert isinstance(value, n.Number) and sign * value.value == number


@pytest.mark.parametrize(
    ("name", "worth", "text"),
    [
        ("price {j in features}", {"a": 1, "b": 2.5}, 'table("a": 1, "b": 2.5)'),
        ("price {j in features}", pd.Series({"a": 1, "b": 2}), 'table("a": 1, "b": 2)'),
        ("price {k in 1..2}", [3, "2 * 2"], "table(1: 3, 2: 2 * 2)"),
        ("price {k in 1..2}", np.array([3, 4.5]), "table(1: 3, 2: 4.5)"),
        (
            "price {k in 1..2, m in 1..2}",
            np.eye(2),
            "table(1: table(1: 1, 2: 0), 2: table(1: 0, 2: 1))",
        ),
        (
            "price {j in features, k in classes}",
            pd.DataFrame({"n": [1, 2], "y": [3, 4]}, index=["a", "b"]),
            'table("a": table("n": 1, "y": 3), "b": table("n": 2, "y": 4))',
        ),
    ],
)
def test_tables_of_values(name: str, worth: Any, text: str) -> None:
    table = {"a": [0, 1, 2], "b": [1, 0, 2], "c": ["n", "y", "n"]}
    b = treemip.Builder().data(table, label="c", scale="minmax").topology(depth=1)
    b.split("univariate", by="oct").param(name, worth)
    said = " ".join(b.text().split()).replace("( ", "(").replace(" )", ")")
    assert f"param {name} = {text};" in said
    b.compile()


def test_a_set_of_texts() -> None:
    b = treemip.Builder().set("answers", ["yes", 'a "b"'])
    assert b.text() == 'set answers = {"yes", "a \\"b\\""};\n'


ROW = "few: sum {i in points} correct[i] <= 3"
Call = Callable[[treemip.Builder], treemip.Builder]


REFUSED: list[Call] = [
    # values that no text can say
    lambda b: b.param("p {j in features}", [1, 2]),
    lambda b: b.param("p {j in features}", {}),
    lambda b: b.param("p {k in 1..2}", [1, None]),
    lambda b: b.set("s", [1, 2]),
    lambda b: b.set("s", {"a"}),
    lambda b: b.set("s", []),
    lambda b: b.topology(),
    lambda b: b.topology(2, shape="(. .)"),
    lambda b: b.split("oblique", eps=0.1),
    lambda b: b.param("p", float("nan")),
    lambda b: b.param("p", None),
    lambda b: b.topology(depth=True),
    lambda b: b.data("a\nb.csv"),
    lambda b: b.data("a.csv", missing={"drop": "a"}, marks="?"),
    # more than one statement
    lambda b: b.subject_to(f"{ROW}; drop go_left"),
    lambda b: b.subject_to(ROW, f"a{ROW}; maximize 1;"),
    lambda b: b.subject_to(f"{ROW}; subject to b{ROW}"),
    lambda b: b.cut(f"{ROW}; var z binary"),
    lambda b: b.drop("a", "b; maximize 1"),
    lambda b: b.minimize("1; drop a"),
    lambda b: b.minimize("b", name="a: 1; minimize c"),
    lambda b: b.var("z binary; drop a"),
    lambda b: b.var("z binary; var u", "what"),
    lambda b: b.let("z", "1; drop a"),
    lambda b: b.let("z = 1; let y", "2"),
    lambda b: b.set("s", "1..3; drop a"),
    lambda b: b.param("p", "1; drop a"),
    lambda b: b.split("oblique; drop a"),
    lambda b: b.split("oblique", by="soct; drop a"),
    lambda b: b.split("oblique", by="soct", eps="1); drop a; let z = (1"),
    lambda b: b.topology(depth="2); drop a; let z = (1"),
    lambda b: b.strategy(**{"gap 1; seed": 2}),
    lambda b: b.strategy(**{"gap 1; } drop a; strategy { seed": 2}),
    lambda b: b.data("f.csv", train="0.5; drop a"),
    lambda b: b.data("f.csv", scale="minmax; drop a"),
    lambda b: b.data("f.csv", missing="drop; } maximize 1; strategy { gap 1"),
    # a comma at the end
    lambda b: b.minimize("v + 1,"),
    lambda b: b.subject_to("a: v <= 1", "r: v <= 1, # why"),
    lambda b: b.subject_to("r: v <= 1,;"),
    lambda b: b.cut("c: v <= 1;,"),
    lambda b: b.var("v binary,", "doc"),
    lambda b: b.drop("a,"),
    lambda b: b.data("f.csv", train="0.5,"),
    lambda b: b.statement("drop a,"),
]


def test_calls_that_are_refused(golden) -> None:  # type: ignore[no-untyped-def]
    said = []
    for call in REFUSED:
        builder = treemip.Builder()
        with pytest.raises(TreemipError) as caught:
            call(builder)
        said.append(str(caught.value))
        assert builder.statements == []
    golden("refused_calls.expected", "\n\n".join(said) + "\n")


@pytest.mark.parametrize(
    "call",
    [
        lambda b: b.subject_to(f"{ROW};; minimize 1"),
        lambda b: b.maximize("1; strategy { gap 1; }", "n"),
        lambda b: b.data("f.csv", encode="onehot; } drop a; data {"),
    ],
)
def test_a_text_that_no_statement_could_be_is_refused_with_the_whole(call: Call) -> None:
    with pytest.raises(TreemipError, match=r"E1\d\d"):
        call(treemip.Builder()).text()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda b: b.minimize("v # why"), "minimize v;  # why\n"),
        (lambda b: b.minimize("v; # why"), "minimize v;  # why\n"),
        (lambda b: b.minimize("v # why\n;"), "minimize v;  # why\n"),
        (lambda b: b.minimize("v # one\n + 1 # two"), "minimize v  # one\n  + 1;      # two\n"),
        (lambda b: b.maximize("v", name="all # why"), "maximize all:  # why\n  v;\n"),
        (
            lambda b: b.param("p # why", "1 # that", "doc"),
            'param p =  # why\n  1\n  "doc";  # that\n',
        ),
        (lambda b: b.set("s", "1..3 # why"), "set s = 1..3;  # why\n"),
        (lambda b: b.let("l", "v # why"), "let l = v;  # why\n"),
        (lambda b: b.var("v binary # why", "doc"), 'var v binary "doc";  # why\n'),
        (lambda b: b.cut("c: v <= 1 # why"), "cut c: v <= 1;  # why\n"),
        (lambda b: b.drop("a # why", "b"), "drop a, b;  # why\n"),
        (lambda b: b.statement("drop a # why"), "drop a;  # why\n"),
        (
            lambda b: b.subject_to("r: v <= 1 # one\n# two", "s: v >= 0"),
            "subject to\n  r: v <= 1;  # one\n# two\nsubject to\n  s: v >= 0;\n",
        ),
        (
            lambda b: b.split("oblique", by="soct # why", eps="1 # that"),
            "split oblique by soct(  # why\n  eps = 1);             # that\n",
        ),
        (
            lambda b: b.data("f.csv", train="0.5 # why"),
            'data "f.csv" {\n  label class;\n  train 0.5;  # why\n}\n',
        ),
        (
            lambda b: b.subject_to('r {k in classes : k != "#;,"}: v <= 1 # "one'),
            'subject to\n  r {k in classes : k != "#;,"}: v <= 1;  # "one\n',
        ),
    ],
)
def test_comments_swallow_nothing(call, text) -> None:  # type: ignore[no-untyped-def]
    builder = treemip.Builder()
    call(builder)
    assert builder.text() == text


def test_statement_and_rows_take_several() -> None:
    builder = treemip.Builder().statement("var z binary; var u binary").minimize("z + u")
    builder.subject_to("few: z <= 1; more: u <= 1;").cut("late: z + u <= 2;")
    assert [s.name for s in builder.program().spec.constraints] == ["few", "more"]
    assert treemip.Builder().data("f.csv", scale="minmax", drop="drop").text()


def test_errors_point_into_the_text() -> None:
    builder = treemip.Builder("demo").var("v >= 0").minimize("v + wrong")
    with pytest.raises(TreemipError) as caught:
        builder.compile()
    (fault,) = caught.value.diagnostics
    assert fault.code == "E201" and fault.span is not None
    assert (fault.span.source.name, fault.span.text) == ("<demo>", "wrong")
    with pytest.raises(TreemipError, match="<demo>:2"):
        treemip.Builder("demo").minimize("v +").text()


def test_columns_under_other_names() -> None:
    columns = {"a": [0, 1], "the drug": ["x", "z"], "y": [0.5, 1.5]}
    built = treemip.Builder().data(
        columns, label=None, group={"treatment": "the drug"}, number={"outcome": "y"}
    )
    assert 'group treatment from "the drug";' in " ".join(built.text().split())
    with pytest.raises(TreemipError, match=r"E902.*'the drug' is no name for expressions"):
        treemip.Builder().data(columns, label=None, group={"the drug": "y"})
