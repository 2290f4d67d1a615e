"""Constraints and conditions that do not compare as they must."""

from __future__ import annotations

from itertools import takewhile

from treemip.source.diagnostic import Diagnostic
from treemip.syntax.faults.stop import Fault, Stop

_RELATIONS = ("<=", ">=", "=", "<", ">", "!=")

BOTH = (
    "declare  var both {t in branches} binary;  and write two constraints: "
    "both[t] >= a + b - 1  (with 1 - a where a must be 0)  and  both[t] = 1 ==> row"
)
"""How an implication of two binaries is written: `both` is forced to 1 where each of them is 1,
and free to be 0 elsewhere."""

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
        message = "this compares nothing: there is no <=, >= or ="
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
    message = "a condition compares two expressions or asks whether one is 'in' a set"
    remedy = "write it as  y[i] = k  or  t in last_branches"
    diagnostic = Diagnostic("E108", message, stop.behind(), remedy)
    return Fault(diagnostic, ("CMP", "NUMBER"))


def too_many(stop: Stop) -> Fault | None:
    """`a <= b <= c <= d`."""
    if stop.text not in _RELATIONS or stop.opened or not stop.in_constraint:
        return None
    if not stop.has_colon or not stop.accepts("SEMICOLON"):
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


def joined(stop: Stop) -> Fault | None:
    """`a <= 1 and b <= 2` as a constraint."""
    if stop.text not in ("and", "or") or stop.opened or not stop.in_constraint:
        return None
    if _implies_later(stop):
        message = f"conditions on the left of '==>' cannot be joined by '{stop.text}'"
        remedy = BOTH if stop.text == "and" else "write two constraints, one for each condition"
        return Fault(Diagnostic("E108", message, stop.here(), remedy))
    message = f"constraints cannot be joined by '{stop.text}'"
    if stop.text == "or":
        remedy = EITHER
    elif any(lexeme.text == "==>" for lexeme in stop.unit):
        remedy = "write two constraints, each with the left side and '==>'"
    else:
        remedy = "write two constraints"
    return Fault(Diagnostic("E108", message, stop.here(), remedy))


def _implies_later(stop: Stop) -> bool:
    """Whether '==>' stands further on in the constraint."""
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
