"""The best of several starts: its values, and what all of them have found out."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.starts.own_starts import BestStart
from treemip.answers.starts.problem import WarmStart
from treemip.answers.starts.start_notes import WITHOUT
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.strategy.incumbent import unsolved

TEXT = "var v integer; {sense} v; subject to low: v >= 0; high: v <= 10;"


def model(sense: str) -> Model:
    return treemip.loads(TEXT.format(sense=sense)).compile().model


def note(text: str) -> Diagnostic:
    return Diagnostic("W601", text, None, severity=Severity.WARNING)


def start(value: float | None, **more: object) -> WarmStart:
    values = None if value is None else np.array([value])
    return WarmStart(values, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("sense", "best", "bound"), [("minimize", 2.0, 1.0), ("maximize", 5.0, 7)])
def test_the_better_one_is_taken_with_the_tightest_bound(
    sense: str, best: float, bound: float
) -> None:
    starts = BestStart(model(sense))
    bounds = {2.0: 0.0 if sense == "minimize" else 9.0, 5.0: bound}
    added = [starts.add(start(value, bound=bounds[value])) for value in (2.0, 5.0)]
    assert added == [True, sense == "maximize"]
    assert starts.start.values is not None
    assert (starts.worth, starts.start.values[0], starts.start.bound) == (best, best, bound)


def test_seconds_notes_and_refuted_cuts_of_all_are_kept() -> None:
    starts = BestStart(model("minimize"))
    starts.add(start(None, notes=(note(f"one{WITHOUT}"),), seconds={"search": 2.0}))
    assert starts.result().notes[0].message == "one; solving without a start"
    starts.add(start(3.0, refuted=("cut",), seconds={"search": 1.0, "engine": 4.0}, by="search"))
    starts.add(start(4.0, refuted=("cut",), notes=(note("other"),), by="engine"))
    result = starts.result()
    assert [n.message for n in result.notes] == ["one", "other"]
    assert result.seconds == {"search": 3.0, "engine": 4.0}
    assert (result.refuted, result.by) == (("cut",), "search")


def test_a_solution_of_the_stated_model_alone_is_kept_until_there_is_a_start() -> None:
    starts = BestStart(model("minimize"))
    starts.add(start(None, stated=np.array([1.0]), by="search"))
    starts.add(start(None))
    assert starts.start.stated is not None and starts.start.by == "search"
    starts.add(start(6.0))
    assert starts.start.stated is None and starts.start.by == ""


def test_what_was_stopped_has_the_best_solution() -> None:
    starts = BestStart(model("minimize"))
    starts.add(start(3.0))
    starts.add(start(None, stopped=unsolved("start", "interrupted", 1.0)))
    stopped = starts.result().stopped
    assert stopped is not None and stopped.values is not None
    assert (stopped.status, stopped.objective) == ("interrupted", 3.0)
