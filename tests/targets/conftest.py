"""The closing summary says how many cells of the table were solved, declared, and skipped."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    stats = terminalreporter.stats
    reports = [r for word in ("passed", "failed", "skipped") for r in stats.get(word, [])]
    of_cells = [r for r in reports if "test_targets.py::test_cell[" in r.nodeid]
    if not of_cells:
        return
    found = Counter(_ended(r) for r in of_cells)
    terminalreporter.section("targets (docs/targets.md)")
    for words, count in sorted(found.items()):
        terminalreporter.line(f"{count:5} cells {words}")


def _ended(report: pytest.TestReport) -> str:
    if report.skipped:
        assert isinstance(report.longrepr, tuple)
        return "SKIPPED, not tested: " + report.longrepr[2].removeprefix("Skipped: ")
    if report.failed:
        return "FAILED"
    return dict(report.user_properties)["cell"]
