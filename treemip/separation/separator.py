"""What treemip knows of a separator, in one object; each file of `separators` makes one.

A separator gets the values of a point by name and gives members of families: supports, over which
a `cut` of the spec states the rows, or positions in families that it was given. It never writes a
row itself: the rows are those of the text, lowered as all others are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from treemip.engines.problem import Refusal
from treemip.instance.instance import Instance, Supports
from treemip.model.model import Model

Values = Mapping[str, np.ndarray]
"""Values of the stated model's variables by name, float64 over each domain."""

Positions = Mapping[str, np.ndarray]
"""Rows of families by name, int64 positions in the family's domain."""


@dataclass(frozen=True)
class Parameter:
    """A setting of a separator: a number of at least `least`, or one of `words`.

    `whole`: only whole numbers. `default` None: what the separator takes from the spec.
    """

    name: str
    default: float | str | None
    least: float = 0.0
    whole: bool = True
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """What a separator is made for: a spec over its data, and the model as the spec states it.

    `rows`: the families that it stands in for, which are left out of the model that is solved;
    none where all rows are kept. `families`: those whose members it is to find by evaluating them,
    for a separator of given families. `settings`: its parameters by name.
    """

    instance: Instance
    stated: Model
    rows: tuple[str, ...]
    families: tuple[str, ...]
    settings: Mapping[str, float | str | None]

    def number(self, name: str) -> float:
        value = self.settings[name]
        assert isinstance(value, float | int)
        return float(value)


Find = Callable[[Values, bool], "Supports | Positions | None"]
"""(values, integral) -> what the point breaks, or None. At points that are integral None means
that nothing is broken."""


class Unfit(Refusal):
    """A refusal with what to do about it, where that is not the separator's `instead`."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.remedy = remedy


@dataclass(frozen=True)
class Separator:
    """A separator by its name in a strategy.

    `of_families`: it finds members of families that the strategy names, in whatever spec; else it
    gives supports, which the spec's cuts over `supports` state as rows. `prepare` makes the search
    for a job, once for each solve, and raises `Refusal` (engines.problem) where the spec is none
    that it fits; the text completes "'NAME' does not fit this spec: …". `instead`: what to do then.
    """

    name: str
    parameters: tuple[Parameter, ...]
    prepare: Callable[[Job], Find]
    instead: str
    of_families: bool = False
