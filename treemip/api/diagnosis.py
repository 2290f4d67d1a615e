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
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import inf
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from treemip.api.trials import NOTHING_TRIED, Trials, Tried, has_solution
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Solution
from treemip.core.model.tolerances import EQUAL
from treemip.core.resolve.gather import rows_of
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.spec import Constraint
from treemip.core.strategy.conflict import Conflict, find_conflict
from treemip.core.syntax import nodes as n
from treemip.core.syntax.format import print_node

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program
    from treemip.api.result import Result

DIGITS = 6  # of a limit in a message


@dataclass(frozen=True)
class Give:
    """How far one requirement must give while all others hold.

    enough: whether that leaves a solution; None where it was not found out. amount: the least that
    is known to do, above 0, of the row that gives most; None where it was not measured. limit: the
    right side that the relation then has, where that is a number. proven: that nothing less does.
    """

    enough: bool | None = None
    amount: float | None = None
    limit: float | None = None
    proven: bool = False

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
    """How far each of these must give, for all of them first, and then the best trees. Each has the
    same share of the time, and what one leaves is for those after it."""
    found = []
    waiting = 2 * len(kept) + 1  # one share for further sets
    for name in kept:
        began = time.perf_counter()
        give = _give(trials, name, 1 / waiting)
        took = time.perf_counter() - began
        found.append(Needed(trials.requirements[name], give, seconds=took))
        waiting -= 1
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
    objective = _gap_of(trials.program, row)
    if not objective:
        return Give(enough=trials.has_solution(others, share))
    program, seconds = trials.without([name], objective), share * trials.left()
    result = trials.solved(program, seconds, others, trials.latest(others))
    enough = has_solution(result)
    if result is None or not enough or result.objective is None:
        return Give(enough=True if trials.known(others) else enough)
    amount = abs(result.objective)
    if amount <= EQUAL:
        return Give(enough=True)
    proven = result.optimality is not None and result.optimality.proven
    return Give(True, amount, _limit(trials.compiled, row, amount), proven)


def _limit(compiled: Compiled, row: Constraint, amount: float) -> float | None:
    """The right side of a single relation, if it is a number, after it has given."""
    relation = row.relation
    if row.domain.binders or relation.op == "=" or relation.right.degree is not Degree.KNOWN:
        return None
    evaluator = Evaluator(compiled.instance, Solution({}))
    right = float(evaluator.known(relation.right, Frame.empty())[0])
    return right - amount if relation.op == ">=" else right + amount


def _best(trials: Trials, row: Constraint, give: Give, share: float) -> Result | None:
    """The best tree where a requirement gives as far as it must; it begins with one that shows
    that this is enough, so that there is one where there is time to complete it."""
    if give.enough is False:
        return None
    others = [other for other in trials.names if other != row.name]
    program = trials.without([row.name])
    if give.amount is not None:
        added = _relaxed(trials.program, row, give)
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


def _stated(program: Program, row: Constraint) -> tuple[str, n.Relation] | None:
    """The indices of a family of rows as text, and its relation of two sides; None where it has
    another form. Its own, or those of the module that it asks for."""
    for own in rows_of(program.file, program.modules):
        relation = own.body
        if own.name == row.name and isinstance(relation, n.Relation) and relation.right2 is None:
            return "" if own.domain is None else print_node(own.domain), relation
    return None


def _gap_of(program: Program, row: Constraint) -> str:
    """The objective that measures how far a requirement is from holding, by the row that is
    furthest; empty where it is no relation of two sides in the spec."""
    stated = _stated(program, row)
    if stated is None:
        return ""
    over, relation = stated
    gap = f"({print_node(relation.left)}) - ({print_node(relation.right)})"
    if relation.op == "=":
        return f"minimize {_all('max', over, f'abs({gap})')};"
    if relation.op == ">=":
        return f"maximize {_all('min', over, gap)};"
    return f"minimize {_all('max', over, gap)};"


def _relaxed(program: Program, row: Constraint, give: Give) -> str:
    """The requirement after it has given, as a statement."""
    stated = _stated(program, row)
    assert stated is not None and give.amount is not None
    over, relation = stated
    left, right = print_node(relation.left), print_node(relation.right)
    name = f"{row.name}_relaxed {over}".strip()
    by = rounded(give.amount, False)
    if relation.op == "=":
        return f"subject to {name}: -{by} <= ({left}) - ({right}) <= {by};"
    sign = "-" if relation.op == ">=" else "+"
    return f"subject to {name}: {left} {relation.op} ({right}) {sign} {by};"


def _all(function: str, over: str, expression: str) -> str:
    return f"{function} {over} ({expression})" if over else expression


def rounded(value: float, down: bool) -> str:
    """The number with few digits, towards the side on which the requirement holds."""
    exact = Decimal(f"{value:.9g}")
    last = Decimal(1).scaleb(max(exact.adjusted() - DIGITS + 1, -9))
    rounded = exact.quantize(last, ROUND_FLOOR if down else ROUND_CEILING)
    return f"{rounded.normalize():f}"
