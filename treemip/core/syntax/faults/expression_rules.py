"""Faults inside statements: brackets, indices, and rows or conditions without a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from treemip.core.source.diagnostic import Diagnostic, Edit, Fix
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax.faults.machine import REDUCTIONS
from treemip.core.syntax.faults.stop import CLOSERS, TERMINAL, Fault, Stop
from treemip.core.syntax.scan import Lexeme


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
        if any(lexeme.text == wanted for lexeme in stop.ahead[1:2]):
            return _closes_nothing(stop)
        message = f"'{stop.text}' does not close '{opener.text}'"
        caret = f"expected '{wanted}'"
        related, fix = stop.opening(opener), Fix.write(stop.here(), wanted)
        diagnostic = Diagnostic("E107", message, stop.here(), caret=caret, related=related, fix=fix)
        return Fault(diagnostic, (TERMINAL[wanted],), consumed=True)
    if stop.text == "}" and stop.block is not None:
        return None
    return _closes_nothing(stop)


def _closes_nothing(stop: Stop) -> Fault:
    opener = next(o for o, c in CLOSERS.items() if c == stop.text)
    message = f"unmatched '{stop.text}': no '{opener}' is open"
    fix = Fix.delete(stop.here())
    return Fault(Diagnostic("E107", message, stop.here(), fix=fix), (), consumed=True)


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
    remedy = f"only these do: {listed(REDUCTIONS)}"
    span = stop.span(word)
    return Fault(Diagnostic("E110", message, span, remedy, did_you_mean(word.text, REDUCTIONS)))


def _braces(stop: Stop, word: Lexeme) -> Fault:
    name = word.text.rstrip("_")
    message = f"the indices of '{name}' must be in braces"
    remedy = f"write  {name} {{i in points}} x[i]"
    place, fix = stop.span(word, stop.lexeme), _in_braces(stop, word)
    return Fault(Diagnostic("E110", message, place, remedy, fix=fix))


def _in_braces(stop: Stop, word: Lexeme) -> Fix | None:
    """`sum(i in points)` and `sum[i in points]` with braces; None for other forms."""
    lexemes = [*stop.unit, *stop.ahead]
    at = next(k for k, lexeme in enumerate(lexemes) if lexeme is word)
    if word.text.endswith("_") and lexemes[at + 1].text == "{":
        return Fix.write(stop.span(word), word.text.rstrip("_") + " ")
    inside = lexemes[at + 1 : at + 4]
    if len(inside) < 3 or inside[0].text not in ("(", "[") or inside[2].text not in ("in", ","):
        return None
    depth = 0
    for lexeme in lexemes[at + 1 :]:
        depth += (lexeme.text in CLOSERS) - (lexeme.text in TERMINAL)
        if depth == 0:
            edits = (Edit(stop.span(inside[0]), " {"), Edit(stop.span(lexeme), "}"))
            return Fix("write the indices in braces", edits)
    return None


def index_of_index(stop: Stop) -> Fault | None:
    """`x[i][j]`."""
    if stop.text != "[" or stop.before is None or stop.before.text != "]":
        return None
    message = "indices must be in one pair of brackets"
    fix = Fix.write(stop.span(stop.before, stop.lexeme), ",")
    return Fault(Diagnostic("E110", message, stop.here(), "write x[i,j], not x[i][j]", fix=fix))


def no_set(stop: Stop) -> Fault | None:
    """`{i in : condition}` and `{i in}`."""
    ends = stop.text in (*TERMINAL, ":", ",", ";", "and", "or", "then") or stop.at_end
    if not ends or stop.before is None or stop.before.text != "in" or not stop.accepts("NAME"):
        return None
    message = "a set or range is missing after 'in'"
    remedy = 'such as  i in points,  k in 1 .. 3  or  k in {"a", "b"}'
    return Fault(Diagnostic("E101", message, stop.behind(), remedy), ("NAME",))


def bare_key(stop: Stop) -> Fault | None:
    """`table(age: 2)`."""
    word = stop.before
    if stop.text != ":" or word is None or word.kind != "name" or not stop.opened:
        return None
    position = list(stop.unit).index(stop.opened[-1])
    if not position or stop.unit[position - 1].text != "table":
        return None
    message = "a table has its values by names in quotes"
    remedy, fix = f'write  "{word.text}": …', Fix.write(stop.span(word), f'"{word.text}"')
    if word.text == "default":
        message, remedy = "the default of a table has no ':'", "write  default = …"
        fix = Fix.write(stop.here(), " =")
    diagnostic = Diagnostic("E110", message, stop.span(word, stop.lexeme), remedy, fix=fix)
    return Fault(diagnostic, ("EQ",), consumed=True)


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
    fix = Fix.write(place, CLOSERS[opener.text])
    diagnostic = Diagnostic("E102", message, place, caret=caret, related=related, fix=fix)
    some = [closers[: k + 1] for k in range(len(closers))]
    return Fault(diagnostic, stop.first_fit(*some, (*closers, "SEMICOLON")))


# ------------------------------------------------------------------------------------- comparisons


_RELATIONS = ("<=", ">=", "=", "<", ">", "!=")

CONJUNCTION = "a = 1 and b = 1 ==> row"
BOTH = f"join the conditions by 'and' on the left of one '==>':  {CONJUNCTION}"
"""How an implication of two binaries is written."""

SINGLE = "on the left of '==>', 'and' joins single relations"

EITHER = (
    "declare  var first {t in branches} binary;  and write two constraints: "
    "first[t] = 1 ==> one row  and  first[t] = 0 ==> the other row"
)
"""How one of two rows is required."""


def no_relation(stop: Stop) -> Fault | None:
    """A constraint, or the row after '==>', that ends before it has compared anything."""
    over = stop.text == ";" or stop.at_end or stop.begins_statement()
    ruled = (stop.in_constraint and stop.has_colon) or _word(stop, 0) == "route"
    if not over or not ruled or stop.opened:
        return None
    if stop.before is not None and stop.before.text == "==>":
        message = "no row follows '==>'"
    elif stop.accepts("CMP") and not stop.accepts("SEMICOLON"):
        message = "this row has no <=, >= or ="
    else:
        return None
    diagnostic = Diagnostic("E108", message, stop.behind(), "write it as  expression <= expression")
    return Fault(diagnostic, stop.first_fit(("CMP", "NUMBER"), ("NUMBER", "CMP", "NUMBER")))


def no_condition(stop: Stop) -> Fault | None:
    """`{i in points : y[i]}`, `if x then`, `not a and`: a truth value is always a comparison."""
    if stop.text not in ("}", ")", "and", "or", "then", "else") or not stop.accepts("CMP"):
        return None
    if not stop.fits_after("CMP", "NUMBER"):
        return None
    message = "a condition must compare two expressions, or test with 'in' whether one is in a set"
    remedy = "write it as  y[i] = k  or  t in last_branches"
    diagnostic = Diagnostic("E108", message, stop.behind(), remedy)
    return Fault(diagnostic, ("CMP", "NUMBER"))


def too_many(stop: Stop) -> Fault | None:
    """`a <= b <= c <= d`, and `a = 1 and 0 <= b <= 1 ==> row`."""
    if stop.text not in _RELATIONS or stop.opened or not stop.in_constraint:
        return None
    if not stop.has_colon:
        return None
    if any(lexeme.text == "and" for lexeme in _outside_brackets(stop.unit)):
        return Fault(Diagnostic("E108", SINGLE, stop.here(), f"write it as  {CONJUNCTION}"))
    if not stop.accepts("SEMICOLON"):
        return None
    message = "a constraint has at most two relations"
    return Fault(Diagnostic("E108", message, stop.here(), "write two constraints"))


def bad_implication(stop: Stop) -> Fault | None:
    if stop.text != "==>" or stop.opened or not stop.in_constraint or not stop.has_colon:
        return None
    if any(lexeme.text == "==>" for lexeme in stop.unit):
        message, remedy = "a constraint has one '==>'", BOTH
    elif stop.accepts("SEMICOLON"):
        message = "the left of '==>' is a single relation"
        remedy = "write it as  reach[i,t] = 1 ==> row"
    else:
        message = "the left of '==>' compares a binary with 0 or 1"
        remedy = "write it as  reach[i,t] = 1 ==> row"
    diagnostic = Diagnostic("E108", message, stop.here(), remedy)
    return Fault(diagnostic, stop.first_fit(("CMP", "NUMBER")))


def guard_as_condition(stop: Stop) -> Fault | None:
    """`not a = 1 ==> row` and `(a = 1 and b = 0) ==> row`: a guard is no condition."""
    if not stop.in_constraint or not stop.has_colon or not _implies_later(stop):
        return None
    negation = next((x for x in _outside_brackets(stop.unit) if x.text == "not"), None)
    if negation is not None:
        place = stop.span(negation)
        message = "conditions on the left of '==>' cannot be negated by 'not'"
        remedy, fix = "write  a = 0  for  not a = 1", _turned_over(stop, negation)
        return Fault(Diagnostic("E108", message, place, remedy, fix=fix))
    if stop.text not in (*_RELATIONS, "and", "or") or not stop.opened:
        return None
    bracket = stop.opened[0]
    before = next(x for x, after in pairwise(stop.unit) if after is bracket)
    if bracket.text != "(" or before.text not in (":", "and"):
        return None
    place = stop.span(bracket)
    message = "conditions on the left of '==>' cannot be in brackets"
    return Fault(Diagnostic("E108", message, place, f"write it as  {CONJUNCTION}"))


def _turned_over(stop: Stop, negation: Lexeme) -> Fix | None:
    """`a = 0` for `not a = 1`; None where the condition is another one."""
    lexemes = [*stop.unit, *stop.ahead]
    at = lexemes.index(negation)
    rest = list(takewhile(lambda x: x.text not in ("==>", ";", "and", "or"), lexemes[at + 1 :]))
    if len(rest) < 3 or rest[0].text in ("(", "not") or rest[-2].text not in ("=", "!="):
        return None
    other = {"0": "1", "1": "0"}.get(rest[-1].text)
    if other is None:
        return None
    gone = Edit(stop.source.span(negation.start, rest[0].start), "")
    return Fix(f"write `= {other}` without `not`", (gone, Edit(stop.span(rest[-1]), other)))


def joined(stop: Stop) -> Fault | None:
    """`a <= 1 and b <= 2` as a constraint."""
    if stop.text not in ("and", "or") or stop.opened or not stop.in_constraint:
        return None
    if _implies_later(stop) and stop.text == "or":
        message = "conditions on the left of '==>' cannot be joined by 'or'"
        remedy = "write two constraints, one for each condition"
        return Fault(Diagnostic("E108", message, stop.here(), remedy))
    if _implies_later(stop):
        return Fault(Diagnostic("E108", SINGLE, stop.here(), f"write it as  {CONJUNCTION}"))
    message = f"constraints cannot be joined by '{stop.text}'"
    if stop.text == "or":
        remedy = EITHER
    elif any(lexeme.text == "==>" for lexeme in stop.unit):
        remedy = "write two constraints, each with the left side and '==>'"
    else:
        remedy = "write two constraints"
    return Fault(Diagnostic("E108", message, stop.here(), remedy))


def joined_without_arrow(stop: Stop) -> Fault | None:
    """`a <= 1 and b <= 2;`, which the grammar takes for the left of '==>' up to its end."""
    if stop.text != ";" or stop.opened or not stop.in_constraint or not stop.has_colon:
        return None
    outside = list(_outside_brackets(stop.unit))
    joints = [lexeme for lexeme in outside if lexeme.text == "and"]
    if not joints or any(lexeme.text == "==>" for lexeme in outside) or stop.accepts("SEMICOLON"):
        return None
    if not stop.accepts("TIMES"):
        return None
    place = stop.span(joints[0])
    remedy = "write two constraints"
    return Fault(Diagnostic("E108", "constraints cannot be joined by 'and'", place, remedy))


def _outside_brackets(lexemes: Sequence[Lexeme]) -> Iterator[Lexeme]:
    depth = 0
    for lexeme in lexemes:
        depth += (lexeme.text in CLOSERS) - (lexeme.text in TERMINAL)
        if not depth:
            yield lexeme


def _implies_later(stop: Stop) -> bool:
    """Whether '==>' follows later in the constraint."""
    rest = takewhile(lambda lexeme: lexeme.text != ";", stop.ahead)
    return any(lexeme.text == "==>" for lexeme in rest)


def comparison_as_value(stop: Stop) -> Fault | None:
    """`let a = b <= c;` and `max(0, a <= b)`."""
    if stop.text not in _RELATIONS or not stop.accepts("TIMES") or stop.text == "=":
        return None
    message = "a comparison is not a value"
    remedy = "write it as  if a <= b then 1 else 0"
    return Fault(Diagnostic("E108", message, stop.here(), remedy))


def _word(stop: Stop, position: int) -> str:
    return stop.unit[position].text if len(stop.unit) > position else ""
