"""Typed expressions as LaTeX: sums over their sets, vectors where the text has `*`."""

from __future__ import annotations

from treemip.mathematics.notation import BASE_SETS, DATA, NODE_FUNCTIONS, Notation, escaped, word
from treemip.model.text import number
from treemip.resolve import typed as t
from treemip.resolve.typed import Role, Symbol, TypedDomain

SUM, PRODUCT, POWER, ATOM = range(1, 5)
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
ROUNDED = {"floor": ("\\lfloor ", " \\rfloor"), "ceil": ("\\lceil ", " \\rceil")}


class Expressions:
    """Writes expressions and keeps what it mentioned: `symbols` declared, `words` built in."""

    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        self.symbols: dict[Symbol, None] = {}
        self.words: dict[str, tuple[str, str]] = {}

    def text(self, e: t.Typed, least: int = SUM) -> str:
        """The expression, in brackets where it binds less than `least`."""
        said, binds = self._write(e)
        return said if binds >= least else rf"\left( {said} \right)"

    def terms(self, e: t.Typed) -> list[str]:
        """A sum as its signed terms, so that a long one can be broken before any of them."""
        if isinstance(e, t.Arithmetic) and e.op in "+-":
            return [*self.terms(e.left), f"{e.op} {self.text(e.right, PRODUCT)}"]
        return [self._summand(e)]

    def _summand(self, e: t.Typed) -> str:
        """A summand before others: the maximum would otherwise seem to be over them too."""
        said = self.text(e)
        ends = isinstance(e, t.Reduction) and e.op != "sum" and not _is_vector(e)
        return rf"\left( {said} \right)" if ends else said

    def domain(self, domain: TypedDomain) -> str:
        """`i \\in I, t \\in B : condition`."""
        return self._binders(domain.binders, domain.guard)

    def _binders(self, binders: tuple[t.Binder, ...], guard: tuple[t.Typed, ...]) -> str:
        said = [rf"{word(b.name)} \in {self.text(b.set)}" for b in binders]
        conditions = [self.text(c) for b in binders for c in b.conditions]
        conditions += [self.text(c) for c in guard]
        where = rf" : {', '.join(conditions)}" if conditions else ""
        return ",\\, ".join(said) + where

    def _write(self, e: t.Typed) -> tuple[str, int]:
        found: tuple[str, int] = getattr(self, "_" + type(e).__name__.lower())(e)
        return found

    # ------------------------------------------------------------------- leaves

    def _const(self, e: t.Const) -> tuple[str, int]:
        text = number(e.value)
        if "e" in text:
            digits, power = text.split("e")
            return rf"{digits} \cdot 10^{{{int(power)}}}", PRODUCT
        return text, SUM if text.startswith("-") else ATOM

    def _literal(self, e: t.Literal) -> tuple[str, int]:
        return rf"\text{{{escaped(e.text)}}}", ATOM

    def _bound(self, e: t.Bound) -> tuple[str, int]:
        return word(e.name), ATOM

    def _at(self, e: t.At) -> tuple[str, int]:
        return self._vectorial(e), ATOM

    def indexed(self, symbol: Symbol, indices: list[str]) -> str:
        """A declared thing with its indices below it."""
        text = self.notation.of(symbol)
        if symbol.role is Role.DATA:
            self.words[symbol.name] = DATA.get(symbol.name, (text, "group of a point"))
        else:
            self.symbols[symbol] = None
        if symbol.role is Role.TERM and indices:
            return f"{text}({', '.join(indices)})"
        if not indices:
            return text
        head = f"{{{text}}}" if "_" in text.replace(r"\_", "") else text
        together = all(len(i) == 1 or i == r"\cdot" for i in indices)
        return f"{head}_{{{' '.join(indices) if together else ', '.join(indices)}}}"

    def _baseset(self, e: t.BaseSet) -> tuple[str, int]:
        if e.name in BASE_SETS:
            self.words[e.name] = BASE_SETS[e.name]
            return BASE_SETS[e.name][0], ATOM
        return word(e.name), ATOM

    def _localset(self, e: t.LocalSet) -> tuple[str, int]:
        return word(e.name), ATOM

    # ---------------------------------------------------------------- operators

    def _negation(self, e: t.Negation) -> tuple[str, int]:
        return f"-{self.text(e.operand, PRODUCT)}", SUM

    def _arithmetic(self, e: t.Arithmetic) -> tuple[str, int]:
        if e.op in "+-":
            right = self.text(e.right, SUM if e.op == "+" else PRODUCT)
            return f"{self._summand(e.left)} {e.op} {right}", SUM
        if e.op == "/":
            return rf"\frac{{{self.text(e.left)}}}{{{self.text(e.right)}}}", ATOM
        if e.op == "^":
            return f"{{{self.text(e.left, ATOM)}}}^{{{self.text(e.right)}}}", POWER
        left, right = self._factor(e.left), self.text(e.right, PRODUCT)
        between = r"\cdot " if isinstance(e.right, t.Const) or right[0].isdigit() else r"\, "
        return f"{left} {between}{right}", PRODUCT

    def _factor(self, e: t.Typed) -> str:
        """A left factor: a sum sign would otherwise take what follows for its own."""
        said = self.text(e, PRODUCT)
        open_ended = isinstance(e, t.Reduction) and not _is_vector(e)
        return rf"\left( {said} \right)" if open_ended else said

    def _choice(self, e: t.Choice) -> tuple[str, int]:
        rows: list[str] = []
        rest: t.Typed = e
        while isinstance(rest, t.Choice):
            rows.append(rf"{self.text(rest.then)} & \text{{if }} {self.text(rest.condition)}")
            rest = rest.otherwise
        rows.append(rf"{self.text(rest)} & \text{{otherwise}}")
        body = r" \\ ".join(rows)
        return rf"\begin{{cases}} {body} \end{{cases}}", ATOM

    def _comparison(self, e: t.Comparison) -> tuple[str, int]:
        return f"{self.text(e.left)} {RELATIONS[e.op]} {self.text(e.right)}", SUM

    def _member(self, e: t.Member) -> tuple[str, int]:
        sign = r"\notin" if e.negated else r"\in"
        return f"{self.text(e.item)} {sign} {self.text(e.set)}", SUM

    def _logic(self, e: t.Logic) -> tuple[str, int]:
        parts = [self.text(p, ATOM if isinstance(p, t.Logic) else SUM) for p in e.operands]
        if e.op == "not":
            return rf"\neg ({parts[0]})", ATOM
        return (r" \wedge " if e.op == "and" else r" \vee ").join(parts), SUM

    # --------------------------------------------------------------------- sets

    def _comprehension(self, e: t.Comprehension) -> tuple[str, int]:
        return rf"\{{ {self._binders((e.binder,), e.guard)} \}}", ATOM

    def _rangeset(self, e: t.RangeSet) -> tuple[str, int]:
        return rf"\{{ {self.text(e.lower)}, \ldots, {self.text(e.upper)} \}}", ATOM

    # --------------------------------------------------------------- reductions

    def _reduction(self, e: t.Reduction) -> tuple[str, int]:
        if _is_vector(e):
            return self._vector(e)
        sign = SIGNS[e.op]
        body = self.text(e.body, PRODUCT)
        if e.op in ("norm1", "norminf"):
            body = rf"\left| {self.text(e.body)} \right|"
        elif e.op == "prod" and isinstance(e.body, t.Arithmetic) and e.body.op == "*":
            body = rf"\left( {body} \right)"
        return f"{sign}_{{{self._binders(e.binders, e.guard)}}} {body}", PRODUCT

    def _vector(self, e: t.Reduction) -> tuple[str, int]:
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

    def _call(self, e: t.Call) -> tuple[str, int]:
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


def _is_vector(e: t.Reduction) -> bool:
    """Whether it came from a `*` in the text, whose bound name no text can write."""
    if len(e.binders) != 1 or not e.binders[0].name.startswith("*"):
        return False
    if isinstance(e.body, t.Call):
        return e.body.function == "abs" and isinstance(e.body.arguments[0], t.At)
    if isinstance(e.body, t.Arithmetic):
        return isinstance(e.body.left, t.At) and isinstance(e.body.right, t.At)
    return isinstance(e.body, t.At)
