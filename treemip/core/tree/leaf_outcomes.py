"""What happened to the training points of each leaf, where classes do not say it: the spread of a
numeric label, the outcome under each treatment, survival over time. Pictures and reports show it.

A column `outcome` beside leaves that choose among the values of a group is the outcome of those
choices. Survival times are those of `survival.py`, their curves those of `survival_curves.py`.
No number of a single row is kept but where it is the only one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treemip.core.model.tolerances import ROUNDING
from treemip.core.tree.survival_curves import TIME, Observed, curve_of

if TYPE_CHECKING:
    from treemip.core.instance.instance import Instance
    from treemip.core.tree.tree import Tree

ESTIMATE = "estimate"
"""The parameter by which a spec says what a choice is worth for a point."""

Kind = Literal["number", "choice", "time"]

STEPS = 40
"""Places at which a survival curve is kept, evenly from 0 to the longest time."""


@dataclass(frozen=True)
class Estimate:
    """What the spec's `estimate` says of a choice for all points of a leaf, whatever they received:
    its weighted mean, and the weight of these points."""

    mean: float
    weight: float

    def __add__(self, other: Estimate) -> Estimate:
        weight = self.weight + other.weight
        return Estimate((self.mean * self.weight + other.mean * other.weight) / weight, weight)


@dataclass(frozen=True)
class Spread:
    """Numbers of n points: mean, standard deviation (over n - 1; 0 of one) and quartiles, None
    where they are not known. estimate: of a choice that they received, where the spec has one."""

    count: int
    mean: float
    sd: float
    quartiles: tuple[float, float, float] | None = None
    estimate: Estimate | None = None

    @classmethod
    def of(cls, values: np.ndarray, quartiles: bool = True) -> Spread | None:
        """Of values float64 (n,); None of none."""
        if not len(values):
            return None
        sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        middle = tuple(np.quantile(values, (0.25, 0.5, 0.75)).tolist()) if quartiles else None
        return cls(len(values), float(values.mean()), sd, middle)

    def __add__(self, other: Spread) -> Spread:
        """Of both together, without quartiles."""
        count = self.count + other.count
        mean = (self.count * self.mean + other.count * other.mean) / count
        squares = sum(
            (each.count - 1) * each.sd**2 + each.count * (each.mean - mean) ** 2
            for each in (self, other)
        )
        both = self.estimate is not None and other.estimate is not None
        estimate = self.estimate + other.estimate if both else None  # type: ignore[operator]
        return Spread(count, mean, float(np.sqrt(squares / (count - 1))), None, estimate)


@dataclass(frozen=True)
class Survival:
    """Right-censored times of n points: events, the median time (None if more than half are without
    an event at the end), and the share without one at each of STEPS times (Kaplan, Meier 1958)."""

    count: int
    events: int
    median: float | None
    curve: tuple[float, ...]

    @classmethod
    def of(cls, observed: Observed, span: float) -> Survival | None:
        """span: the last of STEPS times. None of no point."""
        if not len(observed.time):
            return None
        found = curve_of(observed)
        places = span * np.arange(1, STEPS + 1) / STEPS
        share = found.survival_at(places * (1 + ROUNDING))  # a step at a place is down there
        events = int(observed.event.sum())
        return cls(len(observed.time), events, found.median, tuple(share.tolist()))


Outcome = Spread | dict[str, Spread] | Survival


@dataclass(frozen=True)
class LeafOutcomes:
    """By leaf, a position among the tree's nodes: a Spread of the label, of each choice that its
    points received a Spread, or Survival. of: the column that these are of. span: the longest
    time."""

    kind: Kind
    of: str
    leaves: dict[int, Outcome]
    span: float = 0.0

    def together(self, leaves: list[int]) -> Outcome | None:
        """Of several leaves as one; None where that does not follow from those of each."""
        found = [self.leaves[leaf] for leaf in leaves if leaf in self.leaves]
        if len(found) < 2:
            return found[0] if found else None
        spreads = [each for each in found if isinstance(each, Spread)]
        if len(spreads) == len(found):
            return _sum(spreads)
        tables = [each for each in found if isinstance(each, dict)]
        if len(tables) < len(found):
            return None
        names = dict.fromkeys(name for table in tables for name in table)
        return {name: _of_choice([t.get(name) for t in tables]) for name in names}

    @property
    def estimated(self) -> bool:
        """Whether it has estimates of choices."""
        tables = [each for each in self.leaves.values() if isinstance(each, dict)]
        return any(each.estimate is not None for table in tables for each in table.values())

    def as_observed(self) -> LeafOutcomes:
        """Without estimates, which older files do not have."""
        found = {
            leaf: {name: replace(one, estimate=None) for name, one in each.items()}
            if isinstance(each, dict)
            else each
            for leaf, each in self.leaves.items()
        }
        return replace(self, leaves=found)

    def curves(self) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """The STEPS times of survival curves, float64 (STEPS,), and each leaf's curve there."""
        times = self.span * np.arange(1, STEPS + 1) / STEPS
        found = self.leaves.items()
        return times, {leaf: np.array(o.curve) for leaf, o in found if isinstance(o, Survival)}

    def header_json(self) -> dict[str, Any]:
        span = {"span": self.span} if self.kind == "time" else {}
        return {"kind": self.kind, "of": self.of, **span}

    def leaf_json(self, leaf: int) -> dict[str, Any]:
        found = self.leaves.get(leaf)
        if found is None:
            return {}
        if isinstance(found, dict):
            return {"outcome": {name: _spread_json(each) for name, each in found.items()}}
        if isinstance(found, Spread):
            return {"outcome": _spread_json(found)}
        events = {"points": found.count, "events": found.events, "median": found.median}
        return {"outcome": {**events, "curve": list(found.curve)}}


def outcomes_of(tree: Tree, instance: Instance) -> LeafOutcomes | None:
    """Those of the points that the instance has; None where classes of the label say all."""
    table, answer = instance.table, tree.answer
    end = tree.route(table.inputs)
    rows = {leaf: np.flatnonzero(end == leaf) for leaf in tree.topology.leaves.tolist()}
    if answer.kind == "value":
        if table.label_kind == "number":
            label = tree.encoder.label if tree.encoder is not None else ""
            spreads = {leaf: Spread.of(table.y[at]) for leaf, at in rows.items()}
            return LeafOutcomes("number", label, _known(spreads))
        return _times(instance, rows)
    outcome = by_point(instance, "outcome")
    if outcome is None or answer.of not in table.groups:
        return None
    codes, names = table.groups[answer.of]
    estimates, weight = _estimates(instance, len(names)), table.weight
    received: dict[int, Outcome | None] = {}
    for leaf, at in rows.items():
        here: dict[str, Spread] = {}
        for k, name in enumerate(names):
            one = Spread.of(outcome[at[codes[at] == k]], False)
            if one is not None:
                here[name] = replace(one, estimate=_mean_of(estimates, weight, at, k))
        received[leaf] = here or None
    return LeafOutcomes("choice", "outcome", _known(received))


def _times(instance: Instance, rows: dict[int, np.ndarray]) -> LeafOutcomes | None:
    from treemip.core.tree.survival import observed_in  # a saved tree is read without a spec

    observed = observed_in(instance)
    if observed is None or (observed.time < 0).any():
        return None
    span = float(observed.time.max(initial=0.0))
    found = {leaf: Survival.of(observed.taken(at), span) for leaf, at in rows.items()}
    return LeafOutcomes("time", TIME, _known(found), span)


def _estimates(instance: Instance, choices: int) -> np.ndarray | None:
    """The spec's `estimate` of each point under each choice, float64 (N, choices); None of a spec
    without."""
    from treemip.core.resolve.sorts import POINT  # a saved tree is read without a spec

    symbol = next((s for s in instance.spec.parameters if s.name == ESTIMATE), None)
    found, size = instance.values.get(ESTIMATE), len(instance.table.y)
    if symbol is None or found is None or found.ragged is not None or len(symbol.sorts) != 2:
        return None
    if symbol.sorts[0] != POINT or found.values.size != size * choices:
        return None
    return found.values.astype(float).reshape(size, choices)


def _mean_of(
    estimates: np.ndarray | None, weight: np.ndarray, at: np.ndarray, k: int
) -> Estimate | None:
    total = float(weight[at].sum())
    if estimates is None or total <= 0:
        return None
    return Estimate(float(weight[at] @ estimates[at, k]) / total, total)


def by_point(instance: Instance, name: str) -> np.ndarray | None:
    """A column or parameter with a number for each point, float64 (N,)."""
    found = instance.values.get(name)
    size = len(instance.table.y)
    if found is None or found.values.shape != (size,) or found.ragged is not None:
        return None
    return found.values.astype(float)


def _known(found: Any) -> dict[int, Outcome]:
    return {leaf: each for leaf, each in found.items() if each is not None}


def _of_choice(spreads: list[Spread | None]) -> Spread:
    """Of leaves together; without an estimate where points of some did not receive the choice."""
    known = [each for each in spreads if each is not None]
    total = _sum(known)
    return total if len(known) == len(spreads) else replace(total, estimate=None)


def _sum(spreads: list[Spread]) -> Spread:
    total = spreads[0]
    for each in spreads[1:]:
        total += each
    return total


# ------------------------------------------------------------------ as saved


def _spread_json(spread: Spread) -> dict[str, Any]:
    quartiles = {} if spread.quartiles is None else {"quartiles": list(spread.quartiles)}
    said = {"points": spread.count, "mean": spread.mean, "sd": spread.sd, **quartiles}
    if spread.estimate is not None:
        said |= {"estimate": spread.estimate.mean, "weight": spread.estimate.weight}
    return said
