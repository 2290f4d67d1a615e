"""Campaign `engines`: proofs on tables so small that every tree is known, of all formulations whose
trees can be enumerated.

What must hold is what `searches` asks, without its comparison with CART: here are more cases a
second. Shapes are unbalanced as well, complete ones are of depth 1 to 3; prices are on every term
of the vocabulary; numbers may all but agree. By default treemip chooses what proves: an exact
engine or a solver. Where no engine is, solvers are asked as well, without a search. One case in ten
is of `large_trees`, which no reference knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from reference.enumeration import complete
from reference.leaf_sums import least_cost
from reference.regression_trees import linear_cost, squared, tiny
from reference.robust_trees import least_robust_errors, random_points
from reference.shapes import read

import treemip
from treemip.core.source.diagnostic import TreemipError

from .cases import Campaign, Case
from .deep_models import deep_model
from .judge import FINE, judged, shown
from .large_trees import checked
from .margin_models import MARGINS
from .models import FORMS, Model, random_model
from .promises import require_sound
from .tables import Table
from .valued_forms import VALUED, Valued

SECONDS = 1.0
SOLVER_SECONDS = 5.0
NEAR = 0.3  # share of cases with numbers that all but agree
LARGE = (13, 19)  # of twenty cases, those of trees that are too large for a reference
UNBALANCED = 0.4  # share of shapes that are
SHAPES = ["((. .) .)", "(. (. .))", "(((. .) .) .)", "((. (. .)) .)", "(. (. (. .)))"]
LINEAR_LEAVES = 6.0  # steepest coefficient of a leaf


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    rng = case.rng()
    if case.number % 20 in LARGE:
        return checked(rng, files)
    model = model_of(case, rng)
    how = _how(rng, model)
    files |= {"spec.tree": model.text, "table.csv": model.table.csv, "how.txt": f"{how}\n"}
    fine = FINE if model.formulation == "svm1_odt" else None
    try:
        compiled = treemip.loads(model.text, data=model.table.columns).compile()
        result = compiled.solve(**how, threads=1, feasibility=fine)
    except TreemipError as error:
        require_sound(error)
        return {f"{model.formulation} refused {error.diagnostics[0].code}": 1}
    files["result.txt"] = shown(result)
    return judged(model, result).counted


def model_of(case: Case, rng: np.random.Generator) -> Model:
    """Of twenty, eight of classes, five of depth 3, four of other answers, one of the rest."""
    turn, near = case.number % 20, rng.random() < NEAR
    if turn in range(8, 14):
        return deep_model(rng, near)
    if turn >= 18:
        return _others(rng)
    forms = FORMS if turn < 8 else VALUED
    name = str(rng.choice(list(forms)))
    return random_model(rng, name, _shape(rng), near, forms[name])


def _shape(rng: np.random.Generator) -> tuple[Any, ...]:
    if rng.random() < UNBALANCED:
        return read(str(rng.choice(SHAPES)))
    return complete(int(rng.choice([1, 2, 2])))


def _how(rng: np.random.Generator, model: Model) -> dict[str, Any]:
    """Ways to solve; small limits, since what is not proven is of little use here."""
    name = model.formulation
    if name in ("svm1_odt", "margot", "mm_svm_oct"):
        return {"solver": "scip", "time_limit": SOLVER_SECONDS}
    if name in ("share_trees", "ost_grid", "ort_linear", "roct"):
        linear = name in ("ost_grid", "roct") or "squared = 0" in model.text
        solver = str(rng.choice(["scip", "highs"])) if linear else "scip"
        return {"solver": solver, "start": "none", "time_limit": SOLVER_SECONDS}
    return {"start": "search", "time_limit": SECONDS}


# ------------------------------------------- formulations with references of their own


def _others(rng: np.random.Generator) -> Model:
    makers: list[Callable[[np.random.Generator], Model]] = [
        *MARGINS.values(), robust, linear_leaves]  # fmt: skip
    return makers[int(rng.integers(len(makers)))](rng)


def robust(rng: np.random.Generator) -> Model:
    """ROCT by the attacks themselves."""
    x, y, radii = random_points(int(rng.integers(1 << 30)))
    depth = int(rng.choice([1, 2]))
    table = Table(x, y, None, np.zeros_like(y), True, "grid")
    text = (
        'data "table.csv" { label c; drop g; scale minmax; }\n'
        f"topology complete(depth = {depth});\nsplit univariate by roct;\n"
        f'param radius {{j in features}} = table("a1": {radii[0]}, "a2": {radii[1]});\n'
    )

    def reference() -> tuple[float, float]:
        best = float(least_robust_errors(x, y, radii, depth))
        return best, best

    return Model("roct", table, text, 1.0, reference, x, table.feature_of)


def linear_leaves(rng: np.random.Generator) -> Model:
    """ORT-L by a fit for each set of coefficients."""
    alpha, lam, lasso = (float(rng.choice([0.0, price])) for price in (0.05, 0.03, 0.02))
    features, least = int(rng.integers(1, 3)), int(rng.integers(2, 5))
    is_squared = bool(rng.integers(2))
    x, y = tiny(int(rng.integers(1 << 30)), 8, features)
    nothing = np.zeros(len(y), np.int64)
    table = Valued(x, nothing, None, nothing, True, "grid", {"c": y}, "")
    text = (
        'data "table.csv" { label c number; scale minmax; }\ntopology complete(depth = 1);\n'
        f"split univariate by ort_linear(squared = {int(is_squared)}, alpha = {alpha}, "
        f"min_leaf = {least}, steepest = {LINEAR_LEAVES}, lasso = {lasso}, lambda = {lam});\n"
    )
    scale = (squared(y) if is_squared else float(np.abs(y - np.median(y)).sum())) or 1.0
    cost = linear_cost(is_squared, scale, LINEAR_LEAVES, lam, lasso / (np.ptp(y) or 1.0))

    def reference() -> tuple[float, float]:
        best = least_cost(x, 1, alpha, least, lambda leaf: cost(x[leaf], y[leaf]))
        return best, best

    return Model("ort_linear", table, text, 1.0, reference, x, table.feature_of, tolerance=2e-5)


CAMPAIGN = Campaign("engines", "proofs", 3000, run, cpu=60.0, wall=120.0)
