"""Campaign `searches`: the search and the exact engines on random small specs, against every tree.

Besides what `judge` asks of an answer, it is no worse than CART where CART is feasible.

Formulations with margins and randomized trees have the references of `margin_models` and their own
objectives. Where a search does not take them, they are counted as refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

import treemip
from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.concepts import NoStart
from treemip.answers.starts.from_tree import from_tree
from treemip.answers.starts.warm_start import warm_start
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Limits
from treemip.core.model.values import objective_value
from treemip.core.source.diagnostic import TreemipError

from .cases import OTHER, Campaign, Case, Fault
from .judge import FINE, Ending, judged, shown
from .margin_models import MARGINS, randomized
from .models import FORMS, Model, random_model
from .promises import require_sound

SEARCH = 0.8
"""Seconds of a search alone, which is all the limit that its solve has."""


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    return ended(case, files).counted


def model_of(case: Case) -> Model:
    """Of twelve cases, ten of formulations whose trees are enumerated, two of the others."""
    turn, rng = case.number % 12, case.rng()
    names = list(FORMS)
    if turn < 2 * len(names):
        return random_model(rng, names[turn % len(names)])
    others = ["svm1_odt", "svm1_odt", *MARGINS, "mrct"]
    name = others[int(rng.integers(len(others)))]
    return randomized(rng)[0] if name == "mrct" else MARGINS[name](rng)


def ended(
    case: Case,
    files: dict[str, str | bytes] | None = None,
    solver: float | None = None,
    search: float = SEARCH,
) -> Ending:
    """One case. Raises `Fault`. solver: seconds that a solver has for what the search leaves
    unproven; None where it is left so. search: seconds of the search alone."""
    files = {} if files is None else files
    model = model_of(case)
    files |= {"spec.tree": model.text, "table.csv": model.table.csv}
    fine = FINE if model.formulation == "svm1_odt" else None
    threads = None if model.formulation == "mrct" else 1
    try:
        compiled = treemip.loads(model.text, data=model.table.columns).compile()
        given = {"start": "search", "threads": threads, "feasibility": fine}
        result = compiled.solve(time_limit=search, **given)
        if solver is not None and result.status not in ("optimal", "infeasible"):
            result = compiled.solve(time_limit=search / 0.25 + solver, **given)
        cart = cart_worth(model.sign, compiled)
    except TreemipError as error:
        require_sound(error)
        return Ending(model.formulation, "refused", code=error.diagnostics[0].code)
    files["result.txt"] = shown(result)
    ending = judged(model, result)
    if ending.worth > cart + 1e-4 * max(1.0, abs(cart)):
        text = f"{ending.worth}, but CART has {cart}"
        raise Fault(OTHER, text, f"{model.formulation}: worse than CART")
    return ending


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


CAMPAIGN = Campaign("searches", "searches", 300, run, cpu=60.0, wall=120.0)
