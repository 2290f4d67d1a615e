"""Campaign `solves`: random small models, every formulation, by a solver without a search.

Besides what `judge` asks of an answer, a row is given one class, alone or among others, and the
errors that are said are those counted from raw rows.

A solver that is wrong is no fault as long as the claim is withdrawn: another status than "optimal",
or a tree that is not verified.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

from .cases import OTHER, WRONG_OPTIMUM, WRONG_VERDICT, Campaign, Case, Fault
from .judge import FINE, SECONDS, decoded, judged, shown
from .margin_models import MARGINS, Randomized, randomized
from .models import FORMS, Model, random_of_any_values
from .promises import require_sound

FORMULATIONS = {**dict.fromkeys(FORMS, 14), **dict.fromkeys(MARGINS, 7), "mrct": 9}
SOLVERS = ["highs", "highs", "highs", "scip", "scip", "scip", "cbc", "auto"]
WAYS = [("portable", None), ("portable", "big_m"), ("scip", "indicator"), ("scip", "sos1"),
        ("scip", None)]  # fmt: skip


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    rng = case.rng()
    weights = np.array(list(FORMULATIONS.values()), float)
    name = str(rng.choice(list(FORMULATIONS), p=weights / weights.sum()))
    problem = None
    if name in FORMS:
        model = random_of_any_values(rng, name)
    elif name in MARGINS:
        model = MARGINS[name](rng)
    else:
        model, problem = randomized(rng)
    solver, (target, implied) = _how(rng, name, model)
    how = f"--solver {solver} --for {target} --implications {implied}\n"
    files |= {"spec.tree": model.text, "table.csv": model.table.csv, "how.txt": how}
    try:
        compiled = treemip.loads(model.text, data=model.table.columns).compile(
            target=target, implications=implied
        )
        require_encoded(model, compiled)
        result = compiled.solve(
            solver,
            time_limit=SECONDS,
            threads=None if name == "mrct" else 1,
            feasibility=FINE if name == "svm1_odt" else None,
        )
    except TreemipError as error:
        require_sound(error)
        return {f"{name} refused {error.diagnostics[0].code}": 1}
    files["result.txt"] = shown(result)
    if problem is not None:
        return judged_randomized(model, problem, result)
    if result.tree is not None:
        require_alone(model, result)
    return judged(model, result).counted


def _how(rng: np.random.Generator, name: str, model: Model) -> tuple[str, tuple[str, object]]:
    """Solver, target and way of implications."""
    if name == "svm1_odt":
        return str(rng.choice(["highs", "scip"])), WAYS[int(rng.integers(2))]
    if name == "mrct":
        tiny = (
            len(model.table.y) <= 5 and "(depth = 1)" in model.text and "gamma = 2," in model.text
        )
        return ("scip" if tiny and rng.random() < 0.5 else "ipopt"), ("portable", None)
    solver = "scip" if name in ("margot", "mm_svm_oct") else str(rng.choice(SOLVERS))
    ways = WAYS if solver == "scip" else WAYS[:2]
    return solver, ways[int(rng.integers(len(ways)))]


def require_encoded(model: Model, compiled: Compiled) -> None:
    x = compiled.instance.table.inputs
    if x.shape != model.encoded.shape or not np.allclose(x, model.encoded, rtol=1e-9, atol=1e-12):
        raise Fault(OTHER, f"encoded as\n{x}\nby hand\n{model.encoded}", "encoding")


def require_alone(model: Model, result: Result) -> None:
    """Each row has one class, alone, among others and in exact sums, and the errors are as said."""
    tree, columns = result.tree, model.table.columns
    assert tree is not None
    together = [str(k) for k in tree.predict(columns)]
    alone = [str(tree.predict({n: [v[i]] for n, v in columns.items()})[0])
             for i in range(len(model.table.y))]  # fmt: skip
    if together != alone:
        raise Fault(WRONG_VERDICT, f"together {together}\nalone {alone}", "predict alone differs")
    exact = [f"k{k}" for k in decoded(model, result).predicted()]
    if model.table.plain and together != exact:
        text = f"together {together}\nin exact arithmetic {exact}"
        raise Fault(WRONG_VERDICT, text, f"{model.formulation}: rounding decides a point's way")
    errors = sum(k != c for k, c in zip(together, columns["c"], strict=True))
    if errors != result.train_errors:
        text = f"{result.train_errors} errors are said, {errors} counted"
        raise Fault(WRONG_VERDICT, text, "errors counted otherwise")


def judged_randomized(model: Model, problem: Randomized, result: Result) -> Mapping[str, int]:
    """The cost and the probabilities as (1) and (2a) have them; "optimal" beats our own search."""
    if result.tree is None:
        return {f"mrct {result.status} without a tree": 1}
    if not result.verified:
        return {"mrct not verified": 1}
    assert result.objective is not None
    p = problem.x.shape[1]
    a, mu = result.values["coef"].reshape(-1, p), result.values["bias"]
    labels = result.values["label"].reshape(problem.branches + 1, -1)
    own = problem.cost(a, mu, labels)
    near = model.tolerance * max(1.0, own)
    if abs(own - result.objective) > near:
        text = f"verified {result.objective}, by hand {own}"
        raise Fault(WRONG_VERDICT, text, "mrct: objective")
    chances = problem.chances(a, mu) @ labels
    off = np.abs(result.tree.predict_proba(model.table.columns) - chances).max()
    if off > 1e-5:
        raise Fault(WRONG_VERDICT, f"probabilities differ by {off}", "mrct: probabilities")
    _, best = model.reference()
    if result.status == "optimal" and result.objective > best + near:
        text = f"optimal {result.objective}, our search has {best}"
        raise Fault(WRONG_OPTIMUM, text, "mrct: optimal")
    worse = result.objective > best + 1e-3
    return {f"mrct {result.status}{', a better one is known' if worse else ''}": 1}


CAMPAIGN = Campaign("solves", "solves", 1200, run, cpu=90.0, wall=180.0)
