"""What is offered at a cursor."""

from __future__ import annotations

from pathlib import Path

import pytest
from cursors import HEAD, SPEC, at_mark

from treemip.study.lsp.completion import completion
from treemip.study.lsp.table import TableCache, data_facts
from treemip.study.lsp.view import look

GOOD = Path(__file__).parents[2] / "specs" / "credit.tree"

FACTS = data_facts(look(GOOD, GOOD.read_text(encoding="utf-8")), TableCache())


def offered(text: str, last: str | None = None) -> list[str]:
    view, offset = at_mark(text, last)
    return [item.label for item in completion(view, offset, FACTS)]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("¦", ["data", "topology", "split", "subject to", "minimize"]),
        (HEAD + "sp¦", ["split"]),
        (HEAD + "split ¦", ["oblique", "univariate", "margin", "randomized"]),
        (HEAD + "split univariate ¦", ["by"]),
        (HEAD + "split univariate by o¦", ["oct", "ort"]),
        (HEAD + "split univariate by oct(¦", ["alpha", "min_leaf"]),
        (HEAD + "split univariate by oct(al¦);", ["alpha"]),
        (SPEC + "let a = mis¦", ["misclassified", "missing"]),
        (SPEC + "let a = sum {¦", ["i in points", "t in branches"]),
        (SPEC + "let a = sum {i in ¦", ["points", "features", "ancestors"]),
        (SPEC + "let a = sum {i in points : sex[i] = ¦", ['"female"', '"male"', "i"]),
        (SPEC + 'let a = sum {i in points : sex[i] = "¦', ["female", "male"]),
        (SPEC + 'subject to few: recall["¦"] >= 1;', ["bad", "good"]),
        (SPEC + "subject to few: recall[¦", ['"bad"', '"good"']),
        (SPEC + 'let a = features_of("¦', ["duration", "housing"]),
        (SPEC + 'set s = {j in features : j in {"¦', ["duration", "amount", "age"]),
        (SPEC + 'param p {j in features} = table("¦', ["duration", "amount", "age"]),
        (SPEC + "minimize l0_local(¦", ["alpha"]),
        (SPEC + "subject to fair: par¦", ["parity"]),
        (SPEC + "subject to fair: parity(¦", ["sex", "column", "limit"]),
        (SPEC + "subject to fair: parity(column = ¦", ["sex"]),
        (SPEC + "subject to long: monotone(¦);", ["duration", "housing", "direction"]),
        (SPEC + "subject to few: splits <= 3; start: first_split(d¦", ["duration"]),
        (SPEC + "drop ¦", ["loss_low", "one_label"]),
        (SPEC + "subject to few: splits <= 3;\n  ¦", ["constraint", "minimize"]),
        (SPEC + "var z ¦", ["binary", "integer", "free", "means"]),
        (SPEC + "strategy { ¦", ["time_limit", "solver", "separate"]),
        (SPEC + "strategy { solver ¦", ["highs", "scip", "mip"][:2]),
        ('data "data/cre¦', ["data/credit-24.csv"]),
        ('data "data/credit-24.csv" { ¦', ["label", "group", "scale"]),
        ('data "data/credit-24.csv" { label ¦ }', ["class", "sex", "none"]),
        ('data "data/credit-24.csv" { label class; scale ¦ }', ["minmax", "standard"]),
        ('data "data/credit-24.csv" { label class positive "¦"; }', ["bad", "good"]),
    ],
)
def test_what_fits_is_offered(text: str, labels: list[str]) -> None:
    found = offered(text)
    assert [label for label in labels if label not in found] == []


@pytest.mark.parametrize(
    "text", ["# a comm¦ent\n" + SPEC, SPEC + "let ¦", SPEC + "let a = 3¦.5;", HEAD + "tree ¦"]
)
def test_nothing_is_offered_where_nothing_is_known(text: str) -> None:
    assert offered(text) == []


def test_elements_come_first() -> None:
    assert offered(SPEC + "let a = sum {i in points : sex[i] = ¦")[:2] == ['"female"', '"male"']


def test_an_error_elsewhere_does_not_matter() -> None:
    text = SPEC + "let wrong = nope;\nlet half = sum {i in\nsubject to few: misc¦ <= 1;"
    assert "misclassified" in offered(text)


def test_own_names_are_offered_while_their_statement_is_typed_again() -> None:
    good = SPEC + "param limit = 3;\nsubject to few: splits <= limit;"
    assert "limit" in offered(SPEC + "param limit = ;\nsubject to few: splits <= lim¦", good)


def test_only_modules_of_the_folder_are_offered(tmp_path: Path) -> None:
    (tmp_path / "shared.tree").write_text("let a = 1;\n")
    (tmp_path / "spec.tree").write_text(SPEC)
    view, offset = at_mark(SPEC + "use ¦", path=tmp_path / "mine.tree")
    labels = [item.label for item in completion(view, offset)]
    assert "shared" in labels
    assert "spec" not in labels


def test_a_closing_quote_is_added_once() -> None:
    for text, insert in (
        (SPEC + 'let a = recall["¦', 'bad"'),
        (SPEC + 'let a = recall["¦"];', "bad"),
    ):
        view, offset = at_mark(text)
        assert completion(view, offset, FACTS)[0].insert == insert


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("topology com¦;", "topology complete(depth = 2);"),
        ("topology complete(dep¦ = 2);", "topology complete(depth = 2);"),
        (SPEC + "strategy { time¦; }", "strategy { time_limit $1; }"),
        (SPEC + "strategy { time¦ 60; }", "strategy { time_limit 60; }"),
        (SPEC + "strategy { time¦ }", "strategy { time_limit $1; }"),
        ('data "d.csv" { scal¦ minmax; }', 'data "d.csv" { scale minmax; }'),
        (SPEC + "mini¦ misclassified;", "minimize misclassified;"),
        (SPEC + "subj¦ to few: splits <= 3;", "subject to few: splits <= 3;"),
        (SPEC + "let a = car¦(points);", "let a = card(points);"),
        (SPEC + "let a = rea¦[i,t];", "let a = reach[i,t];"),
        (SPEC + "let a = misclas¦sified;", "let a = misclassified;"),
        (SPEC + "let a = sum {¦ in points} 1;", "let a = sum {i in points} 1;"),
        (SPEC + "minimize l0_local(al¦ = 2);", "minimize l0_local(alpha = 2);"),
        (SPEC + 'let a = recall["b¦ad"];', 'let a = recall["bad"];'),
        ('data "data/cre¦.csv" { }', 'data "data/credit-24.csv" { }'),
    ],
)
def test_what_stands_behind_the_cursor_is_not_written_again(text: str, becomes: str) -> None:
    view, offset = at_mark(text)
    item = completion(view, offset, FACTS)[0]
    line = view.text[: item.start] + item.insert + view.text[offset:]
    assert line.split("\n")[-1] == becomes


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("minimise", []),
        ("minimise ", ["cost"]),
        ("subjekt ", ["to"]),
        ("group ", []),
        ("vra ", []),
    ],
)
def test_a_misspelt_statement_may_end_a_text(typed: str, labels: list[str]) -> None:
    found = offered(f"{SPEC}{typed}¦")
    assert set(labels) <= set(found) and (labels or not found)
