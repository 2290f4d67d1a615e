"""Each setting of a data block, and the block as a whole."""

from typing import Any

import pytest

from treemip.core.resolve.settings.data_block import SETTINGS, LabelSetting, read_settings
from treemip.core.resolve.settings.data_spec import (
    Binning,
    DataSpec,
    Encoding,
    Fold,
    MissingRule,
    Ref,
    Scaling,
    Share,
)
from treemip.core.source.diagnostic import Report
from treemip.core.source.span import Source, Span
from treemip.core.syntax.parse import parse

AT = Span(Source("", ""), 0, 0)


a, b = Ref(text="a", span=AT), Ref(text="b c", span=AT)


def value_of(setting: str) -> tuple[Any, Report]:
    """What a setting's reader gives, and what is reported when it stands in a block."""
    (node,) = parse(Source("small.tree", f'data "f.csv" {{ {setting} }}')).statements
    report = Report()
    read_settings(node, report)
    made = node.settings[0]
    faults = [error for error in report.errors if error.code == "E213"]
    return None if faults else SETTINGS[made.key].read(made), report


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("label a;", LabelSetting(a)),
        ('label "b c" positive a;', LabelSetting(b, "class", a)),
        ("label a positive -1;", LabelSetting(a, "class", Ref(text="-1", span=AT))),
        ("label a positive 2.50;", LabelSetting(a, "class", Ref(text="2.5", span=AT))),
        ("label a number;", LabelSetting(a, "number")),
        ("label number;", LabelSetting(Ref(text="number", span=AT))),
        ("label none;", LabelSetting(Ref(text="", span=AT), "none")),
        ('label "none";', LabelSetting(Ref(text="none", span=AT))),
        ('number a, "b c";', (a, b)),
        ('positive "b c";', b),
        ('use a, "b c";', (a, b)),
        ("drop a;", (a,)),
        ('group "b c";', (b,)),
        ("weight a;", a),
        ("id a;", a),
        ("encode onehot;", Encoding(kind="onehot", span=AT)),
        ("encode onehot all;", Encoding(kind="onehot", every=True, span=AT)),
        (
            'encode onehot "all";',
            Encoding(kind="onehot", columns=(Ref(text="all", span=AT),), orders=(None,), span=AT),
        ),
        (
            "encode onehot(drop = if_binary, unseen = zero);",
            Encoding(kind="onehot", drop_binary=True, unseen_zero=True, span=AT),
        ),
        ("encode onehot(unseen = error);", Encoding(kind="onehot", span=AT)),
        (
            'encode keep a, "b c";',
            Encoding(kind="keep", columns=(a, b), orders=(None, None), span=AT),
        ),
        (
            "encode keep(unseen = zero) a;",
            Encoding(kind="keep", columns=(a,), orders=(None,), unseen_zero=True, span=AT),
        ),
        (
            'group a, size from "b c";',
            (a, Ref(text="b c", alias="size", span=AT)),
        ),
        ("number from from a;", (Ref(text="a", alias="from", span=AT),)),
        ("number from;", (Ref(text="from", span=AT),)),
        ("encode ordinal;", Encoding(kind="ordinal", span=AT)),
        (
            'encode ordinal a("low", middle, 3, -1);',
            Encoding(kind="ordinal", columns=(a,), orders=(("low", "middle", "3", "-1"),), span=AT),
        ),
        (
            'encode ordinal("no", "yes") "b c", a("yes", "no");',
            Encoding(
                kind="ordinal", columns=(b, a), orders=(("no", "yes"), ("yes", "no")), span=AT
            ),
        ),
        ("scale minmax;", Scaling(kind="minmax", arguments=(0, 1), span=AT)),
        (
            "scale minmax(-1, 1) a;",
            Scaling(kind="minmax", arguments=(-1, 1), columns=(a,), span=AT),
        ),
        ("scale standard a;", Scaling(kind="standard", columns=(a,), span=AT)),
        ("scale rank a;", Scaling(kind="rank", columns=(a,), span=AT)),
        ('scale none "b c";', Scaling(kind="none", columns=(b,), span=AT)),
        ("bin quantile(5);", Binning(kind="quantile", arguments=(5,), span=AT)),
        ("bin thresholds a;", Binning(kind="thresholds", columns=(a,), span=AT)),
        (
            "bin thresholds(1.5, -2, 1.5) a;",
            Binning(kind="thresholds", arguments=(-2.0, 1.5), columns=(a,), span=AT),
        ),
        ("missing refuse;", (MissingRule(kind="refuse", span=AT), ())),
        ('missing marks "?";', (None, ("?",))),
        (
            'missing drop a marks "?", " NA ";',
            (MissingRule(kind="drop", columns=(a,), span=AT), ("?", "NA")),
        ),
        ("missing side a;", (MissingRule(kind="side", columns=(a,), span=AT), ())),
        ('missing side marks "?";', (MissingRule(kind="side", span=AT), ("?",))),
        (
            "missing indicator(mean) a;",
            (MissingRule(kind="indicator", how="mean", columns=(a,), span=AT), ()),
        ),
        (
            'missing impute(mode) a, "marks";',
            (
                MissingRule(
                    kind="impute", how="mode", columns=(a, Ref(text="marks", span=AT)), span=AT
                ),
                (),
            ),
        ),
        ("train 1;", Share(share=1.0, seed=0, span=AT)),
        ("train 0.75 seed 7;", Share(share=0.75, seed=7, span=AT)),
        ("train fold 2 of 5;", Fold(number=2, count=5, seed=0, span=AT)),
        ("train fold 5 of 5 seed 1;", Fold(number=5, count=5, seed=1, span=AT)),
        ('separator ";";', ";"),
        ("separator tab;", "\t"),
    ],
)
def test_what_a_setting_says(setting: str, expected: object) -> None:
    value, _ = value_of(setting)
    assert value == expected


@pytest.mark.parametrize(
    ("setting", "place"),
    [
        ("label;", "label;"),
        ("label a b;", "label a b;"),
        ("label 3;", "3"),
        ("label a(1);", "a(1)"),
        ("positive a, b;", "positive a, b;"),
        ("use;", "use;"),
        ("drop a b;", "b"),
        ("group 1;", "1"),
        ("weight a, b;", "weight a, b;"),
        ("encode;", "encode;"),
        ("encode a;", "a"),
        ('encode "onehot" a;', '"onehot"'),
        ("encode onehot(drop = first);", "drop = first"),
        ("encode onehot(dorp = if_binary);", "dorp = if_binary"),
        ("encode onehot(drop = if_binary, drop = if_binary);", "drop = if_binary"),
        ("encode onehot, a;", "a"),
        ("encode keep;", "encode keep;"),
        ("encode keep(drop = if_binary) a;", "drop = if_binary"),
        ('encode ordinal a("low");', 'a("low")'),
        ('encode ordinal a("low", "low");', 'a("low", "low")'),
        ('encode ordinal("low", "high");', 'ordinal("low", "high")'),
        ('encode ordinal a("low", b = 2);', "b = 2"),
        ("scale;", "scale;"),
        ("scale minmax(1, 0);", "minmax(1, 0)"),
        ("scale minmax(1);", "minmax(1)"),
        ("scale minmax(0, b) a;", "b"),
        ("scale standard(0, 1);", "standard(0, 1)"),
        ("bin quantile a;", "quantile"),
        ("bin quantile(1);", "quantile(1)"),
        ("bin quantile(2.5);", "quantile(2.5)"),
        ("bin equal(5);", "equal(5)"),
        ("missing;", "missing;"),
        ("missing marks;", "missing marks;"),
        ("missing marks NA;", "NA"),
        ('missing "?";', '"?"'),
        ("missing impute a;", "impute"),
        ("missing side(mean) a;", "side(mean)"),
        ("missing indicator a;", "indicator"),
        ("missing indicator(0);", "indicator(0)"),
        ("missing impute(max);", "impute(max)"),
        ("missing drop(1);", "drop(1)"),
        ("group;", "group;"),
        ("group a b;", "b"),
        ('group "x" from a;', '"x"'),
        ("group x from 3;", "3"),
        ("number x from;", "from"),
        ("use x from a;", "from"),
        ("train;", "train;"),
        ("train 0;", "0"),
        ("train 1.5;", "1.5"),
        ("train -0.5;", "-0.5"),
        ("train 0.5, 0.5;", "train 0.5, 0.5;"),
        ("train 0.5 seed 1.5;", "1.5"),
        ("train 0.5 seed;", "train 0.5 seed;"),
        ("train fold 6 of 5;", "6"),
        ("train fold 0 of 5;", "0"),
        ("train fold 1 of 1;", "1"),
        ("train fold 1 from 5;", "train fold 1 from 5;"),
        ('separator "";', 'separator "";'),
        ('separator ";;";', 'separator ";;";'),
        ('separator "1";', 'separator "1";'),
        ('separator ".";', 'separator ".";'),
    ],
)
def test_what_is_not_of_the_form(setting: str, place: str) -> None:
    _, report = value_of(setting)
    (fault,) = [error for error in report.errors if error.code == "E213"]
    assert fault.span is not None and fault.span.text == place
    assert fault.remedy == SETTINGS[setting.split(" ", maxsplit=1)[0].rstrip(";")].example


NOWHERE = Span(Source("", ""), 0, 0)


WHOLE = """
data "folder/cr\u00e9dit 100%.csv" {
  label "final class" positive "good";
  drop note, "row name";
  group sex, "age band";
  weight w;
  id number;
  encode onehot(drop = if_binary) colour;
  encode ordinal size("small", "large"), grade;
  scale minmax(0.00001, 0.99999);
  scale none year;
  bin quantile(5) income, "hours per week";
  missing drop;
  missing impute(median) income marks "?", "NA";
  train 0.75 seed 3;
  separator ";";
}
"""


def ref(text: str) -> Ref:
    return Ref(text=text, span=NOWHERE)


def read(text: str) -> tuple[DataSpec, Report]:
    report = Report()
    (node,) = parse(Source("small.tree", text)).statements
    return read_settings(node, report), report


def test_a_whole_block() -> None:
    spec, report = read(WHOLE)
    assert not report.diagnostics
    assert spec == DataSpec(
        path="folder/crédit 100%.csv",
        label=ref("final class"),
        positive=ref("good"),
        use=None,
        drop=(ref("note"), ref("row name")),
        group=(ref("sex"), ref("age band")),
        weight=ref("w"),
        id=ref("number"),
        encode=(
            Encoding(
                kind="onehot",
                columns=(ref("colour"),),
                drop_binary=True,
                orders=(None,),
                span=NOWHERE,
            ),
            Encoding(
                kind="ordinal",
                columns=(ref("size"), ref("grade")),
                orders=(("small", "large"), None),
                span=NOWHERE,
            ),
        ),
        scale=(
            Scaling(kind="minmax", arguments=(0.00001, 0.99999), span=NOWHERE),
            Scaling(kind="none", columns=(ref("year"),), span=NOWHERE),
        ),
        bin=(
            Binning(
                kind="quantile",
                arguments=(5,),
                columns=(ref("income"), ref("hours per week")),
                span=NOWHERE,
            ),
        ),
        missing=(
            MissingRule(kind="drop", span=NOWHERE),
            MissingRule(kind="impute", how="median", columns=(ref("income"),), span=NOWHERE),
        ),
        marks=("?", "NA"),
        train=Share(share=0.75, seed=3, span=NOWHERE),
        separator=";",
        span=NOWHERE,
    )


def test_parts_know_where_they_stand() -> None:
    spec, _ = read(WHOLE)
    assert spec.span.text.startswith('data "folder') and spec.span.text.endswith("}")
    assert spec.label.span.text == '"final class"'
    assert spec.encode[1].columns[0].span.text == 'size("small", "large")'
    assert spec.bin[0].columns[1].span.text == '"hours per week"'
    assert spec.scale[0].span.text == "scale minmax(0.00001, 0.99999);"


def test_only_the_label_is_needed() -> None:
    spec, report = read('data "a.csv" { label y; }')
    assert not report.diagnostics
    assert spec == DataSpec(path="a.csv", label=ref("y"), span=NOWHERE)


def test_without_a_label() -> None:
    for text in ('data "a.csv";', 'data "a.csv" { scale minmax; }'):
        _, report = read(text)
        (error,) = report.diagnostics
        assert error.code == "E208"
        assert error.span is not None and error.span.text == text


def test_a_faulty_label_is_not_also_a_missing_one() -> None:
    _, report = read('data "a.csv" { label a, b; }')
    assert [error.code for error in report.errors] == ["E213"]


def test_an_unknown_setting() -> None:
    _, report = read('data "a.csv" { label y; scael minmax; }')
    (error,) = report.diagnostics
    assert (error.code, error.caret) == ("E212", "did you mean 'scale'?")
    assert error.span is not None and error.span.text == "scael minmax;"
    assert "'train'" in error.remedy


def test_what_can_be_said_once_only() -> None:
    _, report = read('data "a.csv" { label y; train 0.5; label z; train 0.75; }')
    assert [error.code for error in report.errors] == ["E209", "E209"]
    spans = {error.span.text: error.related[0].span.text for error in report.errors if error.span}
    assert spans == {"label z;": "label y;", "train 0.75;": "train 0.5;"}


def test_the_positive_class_once_in_either_place() -> None:
    spec, report = read('data "a.csv" { label y; positive 1; }')
    assert not report.diagnostics
    assert spec.positive == ref("1")
    _, report = read('data "a.csv" { label y positive 1; positive 2; }')
    (error,) = report.errors
    assert error.code == "E209" and error.span and error.span.text == "positive 2;"


def test_lists_may_be_said_in_pieces() -> None:
    spec, report = read('data "a.csv" { label y; use a; use b, c; }')
    assert not report.diagnostics
    assert spec.use == (ref("a"), ref("b"), ref("c"))
