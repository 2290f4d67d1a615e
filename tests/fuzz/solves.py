"""Campaign `solves`: random small models, every formulation, against references of our own.

* "optimal": the objective is that of the reference, and the tree is verified, where the table has
  values that a solver's tolerance can tell apart.
* "infeasible": the reference has no tree either.
* verified: the tree has the objective it claims and the errors that are said, counted
  from raw rows.
* A row is given one class, alone or among others.

A solver that is wrong is no fault as long as the claim is withdrawn: another status than "optimal",
or a tree that is not verified.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
from reference.ways import Candidate

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.instance.trees import Forest
from treemip.core.source.diagnostic import TreemipError

from .cases import OTHER, WRONG_OPTIMUM, WRONG_VERDICT, Campaign, Case, Fault
from .margin_models import MARGINS, Randomized, randomized
from .models import Model, random_linear
from .promises import require_sound
from .search_models import FORMS

SECONDS = 20.0
OTHERS = ("scip", "highs", "cbc")
FINDS = 1e-4  # relative: what another solver must find to disprove a claim
FINE = 1e-9  # a violation of 1e-6 in a row of SVM1-ODT is worth 1000 times as much
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
        model = random_linear(rng, name)
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
    files["result.txt"] = _shown(result)
    if problem is not None:
        return judged_randomized(model, problem, result)
    try:
        return judged(model, result)
    except Fault as fault:
        who = disproving(result) if fault.kind == WRONG_OPTIMUM else None
        if who is None:
            raise
        return {f"false claim of {result.answer.solver}, disproved by {who}": 1}


def disproving(result: Result) -> str | None:
    """Who finds a better solution of the very model whose optimum a solver then claims falsely:
    the same solver without its presolve, or another one. None where nobody does: then the model
    itself has no better one, which is our fault."""
    compiled, claimed = result.compiled, result.objective
    sign = 1.0 if compiled.model.objective.sense == "minimize" else -1.0
    for who, best in (
        ("its own search without presolve", lambda: _unpresolved(compiled, result.answer.solver)),
        *((other, lambda other=other: _solved(compiled, other)) for other in OTHERS),
    ):
        try:
            found = best()
        except TreemipError:  # such as a solver that does not take indicators
            continue
        if found is None:
            continue
        if claimed is None or sign * (claimed - found) > FINDS * max(1.0, abs(claimed)):
            return who
    return None


def _solved(compiled: Compiled, solver: str) -> float | None:
    result = compiled.solve(solver, start="none", time_limit=SECONDS)
    return result.objective if result.verified else None


def _unpresolved(compiled: Compiled, solver: str) -> float | None:
    if solver == "highs":
        highs = compiled.to_highs()
        highs.setOptionValue("presolve", "off")
        highs.setOptionValue("output_flag", False)
        highs.run()
        return float(highs.getObjectiveValue())
    if solver == "scip":
        from pyscipopt import SCIP_PARAMSETTING

        scip = compiled.to_scip()
        scip.setPresolve(SCIP_PARAMSETTING.OFF)
        scip.hideOutput()
        scip.optimize()
        return float(scip.getObjVal()) if scip.getNSols() else None
    return None


def _how(rng: np.random.Generator, name: str, model: Model) -> tuple[str, tuple[str, object]]:
    """Solver, target and way of implications."""
    if name == "svm1_odt":
        return str(rng.choice(["highs", "scip"])), WAYS[int(rng.integers(2))]
    if name == "mrct":
        tiny = len(model.table.y) <= 5 and model.depth == 1 and "gamma = 2," in model.text
        return ("scip" if tiny and rng.random() < 0.5 else "ipopt"), ("portable", None)
    solver = "scip" if name in ("margot", "mm_svm_oct") else str(rng.choice(SOLVERS))
    ways = WAYS if solver == "scip" else WAYS[:2]
    return solver, ways[int(rng.integers(len(ways)))]


def _shown(result: Result) -> str:
    claim = f"{result.status} {result.objective} bound {result.bound}"
    return f"{claim}, verified {result.verified}\n{result.report}\n"


def require_encoded(model: Model, compiled: Compiled) -> None:
    x = compiled.instance.table.inputs
    if x.shape != model.encoded.shape or not np.allclose(x, model.encoded, rtol=1e-9, atol=1e-12):
        raise Fault(OTHER, f"encoded as\n{x}\nby hand\n{model.encoded}", "encoding")


# ---------------------------------------------------------------------- judgements


def judged(model: Model, result: Result) -> Mapping[str, int]:
    """Compare with the reference. Raises `Fault`."""
    low, high = _interval(model)
    name, plain = model.formulation, model.table.plain
    if result.status == "infeasible":
        if np.isfinite(high):
            raise Fault(WRONG_OPTIMUM, f"infeasible, but {high} by hand", f"{name}: infeasible")
        return {f"{name} infeasible": 1}
    if result.tree is None:
        return {f"{name} {result.status} without a tree": 1}
    require_alone(model, result)
    if not result.verified:
        if plain and result.status == "optimal" and not np.isinf(low):
            text = f"optimal {result.objective}, by hand {high}; not verified: {result.report}"
            raise Fault(WRONG_VERDICT, text, f"{name}: optimal, not verified")
        return {f"{name} not verified": 1}
    claimed = require_claim(model, result)
    near = model.tolerance * max(1.0, abs(high) if np.isfinite(high) else 1.0)
    if claimed < low - near:
        text = f"verified {result.objective}, but nothing is better than {low} by hand"
        raise Fault(WRONG_VERDICT, text, f"{name}: better than possible")
    if result.status != "optimal":
        return {f"{name} {result.status}": 1}
    if claimed > high + near:
        text = f"optimal {result.objective}, but {high} by hand (minimized)"
        raise Fault(WRONG_OPTIMUM, text, f"{name}: {'plain' if plain else model.table.kind}")
    return {f"{name} optimal": 1}


def _interval(model: Model) -> tuple[float, float]:
    """Where the optimum lies, as of minimization."""
    low, high = model.reference()
    return (low, high) if model.minimize else (-low, -high)


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


def require_claim(model: Model, result: Result) -> float:
    """A verified tree is worth what is claimed; returned as of minimization."""
    assert result.objective is not None
    sign = 1.0 if model.minimize else -1.0
    claimed = sign * result.objective
    if model.value is None:
        return claimed
    own = sign * model.value(decoded(model, result), model.table)
    near = model.tolerance * max(1.0, abs(own))
    if own > claimed + near:
        text = f"verified {result.objective}, the tree has {sign * own}"
        raise Fault(WRONG_VERDICT, text, f"{model.formulation}: objective")
    if own < claimed - near and result.status == "optimal":
        text = f"optimal {result.objective}, the tree itself has {sign * own}"
        raise Fault(WRONG_OPTIMUM, text, f"{model.formulation}: its tree disproves it")
    return claimed


def decoded(model: Model, result: Result) -> Candidate:
    """The tree of a result as its terms see it, each point routed without rounding."""
    tree = result.tree
    assert tree is not None
    topology, answer = tree.topology, tree.answer
    branches, leaves = in_order(topology)
    passed_right = np.zeros(topology.size, bool)
    ends = []
    for row in model.encoded.tolist():
        at = 0
        while not topology.is_leaf[at]:
            weights = tree.weights[at].tolist()
            value = sum(Fraction(w) * Fraction(v) for w, v in zip(weights, row, strict=True))
            left = value < tree.threshold[at] if tree.strict else value <= tree.threshold[at]
            passed_right[at] |= not left
            at = int((topology.left if left else topology.right)[at])
        ends.append(leaves.index(at))
    labels = np.zeros(len(leaves), np.int64) if answer.kind == "value" else tree.leaf_class[leaves]
    weighted = [frozenset(np.flatnonzero(tree.weights[t]).tolist()) for t in branches]
    active = [bool(w) for w in weighted]
    if model.formulation == "soct":
        active = passed_right[branches].tolist()
    uses = tuple(w if a else frozenset() for w, a in zip(weighted, active, strict=True))
    return Candidate(np.array(ends), labels, uses, tuple(active))


def in_order(topology: Forest) -> tuple[list[int], list[int]]:
    """The branches, each before those below it, and the leaves, both from left to right: the order
    of `Trees`. The topology's own numbers go by level."""
    waiting, branches, leaves = [0], list[int](), list[int]()
    while waiting:
        at = waiting.pop()
        (leaves if topology.is_leaf[at] else branches).append(at)
        if not topology.is_leaf[at]:
            waiting += [int(topology.right[at]), int(topology.left[at])]
    return branches, leaves


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
