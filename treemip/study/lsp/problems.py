"""Problems of a text as an editor shows them: its diagnostics, each at a place of this text."""

from __future__ import annotations

from collections.abc import Iterable

from treemip.core.source.diagnostic import Diagnostic, Fix, Related
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n
from treemip.study.lsp.results import Change, Place, Problem, QuickFix
from treemip.study.lsp.view import View, path_of_source

MOST = 200
"""Problems of a text that are shown."""


def problems(view: View, of_data: Iterable[Diagnostic] = ()) -> list[Problem]:
    """Those of the text, and `of_data`, in the order of the text."""
    found = [_problem(view, d) for d in (*view.problems, *of_data)]
    return sorted(found, key=lambda p: (p.start, p.end))[:MOST]


def _problem(view: View, one: Diagnostic) -> Problem:
    """What is wrong in another text is shown where this one uses it."""
    message, remedy = one.message, one.remedy
    if one.caret:
        message += f"\n{one.caret}"
    if remedy:
        message += f"\nhelp: {remedy}"
    span, related = one.span, list(one.related)
    if span is not None and not view.is_own(span):
        message = f"{span}: {message}"
        own = next((r.span for r in related if view.is_own(r.span)), None) or _named(view)
        related = [Related(span, one.message), *(r for r in related if r.span is not own)]
        span = own
    start, end = _shown(view, span)
    places = tuple((place_of(r.span), r.text) for r in related)
    severity = one.severity.value
    return Problem(one.code, severity, message, start, end, places, _quick(view, one.quick_fix))


def _named(view: View) -> Span | None:
    """Where a text names another one: its formulation, else the first module."""
    for kind in (n.Split, n.Use):
        for s in view.file.statements:
            if isinstance(s, kind) and view.is_own(s.span):
                return s.span
    return None


def _shown(view: View, span: Span | None) -> tuple[int, int]:
    """At least one character, and none behind the text; the first line of what has no place."""
    if span is None:
        return 0, max(0, view.text.find("\n"))
    start, end = min(span.start, len(view.text)), min(span.end, len(view.text))
    return (start, end) if end > start else (max(0, start - 1), start)


def place_of(span: Span) -> Place:
    return Place(path_of_source(span.source), span.start, span.end)


def _quick(view: View, fix: Fix | None) -> QuickFix | None:
    """The change of this text; None of one in another text."""
    if fix is None or not all(view.is_own(edit.span) for edit in fix.edits):
        return None
    end = len(view.text)
    return QuickFix(
        fix.title,
        tuple(
            Change(view.name, min(e.span.start, end), min(e.span.end, end), e.text)
            for e in fix.edits
        ),
    )


def fixes(view: View, start: int, end: int, of_data: Iterable[Diagnostic] = ()) -> list[Problem]:
    """The problems at a place that have a quick fix."""
    touched = (p for p in problems(view, of_data) if p.start <= end and start <= p.end)
    return [p for p in touched if p.fix is not None]


def applied(text: str, changes: Iterable[Change]) -> str:
    """A text with changes made in it."""
    for change in sorted(changes, key=lambda c: (c.start, c.end), reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text
