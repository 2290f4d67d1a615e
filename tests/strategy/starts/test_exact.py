"""The exact engine behind `start search`: what it proves is what solvers prove."""

from __future__ import annotations

import numpy as np
import pytest
from engine_proofs import demand_same_proof
from suite import one_in

import treemip
from treemip.answers.engines.engine import Case, Effort
from treemip.answers.search.tree_search import TreeSearch
from treemip.answers.starts.exact import answered
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

SPLITS = {
    "univariate by oct": "scale minmax;",
    "univariate by binoct": "",
    "univariate by flow_oct": "bin thresholds;",
}
SPECS = {
    "errors": "minimize misclassified;",
    "prices": "minimize misclassified + 0.6 * splits;",
    "recall": "minimize misclassified; subject to floor: recall[positive] >= 0.8;",
    "leaves": "minimize misclassified; subject to "
    "size {l in leaves}: points_in[l] >= 3 * occupied[l];",
}


def table(seed: int) -> dict[str, object]:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 4, (14, 2)).astype(float)
    y = draw.integers(0, 2, 14)
    y[:2] = 0, 1
    return {"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "c": np.where(y, "y", "n").tolist()}


def solved(by: str, more: str, seed: int, shape: str = "complete(depth = 1)", **how: str) -> Result:
    data = f'data "t" {{ label c positive "y"; {SPLITS[by]} }} '
    text = f"{data} topology {shape}; split {by}; {more}"
    return treemip.loads(text, data=table(seed)).compile().solve(time_limit=40, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize(("by", "more", "seed"), one_in(5, SPLITS, SPECS, range(2)))
def test_the_engine_proves_what_a_solver_proves(by: str, more: str, seed: int) -> None:
    own = solved(by, SPECS[more], seed, start="search")
    other = solved(by, SPECS[more], seed, solver="scip")
    demand_same_proof(own, other)


def test_that_there_is_no_tree_is_proven_as_well() -> None:
    more = "subject to most {l in leaves}: points_in[l] <= 6;"
    result = solved("univariate by oct", more, 0, start="search")
    assert (result.status, result.answer.solver, result.tree) == ("infeasible", "engine", None)


def test_other_shapes_are_proven_by_listing() -> None:
    result = solved("univariate by oct", SPECS["errors"], 0, 'shape "((. .) .)"', start="search")
    other = solved("univariate by oct", SPECS["errors"], 0, 'shape "((. .) .)"', solver="scip")
    demand_same_proof(result, other)


@pytest.mark.parametrize("start", ["svm_tree", "local_svm"])
def test_a_start_that_does_not_fit_is_refused_where_an_engine_answers(start: str) -> None:
    with pytest.raises(TreemipError) as refused:
        solved("univariate by oct", "", 0, start=start)
    assert refused.value.diagnostics[0].code == "E902"
    in_spec = solved("univariate by oct", f"strategy {{ start {start}; }}", 0)
    (note,) = [w for w in in_spec.warnings if w.code == "W601"]
    assert note.message.startswith(f"the spec's start '{start}' is ignored: ")
    assert in_spec.answer.solver == "engine"
    assert in_spec.optimality is not None and in_spec.optimality.proven


CLOSE = """data "t" { label k; scale minmax; } topology complete(depth = 2);
split univariate by oct; minimize misclassified;"""


def close_values() -> dict[str, list]:
    """b parts the classes best, but only between values that are too close for OCT after one far
    value has scaled them; a does nearly as well."""
    draw = np.random.default_rng(0)
    b = np.append(draw.integers(0, 40, 40), 10_000_000)
    y = np.where(draw.random(41) < 0.1, b < 20, b >= 20)
    a = np.where(draw.random(41) < 0.15, 1 - y, y) * 5 + draw.integers(0, 5, 41)
    return {"a": a.tolist(), "b": b.tolist(), "k": ["ny"[int(k)] for k in y]}


def test_where_values_are_too_close_cuts_are_made_between_others() -> None:
    compiled = treemip.loads(CLOSE, data=close_values()).compile()
    free = treemip.loads(CLOSE.replace("by oct", "by binoct"), data=close_values()).compile()
    # the same table with no cuts but those between values that are far enough apart
    a, b = close_values()["a"], [int(value > 1000) for value in close_values()["b"]]
    wide = treemip.loads(CLOSE, data={"a": a, "b": b, "k": close_values()["k"]}).compile()
    optimum, bound = wide.solve(time_limit=40).objective, free.solve(time_limit=40).objective
    assert optimum is not None and bound is not None and bound < optimum
    engine, _ = answered(Case(compiled.instance, compiled.stated), Effort(20.0))
    assert engine is not None and engine.values is not None
    assert (engine.objective, engine.proven) == (optimum, False)
    assert bound <= engine.bound < optimum
    search = TreeSearch(compiled.instance, compiled.stated, 20.0, 0).run(patient=False)
    assert search.best is not None and search.best.objective == optimum
