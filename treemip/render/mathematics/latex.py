"""Typed expressions as LaTeX: sums over their sets, vectors where the text has `*`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from treemip.model.text import number
from treemip.render.expressions import AND, ATOM, CHOICE, OR, POWER, PRODUCT, SUM, Dialect, Written
from treemip.render.mathematics.notation import (
    BASE_SETS,
    DATA,
    NODE_FUNCTIONS,
    Notation,
    escaped,
    word,
)
from treemip.resolve import typed as t
from treemip.resolve.sorts import NUMBER
from treemip.resolve.typed import Role, Symbol, TypedDomain
from treemip.resolve.typed_sets import Listed, Section, Tuples, grouped
from treemip.resolve.typed_tables import FileTable, Table

RELATIONS = {"<=": r"\le", ">=": r"\ge", "=": "=", "<": "<", ">": ">", "!=": r"\ne"}
SIGNS = {
    "sum": r"\sum",
    "prod": r"\prod",
    "max": r"\max",
    "min": r"\min",
    "argmax": r"\arg\max",
    "argmin": r"\arg\min",
    "norm1": r"\sum",
    "norminf": r"\max",
}
MOST_CASES = 12
"""Values of a table that a formula shows."""

ROUNDED = {"floor": ("\\lfloor ", " \\rfloor"), "ceil": ("\\lceil ", " \\rceil")}


class Latex(Dialect):
    """Writes formulas and keeps what they mention: `symbols` declared, `words` built in."""

    relations = RELATIONS
    membership = (r"\in", r"\notin")
    minus: ClassVar[int] = SUM

    def __init__(self, notation: Notation, empty: frozenset[Symbol] = frozenset()) -> None:
        """empty: variables without members, whose sums are left out."""
        self.notation = notation
        self.empty = empty
        self.symbols: dict[Symbol, None] = {}
        self.words: dict[str, tuple[str, str]] = {}

    def bracketed(self, text: str) -> str:
        return rf"\left( {text} \right)"

    def terms(self, e: t.Typed) -> list[str]:
        """A sum as its signed terms, so that a long one can be broken before any of them."""
        e = self._without_zeros(e)
        if isinstance(e, t.Arithmetic) and e.op in "+-":
            return [*self.terms(e.left), f"{e.op} {self.text(e.right, PRODUCT)}"]
        return [self.summand(e)]

    def text(self, e: t.Typed, least: int = CHOICE) -> str:
        return super().text(self._without_zeros(e), least)

    def _without_zeros(self, e: t.Typed) -> t.Typed:
        """A sum or product without what is 0 for want of members; 0 where nothing is left."""
        if not self.empty or not isinstance(e, t.Arithmetic):
            return e
        left, right = self._without_zeros(e.left), self._without_zeros(e.right)
        zeros = self._is_zero(left), self._is_zero(right)
        if all(zeros) or (e.op == "*" and any(zeros)):
            return t.Const(value=0.0, span=e.span)
        if e.op in "+-" and zeros[1]:
            return left
        if e.op == "+" and zeros[0]:
            return right
        if e.op == "*" and isinstance(left, t.Const) and left.value == 1 != _value(e.left):
            return right
        return replace(e, left=left, right=right)

    def _is_zero(self, e: t.Typed) -> bool:
        if isinstance(e, t.Reduction):
            return e.op == "sum" and self._is_zero(e.body)
        if not isinstance(e, t.At):
            return _value(e) == 0
        defined = e.symbol.value if e.symbol.role is Role.LET else None
        return e.symbol in self.empty or (defined is not None and self._is_zero(defined))

    def summand(self, e: t.Typed) -> str:
        """In brackets where a maximum would otherwise seem to be over what follows, too."""
        runs_on = isinstance(e, t.Reduction) and e.op != "sum" and not _is_vector(e)
        return self.bracketed(self.text(e)) if runs_on else self.text(e, SUM)

    def domain(self, domain: TypedDomain) -> str:
        """`i \\in I, t \\in B : condition`."""
        return self._binders(domain.binders, domain.guard)

    def _binders(self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...]) -> str:
        sets = []
        for group, tuples in grouped(binders):
            names = ", ".join(word(b.name) for b in group)
            one = names if tuples is None else f"({names})"
            sets.append(rf"{one} \in {self.text(tuples or group[0].set)}")
        conditions = [self.text(c) for b in binders for c in b.conditions]
        conditions += [self.text(c) for c in guard]
        where = rf" : {', '.join(conditions)}" if conditions else ""
        return ",\\, ".join(sets) + where

    # ------------------------------------------------------------------- leaves

    def const(self, e: t.Const) -> Written:
        text, binds = super().const(e)
        if "e" not in text:
            return text, binds
        digits, power = text.split("e")
        return rf"{digits} \cdot 10^{{{int(power)}}}", PRODUCT

    def literal(self, e: t.Literal) -> Written:
        return rf"\text{{{escaped(e.text)}}}", ATOM

    def bound(self, e: t.Bound) -> Written:
        return word(e.name), ATOM

    def at(self, e: t.At) -> Written:
        return self._vectorial(e), ATOM

    def indexed(self, symbol: Symbol, indices: list[str]) -> str:
        """A declared thing with its indices below it."""
        text = self.notation.of(symbol)
        if symbol.role is Role.DATA:
            of_numbers = symbol.name == "y" and symbol.sort == NUMBER
            known = DATA.get(symbol.name, (text, symbol.doc))
            self.words[symbol.name] = (text, symbol.doc) if of_numbers else known
        else:
            self.symbols[symbol] = None
        if symbol.role is Role.TERM and indices:
            return f"{text}({', '.join(indices)})"
        if not indices:
            return text
        head = f"{{{text}}}" if "_" in text.replace(r"\_", "") else text
        together = all(len(i) == 1 or i == r"\cdot" for i in indices)
        return f"{head}_{{{' '.join(indices) if together else ', '.join(indices)}}}"

    def base_set(self, e: t.BaseSet) -> Written:
        if e.name in BASE_SETS:
            self.words[e.name] = BASE_SETS[e.name]
            return BASE_SETS[e.name][0], ATOM
        return word(e.name), ATOM

    def local_set(self, e: t.LocalSet) -> Written:
        return word(e.name), ATOM

    # ---------------------------------------------------------------- operators

    def quotient(self, e: t.Arithmetic) -> Written:
        return rf"\frac{{{self.text(e.left)}}}{{{self.text(e.right)}}}", ATOM

    def power(self, e: t.Arithmetic) -> Written:
        return f"{{{self.text(e.left, ATOM)}}}^{{{self.text(e.right)}}}", POWER

    def product(self, e: t.Arithmetic) -> Written:
        left, right = self._factor(e.left), self.text(e.right, PRODUCT)
        between = r"\cdot " if isinstance(e.right, t.Const) or right[0].isdigit() else r"\, "
        return f"{left} {between}{right}", PRODUCT

    def _factor(self, e: t.Typed) -> str:
        """In brackets where a sum would otherwise seem to be over what follows, too."""
        text = self.text(e, PRODUCT)
        runs_on = isinstance(e, t.Reduction) and not _is_vector(e)
        return self.bracketed(text) if runs_on else text

    def choice(self, e: t.Choice) -> Written:
        rows: list[str] = []
        rest: t.Typed = e
        while isinstance(rest, t.Choice):
            rows.append(rf"{self.text(rest.then)} & \text{{if }} {self.text(rest.condition)}")
            rest = rest.otherwise
        rows.append(rf"{self.text(rest)} & \text{{otherwise}}")
        body = r" \\ ".join(rows)
        return rf"\begin{{cases}} {body} \end{{cases}}", ATOM

    def logic(self, e: t.Logic) -> Written:
        parts = [self.text(p, ATOM if isinstance(p, t.Logic) else CHOICE) for p in e.operands]
        if e.op == "not":
            return rf"\neg ({parts[0]})", ATOM
        sign, level = (r" \wedge ", AND) if e.op == "and" else (r" \vee ", OR)
        return sign.join(parts), level

    # --------------------------------------------------------------------- sets

    def comprehension(self, e: t.Comprehension) -> Written:
        return rf"\{{ {self._binders((e.binder,), e.guard)} \}}", ATOM

    def section(self, e: Section) -> Written:
        inside = ", ".join([*(self.text(p) for p in e.prefix), r"\cdot"])
        return rf"\{{ \cdot : ({inside}, \ldots) \in {self.text(e.tuples)} \}}", ATOM

    def written(self, e: t.Typed) -> Written:
        match e:
            case Listed():
                texts = ", ".join(rf"\text{{{escaped(text)}}}" for text in e.texts)
                return rf"\{{ {texts} \}}", ATOM
            case Tuples():
                names = ", ".join(word(b.name) for b in e.binders)
                return rf"\{{ ({names}) : {self._binders(e.binders, e.guard)} \}}", ATOM
            case Table():
                return self._table(e), ATOM
            case FileTable():
                return rf"\text{{from {escaped(e.path)}}}", ATOM
        return super().written(e)

    def _table(self, e: Table) -> str:
        """The values of a table as cases; of many, the first ones."""
        rows = []
        for key, value in list(zip(e.keys, e.values, strict=True))[:MOST_CASES]:
            name = number(key.name) if isinstance(key.name, float) else escaped(key.name)
            shown = name if isinstance(key.name, float) else rf"\text{{{name}}}"
            rows.append(rf"{self.text(value)} & \text{{if }} {word(e.index.name)} = {shown}")
        if len(e.keys) > MOST_CASES:
            rows.append(r"\ldots & \text{and so on}")
        if e.default is not None:
            rows.append(rf"{self.text(e.default)} & \text{{otherwise}}")
        body = r" \\ ".join(rows)
        return rf"\begin{{cases}} {body} \end{{cases}}"

    def range_set(self, e: t.RangeSet) -> Written:
        return rf"\{{ {self.text(e.lower)}, \ldots, {self.text(e.upper)} \}}", ATOM

    # --------------------------------------------------------------- reductions

    def reduction(self, e: t.Reduction) -> Written:
        if _is_vector(e):
            return self._vector(e)
        sign = SIGNS[e.op]
        body = self.text(e.body, PRODUCT)
        if e.op in ("norm1", "norminf"):
            body = rf"\left| {self.text(e.body)} \right|"
        elif e.op == "prod" and isinstance(e.body, t.Arithmetic) and e.body.op == "*":
            body = rf"\left( {body} \right)"
        return f"{sign}_{{{self._binders(e.binders, e.guard)}}} {body}", PRODUCT

    def _vector(self, e: t.Reduction) -> Written:
        """dot, normsq, norm1 and norminf of `*`: as vectors, without the index that runs."""
        body = e.body
        if isinstance(body, t.Call):
            return rf"\lVert {self._vectorial(body.arguments[0])} \rVert_1", ATOM
        if e.op == "norminf":
            return rf"\lVert {self._vectorial(body)} \rVert_\infty", ATOM
        if not isinstance(body, t.Arithmetic):
            return self._vectorial(body), ATOM
        if body.left == body.right:
            return rf"\lVert {self._vectorial(body.left)} \rVert_2^2", ATOM
        left, right = self._vectorial(body.left), self._vectorial(body.right)
        return rf"{left}^{{\top}} {right}", PRODUCT

    def _vectorial(self, e: t.Typed) -> str:
        """A declared thing; where an index is the text's `*`, the vector over that index."""
        assert isinstance(e, t.At)
        runs = [isinstance(a, t.Bound) and a.name.startswith("*") for a in e.arguments]
        indices = [
            r"\cdot" if star else self.text(a) for a, star in zip(e.arguments, runs, strict=True)
        ]
        return self.indexed(e.symbol, indices[:-1] if runs and runs[-1] else indices)

    # ---------------------------------------------------------------- functions

    def call(self, e: t.Call) -> Written:
        arguments = [self.text(a) for a in e.arguments]
        inside = ", ".join(arguments)
        if e.function in ("abs", "card"):
            return rf"\left| {inside} \right|", ATOM
        if e.function == "sqrt":
            return rf"\sqrt{{{inside}}}", ATOM
        if e.function in ROUNDED:
            return inside.join(ROUNDED[e.function]), ATOM
        if e.function in ("max", "min"):
            return rf"\{e.function} \{{ {inside} \}}", ATOM
        if e.function in ("exp", "log"):
            name = r"\exp" if e.function == "exp" else r"\ln"
            return rf"{name} \left( {inside} \right)", ATOM
        if e.function in NODE_FUNCTIONS:
            self.words[e.function] = NODE_FUNCTIONS[e.function]
            return f"{NODE_FUNCTIONS[e.function][0]}({inside})", ATOM
        name = word(e.function)
        return (f"{name}({inside})" if arguments else name), ATOM


def _value(e: t.Typed) -> float | None:
    return e.value if isinstance(e, t.Const) else None


def _is_vector(e: t.Reduction) -> bool:
    """Whether it came from a `*` in the text, whose bound name no text can write."""
    if len(e.binders) != 1 or not e.binders[0].name.startswith("*"):
        return False
    if isinstance(e.body, t.Call):
        return e.body.function == "abs" and isinstance(e.body.arguments[0], t.At)
    if isinstance(e.body, t.Arithmetic):
        return isinstance(e.body.left, t.At) and isinstance(e.body.right, t.At)
    return isinstance(e.body, t.At)


WIDTH = 76  # of a line of mathematics, in characters as a reader sees them
_COMMAND = re.compile(
    r"\\(mathrm|mathcal|text|left|right|,|;|!|lVert|rVert|top|quad|frac)\b ?|[{}]"
)
_WORD = re.compile(r"\\[A-Za-z]+ ?")


def filled(pieces: list[str]) -> tuple[str, ...]:
    """Pieces on lines of about WIDTH characters."""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if seen(lines[-1]) + seen(piece) < WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return tuple(lines)


def with_domain(
    lines: list[str], domain: TypedDomain, write: Latex, remark: str = ""
) -> tuple[str, ...]:
    """The lines with the indices they hold for, on the last line where there is room."""
    notes = [rf"\forall\, {write.domain(domain)}"] if domain.binders else []
    if domain.guard and not domain.binders:
        notes = [rf"\text{{if }} {', '.join(write.text(c) for c in domain.guard)}"]
    if remark:
        notes.append(rf"({remark})")
    if not notes:
        return tuple(lines)
    end = r" \quad ".join(notes)
    if seen(lines[-1]) + seen(end) < WIDTH:
        return (*lines[:-1], rf"{lines[-1]} \qquad {end}")
    return (*lines, end)


def seen(text: str) -> int:
    """About how many characters wide a formula is in print."""
    return len(_WORD.sub("x", _COMMAND.sub("", text)))
