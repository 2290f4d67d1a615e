"""Sets, and what goes over them: binders, reductions, comprehensions."""

from __future__ import annotations

from functools import cached_property

from treemip.frozen import dataclass
from treemip.resolve.sorts import NUMBER, Degree, SetOf, Sort
from treemip.resolve.typed.base import Typed


@dataclass(frozen=True, kw_only=True)
class BaseSet(Typed):
    """A set known by name without indices: points, features, branches, a declared set."""

    name: str
    of: SetOf

    @property
    def sort(self) -> Sort:
        return self.of


@dataclass(frozen=True, kw_only=True)
class LocalSet(Typed):
    """A set bound by `let rows = … in`."""

    name: str
    of: SetOf
    depends: frozenset[str]

    @property
    def sort(self) -> Sort:
        return self.of

    @cached_property
    def free(self) -> frozenset[str]:
        return self.depends

    @cached_property
    def local(self) -> frozenset[str]:
        return frozenset((self.name,))


@dataclass(frozen=True, kw_only=True)
class RangeSet(Typed):
    lower: Typed
    upper: Typed

    @property
    def parts(self) -> tuple[Typed, ...]:
        return (self.lower, self.upper)

    @property
    def sort(self) -> Sort:
        return SetOf(NUMBER)


@dataclass(frozen=True)
class Binder:
    """`name in set`, with the conditions that can be tested once this name is bound."""

    name: str
    set: Typed
    conditions: tuple[Typed, ...] = ()

    @property
    def element(self) -> Sort:
        assert isinstance(self.set.sort, SetOf)
        return self.set.sort.element

    @cached_property
    def free(self) -> frozenset[str]:
        """Names bound elsewhere that the elements depend on."""
        return frozenset().union(*(p.free for p in (self.set, *self.conditions))) - {self.name}

    @cached_property
    def local(self) -> frozenset[str]:
        """Local sets that the elements depend on."""
        return frozenset().union(*(p.local for p in (self.set, *self.conditions)))


@dataclass(frozen=True, kw_only=True)
class Reduction(Typed):
    """op over binders; op is sum prod max min argmax argmin norm1 norminf.

    `guard` holds conditions that mention none of the binders.
    """

    op: str
    binders: tuple[Binder, ...]
    body: Typed
    guard: tuple[Typed, ...] = ()

    @property
    def parts(self) -> tuple[Typed, ...]:
        return (self.body,)

    @property
    def sort(self) -> Sort:
        return self.binders[0].element if self.op in ("argmax", "argmin") else NUMBER

    @cached_property
    def degree(self) -> Degree:
        inner = self.body.degree
        if inner is Degree.KNOWN or self.op == "sum":
            return inner
        if self.op in ("argmax", "argmin") or inner is Degree.READOUT:
            return Degree.READOUT
        return Degree.NONLINEAR if self.op == "prod" else max(inner, Degree.PIECEWISE)

    @cached_property
    def free(self) -> frozenset[str]:
        return free_of_domain(self.binders, self.guard, self.body.free)

    @property
    def inside(self) -> tuple[Typed, ...]:
        return (self.body, *self.guard, *_inside(self.binders))


@dataclass(frozen=True, kw_only=True)
class Comprehension(Typed):
    """A set: the values of the one binder that pass its conditions."""

    binder: Binder
    guard: tuple[Typed, ...] = ()

    @property
    def sort(self) -> Sort:
        return self.binder.set.sort

    @cached_property
    def free(self) -> frozenset[str]:
        return free_of_domain((self.binder,), self.guard, frozenset())

    @property
    def inside(self) -> tuple[Typed, ...]:
        return (*self.guard, *_inside((self.binder,)))


def _inside(binders: tuple[Binder, ...]) -> tuple[Typed, ...]:
    return tuple(e for b in binders for e in (b.set, *b.conditions))


def free_of_domain(
    binders: tuple[Binder, ...], guard: tuple[Typed, ...], body: frozenset[str]
) -> frozenset[str]:
    """Free names of a domain with a body: all mentioned less all bound."""
    found = set(body).union(*(g.free for g in guard))
    for binder in reversed(binders):
        found.update(*(c.free for c in binder.conditions))
        found.discard(binder.name)
        found |= binder.set.free
    return frozenset(found)
