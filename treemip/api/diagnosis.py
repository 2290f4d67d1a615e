"""Why a spec has no solution: which of the user's requirements exclude each other, how far each
must give for the others to hold, and the best tree that there is then.

A requirement is a family of rows in the spec's own `subject to`, or in a module of the user's; of
a module that a row asks for, `fair: parity(sex, 0.1);`, the rows of its own name. Only these are
tried: the formulation's rows, the topology and the data stay as they are (trials.py). The
requirements that are left by the deletion filter (Chinneck, Dravnieks 1991, see
strategy/conflict.py) exclude each other, and without any one of them the others do not. There may
be several such sets: each further one lacks a requirement of each before it, so they are looked for
in what is left without one (Reiter 1987, hitting sets).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from treemip.api.giving import Giving, giving_of, limit_after, rounded, with_number
from treemip.api.trials import NOTHING_TRIED, Trials, Tried, has_solution
from treemip.core.model.tolerances import EQUAL
from treemip.core.resolve.spec import Constraint
from treemip.core.strategy.conflict import Conflict, find_conflict

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program
    from treemip.api.result import Result


MEASURED = 3
"""Shares of the time for how far a requirement must give, to one for the best tree then."""


@dataclass(frozen=True)
class Give:
    """How far one requirement must give while all others hold.

    enough: whether that leaves a solution; None where it was not found out. amount: the least that
    is known to do, above 0, of the row that gives most; None where it was not measured. limit: the
    right side that the relation then has, where that is a number, or the number of a requirement
    of one line. proven: that nothing less does. words: such a requirement with that number.
    """

    enough: bool | None = None
    amount: float | None = None
    limit: float | None = None
    proven: bool = False
    words: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "enough": self.enough,
            "amount": self.amount,
            "limit": self.limit,
            "proven": self.proven,
        }


@dataclass(frozen=True)
class Needed:
    """A requirement of the conflict, and how far it must give. best: of the trees that keep all
    others, and this one as far as it must give; without it, where that was not measured. seconds:
    that went into both."""

    requirement: Constraint
    give: Give
    best: Result | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class GivenUp:
    """Requirements, as few as that takes, without which all others have a solution. best: the best
    of these trees, None where none was found in `seconds`. all_given_up: whether none is left."""

    requirements: tuple[Constraint, ...]
    best: Result | None = None
    all_given_up: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Diagnosis:
    """feasible: whether there is a solution; None when it was not found out in time.

    requirements: of the user's, which have no solution together. minimal: proven that each of them
    is needed, since the others have a solution without it. other_sets: further ones of which the
    same is true, at most 8 in all. given_up: where there are such, what may be given up,
    the fewest first, at most 4. rows: where there is none even without
    requirements, the formulation's rows that exclude each other; else None. tried: what is known of
    sets of requirements, decided or not.
    """

    feasible: bool | None
    requirements: tuple[Needed, ...] = ()
    minimal: bool = False
    rows: Conflict | None = None
    other_sets: tuple[tuple[Constraint, ...], ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    tried: Tried = NOTHING_TRIED


class DiagnosisInterrupted(KeyboardInterrupt):
    """A signal has ended a diagnosis. found: with what was tried until then."""

    def __init__(self, found: Diagnosis) -> None:
        super().__init__()
        self.found = found


def diagnose(compiled: Compiled, seconds: float | None) -> Diagnosis:
    """What excludes a solution of the spec, within seconds of wall clock; all it takes for None.

    Where no requirement takes part in the conflict, and where there is none, `find_conflict` says
    which rows exclude each other.
    Raises what compiling and solving raise, E601, E602 of `find_conflict`, and DiagnosisInterrupted
    in place of a KeyboardInterrupt.
    """
    requirements = _requirements(compiled.program)
    trials = Trials(compiled, requirements, inf if seconds is None else seconds)
    try:
        return _diagnosed(compiled, trials)
    except KeyboardInterrupt:
        raise DiagnosisInterrupted(Diagnosis(None, tried=trials.tried())) from None


def _diagnosed(compiled: Compiled, trials: Trials) -> Diagnosis:
    if not trials.requirements:
        return replace(_by_rows(compiled, trials.left()), tried=trials.tried())
    feasible = trials.decide()
    if feasible is not False:
        return Diagnosis(feasible, tried=trials.tried())
    kept, minimal = trials.smallest(trials.conflict())
    if not kept:
        found = _by_rows(trials.without(trials.names).compile(), trials.left())
        return replace(found, feasible=False, tried=trials.tried())
    needed = _needed(trials, kept)
    others, given_up = trials.other_sets(kept) if minimal else ([], [])
    return Diagnosis(
        False,
        needed,
        minimal,
        other_sets=tuple(map(trials.named, others)),
        given_up=_given_up(trials, given_up) if others else (),
        tried=trials.tried(),
    )


def _by_rows(compiled: Compiled, seconds: float) -> Diagnosis:
    conflict = find_conflict(compiled.model, seconds)
    return Diagnosis(conflict.feasible, rows=conflict if conflict.feasible is False else None)


def _needed(trials: Trials, kept: list[str]) -> tuple[Needed, ...]:
    """How far each of these must give, for all of them first, and then the best trees, which begin
    with what that has found and have less time. What one leaves is for those after it."""
    found = []
    waiting = (MEASURED + 1) * len(kept) + 1  # one share for further sets
    for name in kept:
        began = time.perf_counter()
        give = _give(trials, name, MEASURED / waiting)
        took = time.perf_counter() - began
        found.append(Needed(trials.requirements[name], give, seconds=took))
        waiting -= MEASURED
    for k, needed in enumerate(found):
        began = time.perf_counter()
        best = _best(trials, needed.requirement, needed.give, 1 / waiting)
        took = needed.seconds + time.perf_counter() - began
        found[k] = replace(needed, best=best, seconds=took)
        waiting -= 1
    return tuple(found)


def _give(trials: Trials, name: str, share: float) -> Give:
    """How far a requirement must give for all others to hold."""
    row = trials.requirements[name]
    others = [other for other in trials.names if other != name]
    if trials.known(others) is False:
        return Give(enough=False)
    giving = giving_of(trials.program, row)
    if giving is None:
        return Give(enough=trials.has_solution(others, share))
    program, seconds = trials.without([name], giving.objective), share * trials.left()
    result = trials.solved(program, seconds, others, trials.latest(others))
    enough = has_solution(result)
    if result is None or not enough or result.objective is None:
        return Give(enough=True if trials.known(others) else enough)
    amount = abs(result.objective)
    if amount <= EQUAL:
        return Give(enough=True)
    proven = result.optimality is not None and result.optimality.proven
    limit = limit_after(trials.compiled, row, giving, amount)
    return Give(True, amount, limit, proven, _words(trials, row, giving, limit))


def _words(trials: Trials, row: Constraint, giving: Giving, limit: float | None) -> str:
    """The requirement after it has given, where it is one of a module with a number."""
    if limit is None or not giving.number:
        return ""
    number = rounded(limit, row.relation.op == ">=")
    return with_number(row, trials.program.file, number)


def _best(trials: Trials, row: Constraint, give: Give, share: float) -> Result | None:
    """The best tree where a requirement gives as far as it must; it begins with one that shows
    that this is enough, so that there is one where there is time to complete it."""
    if give.enough is False:
        return None
    others = [other for other in trials.names if other != row.name]
    program = trials.without([row.name])
    if give.amount is not None:
        giving = giving_of(trials.program, row)
        assert giving is not None
        added = giving.relaxed(give.amount)
        program = trials.without([row.name], added=added)
    seconds = share * trials.left()
    result = trials.solved(program, seconds, others, trials.latest(others))
    return result if has_solution(result) else None


def _given_up(trials: Trials, sets: list[frozenset[str]]) -> tuple[GivenUp, ...]:
    """What comes of giving up each of these sets of requirements, with equal shares of the time."""
    found = []
    for k, names in enumerate(sets):
        began = time.perf_counter()
        rest = [name for name in trials.names if name not in names]
        program = trials.without([name for name in trials.names if name in names])
        seconds = trials.left() / (len(sets) - k)
        result = trials.solved(program, seconds, rest, trials.latest(rest))
        best = result if has_solution(result) else None
        took = time.perf_counter() - began
        found.append(GivenUp(trials.named(names), best, not rest, took))
    return tuple(found)


def _requirements(program: Program) -> list[Constraint]:
    """The families of rows that the user asks for beside a formulation; of a spec that states its
    own, those of modules that a row asks for."""
    spec = program.spec
    own = {"spec", *(PurePath(module.path).stem for module in spec.modules)} - {spec.formulation}
    stated = spec.route is not None and not spec.formulation
    rows = [c for c in spec.constraints if c.module in own and (c.asked_as or not stated)]
    named = {c.name for c in rows if c.name == c.asked_as}
    return [c for c in rows if c.name in named or c.asked_as not in named]
