"""The one table of targets: what is solved, by which solver, along which target, and what is not.

A cell is a formulation of the library, a target (a way for a model to leave treemip) and a solver.
A cell that no rule of UNSUPPORTED names must be solved to the formulation's optimum, and its tree
must be verified with the formulation's errors. A cell that a rule names must fail with the words
that the rule says.
"""

from __future__ import annotations

from dataclasses import dataclass, field

POINTS: dict[str, list[object]] = {
    # Multiples of 1/8, so that coefficients fit the 12 characters of fixed MPS. The last two
    # points are one point of two classes: every optimum is above 0.
    "a": [0, 0.125, 0.25, 0.375, 0.625, 0.75, 1, 0.75],
    "b": [0.25, 0, 0.75, 1, 0.125, 0.375, 0.875, 0.375],
    "c": ["n", "n", "y", "y", "y", "y", "n", "n"],
}


LINEAR, OBJECTIVE, ROWS, NONLINEAR = (
    "linear",
    "quadratic objective",
    "quadratic rows",
    "nonlinear, continuous",
)
KINDS = (LINEAR, OBJECTIVE, ROWS, NONLINEAR)
"""Of models. The first three have integers, and may have what those before them have."""


@dataclass(frozen=True)
class Case:
    """A spec over some of POINTS, its kind of model, its optimum, and how many of the points its
    optimal trees get wrong; None where leaves answer no classes. more: columns beside POINTS."""

    text: str
    kind: str
    optimum: float
    errors: int | None
    points: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7)
    more: dict[str, list[object]] = field(default_factory=dict)


VALUES: dict[str, list[object]] = {"d": [1, 1.5, 1, 2, 4, 5, 4, 3]}

TIMES: dict[str, list[object]] = {
    "time": [8, 7, 6, 8, 1, 2, 2, 5],
    "event": [0, 1, 0, 1, 1, 1, 1, 0],
}

TRIAL: dict[str, list[object]] = {
    "treatment": ["n", "y", "n", "y", "n", "y", "n", "y"],
    "outcome": [1, 3, 2, 2.5, 4, 1, 3.5, 0.5],
    "propensity": [0.5] * 8,
}


def _other(split: str, settings: str, use: str = "a, b") -> str:
    """A spec whose leaves answer no classes."""
    return f'data "memory" {{ use {use}; {settings} }} topology complete(depth = 1); split {split};'


def _spec(split: str, depth: int, settings: str = "") -> str:
    return (
        f'data "memory" {{ label c; {settings} }} '
        f"topology complete(depth = {depth}); split {split};"
    )


CASES: dict[str, Case] = {
    "binoct": Case(_spec("univariate by binoct", 2), LINEAR, 1, 1),
    "categorical_odt": Case(
        _spec("univariate by categorical_odt", 2, "bin quantile(3);"), LINEAR, 7, 1
    ),
    "flow_oct": Case(_spec("univariate by flow_oct", 2, "bin quantile(3);"), LINEAR, 7, 1),
    "margot": Case(_spec("margin by margot(C = 10)", 2), OBJECTIVE, 94.7895684113866, 1),
    "mm_svm_oct": Case(_spec("margin by mm_svm_oct(c1 = 100)", 1), ROWS, 645.9411764705, 2),
    # SCIP takes seconds for more points.
    "mrct": Case(
        _spec("randomized by mrct(gamma = 4)", 1, "drop b;"), NONLINEAR, 0.87754067, 1, (1, 3, 5, 7)
    ),
    "oct": Case(_spec("univariate by oct", 2), LINEAR, 0.25, 1),
    "octh": Case(_spec("oblique by octh", 1), LINEAR, 0.5, 2),
    "ort": Case(
        _other("univariate by ort(squared = 0)", "label d number;"),
        LINEAR,
        0.2,
        None,
        (0, 2, 3, 5),  # of more points CP-SAT proves the optimum on its grid in a minute, or not
        VALUES,
    ),
    "ost_grid": Case(
        _other("univariate by ost_grid(steps = 4)", "label none; number time, event;"),
        LINEAR,
        2.8129412120103066,
        None,
        more=TIMES,
    ),
    "prescriptive_ipw": Case(
        _other(
            "univariate by prescriptive_ipw",
            "label none; group treatment; number outcome, propensity; bin quantile(2);",
        ),
        LINEAR,
        3.25,
        None,
        more=TRIAL,
    ),
    "roct": Case(_spec("univariate by roct(eps = 0.0625)", 2), LINEAR, 1, 1),
    "soct": Case(_spec("oblique by soct", 1), LINEAR, 6, 2),
    "svm1_odt": Case(_spec("oblique by svm1_odt", 1), LINEAR, 2.0058181818181815, 2),
}
