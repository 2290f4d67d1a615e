"""Faults of statements: their first words, and missing or superfluous marks and words."""

from __future__ import annotations

import re
from itertools import takewhile

from treemip.core.source.diagnostic import Diagnostic, Edit, Fix, Related
from treemip.core.source.span import Span
from treemip.core.source.suggest import Suggestion, did_you_mean, listed
from treemip.core.syntax.faults.foreign import OF_SETS, of_sets
from treemip.core.syntax.faults.machine import REDUCTIONS, expected, statement_words
from treemip.core.syntax.faults.stop import Fault, Stop, shown
from treemip.core.syntax.scan import NAME, Lexeme

SYNONYMS = {
    "st": "subject", "constraint": "subject", "constraints": "subject", "such": "subject",
    "min": "minimize", "max": "maximize", "minimise": "minimize", "maximise": "maximize",
    "objective": "minimize", "parameter": "param", "parameters": "param", "const": "param",
    "variable": "var", "variables": "var", "import": "use", "include": "use", "def": "let",
    "define": "let", "model": "formulation", "require": "requires", "dataset": "data",
    "table": "data", "sets": "set", "assert": "requires",
}  # fmt: skip
"""What other languages, or haste, call our statements."""


SHORT = 8
"""Words and marks of what is still taken for the name of a tree."""


def stray_mark(stop: Stop) -> Fault | None:
    """A ';' that ends nothing."""
    if stop.unit or stop.text != ";":
        return None
    closed = stop.before is not None and stop.before.text == "}"
    remedy = "no ';' follows the '}' of a block" if closed else "delete it"
    message = "superfluous ';'"
    return _superfluous(stop, message, remedy)


def _superfluous(stop: Stop, message: str, remedy: str) -> Fault:
    """The lexeme is read as if it were not there, and an editor can delete it."""
    fix = Fix.delete(stop.here())
    diagnostic = Diagnostic("E107", message, stop.here(), remedy, fix=fix)
    return Fault(diagnostic, (), consumed=True)


def colon_after_to(stop: Stop) -> Fault | None:
    """`subject to:`."""
    if stop.text != ":" or stop.before is None or stop.before.text != "to":
        return None
    return _superfluous(stop, "no ':' follows 'subject to'", "delete it")


def unknown_statement(stop: Stop) -> Fault | None:
    """A statement that begins with no keyword of the language."""
    if stop.unit or stop.in_settings or stop.at_end or stop.text in ("}", ")", "]"):
        return None
    if stop.lexeme.kind != "name":
        if stop.text == "{" and stop.before is not None and stop.before.text == "to":
            return _unnamed(stop, stop.here())
        message = f"a statement begins with a keyword, not with {shown(stop.lexeme)}"
        insert = stop.first_fit(("DATA",))
        return Fault(Diagnostic("E105", message, stop.here(), _statements()), insert)
    follows = [x.text for x in stop.ahead[1:3] if x.kind != "string"]
    if follows and follows[0] in (":", "{") and _guess(stop.text) is None:
        message = f"the constraint '{stop.text}' is not under 'subject to'"
        remedy = "write  subject to  before the first of the constraints"
        fix = Fix.write(stop.place_before(), "subject to\n  ")
        return Fault(Diagnostic("E105", message, stop.here(), remedy, fix=fix), ("SUBJECT", "TO"))
    return _unknown(stop, stop.lexeme, consumed=True)


def no_constraint(stop: Stop) -> Fault | None:
    """A statement just after `subject to`, where its keyword was taken for a constraint's name."""
    if len(stop.unit) != 1 or stop.unit[0].text not in statement_words():
        return None
    if not stop.accepts("COLON"):
        return None
    first = stop.unit[0]
    span = stop.span(first)
    diagnostic = Diagnostic("E108", "no constraint follows 'subject to'", span)
    return Fault(diagnostic, (statement_words()[first.text],), restart=True)


def misspelt_in_constraints(stop: Stop) -> Fault | None:
    """Under `subject to` a misspelt keyword looks like a constraint's name: `vra x binary;`."""
    if len(stop.unit) != 1 or not stop.in_constraint or stop.lexeme.kind not in ("name", "string"):
        return None
    first = stop.unit[0]
    if first.text in statement_words():
        return None
    return _unknown(stop, first, consumed=False) if _guess(first.text) else None


def _unknown(stop: Stop, word: Lexeme, consumed: bool) -> Fault:
    """The fault, going on as if the likeliest keyword had been written."""
    guess = _guess(word.text)
    span = stop.span(word)
    message = f"unknown statement '{word.text}'"
    if guess is None:
        return Fault(Diagnostic("E105", message, span, _statements()))
    meant = "subject to" if guess == "subject" else guess
    caret = Suggestion.of(word.text, meant)
    behind = stop.ahead[int(stop.lexeme is word) :]  # nothing where the text ends at the word
    to_follows = bool(behind) and behind[0].text == "to"
    fix = Fix.write(span, guess if to_follows else meant)
    insert: tuple[str, ...] = (statement_words()[guess],)
    if word.text in SYNONYMS and guess == "subject":
        insert = (*insert, "TO")
    diagnostic = Diagnostic("E105", message, span, caret=caret, fix=fix)
    return Fault(diagnostic, insert, consumed, restart=True)


def _guess(word: str) -> str | None:
    """The keyword a word was meant to be."""
    folded = word.casefold()
    if folded in statement_words():
        return folded
    if folded in SYNONYMS:
        return SYNONYMS[folded]
    near = did_you_mean(folded, (w for w in statement_words() if abs(len(w) - len(word)) <= 2))
    return near.name or None


def _statements() -> str:
    words = ["subject to" if w == "subject" else w for w in statement_words()]
    return "the statements are " + listed(words, most=len(words))


def statement_in_block(stop: Stop) -> Fault | None:
    """A statement where a setting is read: the block before it was not closed."""
    if not stop.unit or not stop.in_settings or stop.block is None:
        return None
    first = stop.unit[0]
    begins = not stop.source.text[: first.start].rpartition("\n")[2].strip()
    if first.text not in statement_words() or not begins:
        return None
    message = "the '{' of this block is not closed"
    block = stop.span(stop.block)
    place = stop.span(first)
    caret = f"expected '}}' before '{first.text}'"
    related = (Related(block, "opened here"),)
    fix = Fix.write(stop.source.span(first.start, first.start), "}\n")
    diagnostic = Diagnostic("E102", message, place, caret=caret, related=related, fix=fix)
    return Fault(diagnostic, ("RBRACE",), restart=True, rewind=True)


def unnamed_setting(stop: Stop) -> Fault | None:
    if stop.unit or not stop.in_settings or stop.at_end or stop.text in ("}", ")", "]"):
        return None
    message = f"a setting begins with its name, not with {shown(stop.lexeme)}"
    return Fault(Diagnostic("E101", message, stop.here()))


def keyword_as_name(stop: Stop) -> Fault | None:
    """`cut {i in points}: ...` under `subject to`: a keyword cannot name a constraint there."""
    if len(stop.unit) != 1 or stop.text not in (":", "{"):
        return None
    first = stop.unit[0]
    if first.text not in statement_words() or not stop.accepts("NAME"):
        return None
    if not stop.safe.accepts("NAME", "COLON"):
        return None
    span = stop.span(first)
    message = f"'{first.text}' begins a statement and cannot name a constraint"
    diagnostic = Diagnostic("E101", message, span, "choose another name")
    return Fault(diagnostic, ("NAME",), restart=True)


def unnamed_constraint(stop: Stop) -> Fault | None:
    """A constraint without name and ':'; a sum's word is then taken for the name."""
    if not stop.in_constraint or stop.has_colon or stop.opened:
        return None
    first = stop.unit[0]
    operator = stop.lexeme.kind == "mark" and stop.text not in ";:{}])"
    if not (operator or first.text in REDUCTIONS):
        return None
    return _unnamed(stop, stop.span(first, stop.lexeme))


def _unnamed(stop: Stop, span: Span) -> Fault:
    message = "the constraint has no name"
    remedy = "begin it with a name and ':', such as  few {t in branches}: …  or  few: …"
    return Fault(Diagnostic("E106", message, span, remedy), stop.first_fit(("NAME",)))


def tree_name(stop: Stop) -> Fault | None:
    """`tree "My tree";`, `tree my-tree;`, `tree my tree;`."""
    if not stop.unit or stop.unit[0].text != "tree" or len(stop.unit) > 2 or stop.opened:
        return None
    bare = len(stop.unit) == 1
    if stop.lexeme.kind not in ("string", "number", "name") and stop.text not in "-.;":
        return None
    if not bare and stop.text == ";":
        return None
    message = "a tree's name is one word of letters, digits and '_'"
    fix = _one_word(stop)
    return Fault(Diagnostic("E101", message, stop.here(), "for example  tree my_tree;", fix=fix))


def _one_word(stop: Stop) -> Fix | None:
    """The words of the statement joined by '_'; None where none of them could begin a name."""
    rest = takewhile(lambda lexeme: lexeme.text != ";" and lexeme.kind != "end", stop.ahead)
    written = [*stop.unit[1:], *rest]
    parts = re.findall(r"\w+", " ".join(lexeme.text for lexeme in written))
    name = "_".join(parts)
    if not re.fullmatch(NAME, name) or len(written) > SHORT:
        return None
    return Fix.write(stop.span(written[0], written[-1]), name)


# ------------------------------------------------------------------------------------------- marks


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
        span = stop.span(stop.block)
        fix = Fix.write(stop.behind(), "\n}\n")
        diagnostic = Diagnostic("E102", message, span, "close the block with }", fix=fix)
        return Fault(diagnostic, stop.first_fit(("RBRACE",), ("RBRACE", "SEMICOLON")))
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
    fix = Fix.write(stop.behind(), ";")
    diagnostic = Diagnostic("E106", message, stop.behind(), caret="expected ';'", fix=fix)
    closed = ("SEMICOLON", "RBRACE")
    ends = stop.first_fit(("SEMICOLON",), closed, (*closed, "SEMICOLON")) if stop.at_end else None
    return Fault(diagnostic, insert=ends or ("SEMICOLON",))


def mark_in_setting(stop: Stop) -> Fault | None:
    """`label = class;`, `label: class;`."""
    if not stop.in_settings or stop.opened or stop.text not in ("=", ":"):
        return None
    return _superfluous(stop, f"a setting has no '{stop.text}'", "write it as  name value, value;")


def kind_after_bounds(stop: Stop) -> Fault | None:
    """`var x >= 0 binary`, `var x >= 0, integer`, `var x continuous`."""
    kind = _KINDS.get(stop.text)
    if kind is None or not stop.unit or stop.unit[0].text != "var":
        return None
    if stop.text != kind:
        message = f"'{stop.text}' is not a kind of variable"
        remedy = f"write {kind}; without a kind a variable is continuous"
        fix = Fix.write(stop.here(), kind)
        diagnostic = Diagnostic("E101", message, stop.here(), remedy, fix=fix)
        return Fault(diagnostic, insert=(), consumed=True)
    message = f"'{kind}' must come before the bounds"
    remedy = f"write: var x {{i in points}} {kind} >= 0, <= 9;"
    moved = _kind_first(stop, kind)
    return Fault(Diagnostic("E101", message, stop.here(), remedy, fix=moved))


def _kind_first(stop: Stop, kind: str) -> Fix | None:
    """The kind moved before the first bound, with the comma that stood before it."""
    bound = next((x for x in stop.unit if x.text in ("<=", ">=", "=")), None)
    if bound is None or stop.before is None:
        return None
    comma = stop.before.text == ","
    start = stop.before.start if comma else stop.before.end
    first = Edit(stop.source.span(bound.start, bound.start), f"{kind} ")
    gone = Edit(stop.source.span(start, stop.lexeme.end), "")
    return Fix(f"write `{kind}` before the bounds", (first, gone))


def foreign_index(stop: Stop) -> Fault | None:
    """`... <= 1 for i in points;`, `name: for all i in points: ...`, `sum x[i] over i`."""
    words = ("for", "forall", "where", "over")
    word = stop.before if stop.before and stop.before.text in words else stop.lexeme
    if word.text not in words or not stop.accepts("TIMES"):
        return None
    message = f"'{word.text}' is not in the language"
    remedy = (
        "put the indices of a constraint after its name, name {i in points : condition}: ..., "
        "those of a sum after the word, sum {i in points} ..."
    )
    span = stop.span(word)
    return Fault(Diagnostic("E110", message, span, remedy))


def side_by_side(stop: Stop) -> Fault | None:
    """Two operands with nothing between: `2 x`, `a b`, `3(x + 1)`."""
    left, right = stop.before, stop.lexeme
    begins = right.kind in ("name", "number", "string") or right.text == "("
    if left is None or not begins or not stop.accepts("TIMES"):
        return None
    message = f"an operator is missing before {shown(right)}"
    if right.text in OF_SETS:
        message = f"sets have no operator '{right.text}'"
        diagnostic = Diagnostic("E103", message, stop.here(), of_sets(right.text))
        return Fault(diagnostic, stop.first_fit(("COMMA",), ("TIMES",)))
    remedy = "" if stop.opened and stop.opened[-1].text == "{" else "a product is written a * b"
    insertion = stop.first_fit(("COMMA",), ("TIMES",))
    listed = insertion == ("COMMA",) and (right.kind == "string" or stop.opened[-1].text == "[")
    fix = Fix.write(stop.place_before(), "* ") if remedy else None
    if listed:
        remedy, fix = "", Fix.write(stop.behind(), ",")
    diagnostic = Diagnostic("E106", message, stop.here(), remedy, expected(stop.machine), fix=fix)
    return Fault(diagnostic, insertion)


def other_mark(stop: Stop) -> Fault | None:
    """':' for '=' in a declaration, '=' for ':' after the name of an objective or constraint."""
    swapped = {":": ("EQ", "="), "=": ("COLON", ":")}.get(stop.text)
    if swapped is None or stop.opened or not stop.accepts(swapped[0]):
        return None
    terminal, text = swapped
    message = f"expected '{text}', not '{stop.text}'"
    fix = Fix.write(stop.here(), text)
    diagnostic = Diagnostic("E101", message, stop.here(), f"write {text}", fix=fix)
    return Fault(diagnostic, (terminal,), True)


def missing_mark(stop: Stop) -> Fault | None:
    for terminal, text in INSERTED.items():
        if terminal == "LBRACE" and stop.lexeme.kind != "name":
            continue
        if stop.fits_after(terminal):
            message = f"'{text}' is missing before {shown(stop.lexeme)}"
            caret = expected(stop.machine)
            before, here = stop.behind(), stop.here()
            fix = Fix.write(stop.place_before(), f"{text} ")
            if before.line != here.line:
                fix = Fix.write(before, f" {text}" if text.isalpha() else text)
            diagnostic = Diagnostic("E106", message, stop.here(), caret=caret, fix=fix)
            return Fault(diagnostic, (terminal,))
    return None


def twice(stop: Stop) -> Fault | None:
    """`subject subject to`, `{i i in points}`, `name: : row`."""
    if stop.before is None or stop.text != stop.before.text or stop.accepts("TIMES"):
        return None
    if not stop.fits_after(skip=1):
        return None
    return _superfluous(stop, f"'{stop.text}' is repeated", "delete one")


def leading_plus(stop: Stop) -> Fault | None:
    if stop.text != "+" or not stop.accepts("MINUS"):
        return None
    message = "a '+' belongs between two terms, not before the first"
    return _superfluous(stop, message, "delete it")
