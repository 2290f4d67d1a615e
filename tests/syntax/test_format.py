"""The canonical layout and the printer of nodes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syntax_strategies import NOWHERE, expressions, files, ungrouped

from treemip.core.resources import specs_path
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.format import WIDTH, format_text, print_node
from treemip.core.syntax.parse import parse
from treemip.core.syntax.scan import comments, scan

# Named in reports of failures only.
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

HERE = Path(__file__).parent
SHIPPED = sorted(specs_path().rglob("*.tree"))
SAMPLES = sorted((HERE / "format").glob("*.tree"))


def read(text: str) -> n.File:
    return parse(Source("t.tree", text))


def formatted(text: str) -> str:
    return format_text(Source("t.tree", text))


@given(expressions)
def test_a_printed_expression_parses_back(node: n.Expr) -> None:
    statement = read(f"minimize {print_node(node)};").statements[0]
    assert isinstance(statement, n.Objective)
    assert ungrouped(statement.value) == node


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(files)
def test_a_printed_file_parses_back(node: n.File) -> None:
    assert ungrouped(read(print_node(node))) == node


@given(files, st.integers(0, 10**6))
def test_any_spacing_and_comments_keep_tree_and_comments(node: n.File, seed: int) -> None:
    dice = random.Random(seed)
    text = ""
    for number, lexeme in enumerate(scan(print_node(node))):
        gaps = [
            "",
            " ",
            "\n",
            "\t\n \n\n",
            f" # {number}\n",
            f"\n  # {number} \n",
            f"\n\n# {number}\n",
        ]
        text += lexeme.text + " " + dice.choices(gaps, [9, 9, 3, 1, 1, 1, 1])[0]
    once = formatted(text)
    assert read(once) == read(text)
    assert _said(once) == _said(text)
    assert formatted(once) == once
    assert "\n\n\n" not in once


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_layout(path: Path, golden) -> None:
    golden(path.with_suffix(".expected"), formatted(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_what_ships_is_in_layout(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(Source(path.name, text)) == text, f"run: treemip fmt {path}"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_formatting_keeps_the_tree_and_is_done_once(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    once = formatted(text)
    assert read(once) == read(text)
    assert _said(once) == _said(text)
    assert formatted(once) == once


def test_lines_stay_within_the_width_where_there_is_a_place_to_break() -> None:
    for path in SAMPLES:
        for line in path.with_suffix(".expected").read_text(encoding="utf-8").splitlines():
            code = line[: comments(line)[0].start].rstrip() if comments(line) else line
            assert len(code) <= WIDTH or line.lstrip().startswith('"')


@pytest.mark.parametrize(
    "text",
    [
        'data "iris.csv" { label class; scale minmax; }\n',
        'data "iris.csv" {\n  label class;\n  scale minmax;\n}\n',
        "strategy { priority coef, bit, root_first; }\n",
    ],
)
def test_a_short_block_stays_on_its_line_or_lines(text: str) -> None:
    assert format_text(Source("t.tree", text)) == text


def test_a_long_block_gets_a_line_for_each_setting() -> None:
    names = ", ".join(f"feature_{k}" for k in range(8))
    text = f'data "t.csv" {{ label class; drop {names}; }}'
    made = f'data "t.csv" {{\n  label class;\n  drop  {names};\n}}\n'
    assert format_text(Source("t.tree", text)) == made


def test_where_no_line_is_long_enough() -> None:
    """The cases of a chain one below the other; a long domain on a line of its own, unbroken."""
    few, many = "x" * 25, "m" * 60
    text = f"""subject to
  {few} "(8c)"
    {{i in points, l in leaves, t in {many}}}:
    if {few} = 1 then {few}
      else if {few} = 2 then {few}
      else if {few} = 3 then {few}
      else {few}
    >= 0;
"""
    assert format_text(Source("t.tree", text)) == text


def test_a_text_of_nothing_is_formatted_to_nothing() -> None:
    assert formatted("") == formatted(" \n\t\n") == ""
    assert formatted("\n\n # only this \n\n\n\n# and this") == "# only this\n\n# and this\n"


def test_comments_stay_beside_the_term_they_explain() -> None:
    text = """minimize
      a            # margin
      + 0.5 * b    # size
      # and a price for width
      + c;
"""
    assert formatted(text) == (
        "minimize a   # margin\n  + 0.5 * b  # size\n  # and a price for width\n  + c;\n"
    )


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (n.Number(value=0.5, text="", span=NOWHERE), "0.5"),
        (n.Number(value=3.0, text="", span=NOWHERE), "3"),
        (n.Number(value=1e-6, text="", span=NOWHERE), "1e-6"),
        (n.Number(value=2e22, text="", span=NOWHERE), "2e22"),
        (n.String(value='a "b" \\', span=NOWHERE), '"a \\"b\\" \\\\"'),
        (n.All(span=NOWHERE), "*"),
        (n.Bound(op="<=", value=n.Name(name="a", span=NOWHERE), span=NOWHERE), "<= a"),
        (n.Word(name="by", span=NOWHERE), "by"),
        (n.Binder(names=("i",), set=n.Name(name="I", span=NOWHERE), span=NOWHERE), "i in I"),
        (
            n.Binder(names=("i", "j"), set=n.Name(name="I", span=NOWHERE), span=NOWHERE),
            "(i, j) in I",
        ),
        (
            n.Use(module=n.Reference(text="vocabulary", span=NOWHERE), span=NOWHERE),
            "use vocabulary;",
        ),
    ],
)
def test_parts_are_printed_by_themselves(node: n.Node, text: str) -> None:
    assert print_node(node) == text


def test_what_the_language_cannot_write_is_refused() -> None:
    with pytest.raises(ValueError, match="line break"):
        print_node(n.String(value="a\nb", span=NOWHERE))
    for value in (float("inf"), float("nan")):
        with pytest.raises(ValueError, match="no number"):
            print_node(n.Number(value=value, text="", span=NOWHERE))


def _said(text: str) -> list[str]:
    return [comment.text.rstrip() for comment in comments(text)]
