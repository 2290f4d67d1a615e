"""Diagnostics, reports, and the error that carries them."""

from __future__ import annotations

import pickle

import pytest

from treemip.core.source.diagnostic import Diagnostic, Report, Severity, TreemipError
from treemip.core.source.span import Source

SOURCE = Source("t.tree", "param a = 1;\nparam b = 2;\n")


def test_an_unlisted_code_cannot_be_used() -> None:
    with pytest.raises(KeyError, match="E000"):
        Diagnostic("E000", "?", None)


def test_a_report_keeps_each_diagnostic_once_and_tells_errors_from_warnings() -> None:
    report = Report()
    for _ in range(2):
        report.error("E201", "unknown name 'a'", SOURCE.span(6, 7))
        report.warn("W301", "advice", None)
    assert [d.severity for d in report.diagnostics] == [Severity.ERROR, Severity.WARNING]
    assert [d.code for d in report.errors] == ["E201"]
    assert [d.code for d in report.warnings] == ["W301"]


def test_only_errors_end_a_stage() -> None:
    report = Report()
    report.warn("W301", "advice", None)
    report.raise_errors()
    report.error("E201", "unknown name 'a'", None)
    with pytest.raises(TreemipError) as caught:
        report.raise_errors()
    assert [d.code for d in caught.value.diagnostics] == ["E201"]


def test_one_diagnostic_may_be_raised_alone() -> None:
    one = Diagnostic.outside("E901", "no such file", "check the path")
    assert TreemipError(one).diagnostics == (one,)
    assert str(TreemipError(one)) == "error[E901]: no such file\n  = help: check the path"


def test_a_chain_towards_the_users_line_grows_at_its_end() -> None:
    one = Diagnostic("E201", "unknown name", SOURCE.span(6, 7))
    chained = one.used_from(SOURCE.span(19, 20)).used_from(SOURCE.span(13, 18), "mentioned here")
    assert [r.text for r in chained.related] == ["used from here", "mentioned here"]
    assert one.related == ()


def test_an_error_passes_from_one_process_to_another() -> None:
    error = TreemipError(Diagnostic("E201", "unknown name 'a'", SOURCE.span(6, 7)))
    copy = pickle.loads(pickle.dumps(error))
    assert copy.diagnostics == error.diagnostics
    assert str(copy) == str(error)
