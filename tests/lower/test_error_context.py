"""Errors of evaluation name the statement they come from."""

from __future__ import annotations

import pytest

from treemip.core.lower.error_context import used_from
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.span import Source

HERE = Source("a.tree", "minimize l1;").span(9, 11)
THERE = Source("library/b.tree", "term l1 = 1 / 0;").span(10, 15)


def raised(error: BaseException) -> Diagnostic:
    with pytest.raises(TreemipError) as caught, used_from(HERE):
        raise error
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def test_an_error_in_another_text_shows_who_uses_it() -> None:
    found = raised(TreemipError(Diagnostic("E404", "a division by zero", THERE)))
    assert found.span == THERE
    assert [r.span for r in found.related] == [HERE]


def test_an_error_in_the_same_text_or_none_stays_as_it_is() -> None:
    for span in (HERE, None):
        diagnostic = Diagnostic("E404", "a division by zero", span)
        assert raised(TreemipError(diagnostic)) == diagnostic


def test_what_is_too_deep_or_too_large_is_an_error_of_the_statement() -> None:
    assert (raised(RecursionError()).code, raised(MemoryError()).code) == ("E111", "E405")
    assert raised(MemoryError()).span == HERE


def test_other_exceptions_are_not_touched() -> None:
    with pytest.raises(ZeroDivisionError), used_from(HERE):
        raise ZeroDivisionError
