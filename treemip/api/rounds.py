"""Training in rounds: Algorithm 3 of Zhu et al. (2020).

Each round solves the model over points that the tree before selects: those it gets wrong (I), and
of each leaf's others those whose hull holds the rest, with a weight above that of all of I for
points that others rest on (J), the own weight for the others (K). Proposition 2: a tree that gets
all of J right, and of I and K no more wrong than weigh as much as I, makes no more errors on all
points than the tree before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.api import pipeline
from treemip.api.starts import start_of
from treemip.model.tolerances import SAME_WORTH
from treemip.source.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.result import Result
    from treemip.model.answer import OnProgress
    from treemip.strategy.settings import Settings

Run = Callable[["Compiled", "Settings", int], "Result"]
"""Solves the model of a round, whose number is the last argument."""


@dataclass(frozen=True)
class Round:
    """selected: points; errors: of the tree on all points, before: of the tree before; weights are
    theirs. promised: whether Proposition 2 promises that errors do not rise."""

    number: int
    selected: int
    errors: int
    before: int
    weight: float
    weight_before: float
    promised: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "round": self.number,
            "selected": self.selected,
            "errors_of_all": self.errors,
            "errors_before": self.before,
            "promised": self.promised,
        }


def solve_in_rounds(
    compiled: Compiled,
    given: Settings,
    run: Run,
    on_progress: OnProgress | None,
    spent: float = 0.0,
) -> Result:
    """The round whose tree makes the fewest errors on all points, the last of equal ones.

    A time limit is of all rounds together; `spent` seconds of it are gone. Ends early where a round
    has no verified tree, where it is interrupted, and where the next would select the same points.
    """
    strategy = compiled.program.spec.strategy
    assert strategy.select is not None
    count, began = strategy.select.rounds, time.perf_counter() - spent
    limit = given.time_limit if given.time_limit is not None else strategy.time_limit
    best: Result | None = None
    rounds: list[Round] = []
    notes: list[Diagnostic] = []
    while True:
        asked = given
        if limit is not None:
            rest = max(0.0, limit - (time.perf_counter() - began))
            asked = replace(given, time_limit=rest / (count - len(rounds)))
        result = run(compiled, asked, len(rounds) + 1)
        if result.tree is None or not result.verified:
            best = best or result
            break
        rounds.append(_round(len(rounds) + 1, result))
        notes += _remarks(rounds[-1], result)
        if best is None or rounds[-1].weight <= min(r.weight for r in rounds) + SAME_WORTH:
            best = result
        if len(rounds) == count or result.status == "interrupted":
            break
        following = _following(compiled, result, on_progress)
        if _same_points(compiled, following):
            break
        compiled, given = following, _started(given, result, following)
    return replace(best, warnings=[*best.warnings, *notes], rounds=tuple(rounds), time_limit=limit)


def _round(number: int, result: Result) -> Round:
    tree, data = result.tree, result.compiled.instance.data
    assert tree is not None
    assert data is not None
    assert data.selected is not None
    selected, whole = data.selected, data.whole
    wrong = tree.predict_numbers(whole.inputs) != whole.y
    own = wrong[selected.rows]
    heavy = np.zeros(len(own), bool)
    heavy[selected.heavy] = True
    light = float(whole.weight[selected.rows][own & ~heavy].sum())
    kept = not own[heavy].any() and light <= selected.added + SAME_WORTH
    asked = result.compiled.program.spec.strategy.select
    return Round(
        number,
        selected.kept,
        int(wrong.sum()),
        selected.errors,
        float(whole.weight[wrong].sum()),
        selected.added,
        kept and asked is not None and asked.eps == 0,
    )


def _remarks(one: Round, result: Result) -> list[Diagnostic]:
    """W606 where nothing is promised, and where rounding breaks the promise."""
    errors = f"round {one.number}: {one.errors} errors on all points, {one.before} before"
    risen = one.weight > one.weight_before + SAME_WORTH
    if one.promised and not risen:
        return []
    if one.promised:
        why = "a point that was left out is outside the hull of the others by a rounding error"
        return [_remark(f"{errors}: {why}")]
    asked = result.compiled.program.spec.strategy.select
    remedy = ""
    if asked is not None and asked.eps > 0:
        why = "eps is above 0"
    elif result.optimality is None or not result.optimality.proven:
        why = "its optimum is not proven"
    else:
        why = "the objective is more than the weight of errors, or the tree before is no solution"
        remedy = "minimize misclassified;  counts each point with its weight and nothing else"
    return [_remark(f"{errors}; Proposition 2 promises nothing, since {why}", remedy)]


def _remark(message: str, remedy: str = "") -> Diagnostic:
    return Diagnostic("W606", message, None, remedy, severity=Severity.WARNING)


def _following(compiled: Compiled, result: Result, on_progress: OnProgress | None) -> Compiled:
    """The model over the points that the result's tree selects."""
    from treemip.api.compiled import Compiled

    program, before = compiled.program, time.perf_counter()
    data = pipeline.select(program.spec, compiled.instance.data, on_progress, result.tree)
    instance = pipeline.bind(program.spec, data)
    selected = time.perf_counter()
    stated = pipeline.lower(program.file, instance, compiled.cuts)
    done = time.perf_counter()
    seconds = {**compiled.seconds, "select": selected - before, "compile": done - selected}
    program = program.with_spec_of(stated.instance)
    target, way, cuts = compiled.asked_target, compiled.way, compiled.cuts
    return Compiled(program, stated.instance, stated.model, seconds, target, way, cuts)


def _same_points(one: Compiled, other: Compiled) -> bool:
    tables = one.instance.table, other.instance.table
    rows, weights = ([getattr(t, name) for t in tables] for name in ("row_numbers", "weight"))
    return bool(np.array_equal(*rows) and np.array_equal(*weights))


def _started(given: Settings, result: Result, compiled: Compiled) -> Settings:
    """What is asked of the next round, which begins with this one's tree too."""
    from treemip.model.answer import Limits
    from treemip.strategy.starts.warm_start import default_start

    usual = given.start if isinstance(given.start, str) else None
    usual = usual or compiled.program.spec.strategy.start
    usual = usual or default_start(compiled.instance, Limits(given.time_limit))
    others = [usual] if usual not in (None, "none") else []
    return replace(given, start=start_of([result.tree, *others], compiled))
