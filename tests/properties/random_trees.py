"""Solutions of random trees: a formulation's own values for a routing drawn at random.

The routing and labels are fixed and the solver finds the rest, so that thresholds are where a
formulation's rows let them be, which is often on a training point.
"""

from __future__ import annotations

import numpy as np

import treemip
from treemip.answers.starts.fixed import fix_tree
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.solving.solve import solve

MARGIN = 0.03
LABELS = "cut spare {l in leaves}: sum {k in classes} label[l,k] <= 1;"
"""A mention of the labels, so that they can be fixed where a formulation has numbers instead."""

CASES = [
    ("oblique", "soct", "scale minmax;", ""),
    ("oblique", "soct(eps = 0.001)", "scale minmax;", "minimize misclassified + 0.1 * splits;"),
    ("oblique", "soct", "scale minmax;", "subject to low: bias[root] <= 0.4;"),
    ("oblique", "octh", "scale minmax;", ""),
    ("oblique", "svm1_odt", "scale minmax;", LABELS),
    ("oblique", "svm1_odt", "scale minmax;", f"minimize misclassified; {LABELS}"),
    ("univariate", "oct", "scale minmax;", ""),
    ("univariate", "binoct", "", ""),
    ("univariate", "binoct", "scale minmax;", ""),
    ("univariate", "binoct", "scale standard;", ""),
    ("univariate", "flow_oct", "bin thresholds;", LABELS),
    ("margin", "margot", "scale minmax;", "minimize l1 + hinge;"),
    ("margin", "margot", "", "minimize misclassified;"),
    ("margin", "mm_svm_oct", "scale minmax;", ""),
]


def random_compiled(seed: int) -> Compiled:
    """Few points with ties and equal rows; values dyadic, decimal, thirds or many orders apart."""
    rng = np.random.default_rng(seed)
    kind, by, settings, rest = CASES[seed % len(CASES)]
    points, features = int(rng.integers(4, 13)), int(rng.integers(1, 4))
    x = rng.integers(0, 8, (points, features)) / float(rng.choice([1, 8, 10, 3, 7]))
    x = x * 10.0 ** rng.integers(-3, 4, features)
    x[-1] = x[0]
    x[:2, 0] = x[0, 0], x[0, 0] + 1
    y = rng.integers(0, 2 if kind == "margin" else 3, points)
    y[:2] = 0, 1
    text = (
        f'data "t" {{ label c{" positive 1" * (kind == "margin")}; {settings} }}'
        f" topology complete(depth = {rng.integers(1, 4)}); split {kind} by {by}; {rest}"
    )
    columns = {f"a{j}": x[:, j] for j in range(features)} | {"c": y}
    return treemip.loads(text, data=columns).compile()


def random_split(rng: np.random.Generator, x: np.ndarray, oblique: bool) -> np.ndarray | None:
    """Which points go left by a random split with a margin, or None where there is none."""
    for _ in range(10):
        one = np.eye(x.shape[1])[rng.integers(x.shape[1])]
        weights = rng.normal(size=x.shape[1]) if oblique else one
        value = x @ weights / np.abs(weights).sum()
        ordered = np.sort(value)
        wide = np.flatnonzero(np.diff(ordered) >= MARGIN)
        if len(wide):
            return value <= ordered[rng.choice(wide)]
    return None


def random_routing(made: Compiled, seed: int) -> tuple[np.ndarray, dict[int, int]]:
    """A leaf for each training point, and classes of the leaves."""
    rng = np.random.default_rng(seed)
    instance = made.instance
    topology, table = instance.topology, instance.table
    assert topology is not None
    formulation = made.program.spec.formulation
    oblique = formulation not in ("oct", "binoct", "flow_oct")
    at = np.zeros(len(table.y), np.int64)
    for node in topology.branches:
        here = np.flatnonzero(at == node)
        left = random_split(rng, table.x[here], oblique) if len(here) > 1 else None
        if left is None:
            left = np.full(len(here), formulation in ("flow_oct", "soct", "svm1_odt"))
        at[here] = np.where(left, topology.left[node], topology.right[node])
    classes = {
        int(leaf): int(np.bincount(table.y[at == leaf], minlength=len(table.classes)).argmax())
        for leaf in topology.leaves
    }
    return at, classes


def random_result(seed: int) -> Result | None:
    """None where the formulation has no solution with the routing drawn."""
    made = random_compiled(seed)
    fixed = fix_tree(made.instance, made.model, *random_routing(made, seed))
    quadratic = made.program.spec.formulation == "mm_svm_oct"
    result = made.result(solve(fixed, "scip" if quadratic else "highs"), {}, [])
    return result if result.tree is not None else None
