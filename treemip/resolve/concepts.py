"""Concepts: a formulation's own declaration of one, its default, or an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemip.resolve import typed as t
from treemip.resolve.declare import Declarations
from treemip.resolve.domains import resolve_domain
from treemip.resolve.mentioned import mentioned
from treemip.resolve.scope import Fault, Scope
from treemip.resolve.symbols import Role, Symbol, TypedDomain
from treemip.source.span import Span
from treemip.syntax import nodes as n

if TYPE_CHECKING:
    pass


class Declarer(Declarations):
    """All declarations of a spec, each linked with the concept of its name."""

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


def _own_variable(node: n.Concept, default: tuple[n.Statement, ...]) -> n.Var:
    """The variable of a default block, which has nothing else but rows."""
    own = [d for d in default if isinstance(d, n.Var) and d.name == node.name]
    for statement in default:
        if statement not in own[:1] and not isinstance(statement, n.Subject | n.Drop):
            raise Fault(
                "E209",
                f"the default of '{node.name}' may hold only its variable and rows",
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


def _set_name(binder: t.Binder) -> str:
    return binder.set.name if isinstance(binder.set, t.BaseSet) else repr(binder.set)


def _shape(domain: TypedDomain) -> str:
    parts = [f"{b.name} in {b.set.span.text}" for b in domain.binders]
    return "{" + ", ".join(parts) + "}"
