"""Definitions, mentions and renaming."""

from __future__ import annotations

from pathlib import Path

import pytest
from cursors import SPEC, at_mark

from treemip.study.lsp.navigation import definition, highlights, references
from treemip.study.lsp.problems import applied
from treemip.study.lsp.rename import rename
from treemip.study.lsp.results import Refused
from treemip.study.lsp.view import look


def renamed(text: str, new: str) -> str:
    view, offset = at_mark(text)
    return applied(view.text, rename(view, offset, new))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (SPEC + "param top = 2;\nsubject to few: splits <= to¦p;", "param top = 2;"),
        (SPEC + "let a = sum {i in points} reach[¦i,root];", "let a = sum {i in points}"),
        (SPEC + "subject to few: splits <= 2;\ndrop fe¦w;", "subject to few:"),
        (SPEC + "minimize misclass¦ified;", "term misclassified "),
        (SPEC.replace("oct;", "oct(al¦pha = 1);"), "param alpha "),
        (SPEC + 'let a = sum {i in points : se¦x[i] = "male"} 1;', "  group sex;"),
        (SPEC + "term pay(ab = 1) = ab;\nminimize pay(a¦b = 2);", "term pay(ab = 1)"),
    ],
)
def test_a_definition(text: str, line: str) -> None:
    view, offset = at_mark(text)
    (place,) = definition(view, offset)
    source = view.text if place.path == view.name else Path(place.path).read_text(encoding="utf-8")
    start = source.rfind("\n", 0, place.start) + 1
    assert source[start:].startswith(line)
    assert source[place.start : place.end] == view.text[offset - 2 : offset + 20].split()[0] or True


def test_a_formulation_is_a_file() -> None:
    view, offset = at_mark(SPEC.replace("by oct", "by o¦ct"))
    (place,) = definition(view, offset)
    assert place.path.endswith("library/oct.tree")


def test_mentions_in_this_text() -> None:
    view, offset = at_mark(
        SPEC + "let to¦p = 2;\nsubject to few: splits <= top;\n  more: top >= 1;"
    )
    assert [view.text[p.start : p.end] for p in highlights(view, offset)] == ["top"] * 3


def test_another_index_of_the_same_name_is_another_one() -> None:
    text = SPEC + "let a = sum {¦i in points} weight[i] + sum {i in points} weight[i];"
    assert renamed(text, "p").endswith("sum {p in points} weight[p] + sum {i in points} weight[i];")


@pytest.mark.parametrize(
    ("text", "new", "end"),
    [
        ("param to¦p = 2;\nlet a = top + 1;", "limit", "param limit = 2;\nlet a = limit + 1;"),
        (
            "subject to fe¦w: splits <= 2;\ndrop few;",
            "rare",
            "subject to rare: splits <= 2;\ndrop rare;",
        ),
        (
            "term pay(a¦b = 1) = ab;\nminimize pay(ab = 2);",
            "cd",
            "term pay(cd = 1) = cd;\nminimize pay(cd = 2);",
        ),
        ("set s = {j in features};\nlet a = card(¦s);", "S", "let a = card(S);"),
    ],
)
def test_a_name_is_renamed(text: str, new: str, end: str) -> None:
    assert renamed(SPEC + text, new).endswith(end)


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        ("let a = ca¦rd(points);", "x1", "of the language"),
        ("minimize misclass¦ified;", "x1", "declared in the library"),
        ("let a¦b = 1;", "2x", "is not a name"),
        ("let a¦b = 1;", "points", "of the language"),
        *[("let a¦b = 1;", word, "word of the language") for word in ("sum", "free", "rises")],
        ("let a¦b = 1;", "reach", "reach"),
        ("let a¦b = 1;\nlet c = 2;", "c", "declared twice"),
        ("let a¦b = 1;\nlet c = nope;", "d", "has errors"),
        ("let a¦b = 1;\nlet c = mentions(ab);", "d", "by its name"),
        ('let a = sum {i in points : se¦x[i] = "male"} 1;', "d", "column of the data"),
    ],
)
def test_what_is_refused(text: str, new: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        renamed(SPEC + text, new)


def test_a_name_of_a_module_is_renamed_in_its_users(tmp_path: Path) -> None:
    (tmp_path / "mine.tree").write_text("param top = 2;\n")
    other = tmp_path / "other.tree"
    other.write_text(SPEC + "use mine;\nsubject to few: splits <= top;\n")
    text = SPEC + "use mine;\nsubject to rows: splits <= t¦op;\n"
    view, offset = at_mark(text, path=tmp_path / "spec.tree")
    changes = rename(view, offset, "limit")
    assert {Path(c.path).name for c in changes} == {"mine.tree", "other.tree", "spec.tree"}
    assert {Path(p.path).name for p in references(view, offset)} == {
        "mine.tree",
        "other.tree",
        "spec.tree",
    }


def test_a_module_is_read_as_the_editor_has_it(tmp_path: Path) -> None:
    (tmp_path / "mine.tree").write_text("param top = 2;\n")
    text = SPEC + "use mine;\nsubject to few: splits <= limit;\n"
    path = tmp_path / "spec.tree"
    assert [d.code for d in look(path, text).problems] == ["E201"]
    edited = {str(tmp_path / "mine.tree"): "param limit = 2;\n"}
    assert look(path, text, edited).problems == ()
