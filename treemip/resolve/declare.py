"""Declarations to symbols: one method per kind of declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treemip.resolve import typed as t
from treemip.resolve.domains import check_free, resolve_domain
from treemip.resolve.levels import is_levels, levels
from treemip.resolve.pointing import word
from treemip.resolve.scope import Broken, Fault, Scope
from treemip.resolve.sorts import NUMBER, Degree, SetOf, TreeOf
from treemip.resolve.symbols import Role, Symbol, TypedDomain
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    from treemip.resolve.link import Linker


class Declarations:
    def __init__(self, linker: Linker) -> None:
        self.linker = linker
        self.expressions = linker.expressions
        self.pending: list[tuple[Symbol, n.Expr, Scope, bool]] = []

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
                f"expected a tree, not {value.sort}",
                node.value.span,
                "such as bisect(thresholds(f))",
            )
        if not isinstance(value, t.Call):
            raise Fault(
                "E206",
                "a tree is declared by bisect(…) alone",
                node.value.span,
                "such as bisect(thresholds(f)); choose between sets inside: "
                "bisect(if … then … else …)",
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

    # ---------------------------------------------------------------- meanings

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
