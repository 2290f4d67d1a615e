"""Messages of starts: why there is none, what takes its place, and what is ignored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treemip.answers.starts.concepts import NoStart
from treemip.answers.starts.fixed import in_words
from treemip.answers.starts.problem import Start, WarmStart
from treemip.core.model.answer import Limits, Status
from treemip.core.model.model import Model
from treemip.core.registry import STARTS, start_named
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.core.source.span import Span
from treemip.core.source.suggest import listed
from treemip.core.tree.residuals import Violation

WITHOUT = "; solving without a start"
"""How the message ends where there is no other start."""

SEARCHED = "; the solve begins with a search"
"""How it ends where a search takes the place of starts of the user's own."""


def whose(kind: str) -> str:
    """What a start is called in messages: by its own words for one of STARTS, else as it is."""
    return start_named(kind).who if kind in STARTS else kind


def remark(message: str) -> Diagnostic:
    """W601 that a start says of itself, which is no warning."""
    return Diagnostic("W601", message, None, severity=Severity.NOTE)


def refused(kind: Start, error: NoStart) -> TreemipError:
    """E902 for a start that the caller asks for and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the start '{kind}' is not available: {why.message}"
    return TreemipError(Diagnostic.outside("E902", message, why.remedy))


def set_aside(kind: Start, error: NoStart, place: Span | None = None) -> Diagnostic:
    """W601 for a start that the spec asks for, at that place, and the formulation cannot have."""
    (why,) = error.diagnostics
    message = f"the spec's start '{kind}' is ignored: {why.message}"
    return Diagnostic("W601", message, place, why.remedy, severity=Severity.WARNING)


def not_searched(error: NoStart) -> Diagnostic:
    """W601 for the search that a solve begins with where nobody asks for a start."""
    (why,) = error.diagnostics
    return without_start(why.message)


def replaced_by_search(begun: WarmStart) -> WarmStart:
    """A start that is none, whose messages say that a search takes its place."""
    notes = (
        replace(note, message=note.message.removesuffix(WITHOUT) + SEARCHED)
        if note.message.endswith(WITHOUT)
        else note
        for note in begun.notes
    )
    return replace(begun, notes=tuple(notes))


def not_completed(
    kind: str, status: Status, limits: Limits, off: dict[str, int] | None = None
) -> Diagnostic:
    """W601 for a start that the solver did not complete. off: how many rows of which family its
    tree breaks as it stands, which only a solver could have mended."""
    why = f"({status.replace('_', ' ')})"
    if status == "time_limit":
        why = f"within {limits.time:.3g} s"
    breaks = f": with its splits as they are it violates {in_words(off)}" if off else ""
    return without_start(f"{whose(kind)} could not be completed to a solution {why}{breaks}")


def infeasible(kind: str, rows: dict[str, int], model: Model) -> WarmStart:
    """`rows`: how many rows of which family the start breaks, empty where that is not known."""
    breaks = f": it violates {in_words(rows)}" if rows else ""
    what = f"{whose(kind)} is not feasible for this model{breaks}"
    cuts = {block.name: block.span for block in model.rows if block.cut}
    if not rows or not rows.keys() <= cuts.keys():
        return WarmStart(notes=(without_start(what),))
    (name, *_) = rows
    message = f"{what} only, and a cut must not exclude a solution{WITHOUT}"
    remedy = f"check the inequality, or leave '{name}' out of the cuts"
    note = Diagnostic("W601", message, cuts[name], remedy, severity=Severity.WARNING)
    return WarmStart(notes=(note,), refuted=tuple(rows))


def excluded(who: str, broken: Sequence[Violation]) -> Diagnostic:
    """W601 for cuts that exclude a solution. broken: the worst row of each."""
    cuts = listed([row.name for row in broken])
    kind, verb = ("the cut", "cuts") if len(broken) == 1 else ("the cuts", "cut")
    rows = " and ".join(row.text() for row in broken)
    message = (
        f"{kind} {cuts} {verb} off solutions: {who} keeps all other rows and violates {rows}, "
        f"so no proof that uses {'it' if len(broken) == 1 else 'them'} counts"
    )
    place = broken[0].span
    remedy = f"check the inequality, or leave {cuts} out of the strategy"
    span = place if isinstance(place, Span) else None
    return Diagnostic("W601", message, span, remedy, severity=Severity.WARNING)


def without_start(what: str) -> Diagnostic:
    """W601 for a start that is none, for that reason."""
    message = f"{what}{WITHOUT}"
    return Diagnostic("W601", message, None, severity=Severity.WARNING)
