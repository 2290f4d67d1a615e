"""The formulations of the library on small data: texts, tables, programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import treemip
from treemip.api.compiled import Compiled
from treemip.api.program import Implied

KINDS = {
    "binoct": "univariate",
    "oct": "univariate",
    "soct": "oblique",
    "octh": "oblique",
    "svm1_odt": "oblique",
    "flow_oct": "univariate",
}

SETTINGS = {"binoct": "", "flow_oct": "bin thresholds;"}
"""What a formulation needs in the data block; others take features in [0, 1]."""

Columns = dict[str, Any]


def table(x: np.ndarray, y: np.ndarray, **more: object) -> Columns:
    """Columns a1.. of x (N, p) and the class column c; class k is called "k"."""
    features = {f"a{j + 1}": x[:, j] for j in range(x.shape[1])}
    return {**features, "c": [str(k) for k in y], **more}


def random_table(
    rng: np.random.Generator, points: int, features: int, classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Few distinct values, so that ties, equal points of two classes and constants come up."""
    return rng.integers(0, 4, (points, features)).astype(float), rng.integers(0, classes, points)


def compiled(
    formulation: str,
    columns: Columns,
    depth: int,
    rest: str = "",
    *,
    scale: bool | None = None,
    parameters: Mapping[str, object] | None = None,
    settings: str = "",
    cuts: tuple[str, ...] | None = None,
    implications: Implied | None = None,
) -> Compiled:
    """`rest` is text after the three first statements; `scale` of None is what SETTINGS say."""
    own = SETTINGS.get(formulation, "scale minmax;")
    needed = own if scale is None else "scale minmax;" if scale else ""
    text = (
        f'data "table.csv" {{ label c; {needed} {settings} }}\n'
        f"topology complete(depth = {depth});\n"
        f"split {KINDS[formulation]} by {formulation};\n{rest}"
    )
    program = treemip.loads(text, data=columns, **dict(parameters or {}))
    return program.compile(cuts=cuts, implications=implications)


def errors_of(made: Compiled, objective: float) -> float:
    """The number of errors an optimum stands for: of the formulations without other terms."""
    instance = made.instance
    name = made.program.spec.formulation
    if name in ("soct", "flow_oct"):
        return len(instance.table.y) - objective
    if name in ("oct", "octh"):
        return objective * float(np.bincount(instance.table.y).max())
    assert name == "binoct"
    return objective
