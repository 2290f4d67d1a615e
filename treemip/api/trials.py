"""Solves of a spec without some of its requirements, and what is known from all of them together.

Each trial is a solve of the text with some requirements dropped, so that engines, search and
solvers answer as they do for any spec. One answer settles many questions: what a tree keeps beside
what was asked of it is looked at, so that no set of requirements is tried of which a tree is known,
or of which a part is known to have no solution. Time goes to small sets before large ones and to
all of them in turn, in rounds of longer and longer trials: what is quick is known first, and that a
part has no solution is often proven where the whole takes too long.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING

from treemip.api.one_objective import without_objectives
from treemip.core.lower.evaluate import Evaluator
from treemip.core.resolve.spec import Constraint
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.tree.meaning import meaning_of, on_alike_points
from treemip.core.tree.residuals import constraint_violation

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.api.program import Program
    from treemip.api.result import Result

FIRST = 1 / 20  # of the time, that a trial of the first round may take
LEAST_FIRST = 4.0  # seconds of such a trial at least: an engine that gets less may not begin
LONGER = 4.0  # how much longer a trial of the next round may take
MOST = 1 / 2  # of the time that is left, for one trial
ENDED = 0.5  # of its time; a trial that took less was not ended by it, and more would not help
LEAST = 0.2  # seconds that are worth a trial
MOST_TRIED = 40  # sets in a round
MOST_SETS = 8
MOST_GIVEN_UP = 4

Names = frozenset[str]


@dataclass(frozen=True)
class Undecided:
    """Requirements of which neither a tree nor a proof that there is none was found in so many
    seconds; 0 for what was not tried for lack of time."""

    requirements: tuple[Constraint, ...]
    seconds: float


@dataclass(frozen=True)
class Tried:
    """What trials have shown. together: of requirements that a tree keeps together, the largest
    sets; () is the set of a tree that keeps none of them. conflicting: of those that are proven to
    exclude each other, the smallest. seconds: that all of it took."""

    together: tuple[tuple[Constraint, ...], ...] = ()
    conflicting: tuple[tuple[Constraint, ...], ...] = ()
    undecided: tuple[Undecided, ...] = ()
    seconds: float = 0.0


NOTHING_TRIED = Tried()


class Trials:
    """Solves of a spec without some of its requirements, by name, in so many seconds."""

    def __init__(
        self, compiled: Compiled, requirements: Iterable[Constraint], seconds: float
    ) -> None:
        self.began, self.seconds = time.perf_counter(), seconds
        self.compiled, self.program = compiled, compiled.program
        self.requirements = {c.name: c for c in requirements}
        self.names = tuple(self.requirements)
        self.kept: list[tuple[Names, Result]] = []  # requirements that a tree keeps together
        self.conflicts: list[Names] = []
        self.spent: dict[Names, float] = {}  # of each set that was tried
        self.ended: set[Names] = set()  # without an answer before the time was over

    def left(self) -> float:
        return max(0.0, self.began + self.seconds - time.perf_counter())

    # ------------------------------------------------------------------ what is known

    def known(self, names: Iterable[str]) -> bool | None:
        """Whether a tree keeps these requirements together, by the trials so far."""
        asked = frozenset(names)
        if any(asked <= kept for kept, _ in self.kept):
            return True
        return False if any(one <= asked for one in self.conflicts) else None

    def tried(self) -> Tried:
        kept = {one for one, _ in self.kept}
        largest = [one for one in kept if not any(one < other for other in kept)]
        smallest = {c for c in self.conflicts if not any(one < c for one in self.conflicts)}
        every = frozenset(self.names)
        waiting = {every: 0.0} | self.spent if every else {}
        undecided = tuple(
            Undecided(self.named(names), seconds)
            for names, seconds in waiting.items()
            if self.known(names) is None
        )
        return Tried(
            self._in_order(largest),
            self._in_order(smallest),
            undecided,
            time.perf_counter() - self.began,
        )

    def named(self, names: Iterable[str]) -> tuple[Constraint, ...]:
        return tuple(self.requirements[name] for name in self.names if name in set(names))

    def _in_order(self, sets: Iterable[Names]) -> tuple[tuple[Constraint, ...], ...]:
        numbers = {name: k for k, name in enumerate(self.names)}
        ordered = sorted(sets, key=lambda one: (len(one), sorted(numbers[name] for name in one)))
        return tuple(map(self.named, ordered))

    # ------------------------------------------------------------------ questions

    def decide(self) -> bool | None:
        """Whether there is a solution; None where it was not found out in time."""
        for seconds in self._rounds():
            waiting = False
            for names in self._sets():
                if self.known(self.names) is not None or self.left() <= 0:
                    return self.known(self.names)
                if self.known(names) is None and names not in self.ended:
                    waiting = True
                    self.ask(names, min(seconds, max(LEAST, MOST * self.left())))
            if not waiting:
                break
        return self.known(self.names)

    def _rounds(self) -> Iterator[float]:
        """Seconds of a trial, without end."""
        share = FIRST * self.seconds if isfinite(self.seconds) else 0.0
        seconds = max(LEAST_FIRST, share)
        while True:
            yield seconds
            seconds *= LONGER

    def _sets(self) -> Iterator[Names]:
        """All requirements, and the sets of few before those of many, some of them."""
        yield frozenset(self.names)
        count = 1
        for size in range(1, len(self.names)):
            for some in combinations(self.names, size):
                if count >= MOST_TRIED:
                    return
                count += 1
                yield frozenset(some)

    def has_solution(self, names: Sequence[str], share: float) -> bool | None:
        """Whether there is a solution with these requirements alone; None where a share of the
        time that is left did not suffice."""
        if self.known(names) is None:
            seconds = share * self.left()
            if seconds > self.spent.get(frozenset(names), 0.0):
                self.ask(names, seconds)
        return self.known(names)

    def ask(self, names: Iterable[str], seconds: float) -> None:
        """Solve with these requirements alone."""
        asked = frozenset(names)
        dropped = [name for name in self.names if name not in asked]
        began = time.perf_counter()
        found = self.solved(self.without(dropped), seconds, asked)
        took = time.perf_counter() - began
        self.spent[asked] = self.spent.get(asked, 0.0) + took
        if took < ENDED * seconds:
            self.ended.add(asked)
        if has_solution(found) is False:
            self.conflicts.append(asked)

    def conflict(self) -> tuple[str, ...]:
        """The smallest set that is proven to have no solution, in the spec's order."""
        least = min(self.conflicts, key=len)
        return tuple(name for name in self.names if name in least)

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

    def other_sets(self, first: list[str]) -> tuple[list[list[str]], list[Names]]:
        """Further smallest sets without a solution, and the smallest ones without which there is a
        solution, as far as the time allows."""
        given_up = list[Names]()
        sets, waiting, seen = [first], [Names()], set[Names]()
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

    # ------------------------------------------------------------------ solves

    def without(self, names: Sequence[str], objective: str = "", added: str = "") -> Program:
        """The program without some requirements, and with another objective or further statements
        where they are given."""
        from treemip.api.program import Program

        program, text = self.program, self.program.source.text
        lines = [added] if added else []
        if not added and not objective:  # what these mention may need the rows beside those
            names = [c.name for name in names for c in self._rows(name)]
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

    def solved(
        self,
        program: Program,
        seconds: float,
        keeps: Iterable[str] = (),
        start: Result | None = None,
    ) -> Result | None:
        """None where a row cannot hold whatever the variables are. keeps: the requirements that
        the program has. start: with a tree to begin from."""
        try:
            compiled = program.compile(self.compiled.cuts)
            found = compiled.solve(
                time_limit=seconds if isfinite(seconds) else None,
                start=None if start is None else [start, "search"],
            )
        except TreemipError as error:
            if any(d.code == "E403" for d in error.diagnostics):
                return None
            raise
        if has_solution(found):
            self.kept.append((self._kept_by(found, frozenset(keeps)), found))
        return found

    def latest(self, names: Iterable[str]) -> Result | None:
        """The last of the trees that were seen to keep these requirements."""
        asked = frozenset(names)
        kept = reversed(self.kept)
        return next((r for one, r in kept if asked <= one and r.tree is not None), None)

    def _rows(self, name: str) -> list[Constraint]:
        """All rows that a requirement needs."""
        return [c for c in self.program.spec.constraints if name in (c.name, c.asked_as)]

    def _kept_by(self, found: Result, keeps: Names) -> Names:
        """The requirements that a tree keeps, of which some are known. Those that cannot be
        evaluated on it are not counted, so that what is said is always so."""
        others = [name for name in self.names if name not in keeps]
        return keeps | {name for name in others if self._holds(name, found)}

    def _holds(self, name: str, found: Result) -> bool:
        rows, instance = self._rows(name), self.compiled.instance
        if found.tree is None:
            return False
        try:
            points = on_alike_points(instance, found.tree, (), rows)
            meaning = meaning_of(points, found.tree, found.values)
            evaluator = Evaluator(points, meaning)
            meaning.taken.clear()
            fails = any(constraint_violation(row, evaluator) for row in rows)
            return not fails and not meaning.taken
        except (TreemipError, KeyError):  # such as a variable of rows that were dropped
            return False


def has_solution(result: Result | None) -> bool | None:
    """None where it was not found out."""
    if result is None or result.status == "infeasible":
        return False
    found = result.answer.values is not None and result.verdict != "not verified"
    return True if found else None
