"""Positions, files, tokens, outlines, layout, signatures, and data that are read once."""

# ruff: noqa: RUF001  Letters that are easily confused are what positions are tested with.

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from cursors import CREDIT, SPEC, at_mark

from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax.format import format_text
from treemip.core.syntax.tolerant import parse_tolerant
from treemip.study.lsp.documents import Documents
from treemip.study.lsp.layout import formatting
from treemip.study.lsp.lenses import lenses
from treemip.study.lsp.outline import folds, outline
from treemip.study.lsp.positions import Lines, path_of, uri_of
from treemip.study.lsp.problems import applied, problems
from treemip.study.lsp.signatures import signature_help
from treemip.study.lsp.table import TableCache, data_facts
from treemip.study.lsp.tokens import tokens
from treemip.study.lsp.view import look


@pytest.mark.parametrize(("encoding", "unit"), [("utf-16", 5), ("utf-8", 8), ("utf-32", 4)])
def test_positions_count_units(encoding: str, unit: int) -> None:
    lines = Lines("# a\n# α😀x\r\nlast", encoding)
    offset = lines.text.index("x")
    assert lines.position(offset) == (1, unit)
    assert lines.offset(1, unit) == offset
    assert lines.position(len(lines.text)) == (2, 4)


def test_positions_outside_are_at_the_edges() -> None:
    lines = Lines("ab\ncd")
    assert [lines.offset(*p) for p in ((-1, 0), (0, 99), (9, 9), (1, -3))] == [0, 2, 5, 3]
    assert Lines("😀").offset(0, 1) == 0  # inside of a character


def test_every_offset_comes_back() -> None:
    lines = Lines("é😀\n\n𝔘ab\u2028c\x0cd\n")
    for offset in range(len(lines.text) + 1):
        assert lines.offset(*lines.position(offset)) == offset


def test_files_with_blanks_and_umlauts() -> None:
    path = Path("/tmp/Größe und Maß/ä#%.tree")
    assert path_of(uri_of(path)) == path
    assert path_of("untitled:Untitled-1") is None
    assert path_of("file:///a%20b.tree") == Path("/a b.tree")


def test_changes_of_ranges() -> None:
    documents = Documents()
    documents.put("file:///a.tree", "αβ😀γ\r\nzwei\r\n")
    documents.change("file:///a.tree", [(((0, 4), (0, 5)), "g"), (((1, 0), (1, 4)), "x\r\ny")])
    assert documents.get("file:///a.tree").text == "αβ😀g\nx\ny\n"
    documents.change("file:///a.tree", [(((99, 0), (2, 0)), "end")])
    assert documents.get("file:///a.tree").text.endswith("end")


def test_tokens_say_what_names_mean() -> None:
    view = look(CREDIT, SPEC + "param top = 2;\nsubject to few: splits <= top;")
    kinds = {view.text[t.start : t.end]: t for t in tokens(view)}
    assert kinds["param"].kind == "keyword"
    assert kinds["splits"].kind == "function"
    assert kinds["splits"].modifiers == ("defaultLibrary",)
    assert kinds["top"].kind == "variable"
    assert kinds["scale"].kind == "keyword"
    assert kinds["oct"].kind == "namespace"


def test_an_outline() -> None:
    view = look(CREDIT, CREDIT.read_text(encoding="utf-8"))
    found = outline(view)
    assert [one.name for one in found][:3] == [
        'data "data/credit-24.csv"',
        "topology complete(depth = 2);",
        "split univariate by oct",
    ]
    assert [child.name for child in found[-1].children] == ["bad_recall", "parity"]
    assert (1, 5) in {(fold.first, fold.last) for fold in folds(view)}


def test_layout_changes_only_what_differs() -> None:
    text = SPEC + "\nlet   a=1;\nlet b = 2;\n"
    changes = formatting("a.tree", text)
    assert applied(text, changes) == format_text(Source("a.tree", text))
    assert changes[0].start > len(SPEC)
    with pytest.raises(TreemipError):
        formatting("a.tree", "let a = ;")


@pytest.mark.parametrize(
    ("text", "label", "active"),
    [
        (SPEC.replace("oct;", "oct(alpha = 1, min_leaf = ¦"), "oct(alpha = 0", 2),
        (SPEC + "let a = least_gap_moved(j, ¦", "least_gap_moved(j, r)", 1),
        (SPEC + "let a = reach[point(1),¦", "reach[i, l]", 1),
        (SPEC + "minimize l0_local(¦", "l0_local(alpha", 0),
        (SPEC + "subject to fair: parity(¦", "parity(column, limit = 0.1)", 0),
        (SPEC + "subject to fair: parity(sex, ¦);", "parity(column, limit = 0.1)", 1),
        (SPEC + "subject to fair: parity(limit = ¦", "parity(column, limit = 0.1)", 1),
        (SPEC.replace("depth = 2", "¦"), "complete(depth = …)", 0),
    ],
)
def test_signatures(text: str, label: str, active: int) -> None:
    view, offset = at_mark(text)
    found = signature_help(view, offset)
    assert found is not None
    assert found.label.startswith(label)
    assert found.active == active


def test_lenses_are_above_specs_only() -> None:
    assert [lens.command for lens in lenses(look(CREDIT, SPEC))] == [
        "treemip.solve",
        "treemip.explain",
    ]
    library = specs_path() / "library" / "oct.tree"
    assert lenses(look(library, library.read_text(encoding="utf-8"))) == []


# -------------------------------------------------------------------------------------- problems


@pytest.mark.parametrize("path", sorted(specs_path().rglob("*.tree")), ids=lambda p: p.stem)
def test_shipped_texts_have_no_problems(path: Path) -> None:
    view = look(path, path.read_text(encoding="utf-8"))
    assert problems(view) == []


def test_several_faults_at_once() -> None:
    view = look(CREDIT, SPEC + "let a = ;\nlet b = (1;\nparm c = 2;\n")
    assert [p.code for p in problems(view)] == ["E101", "E102", "E105"]


def test_what_is_wrong_in_a_module_is_shown_where_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "mine.tree").write_text("let a = nope;\n")
    text = SPEC + "use mine;\nlet b = a;\n"
    view = look(tmp_path / "spec.tree", text)
    (one,) = problems(view)
    assert "mine.tree:1:9: unknown name 'nope'" in one.message
    assert one.related[0][0].path == str(tmp_path / "mine.tree")


def test_the_rest_of_a_half_typed_text_is_read() -> None:
    source = Source(
        "a", "let a = 1\nlet b = a;\nsubject to\n  few: a +\nparam c = 3;\nlet d = 4;\n"
    )
    found = parse_tolerant(source)
    names = [getattr(s, "name", "") for s in found.file.statements]
    assert names == ["a", "b", "d"]
    for s in found.file.statements:
        assert source.text[s.span.start :].startswith(("let", "param"))


# ------------------------------------------------------------------------------------------ data


def test_a_file_that_is_not_there_is_marked_where_it_is_named() -> None:
    view = look(CREDIT, SPEC.replace("credit-24", "nowhere"))
    (one,) = problems(view, data_facts(view, TableCache()).problems)
    assert one.code == "E301"
    assert view.text[one.start : one.end] == '"data/nowhere.csv"'


def test_words_of_settings_are_told_from_columns() -> None:
    text = SPEC.replace("scale", "train 0.5 seed 1;\n  scale") + "strategy { start search seed 1; }"
    view = look(CREDIT, text)
    kinds = {view.text[t.start : t.end]: t.kind for t in tokens(view)}
    words = ("label", "class", "positive", "minmax", "seed", "search", "complete", "oct")
    assert [kinds[word] for word in words] == [
        *("keyword", "property", "enumMember", "enumMember", "enumMember", "enumMember"),
        *("enumMember", "namespace"),
    ]


def test_data_say_what_is_wrong() -> None:
    view = look(CREDIT, SPEC.replace("group sex", "group sexx"))
    (one,) = problems(view, data_facts(view, TableCache()).problems)
    assert one.code == "E302"
    assert one.fix is not None
    assert one.fix.changes[0].text == "sex"


def test_a_table_is_read_once_for_each_state(tmp_path: Path) -> None:
    shutil.copytree(specs_path() / "data", tmp_path / "data")
    view, cache = look(tmp_path / "a.tree", SPEC), TableCache()
    for _ in range(3):
        assert "sex" in data_facts(view, cache).columns
    assert cache.reads == 1
    table = tmp_path / "data" / "credit-24.csv"
    os.utime(table, ns=(1, 1))
    data_facts(view, cache)
    assert cache.reads == 2


def test_a_large_table_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with open(tmp_path / "data" / "credit-24.csv", "wb") as file:
        file.truncate(60_000_000)
    cache = TableCache()
    facts = data_facts(look(tmp_path / "a.tree", SPEC), cache)
    assert cache.reads == 0
    assert facts.problems == ()
