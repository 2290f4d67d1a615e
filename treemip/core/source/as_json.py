"""Diagnostics for programs: each with its place, and its quick fix as the whole text with it."""

from __future__ import annotations

from typing import Any

from treemip.core.source.diagnostic import Diagnostic, Fix
from treemip.core.source.render import render


def as_json(one: Diagnostic) -> dict[str, Any]:
    """code, severity, message, help, `text` as the command line shows it; file, line, column,
    end_line and end_column, from 1, where it has a place; fix: title and the fixed text."""
    said: dict[str, Any] = {
        "code": one.code,
        "severity": one.severity.value,
        "message": one.message,
        "help": one.caret or one.remedy,
        "text": render(one),
    }
    if (span := one.span) is not None:
        said |= {"file": span.source.name, "line": span.line, "column": span.column}
        said |= {"end_line": span.last_line, "end_column": span.last_column}
    if (fix := one.quick_fix) is not None and span is not None and _within(fix, one):
        said["fix"] = {"title": fix.title, "text": fixed(fix)}
    return said


def _within(fix: Fix, one: Diagnostic) -> bool:
    """Whether a fix changes the text that the message is about, and no other."""
    assert one.span is not None
    return all(edit.span.source.name == one.span.source.name for edit in fix.edits)


def fixed(fix: Fix) -> str:
    """The text with a fix made in it."""
    source = fix.edits[0].span.source
    text = source.text if source.original is None else source.original
    for edit in sorted(fix.edits, key=lambda e: (e.span.start, e.span.end), reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
