"""Texts that are typed letter by letter, mutated and half finished: nothing raises."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

from mutate import mutated

from treemip.core.resources import specs_path
from treemip.core.source.diagnostic import TreemipError
from treemip.study.lsp.completion import completion
from treemip.study.lsp.documents import Documents
from treemip.study.lsp.hover import hover
from treemip.study.lsp.layout import formatting
from treemip.study.lsp.lenses import lenses
from treemip.study.lsp.navigation import definition, highlights
from treemip.study.lsp.outline import folds, outline
from treemip.study.lsp.positions import MARK, Lines, plain, uri_of
from treemip.study.lsp.problems import applied, fixes, problems
from treemip.study.lsp.rename import rename
from treemip.study.lsp.results import Outline, Refused
from treemip.study.lsp.signatures import signature_help
from treemip.study.lsp.table import TableCache, data_facts
from treemip.study.lsp.tokens import KINDS, tokens
from treemip.study.lsp.view import View, look

TESTS = Path(__file__).parents[1]

SPECS = sorted(specs_path().rglob("*.tree"))

CORPUS = [*SPECS, *sorted(TESTS.glob("bad/*/*.tree")), *sorted(TESTS.glob("syntax/bad/*.tree"))]
"""Texts that are shipped, and those of the corpora of bad ones."""

TABLES = TableCache()


def ask_everything(view: View, offset: int) -> None:
    """Every function at a place; what they return lies within the text, in order."""
    facts = data_facts(view, TABLES) if offset % 7 == 0 else data_facts(look_empty(view), TABLES)
    size = len(view.text)
    for one in problems(view, facts.problems):
        assert 0 <= one.start <= one.end <= size
        for change in one.fix.changes if one.fix else ():
            assert 0 <= change.start <= change.end <= size
    for one in fixes(view, offset, offset):
        assert one.fix is not None
        applied(view.text, one.fix.changes)
    end = 0
    for token in tokens(view):
        assert end <= token.start < token.end <= size
        assert token.kind in KINDS
        end = token.end
    for item in completion(view, offset, facts):
        assert 0 <= item.start <= offset
    found = hover(view, offset, facts)
    assert found is None or 0 <= found.start <= found.end <= size
    signature_help(view, offset)
    for place in (*definition(view, offset), *highlights(view, offset)):
        assert place.start <= place.end
    for one in outline(view):
        check_outline(one, size)
    for fold in folds(view):
        assert 0 <= fold.first < fold.last <= view.text.count("\n")
    lenses(view)


def look_empty(view: View) -> View:
    return look(view.path, "")


def check_outline(one: Outline, size: int) -> None:
    assert one.name
    assert 0 <= one.start <= one.name_start <= one.name_end <= one.end <= size
    for child in one.children:
        check_outline(child, size)


def type_into(path: Path, random: Random, letters: int) -> None:
    """Type a stretch of a mutated text into the rest of it, a letter at a time as an editor sends
    it, and ask everything now and then."""
    text = path.read_text(encoding="utf-8")
    other = random.choice(CORPUS).read_text(encoding="utf-8")
    new = plain(mutated(text, [other], random))
    at = random.randrange(max(1, len(new) - letters))
    documents, uri = Documents(), uri_of(path)
    document = documents.put(uri, text)
    documents.view(document)
    documents.put(uri, new[:at] + new[at + letters :])
    for k, letter in enumerate(new[at : at + letters]):
        place = Lines(document.text).position(at + k)
        documents.change(uri, [((place, place), letter)])
        view = documents.view(document)
        assert view.text == new[: at + k + 1] + new[at + letters :]
        try:
            if k % 4 == 0:
                ask_everything(view, at + k + 1)
            problems(view)
        except Exception as error:
            raise AssertionError(f"{path.name} at {at + k}:\n{view.text}") from error
    ask_everything(documents.view(document), at + letters)
    finish(documents.view(document), at + letters)


def finish(view: View, offset: int) -> None:
    """What may be refused, but raises nothing else."""
    with suppress(Refused):
        rename(view, offset, "renamed_so")
    with suppress(TreemipError):
        formatting(view.name, view.text)


@pytest.mark.parametrize("seed", range(6))
def test_typing_raises_nothing(seed: int) -> None:
    random = Random(seed)
    type_into(random.choice(CORPUS), random, 8)


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(100, 140))
def test_typing_raises_nothing_for_long(seed: int) -> None:
    """Together 2000 texts."""
    random = Random(seed)
    for _ in range(50):
        type_into(random.choice(CORPUS), random, 12)


@pytest.mark.parametrize(
    ("text", "place", "letter", "then"),
    [
        ("par am", (0, 3), MARK, f"par{MARK} am"),  # in a text it is a character as others
        (f"{MARK}param a;", (0, 6), "s", f"{MARK}params a;"),
        (f"{MARK}param a;", (0, 1), "x", f"{MARK}xparam a;"),
        (f"{MARK}param a;", (0, 0), "x", f"x{MARK}param a;"),
        (f"{MARK}a;\nb;", (1, 0), "c", f"{MARK}a;\ncb;"),
    ],
)
def test_a_mark_of_the_byte_order_stays_where_the_editor_has_it(text, place, letter, then):
    documents = Documents()
    documents.put("file:///a.tree", text)
    assert documents.change("file:///a.tree", [((place, place), letter)]).text == then
