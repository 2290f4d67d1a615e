"""What is meant by the marks of other notations: AMPL's, Python's, LaTeX's, those of a PDF."""

# ruff: noqa: RUF001 (characters easily confused are what this table is about)

from __future__ import annotations

import re
import unicodedata

from treemip.syntax.scan import NAME

MEANT = {
    "==": "=", "===": "=", "=<": "<=", "<>": "!=", ":=": "=", "**": "^",
    "&&": "and", "&": "and", "||": "or", "!": "not", "->": "==>", "...": "..",
    "≤": "<=", "⩽": "<=", "≦": "<=", "≥": ">=", "⩾": ">=", "≧": ">=", "≠": "!=", "＝": "=",
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-",
    "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "∕": "/",
    "∈": "in", "∉": "not in", "∑": "sum", "∏": "prod", "∧": "and", "∨": "or", "¬": "not",
    "⇒": "==>", "⟹": "==>", "→": "==>", "…": "..",
    "²": "^2", "³": "^3",
    r"\le": "<=", r"\leq": "<=", r"\ge": ">=", r"\geq": ">=", r"\ne": "!=", r"\neq": "!=",
    r"\cdot": "*", r"\times": "*", r"\in": "in", r"\notin": "not in", r"\sum": "sum",
    r"\prod": "prod", r"\land": "and", r"\lor": "or", r"\Rightarrow": "==>", r"\implies": "==>",
}  # fmt: skip
"""Found text to the language's own."""

ADVICE = {
    "=>": (">=", "write >= for 'at least', ==> for an implication"),
    "<=>": ("==>", "write two implications with ==>"),
    "|": (":", "write ':' before a condition, 'or' between two"),
    "∀": ("", "the indices of a constraint stand after its name: name {i in points}: ..."),
    r"\forall": ("", "the indices of a constraint stand after its name: name {i in points}: ..."),
    "∞": ("", "a bound of infinity is written by leaving the bound out"),
    "√": ("", "write ^0.5"),
    "‖": ("", "write norm1(...), normsq(...) or norminf(...)"),
}
"""Found text to what it is taken for and the remedy, where the remedy is not simply `write …`."""


def named(character: str) -> str:
    """`'²' (U+00B2 SUPERSCRIPT TWO)`; what cannot be seen is named only."""
    name = unicodedata.name(character, "a control character")
    shown = f"'{character}' " if character.isprintable() else ""
    return f"{shown}(U+{ord(character):04X} {name})"


def number_remedy(text: str) -> str:
    if re.fullmatch(r"\.[0-9]+", text):
        return f"write 0{text}"
    if re.fullmatch(r"[0-9]+\.", text):
        return f"write {text}0"
    if re.fullmatch(r"[0-9.]+[eE]", text):
        return f"an exponent has digits: {text}5"
    split = re.fullmatch(rf"([0-9]+(?:\.[0-9]+)?)({NAME})", text)
    if split:
        return f"a name begins with a letter; a product is written {split[1]} * {split[2]}"
    return "numbers are such as 3, 0.5 and 1.5e-3"
