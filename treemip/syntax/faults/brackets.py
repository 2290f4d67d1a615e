"""Brackets that do not match, and indices in the wrong sort of bracket."""

from __future__ import annotations

from treemip.source.diagnostic import Diagnostic
from treemip.source.suggest import did_you_mean, listed
from treemip.syntax.faults.machine import REDUCTIONS
from treemip.syntax.faults.stop import CLOSERS, TERMINAL, Fault, Stop
from treemip.syntax.scan import Lexeme


def wrong_closer(stop: Stop) -> Fault | None:
    """A closing bracket that closes nothing, or closes a bracket of another sort."""
    if stop.text not in TERMINAL:
        return None
    if stop.opened:
        opener = stop.opened[-1]
        wanted = CLOSERS[opener.text]
        outer = any(CLOSERS[other.text] == stop.text for other in stop.opened)
        if outer or not stop.accepts(TERMINAL[wanted]):
            return None
        if stop.ahead[1].text == wanted:
            return _closes_nothing(stop)
        message = f"'{stop.text}' does not close '{opener.text}'"
        caret = f"expected '{wanted}'"
        diagnostic = Diagnostic(
            "E107", message, stop.here(), caret=caret, related=stop.opening(opener)
        )
        return Fault(diagnostic, (TERMINAL[wanted],), consumed=True)
    if stop.text == "}" and stop.block is not None:
        return None
    return _closes_nothing(stop)


def _closes_nothing(stop: Stop) -> Fault:
    opener = next(o for o, c in CLOSERS.items() if c == stop.text)
    message = f"'{stop.text}' closes nothing: no '{opener}' is open"
    return Fault(Diagnostic("E107", message, stop.here()), (), consumed=True)


def round_domain(stop: Stop) -> Fault | None:
    """`sum(i in points) ...` and `sum(x[i] for i in points)`."""
    if stop.text not in ("in", "for") or not stop.opened or stop.opened[-1].text != "(":
        return None
    position = list(stop.unit).index(stop.opened[-1])
    word = stop.unit[position - 1] if position else None
    if word is None or word.text not in REDUCTIONS:
        return None
    return _braces(stop, word)


def bare_reduction(stop: Stop) -> Fault | None:
    """`sum i in points x[i]`, `sum_{i in points} x[i]`, `sum[i in points] x[i]`."""
    word = next((x for x in reversed(stop.unit[-3:]) if x.text.rstrip("_") in REDUCTIONS), None)
    if word is None:
        return None
    follows = stop.unit[-1] is word and (stop.lexeme.kind == "name" or stop.text == "{")
    inside = stop.text == "in" and stop.opened and stop.unit[-2] is stop.opened[-1]
    return _braces(stop, word) if follows or inside else None


def misspelt_reduction(stop: Stop) -> Fault | None:
    """`usm {i in points} x[i]`."""
    word = stop.before
    if stop.text != "{" or word is None or word.kind != "name" or not stop.accepts("TIMES"):
        return None
    message = f"'{word.text}' does not take indices in braces"
    remedy = f"the words that do are {listed(REDUCTIONS)}"
    span = stop.source.span(word.start, word.end)
    return Fault(Diagnostic("E110", message, span, remedy, did_you_mean(word.text, REDUCTIONS)))


def _braces(stop: Stop, word: Lexeme) -> Fault:
    name = word.text.rstrip("_")
    message = f"the indices of '{name}' must be in braces"
    remedy = f"write  {name} {{i in points}} x[i]"
    return Fault(Diagnostic("E110", message, stop.source.span(word.start, stop.lexeme.end), remedy))


def index_of_index(stop: Stop) -> Fault | None:
    """`x[i][j]`."""
    if stop.text != "[" or stop.before is None or stop.before.text != "]":
        return None
    message = "indices must be in one pair of brackets"
    return Fault(Diagnostic("E110", message, stop.here(), "write x[i,j], not x[i][j]"))


def unclosed(stop: Stop) -> Fault | None:
    """A bracket that nothing before the end of the unit closes, though it could be closed here."""
    if not stop.opened or stop.closes_later():
        return None
    closers = tuple(TERMINAL[CLOSERS[b.text]] for b in reversed(stop.opened))
    if not stop.accepts(closers[0]):
        return None
    opener = stop.opened[-1]
    message = f"'{opener.text}' is not closed"
    caret = f"expected '{CLOSERS[opener.text]}'"
    place, related = stop.behind(), stop.opening(opener)
    if not related:
        caret += f" for the '{opener.text}' in column {stop.source.position(opener.start)[1]}"
    diagnostic = Diagnostic("E102", message, place, caret=caret, related=related)
    some = [closers[: k + 1] for k in range(len(closers))]
    return Fault(diagnostic, stop.first_fit(*some, (*closers, "SEMICOLON")))
