r"""The symbols that papers use, as a spec's author writes them in LaTeX: `\hat y`, `z_{a(n),n}`.

A symbol becomes part of articles, pages and Markdown, so only what is known to be a formula there,
and nothing but a formula, is taken as one: letters, signs, brackets, accents, fonts, fractions,
one index and one exponent each. Anything else is a text that happens to look like one.
"""

from __future__ import annotations

import re

_LETTERS = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi
Sigma Upsilon Phi Psi Omega ell hbar imath jmath wp Re Im aleph partial nabla infty emptyset prime
top bot star ast dagger circ bullet pm mp times cdot ldots cdots perp parallel in le ge ne leq geq
neq min max log exp
"""
LETTERS = frozenset(_LETTERS.split())

_MARKED = """
hat widehat tilde widetilde bar overline underline vec dot ddot check breve acute grave mathrm
mathbf mathit mathsf mathtt mathcal mathbb mathfrak boldsymbol operatorname sqrt
"""
MARKED = frozenset(_MARKED.split())
"""Commands of one argument: accents, fonts, the root."""

SPACES = frozenset(["\\,", "\\;", "\\!", "\\ ", "\\quad"])
SIGNS = frozenset("()[]+-*/.,:;!=|'")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|[^\\]", re.DOTALL)
_WORDS = re.compile(r"\\text\{[^{}\\$%&#_^~]*\}")
_DEEPEST = 8
_LONGEST = 100  # characters


def is_formula(text: str) -> bool:
    """Whether a symbol is a formula that every format can show; otherwise it is a text."""
    if not text.strip() or len(text) > _LONGEST or not text.isprintable():
        return False
    if text.endswith("\\"):
        return False
    tokens = [token for token in _TOKEN.findall(_WORDS.sub("a", text)) if not token.isspace()]
    try:
        return _items(tokens, 0, 0) == len(tokens)
    except (_NoFormula, IndexError):
        return False


class _NoFormula(Exception):
    """What is no formula, or not surely one."""


def _items(tokens: list[str], at: int, depth: int) -> int:
    """Past a row of atoms, each with an index and an exponent at most; it ends at a `}`.

    A row without any atom is none.
    """
    first = at
    while at < len(tokens) and tokens[at] != "}":
        at = _scripts(tokens, _atom(tokens, at, depth), depth)
    if at == first:
        raise _NoFormula
    return at


def _scripts(tokens: list[str], at: int, depth: int) -> int:
    seen = set()
    while at < len(tokens) and tokens[at] in ("_", "^", "'"):
        mark = tokens[at]
        kind = "_" if mark == "_" else "^"
        if kind in seen and mark != "'":
            raise _NoFormula
        seen.add(kind)
        at = at + 1 if mark == "'" else _atom(tokens, at + 1, depth)
    return at


def _atom(tokens: list[str], at: int, depth: int) -> int:
    """Past one atom: a letter, digit or sign, a group, or a command with its arguments."""
    token = tokens[at]
    if depth > _DEEPEST:
        raise _NoFormula
    if token == "{":
        end = _items(tokens, at + 1, depth + 1)
        if tokens[end] != "}":
            raise _NoFormula
        return end + 1
    if token[1:] in MARKED and token[0] == "\\":
        if tokens[at + 1] == "[":
            raise _NoFormula  # which TeX reads as an argument of its own
        return _atom(tokens, at + 1, depth + 1)
    if token == r"\frac":
        return _atom(tokens, _atom(tokens, at + 1, depth + 1), depth + 1)
    known = token in SIGNS or token in SPACES or (token[0] == "\\" and token[1:] in LETTERS)
    if known or token.isalnum():
        return at + 1
    raise _NoFormula
