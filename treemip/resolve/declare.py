"""Declarations to symbols: one method per kind of declaration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from treemip.resolve import typed as t
from treemip.resolve.domains import check_free, resolve_domain
from treemip.resolve.levels import is_levels, levels
from treemip.resolve.pointing import word
from treemip.resolve.scope import Broken, Fault, Scope
from treemip.resolve.sorts import NUMBER, Degree, SetOf, TreeOf
from treemip.resolve.symbols import Role, Symbol, TypedDomain
from treemip.source.span import Span
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.link import Linker


class Declarer:
    def __init__(self, linker: Linker) -> None:
        self.linker = linker
        self.expressions = linker.expressions
        self.pending: list[tuple[Symbol, n.Expr, Scope, bool]] = []

    def declare(self, name: str, span: Span) -> Symbol:
        """Resolve the declaration of a name, linked with the concept of that name if any."""
        found = self.linker.declaration(name)
        concept = self.linker.concept(name)
        if found is None:
            assert concept is not None
            return self._concept(concept, span)
        module, node = found
        symbol: Symbol = getattr(self, "_" + type(node).__name__.lower())(node)
        symbol.module = module.name
        if concept is not None and symbol.role in (Role.VARIABLE, Role.LET):
            self._realise(symbol, concept, node)
        return symbol

    def _symbol(self, node: n.Declaration, role: Role, domain: TypedDomain, **more: Any) -> Symbol:
        return Symbol(
            node.name,
            role,
            domain.sorts,
            domain=domain,
            span=node.name_span,
            paper_symbol=node.symbol,
            tag=node.tag,
            doc=node.doc,
            **more,
        )

    # ---------------------------------------------------------------- declared

    def _param(self, node: n.Param) -> Symbol:
        domain, scope = resolve_domain(self.expressions, node.domain, Scope())
        value = self.param_value(node, domain, scope)
        return self._symbol(node, Role.PARAMETER, domain, value=value, sort=value.sort)

    def param_value(self, node: n.Param, domain: TypedDomain, scope: Scope) -> t.Typed:
        """A parameter's value; `level(1: a, 2: b)` gives one for each level of the tree."""
        if is_levels(node.value):
            return levels(self.expressions, node.value, domain, scope)
        made = self.expressions.known(node.value, scope, "a parameter")
        return self._single(node.value, made, "a parameter")

    def _single(self, node: n.Expr, made: t.Typed, what: str) -> t.Typed:
        """A number or an element; sets and trees have declarations of their own."""
        if isinstance(made.sort, SetOf | TreeOf):
            kind = "set" if isinstance(made.sort, SetOf) else "tree"
            raise Fault(
                "E204",
                f"{what} is a number or an element, not {made.sort}",
                node.span,
                f"declare it with {kind}",
            )
        return made

    def _setdeclaration(self, node: n.SetDeclaration) -> Symbol:
        domain, scope = resolve_domain(self.expressions, node.domain, Scope())
        value = self.expressions.set(node.value, scope)
        return self._symbol(node, Role.SET, domain, value=value, sort=value.sort)

    def _treedeclaration(self, node: n.TreeDeclaration) -> Symbol:
        domain, scope = resolve_domain(self.expressions, node.domain, Scope())
        value = self.expressions.known(node.value, scope, "a tree")
        if not isinstance(value.sort, TreeOf):
            raise Fault(
                "E204",
                f"a tree is needed here, not {value.sort}",
                node.value.span,
                "such as bisect(thresholds(f))",
            )
        if len(domain.binders) != 1:
            raise Fault("E203", "a tree is declared over one index", node.span)
        return self._symbol(node, Role.TREE, domain, value=value, sort=TreeOf(node.name))

    def _var(self, node: n.Var) -> Symbol:
        domain, scope = resolve_domain(self.expressions, node.domain, Scope())
        bounds = []
        for bound in node.bounds:
            if bound.op not in ("<=", ">=", "="):
                raise Fault(
                    "E206", f"a bound cannot be '{bound.op}'", bound.span, "use <=, >= or ="
                )
            made = self.expressions.known(bound.value, scope, "a bound")
            if made.sort != NUMBER:
                raise Fault("E204", f"a bound is a number, not {made.sort}", bound.value.span)
            bounds.append((bound.op, made))
        symbol = self._symbol(
            node,
            Role.VARIABLE,
            domain,
            degree=Degree.AFFINE,
            kind=node.kind,
            bounds=tuple(bounds),
        )
        if node.means is not None:
            symbol.means = self._later(node, node.means, domain, scope)
        return symbol

    def _let(self, node: n.Let) -> Symbol:
        domain, scope = resolve_domain(self.expressions, node.domain, Scope())
        value = self._single(node.value, self.expressions.resolve(node.value, scope), "a let")
        symbol = self._symbol(node, Role.LET, domain, value=value, sort=value.sort)
        symbol.degree = value.degree
        return symbol

    def _term(self, node: n.Term) -> Symbol:
        scope = Scope()
        for number, name in enumerate(node.parameters):
            place = word(node.span, name, 2 + number)
            check_free(name, place, scope)
            if self.linker.clashes(name, place):
                raise Fault(
                    "E202",
                    f"'{name}' is declared already and cannot be an argument's name",
                    place,
                    "choose another name",
                )
            scope = scope.with_bound(name, NUMBER)
        value = self.expressions.number(node.value, scope)
        symbol = self._symbol(node, Role.TERM, TypedDomain(), value=value)
        symbol.degree, symbol.parameters = value.degree, node.parameters
        symbol.defaults = tuple(d.value if d else None for d in node.defaults)
        return symbol

    # ---------------------------------------------------------------- concepts

    def _realise(self, symbol: Symbol, concept: n.Concept, node: n.Declaration) -> None:
        """A formulation's own declaration of a concept: same indices, the concept's meaning."""
        domain, scope = resolve_domain(self.expressions, concept.domain, Scope())
        if symbol.sorts != domain.sorts:
            raise Fault(
                "E204",
                f"the concept '{concept.name}' is indexed as {_shape(domain)}, "
                f"not {_shape(symbol.domain)}",
                node.name_span,
            )
        symbol.doc = symbol.doc or concept.doc
        if concept.means is not None and symbol.means is None:
            symbol.means = self._later(concept, concept.means, domain, scope)
        default = concept.default
        own = symbol.domain
        narrower = bool(own.guard) or any(b.conditions for b in own.binders)
        narrower |= [_set_name(b) for b in own.binders] != [_set_name(b) for b in domain.binders]
        if narrower and default is not None and not isinstance(default, tuple):

            def extend() -> None:
                symbol.extension = self._later(concept, default, domain, scope, on_a_tree=False)

            others = set(mentioned(default)) - {concept.name}
            if any(self.linker.concept(name) for name in others):
                self.linker.extensions[symbol.name] = extend
            else:
                extend()

    def _concept(self, node: n.Concept, span: Span) -> Symbol:
        """A concept the formulation does not define: from its default, or an error."""
        default = node.default
        itself = default is not None and node.name in set(mentioned(default))
        if default is None or (itself and not isinstance(default, tuple)):
            raise self.linker.no_concept(node, span)
        if isinstance(default, tuple):
            return self._default_block(node, default, span)
        domain, scope = resolve_domain(self.expressions, node.domain, Scope())
        value = self._single(default, self.expressions.resolve(default, scope), "a concept")
        symbol = self._symbol(node, Role.LET, domain, value=value, sort=value.sort)
        symbol.degree, symbol.module = value.degree, "vocabulary"
        if node.means is not None:
            symbol.means = self._later(node, node.means, domain, scope)
        return symbol

    def _default_block(
        self, node: n.Concept, default: tuple[n.Statement, ...], span: Span
    ) -> Symbol:
        """Declarations brought in: the variable of the concept's name, and its rows."""
        symbol = self._var(_own_variable(node, default))
        symbol.module, symbol.doc = "vocabulary", node.doc
        if node.means is not None:
            domain, scope = resolve_domain(self.expressions, node.domain, Scope())
            symbol.means = self._later(node, node.means, domain, scope)
        source = self.linker.modules[0].file.span.source
        chain = (s for _, s in self.linker.in_progress if s.source == source)
        self.linker.brought_in.append((node, next(chain, span)))
        return symbol

    def _later(
        self,
        node: n.Declaration,
        value: n.Expr,
        domain: TypedDomain,
        scope: Scope,
        on_a_tree: bool = True,
    ) -> Symbol:
        """A meaning or an extension: a `let` resolved once all declarations are known.

        It may mention the very symbol it belongs to (reach at a branch is the sum of reach at
        the leaves below it), so it is filled in by `fill_in` after the symbol is in the table.
        """
        symbol = Symbol(node.name, Role.LET, domain.sorts, domain=domain, span=value.span)
        self.pending.append((symbol, value, scope, on_a_tree))
        return symbol

    def fill_in(self) -> None:
        """Resolve the meanings and extensions gathered so far, and those they bring up."""
        while self.pending:
            symbol, value, scope, self.expressions.on_a_tree = self.pending.pop()
            assert symbol.span is not None
            self.linker.in_progress.append((f"the meaning of {symbol.name}", symbol.span))
            try:
                symbol.value = self.expressions.resolve(value, scope)
                symbol.degree = symbol.value.degree
                symbol.sort = symbol.value.sort
            except Fault as fault:
                self.linker.add(fault)
            except Broken:
                continue
            finally:
                self.expressions.on_a_tree = False
                self.linker.in_progress.pop()


def _own_variable(node: n.Concept, default: tuple[n.Statement, ...]) -> n.Var:
    """The variable of a default block, which has nothing else but rows."""
    own = [d for d in default if isinstance(d, n.Var) and d.name == node.name]
    for statement in default:
        if statement not in own[:1] and not isinstance(statement, n.Subject | n.Drop):
            raise Fault(
                "E209",
                f"the default of '{node.name}' holds its variable and rows, nothing else",
                statement.span,
                "declare it outside the concept",
            )
    if not own:
        raise Fault(
            "E208",
            f"the default of '{node.name}' does not declare the variable '{node.name}'",
            node.name_span,
            f"add: var {node.name} …; or give the concept an expression",
        )
    return own[0]


def mentioned(node: object) -> Iterator[str]:
    """All names a node mentions, anywhere inside it."""
    if isinstance(node, n.Name):
        yield node.name
    if isinstance(node, tuple):
        for item in node:
            yield from mentioned(item)
    elif is_dataclass(node) and isinstance(node, n.Node):
        for f in fields(node):
            yield from mentioned(getattr(node, f.name))


def _set_name(binder: t.Binder) -> str:
    return binder.set.name if isinstance(binder.set, t.BaseSet) else repr(binder.set)


def _shape(domain: TypedDomain) -> str:
    parts = [f"{b.name} in {b.set.span.text}" for b in domain.binders]
    return "{" + ", ".join(parts) + "}"
