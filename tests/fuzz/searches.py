"""Campaign `searches`: the search and the exact engines on random small specs, against every tree.

* A tree is verified, keeps every side constraint and is worth what is said, by an evaluation that
  shares nothing with treemip.
* No tree is better than the optimum; "optimal" is the optimum; "infeasible" means no tree.
* No bound is beyond the optimum.
* Where CART is feasible, the answer is no worse.

`judged` says how a case ended, so that nothing hides: what was refused, with its code, and where
the search alone missed the optimum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.model.answer import Limits
from treemip.model.tape_values import objective_value
from treemip.source.diagnostic import TreemipError
from treemip.strategy.concepts import NoStart
from treemip.strategy.warm_start import warm_start

from .cases import OTHER, WRONG_OPTIMUM, WRONG_VERDICT, Campaign, Case, Fault
from .promises import require_sound
from .search_models import FORMS, SearchModel, random_model
from .search_trees import Trees
from .solves import decoded, disproving

NEAR = 1e-5
SEARCH = 0.4
"""Seconds of a search alone, which is all the limit that its solve has."""
SOLVER = 8.0


@dataclass(frozen=True)
class Ending:
    """How a case ended. seconds: of wall clock, the reference left out; by: who answered.

    outcome: "optimal", the optimum is found and proven; "found", it is found; "missed", a worse
    tree is; "none", there is no tree and the answer has none; "unfound", there is one and the
    answer has none; "refused", with the code. proven: by whom.
    """

    model: SearchModel
    outcome: str
    by: str = ""
    code: str = ""
    proven: str = ""
    worth: float = np.inf
    optimum: float = np.inf


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    ending = ended(case, files)
    name = ending.model.formulation
    said = " ".join(part for part in (name, ending.outcome, ending.code) if part)
    return {said: 1, **({f"{name} proven by {ending.proven}": 1} if ending.proven else {})}


def model_of(case: Case) -> SearchModel:
    names = list(FORMS)
    return random_model(case.rng(), names[case.number % len(names)])


def ended(
    case: Case, files: dict[str, str | bytes] | None = None, solver: float | None = None
) -> Ending:
    """One case. Raises `Fault`. solver: seconds that a solver has for what the search leaves
    unproven; None where it is left so."""
    files = {} if files is None else files
    model = model_of(case)
    files |= {"spec.tree": model.text, "table.csv": model.table.csv}
    try:
        compiled = treemip.loads(model.text, data=model.table.columns).compile()
        result = compiled.solve(start="search", time_limit=SEARCH, threads=1)
        if solver is not None and result.status not in ("optimal", "infeasible"):
            limit = SEARCH / 0.25 + solver
            result = compiled.solve(start="search", time_limit=limit, threads=1)
    except TreemipError as error:
        require_sound(error)
        return Ending(model, "refused", code=error.diagnostics[0].code)
    files["result.txt"] = shown(result)
    ending = judged(model, result)
    require_no_worse_than_cart(model, compiled, ending)
    return ending


def judged(model: SearchModel, result: Result) -> Ending:
    """The answer held against every tree. Raises `Fault`."""
    low, high = model.reference()
    name, by = model.formulation, result.answer.solver
    near = NEAR * max(1.0, abs(high) if np.isfinite(high) else 1.0)
    _require_bound(model, result, high + near)
    if result.tree is None:
        if result.status == "infeasible" and np.isfinite(high):
            _wrong(result, f"infeasible, but {high} by hand", f"{name}: infeasible")
        return Ending(model, "unfound" if np.isfinite(high) else "none", by, optimum=high)
    if not result.verified:
        text = f"{result.verdict}: {result.problems}"
        raise Fault(WRONG_VERDICT, text, f"{name}: not verified")
    worth = _own(model, result)
    if worth < low - near:
        text = f"{worth} of a verified tree, but nothing is better than {low} by hand"
        raise Fault(WRONG_VERDICT, text, f"{name}: better than possible")
    optimal = worth <= high + near
    if result.status == "optimal" and not optimal:
        _wrong(result, f"optimal {worth}, but {high} by hand (minimized)", f"{name}: optimal")
    if result.status == "optimal":
        return Ending(model, "optimal", by, "", result.optimality.by, worth, high)
    return Ending(model, "found" if optimal else "missed", by, "", "", worth, high)


def _wrong(result: Result, text: str, key: str) -> None:
    """Raises a fault, unless a solver made the claim and others disprove it on the same model."""
    who = None if result.answer.solver in ("engine", "search") else disproving(result)
    if who is None:
        raise Fault(WRONG_OPTIMUM, text, key)


def _require_bound(model: SearchModel, result: Result, most: float) -> None:
    bound = result.bound
    if bound is None or not np.isfinite(bound) or model.sign * bound <= most:
        return
    text = f"the bound {bound} is beyond {model.sign * most} by hand"
    raise Fault(WRONG_OPTIMUM, text, f"{model.formulation}: bound")


def _own(model: SearchModel, result: Result) -> float:
    """What the tree is worth by hand, of minimization; it keeps the rows and the claim."""
    assert result.objective is not None
    tree = Trees.one(decoded(model, result), model.table, model.encoded.shape[1])
    for row in model.rows:
        if not row.keeps(tree).all():
            text = f"the tree breaks `{row.text}`"
            raise Fault(WRONG_VERDICT, text, f"{model.formulation}: {row.text.split()[0]}")
    own, claimed = float(model.worth(tree)[0]), model.sign * result.objective
    if abs(own - claimed) > NEAR * max(1.0, abs(own)):
        text = f"{claimed} is claimed of a tree that has {own}"
        raise Fault(WRONG_VERDICT, text, f"{model.formulation}: objective")
    return own


def require_no_worse_than_cart(model: SearchModel, compiled: Compiled, ending: Ending) -> None:
    """Raises `Fault` where CART is feasible and better."""
    worth = cart_worth(model, compiled)
    if ending.worth > worth + NEAR * max(1.0, abs(worth)):
        text = f"{ending.worth}, but CART has {worth}"
        raise Fault(OTHER, text, f"{model.formulation}: worse than CART")


def cart_worth(model: SearchModel, compiled: Compiled) -> float:
    """CART's objective, of minimization; infinite where CART is no solution."""
    limits = Limits(time=2.0, threads=1)
    wanted, stated = compiled.model, compiled.stated
    try:
        begun = warm_start("cart", compiled.instance, wanted, "auto", limits, stated)
    except NoStart:
        return np.inf
    if begun.values is None:
        return np.inf
    return model.sign * float(objective_value(wanted, begun.values))


def shown(result: Result) -> str:
    lines = [f"{result.status} {result.objective} bound {result.bound} by {result.answer.solver}"]
    lines += [f"{result.verdict} {result.problems}", *(w.message for w in result.warnings)]
    if result.tree is not None:
        lines += [str(result.tree.weights), str(result.tree.threshold), str(result.tree.leaf_class)]
    return "\n".join(lines) + "\n"


CAMPAIGN = Campaign("searches", "searches", 500, run, cpu=60.0, wall=120.0)
