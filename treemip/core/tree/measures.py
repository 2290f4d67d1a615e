"""Numbers that a spec says of a tree on some points: its objective, and its own `let`s without
indices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.value_sources import Meaning
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import NUMBER
from treemip.core.resolve.spec import Spec
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.meaning import Addend, addends, terms_of
from treemip.core.tree.survival_score import SurvivalScore

OBJECTIVE = "objective"

Terms = tuple[tuple[str, float], ...]
"""Addends of an objective, each its text and its value."""


class Number(NamedTuple):
    """A number on some points; None where it is not known, and why. terms: of a sum."""

    value: float | None
    why_not: str = ""
    terms: tuple[Addend, ...] = ()


class OfSpec(NamedTuple):
    """What a spec says of a tree on some points: the objective, None where the spec has none, and
    the `own_lets`. left_out: why a number is not among them, by its name. terms: of the objective,
    where it has several. survival: of a survival tree on other rows."""

    objective: float | None
    measures: dict[str, float]
    left_out: dict[str, str]
    terms: Terms = ()
    survival: SurvivalScore | None = None

    @classmethod
    def unknown(cls, spec: Spec, error: TreemipError) -> OfSpec:
        """Nothing of what the spec says, for one reason."""
        return cls(None, {}, dict.fromkeys(wanted_of(spec), error.diagnostics[0].message))

    def without(self, names: Iterable[str], why: str) -> OfSpec:
        """The same but for some numbers, which are left out for a reason; all where it is empty."""
        if not why:
            return self
        left_out = {**self.left_out, **dict.fromkeys(names, why)}
        known = {name: value for name, value in self.measures.items() if name not in left_out}
        if OBJECTIVE in left_out:
            return OfSpec(None, known, left_out)
        return self._replace(measures=known, left_out=left_out)

    @classmethod
    def of(cls, numbers: dict[str, Number]) -> OfSpec:
        known = {name: each.value for name, each in numbers.items() if each.value is not None}
        left_out = {name: each.why_not for name, each in numbers.items() if each.value is None}
        parts = numbers[OBJECTIVE].terms if OBJECTIVE in known else ()
        terms = tuple((term.text, term.value) for term in parts)
        return cls(known.pop(OBJECTIVE, None), known, left_out, terms if len(terms) > 1 else ())


def measures_of(instance: Instance, meaning: Meaning) -> dict[str, Number]:
    """The spec's own lets on the instance's points, from the tree that the meaning knows."""
    return {
        name: number_of(value, instance, meaning) for name, value in own_lets(instance.spec).items()
    }


def number_of(value: t.Typed, instance: Instance, meaning: Meaning) -> Number:
    """An expression without indices. Not known where it is not finite, and where it depends on a
    variable that is neither the tree's nor has a meaning."""
    try:
        terms = terms_of(addends(value), Evaluator(instance, meaning), meaning)
    except TreemipError as error:  # such as a division by zero on these points
        return Number(None, error.diagnostics[0].message)
    return sum_of(terms)


def sum_of(terms: Sequence[Addend]) -> Number:
    """What terms add up to, where each of them is known and finite."""
    taken = next((name for term in terms for name in term.taken), None)
    if taken is not None:
        return Number(None, f"'{taken}' has no meaning on the tree")
    found = sum(term.value for term in terms)
    if np.isnan(found):
        return Number(None, "it is undefined there")
    if np.isinf(found):
        return Number(None, _why_infinite(terms))
    return Number(found, "", tuple(terms))


def _why_infinite(terms: Sequence[Addend]) -> str:
    """Which term it is, what is mostly behind it, and the remedy, in one line."""
    infinite = next((term.text for term in terms if np.isinf(term.value)), "")
    which = f"'{infinite}' is, " if infinite and len(terms) > 1 else ""
    return f"it is infinite there: {which}{NO_CHANCE}"


NO_CHANCE = (
    "as where a row has an outcome to which the tree gives no chance, the logarithm of 0; larger "
    "leaves or more training rows may give it one"
)


def wanted_of(spec: Spec) -> dict[str, t.Typed]:
    """What is reported of a tree's points: the objective, under `OBJECTIVE`, and the own lets."""
    objective = {} if spec.objective is None else {OBJECTIVE: spec.objective.value}
    return {**objective, **own_lets(spec)}


def own_lets(spec: Spec) -> dict[str, t.Typed]:
    """Definitions of the lets without indices of the spec's own text, by name. A named objective is
    among the lets, and is no measure beside itself."""
    objective = spec.objective
    named = {each.name for each in objective.in_turn} if objective is not None else set()
    return {
        symbol.name: symbol.value
        for symbol in spec.lets
        if symbol.module == "spec"
        and symbol.name not in named
        and symbol.sort == NUMBER
        and not symbol.domain.binders
        and symbol.value is not None
    }
