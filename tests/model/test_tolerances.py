"""Tolerances: one home, each with its reason, and each with room for the finer ones."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from treemip.core.model import tolerances

SOURCE = Path(tolerances.__file__)
ROOT = SOURCE.parents[1]
RANGES = ROOT / "resolve" / "settings" / "solve_options.py"
"""What can be asked for; the tolerances of that name are read from there."""
ALGORITHMS = ("engines",)
"""They guard their own sums against rounding; no verdict is made of that."""


def test_every_tolerance_says_what_it_is_for() -> None:
    body = ast.parse(SOURCE.read_text()).body
    for k, statement in enumerate(body):
        if isinstance(statement, ast.Assign):
            after = body[k + 1]
            assert isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)


def test_what_a_solver_is_asked_for_verification_forgives() -> None:
    t = tolerances
    assert t.LEAST_FEASIBILITY < t.TIGHT <= t.FEASIBILITY < t.VERIFIED <= t.LEAST_GAP < t.LOOSE
    assert t.DUST <= t.TIGHT and t.DUST <= t.NO_COEFFICIENT
    assert t.PROVEN < t.VERIFIED and t.FAINT_LOSS < t.VERIFIED
    assert t.VERIFIED < t.WHOLE


def test_no_module_has_a_tolerance_of_its_own() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path in sorted(ROOT.rglob("*.py"))
        if path not in (SOURCE, RANGES) and path.relative_to(ROOT).parts[0] not in ALGORITHMS
        if re.search(r"e-|0\.000", text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
        if 0 < node.value <= 1e-4 and len(repr(node.value)) < 10  # longer ones are coefficients
    ]
    assert found == []
