"""Training in rounds: Algorithm 3 of Zhu et al. (2020).

Each round solves the model over points that the tree before selects: those it gets wrong (I), and
of each leaf's others those whose hull holds the rest, with a weight above that of all of I for
points that others rest on (J), the own weight for the others (K). Proposition 2: a tree that gets
all of J right, and of I and K no more wrong than weigh as much as I, makes no more errors on all
points than the tree before. That holds where the points on which others rest share a leaf
(`together`), as the proof assumes; without, a third leaf may lie between two of the same class. The
paper ends with the last round's tree; here the best of CART's and of all rounds comes back, since
most rounds are neither proven nor of errors alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.answers.starts.warm_start import default_start
from treemip.api.compiled import Compiled
from treemip.api.lowering import lower_program
from treemip.api.selection_start import OnAll, on_all, start_result, worse_than_cart
from treemip.api.several_solves import Run, SharedLimit, later, summed
from treemip.api.starts import start_of
from treemip.core.lower.bind import bind
from treemip.core.model.answer import Limits
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.methods.selection.select import select

if TYPE_CHECKING:
    from treemip.api.result import Result
    from treemip.core.instance.selected import Selected
    from treemip.core.model.answer import OnProgress
    from treemip.core.strategy.settings import Settings

OF_THE_SOLVE = ("W601", "W602")
"""Warnings about starts and settings. Those of the first round are about what was asked for, those
of later rounds about the trees that these rounds begin with."""

APART = (
    "the points around one that is left out may end in several leaves, and that one in a leaf "
    "between them"
)
TOGETHER = "select iterative together;  keeps them in one leaf"
ERRORS_ALONE = "minimize misclassified;  counts each point with its weight and nothing else"


@dataclass(frozen=True)
class Round:
    """Number 0 is CART's tree, by which the first round selects.

    selected: points; errors: of the tree on all points, before: of the tree before; weights are
    theirs. promised: whether it follows from the round's answer that errors do not rise. objective:
    of the spec on all points, None where it rests on more than the tree. returned: whether the tree
    that came back is this round's.
    """

    number: int
    selected: int
    errors: int
    before: int
    weight: float
    weight_before: float
    promised: bool
    objective: float | None = None
    returned: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "round": self.number,
            "selected": self.selected,
            "errors_of_all": self.errors,
            "errors_before": self.before,
            "objective_of_all": self.objective,
            "promised": self.promised,
            "returned": self.returned,
        }


def solve_in_rounds(
    compiled: Compiled,
    given: Settings,
    run: Run,
    on_progress: OnProgress | None,
    spent: float = 0.0,
) -> Result:
    """CART's tree or that of a round, whichever is best on all points, the last of equal ones: by
    the spec's objective, or by errors where that rests on more than the tree.

    A time limit is of all rounds together; `spent` seconds of it are gone, of which half of the
    limit stays free. Ends early where a round has no verified tree, where it is interrupted, and
    where the next would select the same points.
    """
    strategy = compiled.program.spec.strategy
    assert strategy.select is not None
    count, shared = strategy.select.rounds, SharedLimit(given, strategy, spent)
    best, rounds = _Best(), list[Round]()
    notes, causes = list[Diagnostic](), _Causes()
    seconds: dict[str, float] = {}
    while True:
        tell = later(on_progress, shared.gone)
        asked = shared.part(given, count - len(rounds))
        result = run(compiled, asked, len(rounds) + 1, tell)
        seconds = summed(seconds, result.seconds | ({"read": 0.0} if rounds else {}))
        if not rounds:
            best.begin(result)
            first = result
        if result.tree is None or not result.verified:
            best.result = best.result or result
            notes += _unfinished(len(rounds) + 1, result)
            break
        rounds.append(_round(len(rounds) + 1, result, best.add(result, len(rounds) + 1)))
        causes.note(rounds[-1], result)
        if len(rounds) == count or result.status == "interrupted":
            break
        following = _following(compiled, result, later(on_progress, shared.gone))
        if _same_points(compiled, following):
            break
        compiled, given = following, _started(given, result, following)
    notes = [*causes.warnings(), *notes, *best.warnings()]
    every = [replace(one, returned=one.number == best.number) for one in (*best.start, *rounds)]
    assert best.result is not None
    warnings = [*_warnings(best.result, first), *notes]
    return replace(
        best.result,
        warnings=warnings,
        rounds=tuple(every),
        time_limit=shared.limit,
        seconds=seconds,
    )


def _warnings(best: Result, first: Result) -> list[Diagnostic]:
    """Those of the result that comes back; of starts and settings those of the first round."""
    if best is first:
        return best.warnings
    asked = [note for note in first.warnings if note.code in OF_THE_SOLVE]
    return [note for note in best.warnings if note.code not in OF_THE_SOLVE] + asked


class _Best:
    """The best tree on all points so far: `result`, None without any, and the `number` of its
    round. start: CART's tree as round 0, where it is a solution of the first round's model."""

    def __init__(self) -> None:
        self.result: Result | None = None
        self.number = -1
        self.worth: OnAll | None = None
        self.start: tuple[Round, ...] = ()
        self.selected: Selected | None = None

    def begin(self, first: Result) -> None:
        """Adds CART's tree to begin with; first: the result of the first round."""
        self.selected, begun = first.selected, start_result(first)
        if begun is not None:
            self.start = (_round(0, begun, self.add(begun, 0)),)

    def add(self, result: Result, number: int) -> OnAll:
        """Takes a tree where none before is better; what it is worth."""
        worth = on_all(result)
        if self.worth is None or not self.worth.better_than(worth):
            self.result, self.number, self.worth = result, number, worth
        return worth

    def warnings(self) -> list[Diagnostic]:
        """W605 where CART's tree makes fewer errors and is no solution."""
        selected, own = self.selected, self.worth
        if self.start or own is None or selected is None or own.errors <= selected.errors:
            return []
        cart = OnAll(None, selected.errors, float(selected.errors))
        return [worse_than_cart(own, cart, selected, feasible=False)]


def _round(number: int, result: Result, worth: OnAll) -> Round:
    tree, data = result.tree, result.compiled.instance.data
    assert tree is not None
    assert data is not None
    assert data.selected is not None
    selected, whole = data.selected, data.whole
    own = (tree.predict_numbers(whole.inputs) != whole.y)[selected.rows]
    heavy = np.zeros(len(own), bool)
    heavy[selected.heavy] = True
    light = float(whole.weight[selected.rows][own & ~heavy].sum())
    kept = not own[heavy].any() and light <= selected.added + SAME_WORTH
    asked = result.compiled.program.spec.strategy.select
    return Round(
        number,
        selected.kept,
        worth.errors,
        selected.errors,
        worth.weight,
        selected.added,
        number > 0 and kept and asked is not None and asked.together and asked.eps == 0,
        worth.objective,
    )


class _Causes:
    """Why errors rose in rounds, or might have although they were asked not to: rounds by cause,
    with what remedies it."""

    def __init__(self) -> None:
        self.rounds: dict[tuple[str, str], list[str]] = {}

    def note(self, one: Round, result: Result) -> None:
        cause = _cause(one, result)
        if cause is not None:
            errors = f"round {one.number}: {one.errors} errors on all points, {one.before} before"
            self.rounds.setdefault(cause, []).append(errors)

    def warnings(self) -> list[Diagnostic]:
        """W606, once for each cause."""
        return [
            _remark(f"{'; '.join(errors)}; {why}", remedy)
            for (why, remedy), errors in self.rounds.items()
        ]


def _cause(one: Round, result: Result) -> tuple[str, str] | None:
    """Why errors rose in a round, or might have in one that was asked for `together`, with a
    remedy."""
    spec = result.compiled.program.spec
    asked, risen = spec.strategy.select, one.weight > one.weight_before + SAME_WORTH
    assert asked is not None
    if not asked.together:
        return (APART, TOGETHER) if risen else None
    if one.promised:
        why = "a point that was left out is outside the hull of the others by a rounding error"
        return (why, "") if risen else None
    remedy = ""
    if asked.eps > 0:
        why = "eps is above 0"
    elif not spec.uses_weights:
        why = "nothing here depends on the weights of points"
        remedy = ERRORS_ALONE
    elif result.optimality is None or not result.optimality.proven:
        why = "its optimum is not proven"
    else:
        why = "the objective is more than the weight of errors, or the tree before is no solution"
        remedy = ERRORS_ALONE
    return f"it does not follow that errors never rise, since {why}", remedy


def _unfinished(number: int, result: Result) -> list[Diagnostic]:
    """W606 for the round that is the last since it has no verified tree."""
    if result.tree is None:
        return [_remark(f"round {number} ended without a tree: {result.status.replace('_', ' ')}")]
    return [_remark(f"the tree of round {number} is not verified: {'; '.join(result.problems)}")]


def _remark(message: str, remedy: str = "") -> Diagnostic:
    return Diagnostic("W606", message, None, remedy, severity=Severity.WARNING)


def _following(compiled: Compiled, result: Result, on_progress: OnProgress | None) -> Compiled:
    """The model over the points that the result's tree selects."""
    program, before = compiled.program, time.perf_counter()
    data = select(program.spec, compiled.instance.data, on_progress, result.tree)
    instance = bind(program.spec, data)
    selected = time.perf_counter()
    lowered = lower_program(program.file, instance, compiled.cuts)
    done = time.perf_counter()
    seconds = {**compiled.seconds, "select": selected - before, "compile": done - selected}
    target, method, cuts = compiled.asked_target, compiled.implication_method, compiled.cuts
    program = program.with_spec_of(lowered.instance)
    return Compiled(program, lowered, seconds, target, method, cuts)


def _same_points(one: Compiled, other: Compiled) -> bool:
    tables = one.instance.table, other.instance.table
    rows, weights = ([getattr(t, name) for t in tables] for name in ("row_numbers", "weight"))
    return bool(np.array_equal(*rows) and np.array_equal(*weights))


def _started(given: Settings, result: Result, compiled: Compiled) -> Settings:
    """What is asked of the next round, which begins with this one's tree too."""
    usual = given.start if isinstance(given.start, str) else None
    usual = usual or compiled.program.spec.strategy.start
    usual = usual or default_start(compiled.instance, Limits(given.time_limit))
    others = [usual] if usual not in (None, "none") else []
    return replace(given, start=start_of([result.tree, *others], compiled))
