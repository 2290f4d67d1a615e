"""The engine for oblique trees behind `start search`: its proofs, and what it says without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_proofs import demand_same_proof

import treemip
from treemip.answers.engines.engine import Case, Effort
from treemip.answers.engines.oblique import engine, proof
from treemip.answers.engines.oblique.proof import Proof
from treemip.answers.engines.refusal import Refusal
from treemip.answers.starts import exact
from treemip.api.result import Result


def table(seed: int) -> dict[str, object]:
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 5, (16, 2)) / 4.0
    y = draw.integers(0, 2, 16)
    y[:2] = 0, 1
    return {"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "c": np.where(y, "y", "n").tolist()}


def solved(by: str, more: str = "", **how: object) -> Result:
    text = (
        'data "t" { label c positive "y"; scale minmax; } topology complete(depth = 1); '
        f"split oblique by {by}; {more}"
    )
    program = treemip.loads(text, data=table(1))
    return program.compile().solve(time_limit=40, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("by", ["soct", "octh"])
def test_the_engine_proves_what_a_solver_proves(by: str) -> None:
    pytest.importorskip("pysat")
    own = solved(by, start="search")
    other = solved(by, solver="scip", start="none")
    demand_same_proof(own, other)


def test_side_constraints_are_left_to_the_solver() -> None:
    pytest.importorskip("pysat")
    rest = 'subject to floor: recall["y"] >= 1;'
    own = solved("soct", rest, start="search")
    other = solved("soct", rest, solver="scip", start="none")
    assert own.objective == pytest.approx(other.objective, abs=1e-6)
    assert own.status == "optimal" and own.verified


def test_a_hint_where_the_engine_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "is_installed", lambda name: name not in engine.ONE_OF)
    result = solved("soct", start="search")
    hints = [w.message for w in result.warnings if "exact engine" in w.message]
    assert hints == [
        "a proof for this spec by an exact engine needs python-sat (or SCIP): "
        'pip install "python-sat>=1.8.dev13,<2"'
    ]
    assert result.answer.solver != "engine"


@pytest.mark.parametrize("by", ["soct", "octh"])
def test_scip_proves_where_python_sat_is_missing(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyscipopt")
    for module in (engine, proof):
        monkeypatch.setattr(module, "is_installed", lambda name: name != "pysat")
    monkeypatch.setattr(proof, "is_small", lambda _: False)
    result = solved(by, start="search")
    assert result.verified, result.report
    assert result.optimality is not None
    assert result.optimality.text("verified") == "proven optimal by an exact engine"
    assert not [w for w in result.warnings if "exact engine" in w.message]


def test_a_search_goes_on_where_a_proof_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """CART's tree, of one feature, is worse than a hyperplane of two."""
    x = np.random.default_rng(0).random((60, 2))
    data = {"a": x[:, 0].tolist(), "b": x[:, 1].tolist()}
    data["c"] = [f"k{int(k)}" for k in x[:, 0] + x[:, 1] > 1]
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 1); split oblique by soct;'
    )
    made = treemip.loads(text, data=data).compile()
    prover = exact.prover(Case(made.instance, made.stated))
    assert prover is not None
    poor = engine.search(made.instance, made.stated, made.model, 0.0, 0)

    def refuse(*_: object) -> None:
        raise Refusal("nothing is proven")

    monkeypatch.setattr(engine, "prove", refuse)
    better = prover.run(Effort(20.0, found=poor))
    assert better.by == "search" and better.bound == poor.bound == 60
    assert better.objective > poor.objective + 1 and better.starts > poor.starts
    same = prover.run(Effort(20.0, found=better))
    assert same.objective == better.objective


def test_a_short_proof_and_a_search_come_before_a_long_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = treemip.loads(
        'data "t" { label c; scale minmax; } topology complete(depth = 1); split oblique by soct;',
        data={"a": [0.0, 0.3, 0.6, 1.0] * 5, "c": ["k", "l", "k", "l"] * 5},
    ).compile()
    prover = exact.prover(Case(made.instance, made.stated))
    assert prover is not None
    turns: list[tuple[str, float]] = []

    def fail(_problem: object, goal: float, _judge: object, seconds: float, *_: object) -> Proof:
        turns.append(("proof", seconds))
        return Proof(None, 5, 0, 1, 0, 0.0)

    def search(_instance: object, _stated: object, _model: object, seconds: float, _seed: int):
        turns.append(("search", seconds))
        return replace(begun, objective=-np.inf)

    begun = engine.search(made.instance, made.stated, made.model, 0.5, 0)
    monkeypatch.setattr(engine, "prove", fail)
    monkeypatch.setattr(engine, "search", search)
    prover.run(Effort(40.0, found=begun))
    assert [kind for kind, _ in turns] == ["proof", "search"] * 2
    assert [round(seconds) for kind, seconds in turns if kind == "proof"] == [4, 24]
    turns.clear()
    prover.run(Effort(10.0, found=begun))
    assert [kind for kind, _ in turns] == ["proof", "search"]
