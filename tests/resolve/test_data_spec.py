import pytest

from treemip.core.resolve.settings.data_block import read_settings
from treemip.core.source.diagnostic import Diagnostic, Report
from treemip.core.source.span import Source
from treemip.core.syntax.parse import parse


def faults(settings: str, file: str = "f.csv") -> list[Diagnostic]:
    report = Report()
    (node,) = parse(Source("small.tree", f'data "{file}" {{ label y; {settings} }}')).statements
    read_settings(node, report)
    return report.errors


@pytest.mark.parametrize(
    ("settings", "place", "other"),
    [
        ("drop y;", "y", "y"),
        ("group y;", "y", "y"),
        ("use a, y;", "y", "y"),
        ("weight w; id w;", "w", "w"),
        ("use a, b; drop b;", "b", "b"),
        ("drop a, a;", "a", "a"),
        ('group sex; drop "sex";', '"sex"', "sex"),
        ("encode onehot a; encode keep a;", "a", "a"),
        ("encode onehot a, a;", "a", "a"),
        ("encode onehot; encode ordinal;", "encode ordinal;", "encode onehot;"),
        ("scale minmax a, b; scale standard b;", "b", "b"),
        ("scale minmax; scale none;", "scale none;", "scale minmax;"),
        ("bin quantile(5) a; bin thresholds a;", "a", "a"),
        ("missing drop a; missing impute(mean) a;", "a", "a"),
        ("missing refuse; missing drop;", "missing drop;", "missing refuse;"),
        ("encode onehot a; bin quantile(5) a;", "a", "a"),
        ("encode keep a; scale minmax a;", "a", "a"),
        ("bin quantile(5) a; scale minmax a;", "a", "a"),
        ("encode onehot all; bin quantile(5);", "bin quantile(5);", "encode onehot all;"),
    ],
)
def test_a_clash_points_at_both_places(settings: str, place: str, other: str) -> None:
    (fault,) = faults(settings)
    assert fault.code == "E209"
    assert fault.span is not None and fault.span.text == place
    (related,) = fault.related
    assert related.span.text == other
    assert related.span.start < fault.span.start or "bin" in place


@pytest.mark.parametrize(
    "settings",
    [
        "encode onehot; encode keep a; encode ordinal b;",
        "encode ordinal a; scale minmax a;",
        "encode ordinal a; bin thresholds a;",
        "encode onehot a; scale none a;",
        "scale minmax; scale none a; scale standard b;",
        "bin quantile(5); scale minmax;",
        "encode onehot all; bin quantile(5) a;",
        "missing drop; missing refuse a; missing impute(mean) b;",
    ],
)
def test_what_goes_together(settings: str) -> None:
    assert faults(settings) == []


@pytest.mark.parametrize("file", ["f.parquet", "f.PQ"])
def test_parquet_has_no_separator(file: str) -> None:
    (fault,) = faults('separator ";";', file)
    assert (fault.code, fault.message) == ("E209", "a Parquet file has no separator")
    assert fault.span is not None and fault.span.text == 'separator ";";'
    assert faults("", file) == []
