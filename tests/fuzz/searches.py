"""Campaign `searches`: the search and the exact engines on random small specs, against every tree.

* A tree is verified, keeps every side constraint and is worth what is said, by an evaluation that
  shares nothing with treemip.
* No tree is better than the optimum; "optimal" is the optimum; "infeasible" means no tree.
* No bound is beyond the optimum.
* Where CART is feasible, the answer is no worse.

Formulations with margins and randomized trees have the references of `margin_models` and their own
objectives. Where a search does not take them, they are counted as refused.

`judged` says how a case ended, so that nothing hides: what was refused, with its code, and where
the search alone missed the optimum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from reference.enumeration import Trees

import treemip
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.concepts import NoStart
from treemip.answers.starts.from_tree import from_tree
from treemip.answers.starts.warm_start import warm_start
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.model.answer import Limits
from treemip.core.model.values import objective_value
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.tree import Tree

from .cases import OTHER, WRONG_OPTIMUM, WRONG_VERDICT, Campaign, Case, Fault
from .margin_models import MARGINS, randomized
from .models import Model
from .promises import require_sound
from .search_models import FORMS, SearchModel, random_model
from .solves import FINE, decoded, disproving

NEAR = 1e-5
SEARCH = 0.8
"""Seconds of a search alone, which is all the limit that its solve has."""


@dataclass(frozen=True)
class Ending:
    """How a case ended. worth, optimum: of minimization. proven: by whom.

    outcome: "optimal", the optimum is found and proven; "found", it is found; "missed", a worse
    tree is; "none", there is no tree and the answer has none; "unfound", there is one and the
    answer has none; "refused", with the code.
    """

    formulation: str
    outcome: str
    code: str = ""
    proven: str = ""
    worth: float = np.inf
    optimum: float = np.inf


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    return said_of(ended(case, files))


def said_of(ending: Ending) -> Mapping[str, int]:
    """What is counted."""
    name = ending.formulation
    said = " ".join(part for part in (name, ending.outcome, ending.code) if part)
    return {said: 1, **({f"{name} proven by {ending.proven}": 1} if ending.proven else {})}


def model_of(case: Case) -> SearchModel | Model:
    """Of twelve cases, ten of formulations whose trees are enumerated, two of the others."""
    turn, rng = case.number % 12, case.rng()
    names = list(FORMS)
    if turn < 2 * len(names):
        return random_model(rng, names[turn % len(names)])
    others = ["svm1_odt", "svm1_odt", *MARGINS, "mrct"]
    name = others[int(rng.integers(len(others)))]
    return randomized(rng)[0] if name == "mrct" else MARGINS[name](rng)


def ended(
    case: Case, files: dict[str, str | bytes] | None = None, solver: float | None = None
) -> Ending:
    """One case. Raises `Fault`. solver: seconds that a solver has for what the search leaves
    unproven; None where it is left so."""
    files = {} if files is None else files
    model = model_of(case)
    files |= {"spec.tree": model.text, "table.csv": model.table.csv}
    fine = FINE if model.formulation == "svm1_odt" else None
    threads = None if model.formulation == "mrct" else 1
    try:
        compiled = treemip.loads(model.text, data=model.table.columns).compile()
        given = {"start": "search", "threads": threads, "feasibility": fine}
        result = compiled.solve(time_limit=SEARCH, **given)
        if solver is not None and result.status not in ("optimal", "infeasible"):
            result = compiled.solve(time_limit=SEARCH / 0.25 + solver, **given)
        cart = cart_worth(_sign(model), compiled)
    except TreemipError as error:
        require_sound(error)
        return Ending(model.formulation, "refused", code=error.diagnostics[0].code)
    files["result.txt"] = shown(result)
    ending = judged_by_trees(model, result)
    if ending.worth > cart + 1e-4 * max(1.0, abs(cart)):
        text = f"{ending.worth}, but CART has {cart}"
        raise Fault(OTHER, text, f"{model.formulation}: worse than CART")
    return ending


def judged_by_trees(model: SearchModel | Model, result: Result, in_part: bool = False) -> Ending:
    """The answer held against the model's reference. Raises `Fault`. in_part: whether the spec has
    variables without a meaning, so that its trees can be verified in part only."""
    if isinstance(model, SearchModel):
        return judged(model, result, in_part)
    return _by_report(model, result)


def _sign(model: SearchModel | Model) -> float:
    return model.sign if isinstance(model, SearchModel) else (1.0 if model.minimize else -1.0)


def _by_report(model: Model, result: Result) -> Ending:
    """The same for a model whose trees only the report can tell the worth of."""
    name = model.formulation
    low, high = model.reference()
    near = model.tolerance * max(1.0, abs(high))
    _require_bound(name, _sign(model), result, high + near)
    if result.tree is None:
        return Ending(name, "unfound" if np.isfinite(high) else "none", optimum=high)
    if not result.verified:
        return _unverified(model, result)
    assert result.objective is not None
    worth = _sign(model) * result.objective
    if worth < low - near:
        text = f"verified {worth}, but nothing is better than {low} by hand"
        raise Fault(WRONG_VERDICT, text, f"{name}: better than possible")
    return _ending(name, result, worth, high, near)


def judged(model: SearchModel, result: Result, in_part: bool = False) -> Ending:
    """The answer held against every tree. Raises `Fault`. in_part: see `judged_by_trees`."""
    low, high = model.reference()
    name = model.formulation
    near = NEAR * max(1.0, abs(high) if np.isfinite(high) else 1.0)
    _require_bound(name, model.sign, result, high + near)
    if result.tree is None:
        if result.status == "infeasible" and np.isfinite(high):
            _wrong(result, f"infeasible, but {high} by hand", f"{name}: infeasible")
        return Ending(name, "unfound" if np.isfinite(high) else "none", optimum=high)
    if not result.verified and not (in_part and result.verdict == "verified in part"):
        return _unverified(model, result)
    worth = own_worth(model, result)
    if worth < low - near and result.status != "optimal":
        # OCT-H may use a feature with the coefficient 0. The tree has no split there, and a split
        # below: it is none of the formulation's, and what is claimed is its solution's objective.
        assert result.objective is not None
        worth = model.sign * result.objective
    if worth < low - near:
        text = f"{worth} of a verified tree, but nothing is better than {low} by hand"
        raise Fault(WRONG_VERDICT, text, f"{name}: better than possible")
    return _ending(name, result, worth, high, near)


def _unverified(model: SearchModel | Model, result: Result) -> Ending:
    """No fault where a solver's tolerance cannot tell values apart."""
    name = model.formulation
    if not model.table.plain:
        return Ending(name, "not verified")
    raise Fault(WRONG_VERDICT, f"{result.verdict}: {result.problems}", f"{name}: not verified")


def _ending(name: str, result: Result, worth: float, optimum: float, near: float) -> Ending:
    """How a verified tree ends its case. Raises `Fault` where a false optimum is ours."""
    reached = worth <= optimum + near
    if result.status == "optimal" and not reached:
        _wrong(result, f"optimal {worth}, but {optimum} by hand (minimized)", f"{name}: optimal")
    if result.status == "optimal" and reached:
        assert result.optimality is not None
        return Ending(name, "optimal", "", result.optimality.by, worth, optimum)
    return Ending(name, "found" if reached else "missed", "", "", worth, optimum)


def _wrong(result: Result, text: str, key: str) -> None:
    """Raises a fault, unless a solver made the claim and others disprove it on the same model."""
    who = None if result.answer.solver in ("engine", "search") else disproving(result)
    if who is None:
        raise Fault(WRONG_OPTIMUM, text, key)


def _require_bound(name: str, sign: float, result: Result, most: float) -> None:
    bound = result.bound
    if bound is None or not np.isfinite(bound) or sign * bound <= most:
        return
    _wrong(result, f"the bound {bound} is beyond {sign * most} by hand", f"{name}: bound")


def own_worth(model: SearchModel, result: Result) -> float:
    """What the tree is worth by hand, of minimization; it keeps the rows and its claim."""
    assert result.objective is not None
    assert result.tree is not None
    answers = None
    if result.tree.answer.kind != "class":
        answers = leaf_answers(result.tree, model.table.columns)
    tree = Trees.one(decoded(model, result), model.table, model.feature_of, answers)
    for row in model.rows:
        if not row.keeps(tree).all():
            text = f"the tree breaks `{row.text}`"
            raise Fault(WRONG_VERDICT, text, f"{model.formulation}: {row.text.split()[0]}")
    own, claimed = float(model.worth(tree)[0]), model.sign * result.objective
    off = (own - claimed) / max(1.0, abs(own))
    # A solver that is out of time may not have counted all that its tree is better by.
    if off > NEAR or (off < -NEAR and result.status == "optimal"):
        text = f"{claimed} is claimed of a tree that has {own}"
        raise Fault(WRONG_VERDICT, text, f"{model.formulation}: objective")
    return own


def leaf_answers(tree: Tree, columns: Mapping[str, list[object]]) -> np.ndarray:
    """What the leaf of each point answers: values (N,) or shares of the classes (N, K)."""
    given = tree.predict if tree.answer.kind == "value" else tree.predict_proba
    return np.asarray(given(columns), float)


def cart_worth(sign: float, compiled: Compiled) -> float:
    """CART's objective, of minimization; infinite where CART is no solution.

    Of its tree as it is, where that is one: a search whose time is used up need not find what a
    solver makes of the ways of its points.
    """
    limits = Limits(time=2.0, threads=1)
    instance, wanted, stated = compiled.instance, compiled.model, compiled.stated
    try:
        values = None
        if instance.spec.split in ("univariate", "oblique"):
            grown = of_cart(instance, cart(instance))
            values = from_tree(instance, stated, wanted, [grown], None).values
        if values is None:
            values = warm_start("cart", instance, wanted, "auto", limits, stated).values
    except NoStart:
        return np.inf
    return np.inf if values is None else sign * float(objective_value(wanted, values))


def shown(result: Result) -> str:
    lines = [f"{result.status} {result.objective} bound {result.bound} by {result.answer.solver}"]
    lines += [f"{result.verdict} {result.problems}", *(w.message for w in result.warnings)]
    if result.tree is not None:
        lines += [str(result.tree.weights), str(result.tree.threshold), str(result.tree.answer)]
    return "\n".join(lines) + "\n"


CAMPAIGN = Campaign("searches", "searches", 300, run, cpu=60.0, wall=120.0)
