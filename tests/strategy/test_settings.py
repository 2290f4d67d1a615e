"""What the caller says comes before what the spec says; what means nothing is not passed over."""

from __future__ import annotations

import inspect
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driven_models import maximum, model

import treemip
from treemip.api.compiled import Compiled
from treemip.core.model.model import Model
from treemip.core.registry import installed
from treemip.core.resolve.settings.solve_options import OPTIONS, SolveOptions
from treemip.core.resolve.settings.strategy import StrategySpec
from treemip.core.solving.command import Files, arguments
from treemip.core.solving.solver import Solver
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.settings import Settings, settled

MIXED = maximum()
SMOOTH = model("cc", [1, 1], [[1, 1]], 9)
COMMAND = f"command:{sys.executable} {{model}}"
NOTHING = StrategySpec()
EVERYWHERE = "ignores 'starts': it searches globally, not from points"


def test_each_option_is_a_field_and_those_of_the_caller_are_arguments_of_solve() -> None:
    assert [f.name for f in fields(SolveOptions)] == list(OPTIONS)
    given = {name for name, option in OPTIONS.items() if option.caller}
    assert given <= inspect.signature(Compiled.solve).parameters.keys()


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
        (MIXED, Settings("scip", starts=3), f"SCIP {EVERYWHERE}"),
        (MIXED, Settings("highs", starts=3), f"HiGHS {EVERYWHERE}"),
        (SMOOTH, Settings(starts=3), f"HiGHS {EVERYWHERE}"),
        (MIXED, Settings(COMMAND, starts=3), EVERYWHERE),
        (
            SMOOTH,
            Settings("highs", start="cart"),
            "HiGHS ignores 'start' on models without integers",
        ),
        (SMOOTH, Settings("ipopt", gap=0.1), "Ipopt ignores 'gap', since it proves no bound"),
        (SMOOTH, Settings("ipopt", absolute_gap=0.0), "Ipopt ignores 'absolute_gap'"),
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
    assert remedy(SMOOTH, Settings("highs", start="cart")) == (
        "leave it out, or choose one of "
        "'scip', 'cbc', 'gurobi', 'cplex', 'xpress', 'copt', 'mosek', 'cpsat'"
    )


def test_in_the_spec_it_is_ignored_with_a_warning() -> None:
    """The spec may have been written for another solver than the one it is given to now."""
    said = StrategySpec(starts=10, time_limit=9.0, start="cart")
    found, notes = settled(MIXED, Settings(COMMAND), said)
    assert (found.starts, found.time_limit, found.start) == (None, 9.0, "cart")
    assert [(n.code, n.severity.value) for n in notes] == [("W602", "warning")]
    assert notes[0].message == (
        f"{sys.executable.rsplit('/', 1)[-1]} ignores the spec's 'starts': "
        "it searches globally, not from points"
    )
    found, notes = settled(SMOOTH, Settings("ipopt"), StrategySpec(gap=0.1, starts=4))
    assert (found.gap, found.starts, len(notes)) == (None, 4, 1)


LIMITED: dict[str, Any] = {
    "gap": 0.1,
    "absolute_gap": 0.5,
    "threads": 2,
    "seed": 3,
    "feasibility": 1e-7,
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_that_a_solver_cannot_be_told_is_said(name: str) -> None:
    """A command without its place; nothing is said of one that has it, or of the time."""
    one = {name: LIMITED[name], "time_limit": 9.0}
    title = sys.executable.rsplit("/", 1)[-1]
    message = f"{title} takes no {name.replace('_', ' ')} from treemip"
    found, notes = settled(MIXED, Settings(COMMAND), StrategySpec(**one))
    assert found == Settings(COMMAND, time_limit=9.0)
    assert [(n.code, n.severity.value, n.message) for n in notes] == [
        ("W602", "warning", f"{message}, so the spec's is ignored")
    ]
    with pytest.raises(TreemipError) as raised:
        settled(MIXED, Settings(COMMAND, **one), NOTHING)
    (said,) = raised.value.diagnostics
    assert (said.code, said.message) == ("E902", message)
    assert said.remedy.endswith("it takes 'time'")
    placed = f"{COMMAND} {{{name}}}"
    assert settled(MIXED, Settings(placed), StrategySpec(**one)) == (Settings(placed, **one), ())


def _of(name: str) -> str:
    return f"takes no {name.replace('_', ' ')} from treemip, so the spec's is ignored"


@pytest.mark.parametrize("entry", installed().values(), ids=list(installed()))
def test_what_is_said_of_a_spec_leaves_what_the_solver_takes(
    entry: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the warnings, the command can be made: nothing is both kept and refused."""
    for call in (entry.program, entry.package_call):
        if call is None:
            continue
        monkeypatch.setattr("treemip.core.strategy.settings.called", lambda _: (entry, call, []))
        said = StrategySpec(time_limit=9.0, start="cart", **LIMITED)
        found, notes = settled(MIXED, Settings(entry.name), said)
        list(arguments(entry, call, found.limits(log=False), Files(Path("f"), ".sol"), False))
        kept = {name for name in LIMITED if getattr(found, name) is not None}
        told = {name for name in LIMITED if any(_of(name) in n.message for n in notes)}
        assert kept | told == {*LIMITED}
        assert kept.isdisjoint(told)


def test_none_is_no_start() -> None:
    assert settled(MIXED, Settings(COMMAND, start="none"), StrategySpec(start="cart"))[1] == ()


def test_what_a_solver_has_use_for_stays() -> None:
    given = Settings("ipopt", starts=3, start="cart", seed=1, time_limit=2.0, feasibility=1e-7)
    assert settled(SMOOTH, given, NOTHING) == (given, ())
    given = Settings("highs", start="cart", gap=0.1, threads=2)
    assert settled(MIXED, given, NOTHING) == (given, ())


BASE = Path(__file__).resolve().parents[2] / "specs"
TEXT = 'data "data/iris.csv" { label class; } topology complete(depth = 2); split univariate'


def test_root_first() -> None:
    model = treemip.loads(f"{TEXT} by binoct;", base=BASE).compile().model
    by_name = {b.name: b for b in model.variables}
    coef, bit = by_name["coef"], by_name["bit"]
    assert coef.priority is not None and bit.priority is not None
    root, child = coef.priority[0], coef.priority[-1]
    assert root > bit.priority[0] > child > bit.priority[-1] > 0
    assert np.array_equal(np.unique(coef.priority[:4]), [root])
    assert by_name["label"].priority is None


def test_a_spec_has_the_last_word() -> None:
    text = f"{TEXT} by binoct; strategy {{ priority label; }}"
    blocks = {b.name: b for b in treemip.loads(text, base=BASE).compile().model.variables}
    assert blocks["coef"].priority is None
    assert blocks["label"].priority is not None and set(blocks["label"].priority) == {1}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("threads 0", "the limit 'threads' is 0, which is outside 1 .. 65536"),
        ("feasibility 1", "the limit 'feasibility' is 1.0, which is outside 1e-10 .. 0.001"),
    ],
)
def test_a_number_of_the_spec_out_of_range_has_a_place(setting: str, message: str) -> None:
    text = 'data "t" { label c; scale minmax; } topology complete(depth = 1); '
    text += f"split univariate by oct; strategy {{ {setting}; }}"
    data = {"a": [1.0, 2.0, 3.0], "c": ["n", "y", "n"]}
    compiled = treemip.loads(text, data=data).compile()
    with pytest.raises(TreemipError) as refused:
        compiled.solve()
    (one,) = refused.value.diagnostics
    assert (one.code, one.message) == ("E902", message)
    assert one.span is not None and one.span.text == f"{setting};"
    name = setting.split(maxsplit=1)[0]
    assert compiled.solve("highs", **{name: 1 if name == "threads" else 1e-6}).verified  # type: ignore[arg-type]
