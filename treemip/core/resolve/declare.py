"""Declarations to symbols: those of a text, and concepts by their definition or their default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from treemip.core.resolve import typed as t
from treemip.core.resolve.expressions import Expressions
from treemip.core.resolve.link import Broken, Linker, Scope
from treemip.core.resolve.module_files import SPEC
from treemip.core.resolve.names import argument_place
from treemip.core.resolve.resolver import check_free, resolve_domain
from treemip.core.resolve.sorts import NUMBER, Degree, Element, SetOf, TreeOf
from treemip.core.resolve.typed import Role, Symbol, TypedDomain
from treemip.core.resolve.typed_sets import Listed, Tuples, form, parts_of
from treemip.core.resolve.value_tables import value_table
from treemip.core.source.diagnostic import Fault, Related
from treemip.core.source.span import Span
from treemip.core.syntax import nodes as n
from treemip.core.syntax.nodes import mentioned


class Declarations:
    """Resolves declarations for a linker, each linked with the concept of its name."""

    def __init__(self, linker: Linker) -> None:
        self.linker = linker
        self.resolver = Expressions(linker)
        self.pending: list[tuple[Symbol, n.Expr, Scope, bool]] = []
        linker.declare = self.declare

    def declare(self, name: str, span: Span) -> Symbol:
        """Resolve the declaration of a name, linked with the concept of that name if any."""
        declared = self.linker.declaration(name)
        concept = self.linker.concept(name)
        if declared is None:
            assert concept is not None
            return self._concept(concept, span)
        module, node = declared
        symbol = self._FORMS[type(node)](self, node)
        symbol.module = module.owner
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
        domain, scope = resolve_domain(self.resolver, node.domain, Scope())
        value = self.param_value(node, domain, scope)
        return self._symbol(node, Role.PARAMETER, domain, value=value, sort=value.sort)

    def param_value(self, node: n.Param, domain: TypedDomain, scope: Scope) -> t.Typed:
        """A parameter's value: an expression, or a table of values."""
        table = value_table(self.resolver, node, domain, scope)
        if table is not None:
            return table
        value = self.resolver.known(node.value, scope, "a parameter")
        return self._single(node.value, value, "a parameter")

    def _single(self, node: n.Expr, value: t.Typed, what: str) -> t.Typed:
        """A number or an element; sets and trees have declarations of their own."""
        if isinstance(value.sort, SetOf | TreeOf):
            kind = "set" if isinstance(value.sort, SetOf) else "tree"
            message = f"{what} is a number or an element, not {value.sort}"
            raise Fault("E204", message, node.span, f"declare it with {kind}")
        return value

    def _set_declaration(self, node: n.SetDeclaration) -> Symbol:
        domain, scope = resolve_domain(self.resolver, node.domain, Scope())
        if isinstance(node.value, n.Texts):
            value = listed_set(node, node.value)
        else:
            value = self.resolver.any_set(node.value, scope)
        if parts_of(value.sort) and not isinstance(value, Tuples):
            of = value.symbol.name if isinstance(value, t.At) else "…"
            remedy = f"write out its tuples: set {node.name} = {{{form(value)} in {of}}};"
            message = "a set of tuples is declared by the tuples it has"
            raise Fault("E206", message, node.value.span, remedy)
        return self._symbol(node, Role.SET, domain, value=value, sort=value.sort)

    def _tree_declaration(self, node: n.TreeDeclaration) -> Symbol:
        domain, scope = resolve_domain(self.resolver, node.domain, Scope())
        value = self.resolver.known(node.value, scope, "a tree")
        if not isinstance(value.sort, TreeOf):
            message = f"expected a tree, not {value.sort}"
            raise Fault("E204", message, node.value.span, "for example bisect(thresholds(f))")
        if not isinstance(value, t.Call):
            remedy = (
                "for example bisect(thresholds(f)); choose between sets inside: "
                "bisect(if … then … else …)"
            )
            raise Fault("E206", "a tree is declared by bisect(…) alone", node.value.span, remedy)
        if len(domain.binders) != 1:
            raise Fault("E203", "a tree is declared over one index", node.span)
        return self._symbol(node, Role.TREE, domain, value=value, sort=TreeOf(node.name))

    def _var(self, node: n.Var) -> Symbol:
        domain, scope = resolve_domain(self.resolver, node.domain, Scope())
        bounds = []
        for bound in node.bounds:
            if bound.op not in ("<=", ">=", "="):
                raise Fault(
                    "E206", f"a bound cannot be '{bound.op}'", bound.span, "use <=, >= or ="
                )
            limit = self.resolver.known(bound.value, scope, "a bound")
            if limit.sort != NUMBER:
                raise Fault("E204", f"a bound is a number, not {limit.sort}", bound.value.span)
            bounds.append((bound.op, limit))
        symbol = self._symbol(
            node, Role.VARIABLE, domain, degree=Degree.AFFINE, kind=node.kind, bounds=tuple(bounds)
        )
        if node.means is not None:
            symbol.means = self._later(node, node.means, domain, scope)
        return symbol

    def _let(self, node: n.Let) -> Symbol:
        domain, scope = resolve_domain(self.resolver, node.domain, Scope())
        value = self._single(node.value, self.resolver.resolve(node.value, scope), "a let")
        symbol = self._symbol(node, Role.LET, domain, value=value, sort=value.sort)
        symbol.degree = value.degree
        return symbol

    def _term(self, node: n.Term) -> Symbol:
        scope = Scope()
        for number, name in enumerate(node.parameters):
            place = argument_place(node, number)
            check_free(name, place, scope)
            if self.linker.clashes(name, place):
                message = f"'{name}' is declared already and cannot be an argument's name"
                raise Fault("E202", message, place, "choose another name")
            scope = scope.with_argument(name, place)
            self.linker.note(name, place, "argument", place, NUMBER)
        value = self.resolver.number(node.value, scope)
        symbol = self._symbol(node, Role.TERM, TypedDomain(), value=value)
        symbol.degree, symbol.parameters = value.degree, node.parameters
        symbol.defaults = tuple(d.value if d else None for d in node.defaults)
        return symbol

    _FORMS: ClassVar[dict[type, Callable[..., Symbol]]] = {
        n.Param: _param,
        n.SetDeclaration: _set_declaration,
        n.TreeDeclaration: _tree_declaration,
        n.Var: _var,
        n.Let: _let,
        n.Term: _term,
    }

    # ---------------------------------------------------------------- concepts

    def _realise(self, symbol: Symbol, concept: n.Concept, node: n.Declaration) -> None:
        """A formulation's own declaration of a concept: same indices, the concept's meaning."""
        domain, scope = resolve_domain(self.resolver, concept.domain, Scope())
        if symbol.sorts != domain.sorts:
            message = (
                f"the concept '{concept.name}' is indexed as {_shape(domain)}, "
                f"not {_shape(symbol.domain)}"
            )
            raise Fault("E204", message, node.name_span)
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
        domain, scope = resolve_domain(self.resolver, node.domain, Scope())
        value = self._single(default, self.resolver.resolve(default, scope), "a concept")
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
            domain, scope = resolve_domain(self.resolver, node.domain, Scope())
            symbol.means = self._later(node, node.means, domain, scope)
        chain = (s for _, s in self.linker.in_progress if self.linker.owner(s) == SPEC)
        self.linker.brought_in.append((node, next(chain, span)))
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
            symbol, value, scope, self.resolver.on_a_tree = self.pending.pop()
            assert symbol.span is not None
            self.linker.in_progress.append((f"the meaning of {symbol.name}", symbol.span))
            try:
                symbol.value = self.resolver.resolve(value, scope)
                symbol.degree = symbol.value.degree
                symbol.sort = symbol.value.sort
            except Fault as fault:
                self.linker.add(fault)
            except Broken:
                continue
            finally:
                self.resolver.on_a_tree = False
                self.linker.in_progress.pop()


def listed_set(node: n.SetDeclaration, value: n.Texts) -> t.Typed:
    """`set treatments = {"a", "b"};`: a set of elements of its own. Raises Fault (E202, E203)."""
    if node.domain is not None:
        message = "a set that lists its elements has no indices"
        raise Fault("E203", message, node.domain.span, f"write  set {node.name} = {{…}};")
    first: dict[str, n.String] = {}
    for text in value.texts:
        if first.setdefault(text.value, text) is not text:
            related = (Related(first[text.value].span, "first listed here"),)
            message = f'"{text.value}" is listed twice'
            raise Fault("E202", message, text.span, "list each element once", related=related)
    of = SetOf(Element(f"set:{node.name}"))
    return Listed(texts=tuple(first), of=of, span=value.span)


def _own_variable(node: n.Concept, default: tuple[n.Statement, ...]) -> n.Var:
    """The variable of a default block, which has nothing else but rows."""
    own = [d for d in default if isinstance(d, n.Var) and d.name == node.name]
    for statement in default:
        if statement not in own[:1] and not isinstance(statement, n.Subject | n.Drop):
            message = f"the default of '{node.name}' may hold only its variable and rows"
            raise Fault("E209", message, statement.span, "declare it outside the concept")
    if not own:
        message = f"the default of '{node.name}' does not declare the variable '{node.name}'"
        remedy = f"add: var {node.name} …; or give the concept an expression"
        raise Fault("E208", message, node.name_span, remedy)
    return own[0]


def _set_name(binder: t.Binder) -> str:
    return binder.set.name if isinstance(binder.set, t.BaseSet) else repr(binder.set)


def _shape(domain: TypedDomain) -> str:
    parts = [f"{b.name} in {b.set.span.text}" for b in domain.binders]
    return "{" + ", ".join(parts) + "}"
