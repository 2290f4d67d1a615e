"""What of a spec stands in the way of an exact engine, found by leaving parts of it out.

An engine's reason is about the whole. The part that it comes from is the one that brings the same
reason when it stands alone, or, where parts bring it together, one without which it is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from treemip.answers.engines.engine import Case, Engine, ExactEngine
from treemip.answers.engines.own_rows import Summed
from treemip.answers.engines.refusal import NO_TIME, Refusal
from treemip.answers.engines.registry import engines
from treemip.answers.search.complete import never
from treemip.answers.search.start import refusal as unsearched
from treemip.answers.search.sum_builder import provable_sums
from treemip.answers.search.sums import NoSums
from treemip.core.instance.instance import Instance
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.spec import Constraint, ObjectiveSpec, Spec
from treemip.core.resolve.typed import Arithmetic, Negation, Typed
from treemip.core.solving.interrupt import asked_to_stop
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n

Late = Callable[[], bool]

SEARCHED = "the tree is from a search, the bound from the solver"
UNSEARCHED = "tree and bound are the solver's"
BOUNDED = "the best tree and bound of engine, search and solver count"

MORE_TIME = (
    "for a proof give it longer (--time-limit), or ask for fewer trees: a smaller depth, fewer "
    "thresholds (bin quantile(8))"
)


def prepared(entry: ExactEngine, case: Case, late: Late = never) -> Engine | Refusal:
    """As the entry's `fits`, or why the engine does not take the case."""
    try:
        return entry.fits(case, late)
    except Refusal as refusal:
        return refusal
    except NoSums as error:
        return Refusal(str(error))


def obstacle(case: Case, seconds: float, late: Late = never) -> Diagnostic | None:
    """W609: why the last of the engines does not take the case, or why those that do have no proof
    in so many seconds, by their own estimates; None where one should have. late: whether the time
    for finding the place is used up."""
    refusals, doubts = list[tuple[ExactEngine, Refusal]](), list[str]()
    for entry in engines(case.instance.spec.split):
        engine = prepared(entry, case)
        if isinstance(engine, Refusal):
            refusals += [(entry, engine)] if not doubts else []
        elif doubt := engine.doubt(seconds):
            doubts.append(doubt)
        else:
            return None
    if doubts:
        message = f"the exact engine may prove nothing in {seconds:.3g} s: it {'; '.join(doubts)}"
        faster = located(case, *refusals[0], late) if refusals else None
        return unproven(message, faster)
    if not refusals:
        return noted(case.instance, unknown_split(case.instance.spec))
    return noted(case.instance, located(case, *refusals[-1], late))


def unproven(
    message: str, faster: Refusal | None, place: Span | None = None, remedy: str = MORE_TIME
) -> Diagnostic:
    """W609: what an engine that takes a spec has not proven, and what keeps a faster one away, at
    whose place it is where there is none of its own."""
    message += f"; {BOUNDED}"
    if faster is not None:
        message += f"; a faster engine does not take the spec: {faster}"
        place = place or faster.about
    return Diagnostic("W609", message, place, remedy, severity=Severity.NOTE)


def settled_otherwise(note: Diagnostic) -> Diagnostic:
    """The note where a solver's proof stands in the place of an engine's."""
    message = note.message
    for known in (SEARCHED, UNSEARCHED, BOUNDED):
        message = message.replace(f"; {known}", "; the solver has the proof")
    return replace(note, message=message, remedy="")


def unknown_split(spec: Spec) -> Refusal:
    """What is said where no engine is about the spec's kind of splits."""
    return Refusal(f"none is about {spec.split} splits", _place_of_split(spec))


def located(case: Case, entry: ExactEngine, refusal: Refusal, late: Late = never) -> Refusal:
    """The refusal with the place of what it comes from: the statement of the split, where that is
    neither a constraint nor a term of the objective, or time is up."""
    if refusal.about is not None:
        return refusal
    spec = case.instance.spec
    span = _part(case, entry, str(refusal), late)
    asked = next((c.asked_as for c in spec.own if c.asked_as and c.span == span), "")
    why = f"{refusal}, in '{asked}'" if asked else str(refusal)
    return Refusal(why, span or _place_of_split(spec))


def bounded(note: Diagnostic, without: str) -> Diagnostic:
    """The note with the constraints without which an engine has a bound, in words."""
    said = f"; the bound is of trees that need not keep {without}"
    for known in (SEARCHED, BOUNDED):
        if f"; {known}" in note.message:
            return replace(note, message=note.message.replace(f"; {known}", f"{said}; {known}"))
    return note


def noted(instance: Instance, refusal: Refusal) -> Diagnostic:
    """W609: why there is no engine, and what is known without one."""
    known = UNSEARCHED if unsearched(instance) else SEARCHED
    message = f"no exact engine takes this spec: {refusal}; {known}"
    if str(refusal) == NO_TIME:
        ended = "the solve was stopped" if asked_to_stop() else "time was up"
        message = f"no exact engine was tried: {ended} before; {known}"
    return Diagnostic("W609", message, refusal.about, severity=Severity.NOTE)


def _place_of_split(spec: Spec) -> Span | None:
    return next((s.span for s in spec.file.statements if isinstance(s, n.Split)), None)


def _part(case: Case, entry: ExactEngine, why: str, late: Late) -> Span | None:
    """The place of the constraint or term that brings the reason. Reasons that show without a look
    at trees are looked for without one, which is most of the time."""
    spec = case.instance.spec
    requirements = tuple(spec.own_by_name.values())
    terms = () if spec.objective is None else tuple(_terms(spec.objective.value))

    def brings(rows: tuple[Constraint, ...], terms: tuple[Typed, ...], no_time: Late) -> bool:
        if late():
            raise TimeoutError
        one = prepared(entry, _with_parts(case, rows, terms), no_time)
        return isinstance(one, Refusal) and str(one) == why

    try:
        for no_time in (_always, late):
            shows = no_time is late or brings(spec.own, terms, no_time)
            if shows and not brings((), (), no_time):
                return _among(requirements, terms, partial(brings, no_time=no_time))
    except TimeoutError:
        pass
    return None


def _always() -> bool:
    return True


def _among(
    requirements: tuple[tuple[Constraint, ...], ...],
    terms: tuple[Typed, ...],
    brings: Callable[[tuple[Constraint, ...], tuple[Typed, ...]], bool],
) -> Span | None:
    """As `_part`. The rows of a requirement of one line are left out and brought back together."""
    rows = tuple(row for group in requirements for row in group)
    for term in terms:
        if brings((), (term,)):
            return term.span
    for group in requirements:
        if brings(group, ()):
            return group[0].span
    for group in requirements:
        if not brings(tuple(row for row in rows if row not in group), terms):
            return group[0].span
    for term in terms:
        if not brings(rows, tuple(other for other in terms if other is not term)):
            return term.span
    return None


def _terms(value: Typed) -> Iterator[Typed]:
    """What an objective adds up, each with its sign."""
    if isinstance(value, Arithmetic) and value.op in "+-":
        yield from _terms(value.left)
        for term in _terms(value.right):
            yield term if value.op == "+" else Negation(operand=term, span=term.span)
    else:
        yield value


@dataclass(frozen=True)
class _Part(Case):
    """A case in parts, with the rows of the formulation that count for the whole: which trees break
    is not found out again."""

    whole: Case

    @cached_property
    def spec(self) -> Summed:
        of = self.whole.spec
        sums = provable_sums(self.instance, of.of_point, of.families, of.relaxed)
        return replace(of, sums=sums)


def _with_parts(case: Case, rows: tuple[Constraint, ...], terms: tuple[Typed, ...]) -> Case:
    """The case with these constraints of the spec's own alone, and an objective of these terms."""
    instance = case.instance
    spec = instance.spec
    kept = tuple(c for c in spec.constraints if c.module != SPEC or c in rows)
    smaller = replace(spec, constraints=kept, objective=_sum_of(spec.objective, terms))
    return _Part(replace(instance, spec=smaller), case.model, case)


def _sum_of(objective: ObjectiveSpec | None, terms: tuple[Typed, ...]) -> ObjectiveSpec | None:
    if objective is None or not terms:
        return None
    value = terms[0]
    for term in terms[1:]:
        value = Arithmetic(op="+", left=value, right=term, span=value.span)
    return replace(objective, value=value)
