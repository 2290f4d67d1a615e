"""The tables that an AMPL model looks things up in, each declared over its domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemip.lower.frame import Frame
from treemip.resolve import typed as t
from treemip.resolve.sorts import Element, SetOf, Sort
from treemip.resolve.spec import Constraint
from treemip.resolve.typed import Role, Symbol
from treemip.scripts.ampl.indexing import indexing
from treemip.scripts.expressions import Expressions, Said, indexed

if TYPE_CHECKING:
    from treemip.scripts.ampl.parts import Parts


class AmplTables(Expressions):
    """`parts.domains` are those of the tables that were mentioned."""

    parts: Parts

    def table(self, s: Symbol) -> str:
        name = self.names.of(s, s.name)
        if name not in self.parts.domains:
            self.parts.domains[name] = self._domain(s)
        return self.lookups.symbol(s)

    def _domain(self, s: Symbol) -> str:
        with self.scope.opened(empty=True):
            if s.role is Role.DATA:
                return self.over(s.sorts)
            return indexing(self, s.domain.binders, s.domain.guard)

    def add_rows(
        self, name: str, c: Constraint, frame: Frame, numbers: np.ndarray, doc: str
    ) -> None:
        super().add_rows(name, c, frame, numbers, doc)
        with self.scope.opened(empty=True):
            self.parts.domains[name] = indexing(self, c.domain.binders, c.domain.guard)

    def over(self, sorts: tuple[Sort, ...]) -> str:
        """`{points, features}`: all elements of these sorts."""
        return f"{{{', '.join(self.every(s) for s in sorts if isinstance(s, Element))}}}"

    def every(self, sort: Element) -> str:
        """The set of all elements of a sort."""
        kind, _, rest = sort.of.partition(":")
        wish = {"tree": f"nodes_of_{rest}", "group": f"values_of_{rest}"}.get(
            kind, "all_categories"
        )
        return self.lookups.every(sort, wish)

    def of_one_element(self, e: t.Call) -> str:
        """left, depth, ancestors, …: the table of a function of one element."""
        sort = e.arguments[0].sort
        assert isinstance(sort, Element)
        domain = self.over((sort,))
        if isinstance(e.of, SetOf) and isinstance(e.of.element, Element):
            self.every(e.of.element)
        name = self.lookups.of_one_element(e, e.function)
        self.parts.domains[name] = domain
        return name

    def inner(self, e: t.Call) -> Said:
        """The branches of a declared tree."""
        tree = e.arguments[0]
        assert isinstance(tree, t.At)
        with self.scope.opened(empty=True):
            domain = indexing(self, tree.symbol.domain.binders, tree.symbol.domain.guard)
        name = self.lookups.inner(tree)
        self.parts.domains[name] = domain
        return indexed(name, self.texts(tree.arguments))
