"""Why a spec has no solution: which of the user's requirements exclude each other, how far each
must give for the others to hold, and the best tree that there is then.

A requirement is a family of rows in the spec's own `subject to`, or in a module of the user's; of
a module that a row asks for, `fair: parity(sex, 0.1);`, the rows of its own name. Only these are
tried: the formulation's rows, the topology and the data stay as they are. Each trial is a
solve of the text with some of them dropped, so that engines, search and solvers answer as they do
for any spec. The requirements that are left by the deletion filter (Chinneck, Dravnieks 1991, see
strategy/conflict.py) exclude each other, and without any one of them the others do not. There may
be several such sets: each further one lacks a requirement of each before it, so they are looked for
in what is left without one (Reiter 1987, hitting sets).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import inf, isfinite
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from treemip.api.one_objective import without_objectives
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Solution
from treemip.core.model.tolerances import EQUAL
from treemip.core.resolve.gather import rows_of
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.spec import Constraint
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.strategy.conflict import Conflict, find_conflict
from treemip.core.syntax import nodes as n
from treemip.core.syntax.format import print_node

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program
    from treemip.api.result import Result

WHOLE = 0.5  # of the time, at most, for whether there is a solution at all
MOST_SETS = 8
MOST_GIVEN_UP = 4
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
    others, and this one as far as it must give; without it, where that was not measured."""

    requirement: Constraint
    give: Give
    best: Result | None = None


@dataclass(frozen=True)
class GivenUp:
    """Requirements, as few as that takes, without which all others have a solution. best: the best
    of these trees, None where there was no time for it. all_given_up: whether none is left."""

    requirements: tuple[Constraint, ...]
    best: Result | None = None
    all_given_up: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """feasible: whether there is a solution; None when it was not found out in time.

    requirements: of the user's, which have no solution together. minimal: proven that each of them
    is needed, since the others have a solution without it. other_sets: further ones of which the
    same is true, at most MOST_SETS in all. given_up: where there are such, what may be given up,
    the fewest first, at most MOST_GIVEN_UP. rows: where there is none even without
    requirements, the formulation's rows that exclude each other; else None.
    """

    feasible: bool | None
    requirements: tuple[Needed, ...] = ()
    minimal: bool = False
    rows: Conflict | None = None
    other_sets: tuple[tuple[Constraint, ...], ...] = ()
    given_up: tuple[GivenUp, ...] = ()


def diagnose(compiled: Compiled, seconds: float | None) -> Diagnosis:
    """What excludes a solution of the spec, within seconds of wall clock; all it takes for None.

    Where no requirement takes part in the conflict, and where there is none, `find_conflict` says
    which rows exclude each other.
    Raises what compiling and solving raise, and E601, E602 of `find_conflict`.
    """
    trials = _Trials(compiled, inf if seconds is None else seconds)
    if not trials.requirements:
        return _by_rows(compiled, trials.left())
    feasible = trials.has_solution(trials.names, WHOLE)
    if feasible is not False:
        return Diagnosis(feasible)
    kept, minimal = trials.smallest(trials.names)
    if not kept:
        found = _by_rows(trials.without(trials.names).compile(), trials.left())
        return replace(found, feasible=False)
    needed = []
    for done, name in enumerate(kept):
        give = trials.give(name, 1 / (2 * (len(kept) - done)))
        best = trials.best(name, give, 1 / (2 * (len(kept) - done)))
        needed.append(Needed(trials.requirements[name], give, best))
    others, given_up = trials.other_sets(kept) if minimal else ([], [])
    return Diagnosis(
        False,
        tuple(needed),
        minimal,
        other_sets=tuple(map(trials.named, others)),
        given_up=tuple(trials.without_these(one) for one in given_up) if others else (),
    )


def _by_rows(compiled: Compiled, seconds: float) -> Diagnosis:
    conflict = find_conflict(compiled.model, seconds)
    return Diagnosis(conflict.feasible, rows=conflict if conflict.feasible is False else None)


class _Trials:
    """Solves of a spec without some of its requirements, by name. until: of the clock."""

    def __init__(self, compiled: Compiled, seconds: float) -> None:
        self.until = time.perf_counter() + seconds
        self.compiled, self.program = compiled, compiled.program
        self.requirements = {c.name: c for c in _requirements(self.program)}
        self.names = tuple(self.requirements)
        self.known: dict[frozenset[str], bool | None] = {}

    def left(self) -> float:
        return max(0.0, self.until - time.perf_counter())

    def has_solution(self, kept: Sequence[str], share: float) -> bool | None:
        """Whether there is a solution with these requirements alone; None where a share of the
        time that is left did not suffice."""
        key = frozenset(kept)
        if key not in self.known:
            dropped = [name for name in self.names if name not in key]
            self.known[key] = _has_solution(self._solved(self.without(dropped), share))
        return self.known[key]

    def smallest(self, names: Sequence[str]) -> tuple[list[str], bool]:
        """Those of some requirements without a solution that are left by the deletion filter, and
        whether it is proven that each of them is needed."""
        kept, minimal = list(names), True
        for tried, name in enumerate(names):
            others = [other for other in kept if other != name]
            without = self.has_solution(others, 1 / (len(names) - tried + len(kept)))
            minimal = minimal and without is not None
            if without is False:
                kept = others
        return kept, minimal

    def named(self, names: Iterable[str]) -> tuple[Constraint, ...]:
        return tuple(self.requirements[name] for name in self.names if name in set(names))

    def without_these(self, names: frozenset[str]) -> GivenUp:
        result = self._solved(self.without([n for n in self.names if n in names]), 0.5)
        best = result if _has_solution(result) else None
        return GivenUp(self.named(names), best, len(names) == len(self.names))

    def other_sets(self, first: list[str]) -> tuple[list[list[str]], list[frozenset[str]]]:
        """Further smallest sets without a solution, and the smallest ones without which there is a
        solution, as far as the time allows."""
        given_up = list[frozenset[str]]()
        sets, waiting, seen = [first], [frozenset[str]()], set[frozenset[str]]()
        while waiting and len(sets) < MOST_SETS and self.left() > 0:
            gone = waiting.pop(0)
            found = next((one for one in sets if gone.isdisjoint(one)), None)
            if found is None:
                rest = [name for name in self.names if name not in gone]
                holds = any(one <= gone for one in given_up) or self.has_solution(rest, 0.3)
                if holds and len(given_up) < MOST_GIVEN_UP and not any(g <= gone for g in given_up):
                    given_up.append(gone)
                if holds is not False:
                    continue
                found, minimal = self.smallest(rest)
                if not minimal or not found:
                    continue
                sets.append(found)
            following = [gone | {name} for name in found]
            waiting += [one for one in following if one not in seen]
            seen.update(following)
        return sets[1:], given_up

    def best(self, name: str, give: Give, share: float) -> Result | None:
        """The best tree where a requirement gives as far as it must."""
        if not give.enough:
            return None
        program = self.without([name])
        if give.amount is not None:
            row = _relaxed(self.program, self.requirements[name], give)
            program = self.without([name], added=row)
        result = self._solved(program, share)
        return result if _has_solution(result) else None

    def without(self, names: Sequence[str], objective: str = "", added: str = "") -> Program:
        """The program without some requirements, and with another objective or further statements
        where they are given."""
        from treemip.api.program import Program

        program, text = self.program, self.program.source.text
        lines = [added] if added else []
        if not added and not objective:  # what these mention may need the rows beside those
            names = [c.name for c in program.spec.constraints if {c.name, c.asked_as} & {*names}]
        if objective:
            text, lets = without_objectives(program.source, program.file)
            lines = [objective, *lets]
        lines += [f"drop {', '.join(names)};"] if names else []
        source = Source(
            program.source.name,
            "\n".join([text, *lines, ""]) if lines else text,
            original=program.source.text,
        )
        where = program.base, program.table, program.data_file, program.modules
        variant = Program(source, program.overrides, *where)
        variant.data = program.data
        return variant

    def _solved(self, program: Program, share: float) -> Result | None:
        """None where a row cannot hold whatever the variables are."""
        seconds = share * self.left()
        try:
            compiled = program.compile(self.compiled.cuts)
            return compiled.solve(time_limit=seconds if isfinite(seconds) else None)
        except TreemipError as error:
            if any(d.code == "E403" for d in error.diagnostics):
                return None
            raise

    def give(self, name: str, share: float) -> Give:
        """How far a requirement must give for all others to hold."""
        row = self.requirements[name]
        others = [other for other in self.names if other != name]
        if self.known.get(frozenset(others)) is False:
            return Give(enough=False)
        objective = _gap_of(self.program, row)
        if not objective:
            return Give(enough=self.has_solution(others, share))
        result = self._solved(self.without([name], objective), share)
        enough = _has_solution(result)
        if result is None or not enough or result.objective is None:
            return Give(enough=True if self.known.get(frozenset(others)) else enough)
        amount = abs(result.objective)
        if amount <= EQUAL:
            return Give(enough=True)
        proven = result.optimality is not None and result.optimality.proven
        return Give(True, amount, self._limit(row, amount), proven)

    def _limit(self, row: Constraint, amount: float) -> float | None:
        """The right side of a single relation, if it is a number, after it has given."""
        relation = row.relation
        if row.domain.binders or relation.op == "=" or relation.right.degree is not Degree.KNOWN:
            return None
        evaluator = Evaluator(self.compiled.instance, Solution({}))
        right = float(evaluator.known(relation.right, Frame.empty())[0])
        return right - amount if relation.op == ">=" else right + amount


def _requirements(program: Program) -> list[Constraint]:
    """The families of rows that the user asks for beside a formulation; of a spec that states its
    own, those of modules that a row asks for."""
    spec = program.spec
    own = {"spec", *(PurePath(module.path).stem for module in spec.modules)} - {spec.formulation}
    stated = spec.route is not None and not spec.formulation
    rows = [c for c in spec.constraints if c.module in own and (c.asked_as or not stated)]
    named = {c.name for c in rows if c.name == c.asked_as}
    return [c for c in rows if c.name in named or c.asked_as not in named]


def _has_solution(result: Result | None) -> bool | None:
    if result is None or result.status == "infeasible":
        return False
    found = result.answer.values is not None and result.verdict != "not verified"
    return True if found else None


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
    by = _rounded(give.amount, False)
    if relation.op == "=":
        return f"subject to {name}: -{by} <= ({left}) - ({right}) <= {by};"
    sign = "-" if relation.op == ">=" else "+"
    return f"subject to {name}: {left} {relation.op} ({right}) {sign} {by};"


def _all(function: str, over: str, expression: str) -> str:
    return f"{function} {over} ({expression})" if over else expression


# ------------------------------------------------------------------------------ as text


def in_words(needed: Needed) -> str:
    """How far a requirement must give, as a line of text."""
    give, op = needed.give, needed.requirement.relation.op
    if give.enough is None:
        return "how far it must give was not found out in time"
    if not give.enough:
        return "the other requirements exclude each other without it as well"
    if give.amount is None:
        return "without it the others hold; how far it must give was not measured"
    down = op == ">="
    if give.limit is not None:
        limit = _rounded(give.limit, down)
        if give.proven:
            return f"would have to {'fall' if down else 'rise'} to {limit}"
        return f"{'lowered' if down else 'raised'} to {limit} it holds with the others; less may do"
    amount = _rounded(give.amount, False)
    if give.proven:
        return f"would have to give by {amount}"
    return f"relaxed by {amount} it holds with the others; less may do"


def text_of(row: Constraint) -> str:
    """A requirement as its text has it, on one line."""
    text = row.span.text
    if row.asked_as == row.name:
        text = f"{row.name}: {text}"
    return " ".join(text.split())


def best_in_words(best: Result) -> str:
    """The best tree where a requirement gives, as a line of text."""
    proven = best.optimality is not None and best.optimality.proven
    errors = "" if best.train_errors is None else f", {best.train_errors} training errors"
    what = "the best tree then" if proven else "the best tree found then"
    return f"{what}: objective {best.objective:.6g}{errors}"


def best_as_json(best: Result | None, file: PurePath | None) -> dict[str, Any] | None:
    if best is None:
        return None
    return {
        "objective": best.objective,
        "training_errors": best.train_errors,
        "proven": best.optimality is not None and best.optimality.proven,
        "file": None if file is None else str(file),
    }


def _rounded(value: float, down: bool) -> str:
    """The number with few digits, towards the side on which the requirement holds."""
    exact = Decimal(f"{value:.9g}")
    last = Decimal(1).scaleb(max(exact.adjusted() - DIGITS + 1, -9))
    rounded = exact.quantize(last, ROUND_FLOOR if down else ROUND_CEILING)
    return f"{rounded.normalize():f}"
