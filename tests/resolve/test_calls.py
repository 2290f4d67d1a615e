"""What a formulation is told of the spec it serves."""

from __future__ import annotations

import pytest
from spec_texts import HEAD, resolved

MARGOT = HEAD + "split margin by margot;\n"


def answers(rest: str) -> tuple[float, float, float, float]:
    """objective_is(svm), objective_has(margin), objective_has(l1), side_constraints."""
    text = (
        MARGOT
        + rest
        + (
            "param a = objective_is(svm); param b = objective_has(margin);"
            "param c = objective_has(l1); param d = side_constraints;"
        )
    )
    values = {p.name: p.value for p in resolved(text).parameters}
    return tuple(values[name].value for name in "abcd")  # type: ignore[return-value, union-attr]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("", (1, 1, 0, 0)),
        ("minimize svm;", (1, 1, 0, 0)),
        ("minimize (svm);", (1, 1, 0, 0)),
        ("minimize margin + hinge;", (0, 1, 0, 0)),
        ("minimize svm + 3 * splits;", (0, 1, 0, 0)),
        ("minimize 3 * splits + (hinge + svm);", (0, 1, 0, 0)),
        ("minimize own: l1 + hinge;", (0, 0, 1, 0)),
        ("let size = l1 + margin; minimize size + hinge;", (0, 1, 1, 0)),
        ("minimize 2 * svm;", (0, 0, 0, 0)),
        ("minimize svm - splits;", (0, 0, 0, 0)),
        ("minimize svm + (-100) * splits;", (0, 0, 0, 0)),
        ("minimize svm + -splits;", (0, 0, 0, 0)),
        ("minimize misclassified;", (0, 0, 0, 0)),
        ("maximize svm;", (0, 0, 0, 0)),
        ("subject to a: splits <= 2; b {t in branches}: bias[t] <= 1;", (1, 1, 0, 2)),
        ("cut a: splits <= 2;", (1, 1, 0, 0)),
    ],
)
def test_objective_and_rows(rest: str, expected: tuple[float, ...]) -> None:
    assert answers(rest) == expected
