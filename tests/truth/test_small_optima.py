"""S-OCT and SVM1-ODT on small instances: the optima that independent programs proved."""

from __future__ import annotations

import pytest
from truth_cases import HERE, compiled, known

pytestmark = pytest.mark.truth

SOCT = [(r, s) for r in known("soct_small.csv") for s in ("highs", "scip")]
SVM1 = [(r, s) for r in known("svm1_small.csv") for s in ("highs", "scip")]


def title(value: object) -> str:
    return value["instance"] if isinstance(value, dict) else str(value)


@pytest.mark.parametrize(("row", "solver"), SOCT, ids=title)
def test_soct(row: dict[str, str], solver: str) -> None:
    made = compiled("soct", HERE, row["instance"])
    result = made.solve(solver, start="none")
    assert result.status == "optimal"
    assert result.objective == pytest.approx(float(row["objective"]), rel=1e-6)
    assert result.train_errors == int(row["n"]) - int(row["objective"])
    assert result.verified, result.report
    assert made.model.column_count == int(row["columns"])
    assert made.model.row_count == int(row["rows"])


@pytest.mark.parametrize(("row", "solver"), SVM1, ids=title)
def test_svm1_odt(row: dict[str, str], solver: str) -> None:
    """At 1e-9, since a violation of 1e-6 in a row is worth alpha1 = 1000 times as much."""
    made = compiled("svm1_odt", HERE, row["instance"])
    result = made.solve(solver, start="none", feasibility=1e-9)
    assert result.status == "optimal"
    expected = float(row["second_objective"] or row["objective"])
    assert result.objective == pytest.approx(expected, rel=1e-6)
    assert result.train_errors == int(expected)
    assert result.verified, result.report
    assert made.model.column_count == int(row["columns"])
    # the others have each weight's absolute value as the sum of two parts, without rows of its own
    rows_of_norms = 2 * 3 * int(row["p"])
    assert made.model.row_count == int(row["rows"]) + rows_of_norms
