"""The statements of a text as an outline, and what of it can be folded."""

from __future__ import annotations

from collections.abc import Iterator

from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.scan import Lexeme, scan
from treemip.study.lsp.declared import KINDS
from treemip.study.lsp.results import Fold, Outline
from treemip.study.lsp.view import View


def outline(view: View) -> list[Outline]:
    """Statements in the order of the text, with settings and rows below them."""
    return [one for s in view.file.statements if view.is_own(s.span) for one in _of(view, s)]


def _of(view: View, s: n.Statement) -> Iterator[Outline]:
    if isinstance(s, n.Data | n.Strategy):
        title = f'data "{s.path}"' if isinstance(s, n.Data) else "strategy"
        settings = tuple(_one(view, x.key, "setting", x.span.text, x.span) for x in s.settings)
        yield _one(view, title, "block", "", s.span, children=settings)
    elif isinstance(s, n.Subject):
        rows = tuple(_row(view, c) for c in s.constraints)
        yield _one(view, "subject to", "rows", f"{len(rows)}", s.span, children=rows)
    elif isinstance(s, n.Cut):
        yield _row(view, s.constraint)
    elif isinstance(s, n.Declaration):
        children: tuple[Outline, ...] = ()
        if isinstance(s, n.Concept) and isinstance(s.default, tuple):
            children = tuple(one for inner in s.default for one in _of(view, inner))
        yield _one(view, s.name, KINDS[type(s)], s.doc, s.span, s.name_span, children)
    elif isinstance(s, n.Objective):
        yield _one(view, s.name or s.sense, "objective", s.sense, s.span)
    elif isinstance(s, n.Split):
        by = f" by {s.by.written}" if s.by is not None else ""
        yield _one(view, f"split {s.kind}{by}", "split", "", s.span)
    else:
        first = " ".join(s.span.text.split())
        yield _one(view, first if len(first) < 60 else first[:59] + "…", "statement", "", s.span)


def _row(view: View, c: n.Constraint) -> Outline:
    return _one(view, c.name, "constraint", c.tag, c.span, c.name_span)


def _one(
    view: View,
    name: str,
    kind: str,
    detail: str,
    span: Span,
    name_span: Span | None = None,
    children: tuple[Outline, ...] = (),
) -> Outline:
    end = len(view.text)
    at = name_span if name_span is not None else Span(span.source, span.start, span.start)
    detail = " ".join(detail.split())[:80]
    return Outline(
        name or "?",
        kind,
        detail,
        min(span.start, end),
        min(span.end, end),
        min(at.start, end),
        min(at.end, end),
        children,
    )


def folds(view: View) -> list[Fold]:
    """Statements, blocks and brackets over several lines, and comments of several lines."""
    lines = _line_numbers(view.text)
    found: list[Fold] = []
    for s in view.file.statements:
        if view.is_own(s.span):
            found += _fold(lines, s.span.start, min(s.span.end, len(view.text)))
            if isinstance(s, n.Subject):
                for c in s.constraints:
                    found += _fold(lines, c.span.start, c.span.end)
    found += _comments(view.text, lines)
    unique = {(fold.first, fold.last): fold for fold in found}
    return [unique[key] for key in sorted(unique)]


def _line_numbers(text: str) -> list[int]:
    starts = [0]
    starts += (k + 1 for k, character in enumerate(text) if character == "\n")
    return starts


def _line_of(starts: list[int], offset: int) -> int:
    from bisect import bisect_right

    return bisect_right(starts, offset) - 1


def _fold(starts: list[int], start: int, end: int) -> list[Fold]:
    first, last = _line_of(starts, start), _line_of(starts, max(start, end - 1))
    return [Fold(first, last)] if last > first else []


def _comments(text: str, starts: list[int]) -> Iterator[Fold]:
    """Runs of lines that begin with a comment."""
    run: list[int] = []
    for lexeme in (*scan(text), Lexeme("end", "", len(text), len(text))):
        line = _line_of(starts, lexeme.start)
        whole = lexeme.kind == "comment" and not text[starts[line] : lexeme.start].strip()
        if whole and (not run or line == run[-1] + 1):
            run.append(line)
            continue
        if len(run) > 1:
            yield Fold(run[0], run[-1], "comment")
        run = [line] if whole else []
