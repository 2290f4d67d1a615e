"""Which symbol a name of the language has in a formula: LaTeX, the same wherever it stands."""

from __future__ import annotations

import re

from treemip.mathematics.symbols import is_formula
from treemip.resolve.typed import Role, Symbol

_LETTERS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = frozenset(_LETTERS.split())

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
}
DATA: dict[str, tuple[str, str]] = {
    "x": ("x", "value of a feature at a point, after encoding and scaling"),
    "y": ("y", "class of a point"),
    "category": (r"\chi", "category of a point in a column kept as categories"),
    "weight": (r"\omega", "weight of a point"),
    "class_count": ("N", "number of points of a class"),
    "routed": (r"\mathrm{routed}", "1 where the tree sends a point through a node"),
    "given_label": (r"\mathrm{given}", "1 where a leaf of the tree predicts a class"),
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
}
_TAKEN = {text for text, _ in (*BASE_SETS.values(), *DATA.values(), *NODE_FUNCTIONS.values())}
_NUMBERED = re.compile(r"([A-Za-z]+)(\d+)")
_FOREIGN = re.compile(r"(\\text\{[^{}]*\})|[^\x00-\x7f]+")  # what stands in \text stays
_SPECIAL = re.compile(r"([&%$#_{}])")


class Notation:
    """Symbols of declared things: the paper's where it gives one, none of them twice.

    `given` are the declared things in the order in which they may choose.
    """

    def __init__(self, given: list[Symbol]) -> None:
        self._texts: dict[Symbol, str] = {}
        used = dict.fromkeys(_TAKEN, "")
        for symbol in given:
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
    r"""A formula whose letters beyond ASCII are text, each stretch one argument: `\hat {\text{ü}}`.

    pdflatex reads such a letter as several characters, of which a macro or an index takes the
    first, and knows none of them in a formula.
    """
    return _FOREIGN.sub(lambda found: found[1] or rf"{{\text{{{found[0]}}}}}", formula)


def _letter(text: str) -> str:
    """One letter of a formula, Greek ones by their name; empty for a word."""
    if text in GREEK:
        return f"\\{text}"
    if text == "eps":
        return r"\varepsilon"
    return text if len(text) == 1 and text.isascii() and text.isalnum() else ""


def word(name: str) -> str:
    """A name of several letters, upright."""
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
    return _ESCAPE.sub(lambda found: _WORDS.get(found[1], found[2]), latex)


_WORDS = {"backslash": "\\", "asciitilde": "~", "asciicircum": "^"}
_ESCAPE = re.compile(r"\\(?:text(backslash|asciitilde|asciicircum) |(.))")
