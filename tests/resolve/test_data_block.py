"""Each setting of a data block, and the block as a whole."""

from treemip.core.resolve.settings.data_block import read_settings
from treemip.core.resolve.settings.data_spec import (
    Binning,
    DataSpec,
    Encoding,
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


def test_lists_may_be_said_in_pieces() -> None:
    spec, report = read('data "a.csv" { label y; use a; use b, c; }')
    assert not report.diagnostics
    assert spec.use == (ref("a"), ref("b"), ref("c"))
