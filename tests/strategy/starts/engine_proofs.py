"""What the proof of an exact engine has in common with that of a solver."""

from __future__ import annotations

import pytest

from treemip.api.result import Result


def demand_same_proof(engine: Result, solver: Result) -> None:
    """Both are optimal with the same objective, and the engine says that the proof is its own."""
    assert engine.status == solver.status == "optimal"
    assert engine.objective == pytest.approx(solver.objective, abs=1e-6)
    assert engine.verified, engine.report
    assert engine.answer.solver == "engine" and engine.optimality is not None
    assert engine.optimality.text("verified") == "proven optimal by an exact engine"
