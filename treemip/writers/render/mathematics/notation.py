r"""Which symbol a name of the language has in a formula: LaTeX, the same wherever it stands.

A spec's author may give a symbol in LaTeX, as papers print it: `\hat y`, `z_{a(n),n}`. It becomes
part of articles, pages and Markdown, so only what surely is a formula there counts as one: letters,
signs, brackets, accents, fonts, fractions, one index and one exponent each. Anything else is shown
as text.
"""

from __future__ import annotations

import re

from treemip.core.resolve.typed import Role, Symbol

_GREEK = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = frozenset(_GREEK.split())

# name: (symbol, meaning)
BASE_SETS: dict[str, tuple[str, str]] = {
    "points": (r"\mathcal{I}", "points"),
    "features": (r"\mathcal{J}", "features"),
    "categorical_features": (r"\mathcal{J}_{\mathrm{cat}}", "features kept as categories"),
    "classes": (r"\mathcal{K}", "classes"),
    "nodes": (r"\mathcal{N}", "nodes of the tree"),
    "branches": (r"\mathcal{B}", "branches: nodes with a split"),
    "leaves": (r"\mathcal{L}", "leaves"),
    "last_branches": (r"\mathcal{B}_{\mathrm{last}}", "branches whose children are leaves"),
    "left_children": (r"\mathcal{N}_{\mathrm{left}}", "nodes that are a left child"),
    "right_children": (r"\mathcal{N}_{\mathrm{right}}", "nodes that are a right child"),
    "supports": (r"\mathcal{S}", "supports that a separator has found"),
    "flow_cuts": (
        r"\mathcal{S}_{\mathrm{flow}}",
        "cuts through points' flow networks that a separator has found",
    ),
}
DATA: dict[str, tuple[str, str]] = {
    "x": ("x", "value of a feature at a point, after encoding and scaling"),
    "y": ("y", "class of a point"),
    "category": (r"\chi", "category of a point in a column kept as categories"),
    "weight": (r"\omega", "weight of a point"),
    "class_count": ("N", "number of points of a class"),
    "kept_with": (r"\kappa", "point whose leaf a selected point shares"),
    "missing": (r"\mathrm{missing}", "1 where a feature's value is missing at a point"),
    "routed": (r"\mathrm{routed}", "1 where the tree sends a point through a node"),
    "given_label": (r"\mathrm{given}", "1 where a leaf of the tree predicts a class"),
    "given_value": (r"\bar\beta", "constant of the value that a leaf of the tree predicts"),
    "given_slope": (r"\bar\gamma", "coefficient of a feature in that value"),
    "given_prediction": (r"\bar y", "value that the tree predicts for a point"),
}
NODE_FUNCTIONS: dict[str, tuple[str, str]] = {
    "left": (r"\mathrm{left}", "left child of a node"),
    "right": (r"\mathrm{right}", "right child of a node"),
    "parent": (r"\mathrm{parent}", "parent of a node"),
    "depth": (r"\mathrm{depth}", "depth of a node, 0 at the root"),
    "ancestors": ("A", "ancestors of a node"),
    "left_ancestors": (r"A_{\mathrm{L}}", "ancestors whose left side a node is on"),
    "right_ancestors": (r"A_{\mathrm{R}}", "ancestors whose right side a node is on"),
    "leaves_under": (r"\mathcal{L}", "leaves under a node"),
    "last_branches_under": (r"\mathcal{B}_{\mathrm{last}}", "last branches under a node"),
    "thresholds": (r"\Theta", "thresholds of a feature: midpoints between its values"),
    "class_thresholds": (r"\Theta", "thresholds of a feature where the class changes"),
    "least_gap": (r"\epsilon", "least distance above 1e-5 between two values of a feature"),
    "least_difference": (r"\delta", "least distance between two values of a feature"),
    "least_gap_moved": (
        r"\epsilon",
        "least distance above 1e-5 between two of a feature's values and these moved by a radius",
    ),
    "bisect": (r"\mathrm{bisect}", "binary search tree over the elements of a set of numbers"),
    "inner": (r"\mathrm{inner}", "nodes of a search tree that ask about a number"),
    "max_depth": (r"\mathrm{depth}_{\max}", "greatest depth of the inner nodes of search trees"),
    "mid": (r"\mathrm{mid}", "number that a node of a search tree asks about"),
    "lo": (r"\mathrm{lo}", "least number below a node of a search tree"),
    "hi": (r"\mathrm{hi}", "greatest number below a node of a search tree"),
    "next": (r"\mathrm{next}", "number after the one that a node of a search tree asks about"),
    "descend": (r"\mathrm{descend}", "number to which bits lead in a search tree"),
    "left_support": ("L", "points of a support that go left"),
    "right_support": ("R", "points of a support that go right"),
    "point_of": (r"\mathrm{point}", "point whose flow a cut is through"),
    "source_side": (r"\mathrm{source}", "nodes on the source's side of a cut"),
    "cut_left": (r"\mathrm{cut}_{\mathrm{L}}", "nodes whose edge to the left child is cut"),
    "cut_right": (r"\mathrm{cut}_{\mathrm{R}}", "nodes whose edge to the right child is cut"),
}
_TAKEN = {text for text, _ in (*BASE_SETS.values(), *DATA.values(), *NODE_FUNCTIONS.values())}
_NUMBERED = re.compile(r"([A-Za-z]+)(\d+)")
_FOREIGN = re.compile(r"(\\text\{[^{}]*\})|[^\x00-\x7f]+")  # what stands in \text stays
_SPECIAL = re.compile(r"([&%$#_{}])")


class Notation:
    """Symbols of declared things: the paper's where it gives one, none of them twice.

    declared: in the order in which they may choose.
    """

    def __init__(self, declared: list[Symbol]) -> None:
        self._texts: dict[Symbol, str] = {}
        used = dict.fromkeys(_TAKEN, "")
        for symbol in declared:
            text = _symbol(symbol)
            if used.get(text, symbol.name) != symbol.name:
                text = upright(symbol.name)
            while used.get(text, symbol.name) != symbol.name:
                text += "'"
            used[text] = symbol.name
            self._texts[symbol] = text

    def of(self, symbol: Symbol) -> str:
        """The symbol's LaTeX, without indices."""
        if symbol.role is Role.DATA:
            return DATA[symbol.name][0] if symbol.name in DATA else word(symbol.name)
        return self._texts.get(symbol) or word(symbol.name)


def _symbol(symbol: Symbol) -> str:
    text = symbol.paper_symbol or symbol.name
    if (letter := _letter(text)) or (symbol.paper_symbol and not text.isalpha()):
        return letter or (_as_text(text) if is_formula(text) else upright(text))
    numbered = _NUMBERED.fullmatch(text)
    if symbol.role is Role.PARAMETER and numbered and (letter := _letter(numbered[1])):
        return f"{letter}_{{{numbered[2]}}}"
    return word(text)


def _as_text(formula: str) -> str:
    r"""A formula with each run of letters beyond ASCII as text, one argument: `\hat {\text{ü}}`.

    pdflatex reads such a letter as several characters, of which a macro or an index takes the
    first, and knows none of them in a formula.
    """
    return _FOREIGN.sub(lambda match: match[1] or rf"{{\text{{{match[0]}}}}}", formula)


def _letter(text: str) -> str:
    """A letter as LaTeX, Greek ones by their name; empty for a longer word."""
    if text in GREEK:
        return f"\\{text}"
    if text == "eps":
        return r"\varepsilon"
    return text if len(text) == 1 and text.isascii() and text.isalnum() else ""


def word(name: str) -> str:
    """A name: one letter as it is, several upright."""
    return name if len(name) == 1 and name.isascii() else upright(name)


def upright(name: str) -> str:
    """As text where it has other letters than ASCII: LaTeX drops those of \\mathrm."""
    plain = name.isascii() and name.replace("_", "a").isalnum()
    return rf"\{'mathrm' if plain else 'text'}{{{escaped(name)}}}"


def escaped(text: str) -> str:
    """Plain text as LaTeX prints it."""
    text = text.replace("\\", r"\textbackslash ")
    text = _SPECIAL.sub(r"\\\1", text)
    return text.replace("~", r"\textasciitilde ").replace("^", r"\textasciicircum ")


def unescaped(latex: str) -> str:
    """The plain text that `escaped` was given."""
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[2]), latex)


_ESCAPED = {"backslash": "\\", "asciitilde": "~", "asciicircum": "^"}
_ESCAPE = re.compile(r"\\(?:text(backslash|asciitilde|asciicircum) |(.))")


# ------------------------------------------------------- symbols given as LaTeX

_COMMANDS = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi
Sigma Upsilon Phi Psi Omega ell hbar imath jmath wp Re Im aleph partial nabla infty emptyset prime
top bot star ast dagger circ bullet pm mp times cdot ldots cdots perp parallel in le ge ne leq geq
neq min max log exp
"""
LETTERS = frozenset(_COMMANDS.split())

_MARKED = """
hat widehat tilde widetilde bar overline underline vec dot ddot check breve acute grave mathrm
mathbf mathit mathsf mathtt mathcal mathbb mathfrak boldsymbol operatorname sqrt
"""
MARKED = frozenset(_MARKED.split())
"""Commands of one argument: accents, fonts, the root."""

SPACES = frozenset(["\\,", "\\;", "\\!", "\\ ", "\\quad"])
SIGNS = frozenset("()[]+-*/.,:;!=|'")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|[^\\]", re.DOTALL)
_TEXT_COMMAND = re.compile(r"\\text\{[^{}\\$%&#_^~]*\}")
_DEEPEST = 8
_LONGEST = 100  # characters


def is_formula(text: str) -> bool:
    """Whether a symbol is a formula that every format can show; otherwise it is a text."""
    if not text.strip() or len(text) > _LONGEST or not text.isprintable():
        return False
    if text.endswith("\\"):
        return False
    tokens = [
        token for token in _TOKEN.findall(_TEXT_COMMAND.sub("a", text)) if not token.isspace()
    ]
    try:
        return _items(tokens, 0, 0) == len(tokens)
    except (_NoFormula, IndexError):
        return False


class _NoFormula(Exception):
    """The text is not a formula, or not surely one."""


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
