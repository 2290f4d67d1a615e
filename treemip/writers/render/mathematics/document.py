"""A spec as a document of formulas: what every format shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treemip.core.resolve.sorts import CLASS
from treemip.core.resolve.spec import Constraint, PredictSpec, Spec
from treemip.core.resolve.typed import Role, Symbol
from treemip.writers.render.mathematics.latex import RELATIONS, Latex, filled, with_domain
from treemip.writers.render.mathematics.notation import Notation, word
from treemip.writers.render.text import heading


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
    """Objective and rows of the resolved spec, and each symbol that they mention.

    `title`: the spec's name without one. `sizes`: how many rows or columns each family has,
    where the data were read; families without any are left out.
    """
    return _Writing(spec, sizes or {}).document(title or spec.name, reformulations)


class _Writing:
    def __init__(self, spec: Spec, sizes: Mapping[str, int]) -> None:
        self.spec, self.sizes = spec, sizes
        declared = [*spec.variables, *spec.parameters, *spec.lets, *spec.sets, *spec.trees]
        # a symbol is for who is there: P is MRCT's variable, or what is written out in its place
        declared.sort(
            key=lambda s: (not s.paper_symbol, s.module == "vocabulary", not self._has(s.name))
        )
        empty = frozenset(s for s in spec.variables if not self._has(s.name))
        self.write = Latex(Notation(declared), empty)

    def document(self, title: str, reformulations: tuple[str, ...]) -> Document:
        spec = self.spec
        objective = self._objective()
        constraints = tuple(self._constraint(c) for c in spec.constraints if self._has(c.name))
        cuts = tuple(self._constraint(c) for c in spec.cuts)
        rules = tuple(self._rules())
        parameters, definitions = self._definitions()
        variables = tuple(self._variable(s) for s in spec.variables if self._has(s.name))
        words = [Entry(text, name, "", doc) for name, (text, doc) in self.write.words.items()]
        return Document(
            title,
            heading(spec)[1],
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
        """Whether a family has members; True where the data were not read."""
        return self.sizes.get(name, 1) > 0

    # --------------------------------------------------------------- statements

    def _objective(self) -> Formula | None:
        objective = self.spec.objective
        if objective is None:
            return None
        lines: tuple[str, ...] = ()
        for one in objective.in_turn:
            sense = r"\min" if one.sense == "minimize" else r"\max"
            lead = r"\text{then} \quad " if lines else ""
            lines += filled([rf"{lead}{sense} \quad", *self.write.terms(one.value)])
        return Formula(objective.name, _bare(objective.tag), lines)

    def _constraint(self, c: Constraint) -> Formula:
        write, r = self.write, c.relation
        pieces: list[str] = []
        if c.guards:
            equations = [f"{write.text(g.left)} = {write.text(g.value)}" for g in c.guards]
            guard = r" \ \land\  ".join(equations)
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
        spec, write = self.spec, self.write
        rules = []
        if spec.route is not None and spec.route.probability is not None:
            probability = write.text(spec.route.probability)
            rules.append(Formula("left with probability", "", (probability,)))
        elif spec.route is not None and spec.route.left is not None:
            assert spec.route.right is not None
            left, right = write.text(spec.route.left), write.text(spec.route.right)
            test = f"{left} {RELATIONS[spec.route.op]} {right}"
            rules.append(Formula("left when", "", (test,)))
        if spec.predict is not None:
            rules.append(Formula(_answer(spec.predict), "", (write.text(spec.predict.value),)))
        return rules

    # -------------------------------------------------------------- definitions

    def _definitions(self) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
        """Parameters on the one hand, lets, terms and sets on the other, that anything mentions."""
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
                group = parameters if symbol.role is Role.PARAMETER else others
                group[symbol] = self._definition(symbol)

    def _definition(self, symbol: Symbol) -> Formula:
        write = self.write
        head = write.indexed(symbol, [word(name) for name in symbol.domain.names])
        if symbol.role is Role.TERM and symbol.parameters:
            head = write.indexed(symbol, [word(name) for name in symbol.parameters])
        if symbol.value is None:
            return Formula(symbol.name, _bare(symbol.tag), (head,), symbol.doc)
        lines = list(filled([f"{head} =", *write.terms(symbol.value)]))
        lines_with_domain = with_domain(lines, symbol.domain, write)
        return Formula(symbol.name, _bare(symbol.tag), lines_with_domain, symbol.doc)

    def _variable(self, symbol: Symbol) -> Entry:
        write = self.write
        text = write.indexed(symbol, [word(name) for name in symbol.domain.names])
        values = self._values(symbol)
        if symbol.domain.binders:
            values += rf" \quad \forall\, {write.domain(symbol.domain)}"
        count = self.sizes.get(symbol.name)
        meaning = symbol.doc
        if count is not None:
            meaning = f"{meaning}; " * bool(meaning) + _counted(count, "column")
        return Entry(text, symbol.name, values, meaning)

    def _values(self, symbol: Symbol) -> str:
        """The set of values of a variable."""
        ends = {op: self.write.text(e) for op, e in symbol.bounds}
        if symbol.kind == "binary":
            return r"\in \{0, 1\}"
        if symbol.kind == "continuous" and ends.keys() == {">=", "<="}:
            return rf"\in [{ends['>=']}, {ends['<=']}]"
        limits = [r"\in \mathbb{Z}"] if symbol.kind == "integer" else []
        limits += [f"{RELATIONS[op]} {end}" for op, end in ends.items()]
        return r",\, ".join(limits) or r"\in \mathbb{R}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}".replace(",", " ")


def _related(op: str, terms: list[str]) -> list[str]:
    return [f"{RELATIONS[op]} {terms[0]}", *terms[1:]]


def _bare(tag: str) -> str:
    return tag.removeprefix("(").removesuffix(")")


def _answer(predict: PredictSpec) -> str:
    """What the leaves of the spec answer, as the name of a formula."""
    if predict.over is None:
        return "value"
    if predict.over == CLASS:
        return "class" if predict.kind == "class" else "distribution of classes"
    name = predict.over.name
    return name if predict.kind == "class" else f"distribution of {name}"
