"""Missing marks: ';', ':', '=', an operator between two expressions, a keyword in a statement."""

from __future__ import annotations

from treemip.source.diagnostic import Diagnostic
from treemip.syntax.faults.expected import expected
from treemip.syntax.faults.stop import Fault, Stop, shown

INSERTED = {
    "EQ": "=", "COLON": ":", "TO": "to", "IN": "in", "BY": "by", "SPLITS": "splits",
    "LEFT": "left", "WHEN": "when", "PROBABILITY": "probability", "THEN": "then", "ELSE": "else",
    "COMMA": ",", "LBRACE": "{",
}  # fmt: skip
"""Marks and words whose absence is tried, in this order."""

_KINDS = {"binary": "binary", "integer": "integer", "free": "free", "bool": "binary",
          "boolean": "binary", "int": "integer", "real": "free", "continuous": "free"}  # fmt: skip


def end_of_text(stop: Stop) -> Fault | None:
    if not stop.at_end or stop.opened:
        return None
    if stop.unit and stop.accepts("SEMICOLON"):
        return _semicolon(stop)
    if stop.block is not None and not stop.unit:
        message = "the '{' of this block is not closed"
        span = stop.source.span(stop.block.start, stop.block.end)
        return Fault(Diagnostic("E102", message, span, "a block ends with }"))
    if not stop.unit:
        message = "no constraint follows 'subject to'"
        return Fault(Diagnostic("E108", message, stop.behind()))
    message = "the text ends in the middle of a statement"
    return Fault(Diagnostic("E101", message, stop.behind(), caret=expected(stop.machine)))


def missing_semicolon(stop: Stop) -> Fault | None:
    """The lexeme could begin the next unit, or end the block, if only a ';' came before it."""
    if stop.opened or not (stop.first_on_line or stop.begins_statement() or stop.text == "}"):
        return None
    return _semicolon(stop) if stop.fits_after("SEMICOLON", far=1) else None


def _semicolon(stop: Stop) -> Fault:
    what = "setting" if stop.in_settings else "constraint" if stop.in_constraint else "statement"
    message = f"';' is missing at the end of this {what}"
    diagnostic = Diagnostic("E106", message, stop.behind(), caret="expected ';'")
    return Fault(diagnostic, insert=("SEMICOLON",))


def mark_in_setting(stop: Stop) -> Fault | None:
    """`label = class;`, `label: class;`."""
    if not stop.in_settings or stop.opened or stop.text not in ("=", ":"):
        return None
    message = f"a setting has no '{stop.text}'"
    remedy = "write it as  name value, value;"
    return Fault(Diagnostic("E107", message, stop.here(), remedy), (), consumed=True)


def kind_after_bounds(stop: Stop) -> Fault | None:
    """`var x >= 0 binary`, `var x >= 0, integer`, `var x continuous`."""
    kind = _KINDS.get(stop.text)
    if kind is None or not stop.unit or stop.unit[0].text != "var":
        return None
    if stop.text != kind:
        message = f"'{stop.text}' is not a kind of variable"
        remedy = f"write {kind}; without a kind a variable is continuous"
        return Fault(Diagnostic("E101", message, stop.here(), remedy), insert=(), consumed=True)
    message = f"'{kind}' must come before the bounds"
    remedy = f"write: var x {{i in points}} {kind} >= 0, <= 9;"
    return Fault(Diagnostic("E101", message, stop.here(), remedy))


def foreign_index(stop: Stop) -> Fault | None:
    """`... <= 1 for i in points;`, `name: for all i in points: ...`, `sum x[i] over i`."""
    words = ("for", "forall", "where", "over")
    word = stop.before if stop.before and stop.before.text in words else stop.lexeme
    if word.text not in words or not stop.accepts("TIMES"):
        return None
    message = f"'{word.text}' is not in the language"
    remedy = (
        "the indices of a constraint stand after its name, name {i in points : condition}: ..., "
        "those of a sum after the word, sum {i in points} ..."
    )
    span = stop.source.span(word.start, word.end)
    return Fault(Diagnostic("E110", message, span, remedy))


def side_by_side(stop: Stop) -> Fault | None:
    """Two operands with nothing between: `2 x`, `a b`, `3(x + 1)`."""
    left, right = stop.before, stop.lexeme
    begins = right.kind in ("name", "number", "string") or right.text == "("
    if left is None or not begins or not stop.accepts("TIMES"):
        return None
    message = f"an operator is missing before {shown(right)}"
    remedy = "" if stop.opened and stop.opened[-1].text == "{" else "a product is written a * b"
    diagnostic = Diagnostic("E106", message, stop.here(), remedy, expected(stop.machine))
    return Fault(diagnostic, stop.first_fit(("COMMA",), ("TIMES",)))


def other_mark(stop: Stop) -> Fault | None:
    """':' for '=' in a declaration, '=' for ':' after the name of an objective or constraint."""
    swapped = {":": ("EQ", "="), "=": ("COLON", ":")}.get(stop.text)
    if swapped is None or stop.opened or not stop.accepts(swapped[0]):
        return None
    terminal, text = swapped
    message = f"expected '{text}', not '{stop.text}'"
    return Fault(Diagnostic("E101", message, stop.here(), f"write {text}"), (terminal,), True)


def missing_mark(stop: Stop) -> Fault | None:
    for terminal, text in INSERTED.items():
        if terminal == "LBRACE" and stop.lexeme.kind != "name":
            continue
        if stop.fits_after(terminal):
            message = f"'{text}' is missing before {shown(stop.lexeme)}"
            caret = expected(stop.machine)
            return Fault(Diagnostic("E106", message, stop.here(), caret=caret), (terminal,))
    return None


def twice(stop: Stop) -> Fault | None:
    """`subject subject to`, `{i i in points}`, `name: : row`."""
    if stop.before is None or stop.text != stop.before.text or stop.accepts("TIMES"):
        return None
    if not stop.fits_after(skip=1):
        return None
    message = f"'{stop.text}' is repeated"
    return Fault(Diagnostic("E107", message, stop.here(), "delete one"), (), consumed=True)


def leading_plus(stop: Stop) -> Fault | None:
    if stop.text != "+" or not stop.accepts("MINUS"):
        return None
    message = "a '+' belongs between two terms, not before the first"
    return Fault(Diagnostic("E107", message, stop.here(), "delete it"), (), consumed=True)
