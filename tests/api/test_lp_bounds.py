"""Bounds of continuous relaxations, with and without cuts, where they are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treemip
from treemip.api import bounds
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.model import Model
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("highspy", reason="a solver is needed")

CUTS = ("leaf_purity", "scarce_leaf", "pigeonhole")


def table(points: int, classes: int) -> dict[str, Any]:
    draw = np.random.default_rng(0)
    label = [str(k % classes) for k in range(points)]
    return {"a": draw.random(points), "b": draw.random(points), "class": label}


def compiled(split: str, points: int = 12, classes: int = 4, depth: int = 1) -> treemip.Compiled:
    text = 'data "t" { label class; scale minmax; } '
    text += f"topology complete(depth = {depth}); split {split};".replace("};", "}")
    return treemip.loads(text, data=table(points, classes)).compile()


@pytest.mark.parametrize("points", [6, 13])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("way", ["big_m", "indicator"])
def test_the_root_bound_of_s_oct_is_the_number_of_points(points: int, depth: int, way: str) -> None:
    """Or, with fewer leaves than classes, of those in the largest classes."""
    text = 'data "t" { label class; scale minmax; } '
    text += f"topology complete(depth = {depth}); split oblique by soct;"
    made = treemip.loads(text, data=table(points, 3)).compile(implications=way)  # type: ignore[arg-type]
    stats = made.stats(relaxation=True)
    right = {(6, 1): 4, (13, 1): 5 + 4}.get((points, depth), points)
    assert stats["lp_bound"] == pytest.approx(right)
    assert stats["lp_bounds"]["implications"] == [way]


def test_the_cuts_of_proposition_1_raise_the_bound_of_svm1_odt() -> None:
    """Twelve points of four classes of three: one split leaves two classes without a leaf, and
    P1.3 says that their six points are wrong."""
    stats = compiled("oblique by svm1_odt").stats(relaxation=True, cuts=CUTS)
    bounds = {tuple(one["cuts"]): one for one in stats["lp_bounds"]["of"]}
    assert [*bounds] == [(), *((name,) for name in CUTS), CUTS]
    assert bounds[()]["bound"] == pytest.approx(0, abs=1e-9)
    assert bounds[("pigeonhole",)]["bound"] == pytest.approx(6)
    assert bounds[CUTS]["bound"] == stats["lp_bound"] >= 6 - 1e-9
    assert bounds[("leaf_purity",)]["rows"] == bounds[()]["rows"] + 2
    assert all(one["status"] == "optimal" and one["seconds"] >= 0 for one in bounds.values())
    assert stats["lp_bounds"]["implications"] == []


def test_one_family_is_compared_with_none() -> None:
    stats = compiled("oblique by svm1_odt").stats(relaxation=True, cuts=["pigeonhole"])
    assert [one["cuts"] for one in stats["lp_bounds"]["of"]] == [[], ["pigeonhole"]]


def test_the_strategy_s_cuts_are_named() -> None:
    made = compiled("oblique by svm1_odt; strategy { cuts pigeonhole; }")
    (one,) = made.stats(relaxation=True)["lp_bounds"]["of"]
    assert one["cuts"] == ["pigeonhole"]


def test_an_infeasible_relaxation_has_no_bound() -> None:
    made = compiled("oblique by soct; subject to never: misclassified <= -1")
    (one,) = made.stats(relaxation=True)["lp_bounds"]["of"]
    assert (one["bound"], one["status"]) == (None, "infeasible")


def test_what_has_no_bounds_with_cuts_is_refused() -> None:
    made = compiled("oblique by svm1_odt")
    with pytest.raises(TreemipError, match="there is no cut 'pigeonholes'"):
        made.stats(relaxation=True, cuts=["pigeonholes"])
    text = 'data "t" { label class positive "1"; scale minmax; } '
    text += "topology complete(depth = 1); split randomized by mrct;"
    nonlinear = treemip.loads(text, data=table(8, 2)).compile()
    assert nonlinear.stats(relaxation=True)["lp_bound"] is None
    with pytest.raises(TreemipError) as error:
        nonlinear.stats(relaxation=True, cuts=["any"])
    assert str(error.value) == (
        "error[E601]: the bounds with cuts are of linear programs, and this model is nonlinear\n"
        "  = help: leave '--cuts' out"
    )


def test_initial_cuts_of_the_strategy_have_a_bound_of_their_own() -> None:
    text = 'data "t" { label class; scale minmax; } topology complete(depth = 1); '
    text += "split oblique by soct; strategy { cuts shattering(rounds = 3); }"
    stats = treemip.loads(text, data=table(30, 2)).compile().stats(relaxation=True)
    plain, cut = stats["lp_bounds"]["of"]
    assert (plain["cuts"], cut["cuts"]) == ([], ["shattering"])
    assert stats["lp_bound"] == plain["bound"] == pytest.approx(30)
    assert cut["bound"] <= plain["bound"] + 1e-6 and cut["rows"] > plain["rows"]


def test_a_separator_is_no_family_of_cuts() -> None:
    with pytest.raises(TreemipError) as refused:
        compiled("oblique by soct").stats(relaxation=True, cuts=["shattering"])
    (one,) = refused.value.diagnostics
    assert one.message == "there is no cut 'shattering'"
    assert one.remedy == "its cuts come from the strategy:  cuts shattering(rounds = 3);"


def test_a_relaxation_with_products_is_left_to_scip(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS takes for ever over some of MARGOT's."""
    pytest.importorskip("pyscipopt")
    solvers: list[str] = []

    def told(model: Model, solver: str, limits: Limits) -> Answer:
        solvers.append(solver)
        return solve(model, solver, limits)

    monkeypatch.setattr(bounds, "solve", told)
    margot = compiled("margin by margot(C = level(1: 1))", classes=2).stats(relaxation=True)
    linear = compiled("oblique by soct").stats(relaxation=True)
    assert margot["lp_bound"] is not None and linear["lp_bound"] is not None
    assert solvers == ["scip", "highs"]
