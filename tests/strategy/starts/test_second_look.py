"""A proof of an exact engine that simple trees disprove is not claimed: engines that give a wrong
bound on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import treemip
from treemip.answers.engines import registry, univariate_engine
from treemip.answers.engines.oblique import engine as oblique_engine
from treemip.answers.engines.oblique.proof import Proof
from treemip.answers.engines.univariate import EngineResult
from treemip.answers.starts import searched_start, second_look
from treemip.api import solving
from treemip.api.result import Result

UNIVARIATE = """
data "t" {{ label c; scale minmax; }}
topology complete(depth = {depth});
split univariate by {by};
{objective}
"""
BETTER = (
    "an exact engine claims that no tree is better than {}, but {} reaches {}, so nothing is "
    "reported as proven"
)


def table(points: int = 40) -> dict[str, object]:
    """Two features; the first tells most of the classes apart at its middle, the second nothing."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 8, (points, 2)).astype(float)
    wrong = rng.random(points) < 0.1
    return {"a": x[:, 0], "b": x[:, 1], "c": np.where((x[:, 0] > 3) != wrong, "yes", "no")}


def told(result: Result) -> list[str]:
    return [w.message for w in result.warnings if w.code == "W608"]


def solved(objective: str, by: str = "oct", depth: int = 1, points: int = 40) -> Result:
    text = UNIVARIATE.format(depth=depth, by=by, objective=objective)
    return treemip.loads(text, data=table(points)).compile().solve(time_limit=30)


def engine_that(
    change: Callable[[EngineResult], EngineResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is alone: another one would contradict it."""
    monkeypatch.setattr(registry, "ENGINES", (univariate_engine.ENGINE,))
    true = univariate_engine.best_tree
    monkeypatch.setattr(univariate_engine, "best_tree", lambda *a, **k: change(true(*a, **k)))


def worse_by(more: float) -> Callable[[EngineResult], EngineResult]:
    """A bound that is wrong by so much, of a tree that nobody has seen."""
    return lambda r: replace(r, tree=None, bound=r.bound + more, value=r.bound + more, proven=False)


def test_what_is_right_is_claimed() -> None:
    result = solved("minimize misclassified;")
    assert (result.status, result.answer.solver, told(result)) == ("optimal", "engine", [])


@pytest.mark.parametrize(
    ("objective", "who"),
    [
        ("minimize misclassified;", "CART's tree"),
        ("minimize misclassified + 30 * distinct_features;", "the tree without a split"),
        ("maximize accuracy;", "CART's tree"),
    ],
)
def test_a_wrong_bound_is_withdrawn(
    objective: str, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = solved(objective)
    off = -0.01 if "maximize" in objective else 1.0
    engine_that(worse_by(off), monkeypatch)
    result = solved(objective)
    assert right.objective is not None and result.objective == pytest.approx(right.objective)
    bound, best = f"{right.objective + off:.9g}", f"{right.objective:.9g}"
    assert told(result) == [BETTER.format(bound, who, best)]
    assert result.answer.solver != "engine"
    assert result.optimality is not None and "engine" not in result.optimality.by


def test_a_short_search_finds_what_simple_trees_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four corners, which no cut alone tells apart, CART gets half right."""
    corners = np.array([(a, b) for a in (0.0, 1.0) for b in (0.0, 1.0)])
    x = np.repeat(corners, [9, 10, 10, 11], axis=0)
    y = np.where(x[:, 0] == x[:, 1], "same", "other")
    text = UNIVARIATE.format(depth=2, by="binoct", objective="minimize misclassified + 3 * splits;")
    text = text.replace("scale minmax;", "")
    made = treemip.loads(text, data={"a": x[:, 0], "b": x[:, 1], "c": y}).compile()
    best = made.solve(time_limit=30).objective
    engine_that(worse_by(0.5), monkeypatch)
    (message,) = told(made.solve(time_limit=30))
    assert best is not None
    assert message.startswith(
        f"an exact engine claims that no tree is better than {best + 0.5:.9g}, but "
    )


def test_a_tree_that_breaks_a_constraint_disproves_nothing() -> None:
    """CART's tree has fewer errors, but not all recall."""
    free = solved("minimize misclassified;")
    bound = solved('minimize misclassified; subject to all: recall["yes"] >= 1;')
    assert (bound.status, bound.answer.solver, told(bound)) == ("optimal", "engine", [])
    assert free.objective is not None and bound.objective is not None
    assert bound.objective > free.objective


def test_a_tree_where_there_should_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(result: EngineResult) -> EngineResult:
        return replace(result, tree=None, value=np.inf, bound=np.inf, proven=True)

    engine_that(none, monkeypatch)
    result = solved("minimize misclassified;")
    assert told(result) == [
        "an exact engine claims that no tree keeps all constraints, but the tree "
        "without a split does, so nothing is reported as proven"
    ]
    assert result.status == "optimal" and result.answer.solver != "engine"


def test_an_engine_that_contradicts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    engine_that(lambda r: replace(r, bound=r.bound + 2, proven=False), monkeypatch)
    right = solved("minimize misclassified;")
    assert right.objective is not None
    assert told(right) == [
        BETTER.format(f"{right.objective + 2:.9g}", "its own tree", f"{right.objective:.9g}")
    ]


def test_a_start_by_name_keeps_the_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    engine_that(worse_by(1.0), monkeypatch)
    text = UNIVARIATE.format(depth=1, by="oct", objective="minimize misclassified;")
    made = treemip.loads(text, data=table()).compile()
    assert len(told(made.solve(start="cart", time_limit=30))) == 1


def test_a_wrong_proof_of_an_oblique_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pysat")
    true = oblique_engine.prove

    def wrong(*arguments: object) -> Proof:
        found = true(*arguments)  # type: ignore[arg-type]
        return replace(found, tree=None, low=found.low + 1, losses=found.low + 2)

    data = table(24)
    text = UNIVARIATE.format(depth=1, by="soct(eps = 0.05)", objective="")
    text = text.replace("univariate", "oblique")
    made = treemip.loads(text, data=data).compile()
    right = made.solve(time_limit=30, start="search")
    monkeypatch.setattr(oblique_engine, "prove", wrong)
    result = made.solve(time_limit=30, start="search")
    assert right.objective is not None
    assert told(result) == [
        BETTER.format(f"{right.objective - 1:.9g}", "its own tree", f"{right.objective:.9g}")
    ]


def test_large_tables_have_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    engine_that(worse_by(1.0), monkeypatch)
    monkeypatch.setattr(second_look, "POINTS", 39)
    assert told(solved("minimize misclassified;")) == []


@pytest.mark.parametrize("stopped", [True, False])
def test_what_kept_an_engine_from_a_proof(stopped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    engine_that(lambda r: replace(r, proven=False, bound=r.bound - 1), monkeypatch)
    for module in (univariate_engine, searched_start):
        monkeypatch.setattr(module, "asked_to_stop", lambda: stopped)
    monkeypatch.setattr(solving, "settled_otherwise", lambda note: note)  # as without a proof
    (note,) = [w for w in solved("minimize misclassified;").warnings if w.code == "W609"]
    assert ("it was stopped after" in note.message) == stopped
    assert ("s were too short for its bound" in note.message) != stopped
    assert ("give it longer" in note.remedy) != stopped
