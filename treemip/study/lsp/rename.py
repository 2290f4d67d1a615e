"""A name changed wherever it is mentioned; what would alter the meaning of a text is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from treemip.core.resolve.builtins import builtin, is_builtin
from treemip.core.resources import library_path
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.syntax.faults.machine import grammar_words
from treemip.core.syntax.scan import NAME, scan
from treemip.study.lsp.cursor import word_at
from treemip.study.lsp.navigation import Target, mentions_of, related, target_at
from treemip.study.lsp.problems import applied
from treemip.study.lsp.results import Change, Place, Refused
from treemip.study.lsp.view import Edited, View, look


def renamed_place(view: View, offset: int) -> Place:
    """The name that would be renamed. Raises Refused where none can be."""
    target = _target(view, offset)
    word = word_at(view.text, offset)
    assert word is not None and target is not None
    return Place(view.name, word.start, word.end)


def rename(view: View, offset: int, new: str, edited: Edited | None = None) -> list[Change]:
    """The changes in this text and in those of its folder that mention the name. Raises Refused."""
    target = _target(view, offset)
    _check_name(target.name, new)
    if new == target.name:
        return []
    changes: list[Change] = []
    for one in related(view, target, edited):
        own = [Change(p.path, p.start, p.end, new) for p in mentions_of(one, target)]
        if own:
            _check_left_over(one, target, own)
            _check_meaning(one, target, own, new, edited)
            changes += own
    return changes


def _target(view: View, offset: int) -> Target:
    word = word_at(view.text, offset)
    target = target_at(view, offset)
    if word is None or word.kind != "name":
        raise Refused("there is no name here")
    if target is None and is_builtin(word.text):
        raise Refused(f"'{word.text}' is {builtin(word.text)} of the language")
    if target is None:
        raise Refused(f"'{word.text}' is no name that a text declares")
    if view.gaps or any(d.severity is Severity.ERROR for d in view.problems):
        raise Refused("the text has errors: mend them first, so that every mention is found")
    if target.what == "module":
        raise Refused(f"'{word.text}' is the name of a file")
    if target.what == "data":
        raise Refused(f"'{word.text}' is a column of the data: write  new_name from {word.text}")
    if Path(target.place.path).is_relative_to(library_path()) and target.place.path != view.name:
        raise Refused(f"'{word.text}' is declared in the library")
    return target


def _check_name(old: str, new: str) -> None:
    if not re.fullmatch(NAME, new):
        raise Refused(f"'{new}' is not a name: letters, digits and '_', no digit first")
    if is_builtin(new):
        raise Refused(f"'{new}' is {builtin(new)} of the language")
    if new in grammar_words():
        raise Refused(f"'{new}' is a word of the language")


def _check_left_over(view: View, target: Target, changes: Iterable[Change]) -> None:
    """The name may not stand where nothing says what it means, as in `mentions(name)`."""
    changed = {c.start for c in changes}
    for lexeme in scan(view.text):
        if lexeme.kind != "name" or lexeme.text != target.name or lexeme.start in changed:
            continue
        before = view.text[: lexeme.start].rstrip()
        if re.search(r"\b(?:mentions|objective_is|objective_has)\s*\($", before):
            line = view.text.count("\n", 0, lexeme.start) + 1
            raise Refused(f"line {line} of {view.path.name} asks for '{target.name}' by its name")


def _check_meaning(
    view: View, target: Target, changes: list[Change], new: str, edited: Edited | None
) -> None:
    """The changed text has no new problem, and each of its names refers to what it did."""
    text = applied(view.text, changes)
    others = {k: v for k, v in (edited or {}).items() if k != view.name}
    if target.place.path != view.name:
        return  # its module is changed at the same time, and checked as a text of its own
    after = look(view.path, text, others)
    fresh = [d for d in after.problems if _key(d) not in {_key(d) for d in view.problems}]
    if fresh:
        first = next((d for d in fresh if d.severity is Severity.ERROR), fresh[0])
        if first.severity is Severity.ERROR or len(after.problems) > len(view.problems):
            raise Refused(f"'{new}' cannot be the name: {first.message}")
    before_places = _references(view, changes, len(new) - len(target.name))
    if before_places != _references(after, (), 0):
        raise Refused(f"'{new}' would mean something else in places: it is declared already")


def _key(one: Diagnostic) -> tuple[str, str]:
    return one.code, one.message


def _references(view: View, changes: Iterable[Change], growth: int) -> set[tuple[int, int]]:
    """Each mention with where it is declared in the text, both after the changes."""
    starts = sorted(c.start for c in changes)

    def moved(offset: int) -> int:
        return offset + growth * sum(start < offset for start in starts)

    found = set()
    for start, mention in view.mentions.items():
        place = mention.place
        there = moved(place.start) if place is not None and view.is_own(place) else -1
        found.add((moved(start), there))
    return found
