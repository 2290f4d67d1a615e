"""What a separator is, in one object; each file of `separators` makes one.

A separator gets the values of a point by name and gives members of a set, over which a `cut` of the
spec states the rows, or positions in families that it was given. It never writes a row itself: the
rows are those of the text, lowered as all others are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treemip.answers.engines.refusal import Refusal
from treemip.core.instance.instance import Instance
from treemip.core.instance.separated import FlowCuts, Supports
from treemip.core.model.model import Model

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


Find = Callable[[Values, bool], "Supports | FlowCuts | Positions | None"]
"""(values, integral) -> what the point breaks, or None. At points that are integral None means
that nothing is broken."""


class LeftOut(Protocol):
    """Rows that a separator stands in for, and columns that are open without them.

    All points are float64 (columns,): of the reformed model in `as_start` and `repaired`, of the
    stated model in `completed`.
    """

    def reduced(self, model: Model) -> Model:
        """The reformed model without the rows."""

    def as_start(self, x: np.ndarray) -> np.ndarray:
        """A solution of the whole model as one of the reduced model; nan stays unknown."""

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        """A point like x that breaks no separated row, whatever else it breaks; None where the
        separator knows none."""

    def completed(self, x: np.ndarray) -> np.ndarray:
        """x, which breaks no separated row, with the open columns as the rows want them."""


class Unfit(Refusal):
    """A refusal with what to do about it, where that is not the separator's `instead`."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.remedy = remedy


@dataclass(frozen=True)
class Separator:
    """A separator by its name in a strategy.

    `over`: the set whose members it finds, which the spec's cuts over this set state as rows; empty
    for a separator that finds members of families that the strategy names, in whatever spec.
    `prepare` makes the search for a job, once for each solve, and `leave_out` what is to be known
    of rows that it stands in for. Both raise `Refusal` (engines.refusal) where they do not fit the
    spec; the text completes "'NAME' does not fit this spec: …". `instead`: what to do then,
    and `keep` where it is rows that cannot be left out, if that is something else.
    `pooled`: rows found before are tried before a new search, which costs more.
    """

    name: str
    parameters: tuple[Parameter, ...]
    prepare: Callable[[Job], Find]
    instead: str
    keep: str = ""
    over: str = ""
    leave_out: Callable[[Job], LeftOut] | None = None
    pooled: bool = False

    @property
    def of_families(self) -> bool:
        return not self.over
