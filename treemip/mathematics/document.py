"""A spec as a document of formulas, the same for every format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treemip.mathematics.expressions import RELATIONS, Expressions
from treemip.mathematics.lines import filled, with_domain
from treemip.mathematics.notation import Notation, word
from treemip.resolve.modules import library_module
from treemip.resolve.spec import Constraint, Spec
from treemip.resolve.typed import Role, Symbol
from treemip.syntax import nodes as n


@dataclass(frozen=True)
class Formula:
    """One displayed statement: lines of LaTeX, the first at the margin, the others further in.

    `name` is the statement's in the spec, `tag` its number in the paper without brackets, `note`
    a remark in plain text.
    """

    name: str
    tag: str
    lines: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class Entry:
    """A symbol, what it ranges over (LaTeX), and what it means (plain text)."""

    symbol: str
    name: str
    domain: str
    meaning: str


@dataclass(frozen=True)
class Document:
    title: str
    paper: str
    words: tuple[Entry, ...]
    variables: tuple[Entry, ...]
    parameters: tuple[Formula, ...]
    objective: Formula | None
    constraints: tuple[Formula, ...]
    cuts: tuple[Formula, ...]
    definitions: tuple[Formula, ...]
    rules: tuple[Formula, ...]
    reformulations: tuple[str, ...] = ()


def document(
    spec: Spec,
    title: str = "",
    sizes: Mapping[str, int] | None = None,
    reformulations: tuple[str, ...] = (),
) -> Document:
    """The resolved spec: objective, rows, and everything that they mention, once each.

    `title`: the spec's name without one. `sizes`: how many rows or columns each family has,
    where the data were read; families without any are left out.
    """
    return _Writing(spec, sizes or {}).document(title or spec.name, reformulations)


class _Writing:
    def __init__(self, spec: Spec, sizes: Mapping[str, int]) -> None:
        self.spec, self.sizes = spec, sizes
        declared = [*spec.variables, *spec.parameters, *spec.lets, *spec.sets, *spec.trees]
        declared.sort(key=lambda s: (not s.paper_symbol, s.module == "vocabulary"))
        self.write = Expressions(Notation(declared))

    def document(self, title: str, reformulations: tuple[str, ...]) -> Document:
        spec = self.spec
        objective = self._objective()
        constraints = tuple(self._constraint(c) for c in spec.constraints if self._has(c.name))
        cuts = tuple(self._constraint(c) for c in spec.cuts)
        rules = tuple(self._rules())
        parameters, definitions = self._definitions()
        variables = tuple(self._variable(s) for s in spec.variables if self._has(s.name))
        words = [Entry(text, name, "", said) for name, (text, said) in self.write.words.items()]
        return Document(
            title,
            _paper(spec),
            tuple(words),
            variables,
            parameters,
            objective,
            constraints,
            cuts,
            definitions,
            rules,
            reformulations,
        )

    def _has(self, name: str) -> bool:
        """Whether a family has members, where that is known: others are not worth their lines."""
        return self.sizes.get(name, 1) > 0

    # --------------------------------------------------------------- statements

    def _objective(self) -> Formula | None:
        said = self.spec.objective
        if said is None:
            return None
        sense = r"\min" if said.sense == "minimize" else r"\max"
        lines = filled([rf"{sense} \quad", *self.write.terms(said.value)])
        return Formula(said.name, _bare(said.tag), lines)

    def _constraint(self, c: Constraint) -> Formula:
        write, r = self.write, c.relation
        pieces: list[str] = []
        if c.guard is not None and c.guard_value is not None:
            guard = f"{write.text(c.guard)} = {write.text(c.guard_value)}"
            pieces = [rf"{guard} \quad\Longrightarrow\quad"]
        pieces += write.terms(r.left)
        pieces += _related(r.op, write.terms(r.right))
        if r.op2 is not None and r.right2 is not None:
            pieces += _related(r.op2, write.terms(r.right2))
        where = [rf"\text{{with }} {word(name)} = {write.text(s)}" for name, s in c.local_sets]
        lines = [*filled(pieces), *where]
        notes = [_counted(self.sizes[c.name], "row")] if c.name in self.sizes else []
        if c.module not in ("spec", self.spec.formulation):
            notes.append(f"from {c.module}")
        bound = f"M = {write.text(c.big_m)}" if c.big_m is not None else ""
        return Formula(
            c.name, _bare(c.tag), with_domain(lines, c.domain, write, bound), ", ".join(notes)
        )

    def _rules(self) -> list[Formula]:
        found, spec, write = [], self.spec, self.write
        if spec.route is not None and spec.route.probability is not None:
            said = write.text(spec.route.probability)
            found.append(Formula("left with probability", "", (said,)))
        elif spec.route is not None and spec.route.left is not None:
            assert spec.route.right is not None
            left, right = write.text(spec.route.left), write.text(spec.route.right)
            said = f"{left} {RELATIONS[spec.route.op]} {right}"
            found.append(Formula("left when", "", (said,)))
        if spec.predict is not None:
            kind = "class" if spec.predict.kind == "class" else "distribution of classes"
            found.append(Formula(kind, "", (write.text(spec.predict.value),)))
        return found

    # -------------------------------------------------------------- definitions

    def _definitions(self) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
        """Parameters, and lets, terms and sets, that something mentions, and what these mention."""
        parameters: dict[Symbol, Formula] = {}
        others: dict[Symbol, Formula] = {}
        while True:
            new = [
                s
                for s in self.write.symbols
                if s.role is not Role.VARIABLE and s not in parameters and s not in others
            ]
            if not new:
                return tuple(parameters.values()), tuple(others.values())
            for symbol in new:
                place = parameters if symbol.role is Role.PARAMETER else others
                place[symbol] = self._definition(symbol)

    def _definition(self, symbol: Symbol) -> Formula:
        write = self.write
        head = write.indexed(symbol, [word(name) for name in symbol.domain.names])
        if symbol.role is Role.TERM and symbol.parameters:
            head = write.indexed(symbol, [word(name) for name in symbol.parameters])
        if symbol.value is None:
            return Formula(symbol.name, _bare(symbol.tag), (head,), symbol.doc)
        lines = list(filled([f"{head} =", *write.terms(symbol.value)]))
        said = with_domain(lines, symbol.domain, write)
        return Formula(symbol.name, _bare(symbol.tag), said, symbol.doc)

    def _variable(self, symbol: Symbol) -> Entry:
        write = self.write
        text = write.indexed(symbol, [word(name) for name in symbol.domain.names])
        said = self._values(symbol)
        if symbol.domain.binders:
            said += rf" \quad \forall\, {write.domain(symbol.domain)}"
        count = self.sizes.get(symbol.name)
        meaning = symbol.doc
        if count is not None:
            meaning = f"{meaning}; " * bool(meaning) + _counted(count, "column")
        return Entry(text, symbol.name, said, meaning)

    def _values(self, symbol: Symbol) -> str:
        """What values a variable may have."""
        ends = {op: self.write.text(e) for op, e in symbol.bounds}
        if symbol.kind == "binary":
            return r"\in \{0, 1\}"
        if symbol.kind == "continuous" and ends.keys() == {">=", "<="}:
            return rf"\in [{ends['>=']}, {ends['<=']}]"
        said = [r"\in \mathbb{Z}"] if symbol.kind == "integer" else []
        said += [f"{RELATIONS[op]} {end}" for op, end in ends.items()]
        return r",\, ".join(said) or r"\in \mathbb{R}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}".replace(",", " ")


def _paper(spec: Spec) -> str:
    """The paper of the spec's formulation, as its heading names it."""
    file = library_module(spec.formulation) if spec.formulation else None
    headers = [s for s in (file or spec.file).statements if isinstance(s, n.Header)]
    return headers[0].paper if headers else ""


def _related(op: str, terms: list[str]) -> list[str]:
    return [f"{RELATIONS[op]} {terms[0]}", *terms[1:]]


def _bare(tag: str) -> str:
    return tag.removeprefix("(").removesuffix(")")
