"""What a name can mean at a place: bound names, local sets, then the linked declarations."""

from __future__ import annotations

from dataclasses import field, replace

from treemip.frozen import dataclass
from treemip.resolve.sorts import Sort
from treemip.resolve.typed import LocalSet
from treemip.source.diagnostic import Diagnostic, Related
from treemip.source.span import Span


class Fault(Exception):
    """One diagnostic on its way from an expression to its statement, where it is gathered."""

    def __init__(
        self,
        code: str,
        message: str,
        span: Span,
        remedy: str = "",
        caret: str = "",
        related: tuple[Related, ...] = (),
    ) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, remedy, caret, related)


class Broken(Exception):
    """A declaration that was reported before is used again; nothing more to say."""


@dataclass(frozen=True)
class Scope:
    """Bound names with their sorts, and local sets."""

    bound: dict[str, Sort] = field(default_factory=dict)
    local: dict[str, LocalSet] = field(default_factory=dict)

    def with_bound(self, name: str, sort: Sort) -> Scope:
        return replace(self, bound={**self.bound, name: sort})

    def without(self, name: str) -> Scope:
        """The scope as a set written with its own index of that name sees it."""
        return replace(self, bound={k: v for k, v in self.bound.items() if k != name})

    def with_local(self, local: LocalSet) -> Scope:
        return replace(self, local={**self.local, local.name: local})
