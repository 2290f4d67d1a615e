"""What the caller says comes before what the spec says; what means nothing is not passed over."""

from __future__ import annotations

import sys

import pytest
from driven_models import maximum, model

from treemip.model.model import Model
from treemip.resolve.strategy_settings import StrategySpec
from treemip.source.diagnostic import TreemipError
from treemip.strategy.settings import Settings, settled

MIXED = maximum()
SMOOTH = model("cc", [1, 1], [[1, 1]], 9)
COMMAND = f"command:{sys.executable} {{model}}"
NOTHING = StrategySpec()
EVERYWHERE = "which searches everywhere and not around a point"


def test_the_caller_comes_before_the_spec() -> None:
    said = StrategySpec(solver="scip", time_limit=60.0, gap=0.1, start="cart", seed=3)
    found, notes = settled(MIXED, Settings(solver="highs", gap=0.0, start="none"), said)
    assert found == Settings("highs", 60.0, 0.0, seed=3, start="none")
    assert notes == ()
    assert settled(MIXED, Settings(), said)[0].solver == "scip"
    assert settled(MIXED, Settings(), NOTHING)[0] == Settings("auto")
    assert settled(MIXED, Settings(solver=""), said)[0].solver == ""


@pytest.mark.parametrize(
    ("stated", "given", "message"),
    [
        (MIXED, Settings("scip", starts=3), f"'starts' means nothing to scip, {EVERYWHERE}"),
        (MIXED, Settings("highs", starts=3), f"'starts' means nothing to highs, {EVERYWHERE}"),
        (SMOOTH, Settings(starts=3), f"'starts' means nothing to highs, {EVERYWHERE}"),
        (MIXED, Settings(COMMAND, starts=3), EVERYWHERE),
        (MIXED, Settings(COMMAND, start="cart"), "which takes none"),
        (SMOOTH, Settings("highs", start="cart"), "highs where there are no integers"),
        (SMOOTH, Settings("ipopt", gap=0.1), "'gap' means nothing to ipopt, which proves no bound"),
        (SMOOTH, Settings("ipopt", absolute_gap=0.0), "'absolute_gap' means nothing to ipopt"),
    ],
)
def test_what_means_nothing_is_an_error_where_it_is_given(
    stated: Model, given: Settings, message: str
) -> None:
    with pytest.raises(TreemipError) as raised:
        settled(stated, given, NOTHING)
    (found,) = raised.value.diagnostics
    assert (found.code, message in found.message) == ("E902", True), found
    assert found.remedy.startswith("leave it out")


def test_remedies_name_who_takes_it() -> None:
    def remedy(stated: Model, given: Settings) -> str:
        with pytest.raises(TreemipError) as raised:
            settled(stated, given, NOTHING)
        return raised.value.diagnostics[0].remedy

    assert remedy(MIXED, Settings("scip", starts=3)) == "leave it out"
    assert remedy(SMOOTH, Settings("scip", starts=3)) == "leave it out, or choose ipopt"
    assert remedy(MIXED, Settings(COMMAND, start="cart")) == (
        "leave it out, or choose one of 'scip', 'cbc', 'gurobi', 'cplex', 'xpress', 'copt', 'mosek'"
    )


def test_in_the_spec_it_is_left_aside_with_a_warning() -> None:
    """The spec may have been written for another solver than the one it is given to now."""
    said = StrategySpec(starts=10, seed=1, start="cart")
    found, notes = settled(MIXED, Settings(COMMAND), said)
    assert (found.starts, found.seed, found.start) == (None, 1, None)
    assert [(n.code, n.severity.value) for n in notes] == [("W602", "warning")] * 2
    assert notes[0].message == (
        f"'starts' means nothing to {sys.executable.rsplit('/', 1)[-1]}, {EVERYWHERE}; "
        "it is left aside"
    )
    found, notes = settled(SMOOTH, Settings("ipopt"), StrategySpec(gap=0.1, starts=4))
    assert (found.gap, found.starts, len(notes)) == (None, 4, 1)


def test_none_is_no_start() -> None:
    assert settled(MIXED, Settings(COMMAND, start="none"), StrategySpec(start="cart"))[1] == ()


def test_what_a_solver_has_use_for_stays() -> None:
    given = Settings("ipopt", starts=3, start="cart", seed=1, time_limit=2.0, feasibility=1e-7)
    assert settled(SMOOTH, given, NOTHING) == (given, ())
    given = Settings("highs", start="cart", gap=0.1, threads=2)
    assert settled(MIXED, given, NOTHING) == (given, ())
