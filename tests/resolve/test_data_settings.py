from treemip.resolve.data_settings import read_settings
from treemip.resolve.data_spec import (
    Binning,
    DataSpec,
    Encoding,
    MissingRule,
    Ref,
    Scaling,
    Share,
)
from treemip.source.diagnostic import Report
from treemip.source.span import Source, Span
from treemip.syntax.parse import parse

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
            Scaling(kind="minmax", lower=0.00001, upper=0.99999, span=NOWHERE),
            Scaling(kind="none", columns=(ref("year"),), span=NOWHERE),
        ),
        bin=(
            Binning(
                kind="quantile",
                count=5,
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
