"""Every formulation whose trees can be enumerated, solved by a solver alone, against all of them.

Tables, objective terms and side constraints are random, as in the campaigns of tests/fuzz, whose
judge compares the answers: each is verified, worth what it says, and the best there is.
"""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from fuzz.engines import linear_leaves, robust
from fuzz.judge import FINE, judged
from fuzz.margin_models import MARGINS
from fuzz.models import FORMS, Model, random_model, random_of_any_values
from fuzz.valued_forms import VALUED
from reference.enumeration import complete
from reference.shapes import read

import treemip

pytest.importorskip("pyscipopt")

OTHERS = {**MARGINS, "roct": robust, "ort_linear": linear_leaves}
FORMULATIONS = (*FORMS, *VALUED, *OTHERS)


FEW_POINTS = ("ort", "share_trees", "ost")
"""Nonlinear ones, whose trees of depth 2 have fewer points."""
FINELY = ("svm1_odt", "ort_linear")


def drawn(name: str, seed: int) -> Model:
    rng = np.random.default_rng([seed, crc32(name.encode())])
    if name in OTHERS:
        return OTHERS[name](rng)
    if name in FORMS:
        return random_of_any_values(rng, name)
    form, depth = VALUED[name], 1 + seed % 2
    draw = form.table
    if depth == 2 and name in FEW_POINTS and draw is not None:
        form = replace(form, table=lambda *given: draw(*given).part(slice(7)))
    lopsided = depth == 2 and name == "categorical_odt"
    shape = read("(. (. .))") if lopsided else complete(depth)
    return random_model(rng, name, shape, form=form)


def check(name: str, seed: int) -> None:
    model = drawn(name, seed)
    made = treemip.loads(model.text, data=model.table.columns).compile()
    solver = "highs" if made.model.is_linear and seed % 3 else "scip"
    fine = FINE if name in FINELY else None
    result = made.solve(solver, start="none", time_limit=300, threads=1, feasibility=fine)
    found = judged(model, result).outcome
    assert found in ("optimal", "none") or not model.table.plain, (seed, found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FORMULATIONS)
def test_the_optimum_is_that_of_all_trees(name: str, seed: int) -> None:
    check(name, seed)


@pytest.mark.truth
@pytest.mark.parametrize("name", FORMULATIONS)
def test_the_optimum_is_that_of_all_trees_on_50_tables(name: str) -> None:
    for seed in range(3, 53):
        check(name, seed)


@pytest.mark.parametrize("start", ["cart", "search"])
@pytest.mark.parametrize("name", ["categorical_odt", "roct"])
def test_trees_of_other_ways_are_starts(name: str, start: str) -> None:
    model = drawn(name, 0)
    made = treemip.loads(model.text, data=model.table.columns).compile()
    result = made.solve("highs", start=start, threads=1)
    assert result.answer.start_accepted
    assert judged(model, result).outcome == "optimal"


@pytest.mark.parametrize("name", ["share_trees", "ost"])
def test_search_starts_of_nonlinear_losses(name: str) -> None:
    """By default a search goes before the solver, with the loss's own best answers of leaves."""
    model = drawn(name, 4)
    made = treemip.loads(model.text, data=model.table.columns).compile()
    result = made.solve("scip", threads=1, time_limit=60)
    assert judged(model, result).outcome == "optimal"
