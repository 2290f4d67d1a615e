"""Each rule names the fault of its own example, before every other rule."""

from __future__ import annotations

import pytest

from treemip.core.source.span import Source
from treemip.core.syntax.faults import recover
from treemip.core.syntax.faults.recover import find_faults
from treemip.core.syntax.faults.rules import RULES, Rule
from treemip.core.syntax.faults.stop import Fault, Stop


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name_fault.__name__)
def test_of_its_example(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    first: list[Rule] = []

    def record(stop: Stop) -> Fault:
        fitting = ((r, r.name_fault(stop)) for r in RULES)
        naming, fault = next((r, fault) for r, fault in fitting if fault is not None)
        first.append(naming)
        return fault

    monkeypatch.setattr(recover, "classify", record)
    (diagnostic, *_) = find_faults(Source("example.tree", rule.example))
    assert first[0].name_fault is rule.name_fault, diagnostic
