"""A model whose rows are made when they are asked for, where they would take too much memory.

Such rows are affine, or implications between affine rows. Constraints about functions or products
are lowered as they are elsewhere, unless there is one for each point: then the whole model is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.lower import bounds_of, objective_of
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.lower.numbers import compare
from treemip.core.lower.objective_on_demand import of_alike_points
from treemip.core.lower.point_runs import bounds_on_feature
from treemip.core.lower.relations import Relations, sides
from treemip.core.lower.sets import SLICE
from treemip.core.lower.telling_points import TellingPoints, evaluator_at
from treemip.core.lower.value_sources import Solution
from treemip.core.model.blocks import Implications, Index, Kind, Rows
from treemip.core.model.model import Model
from treemip.core.model.on_demand import Block, Family, OnDemand
from treemip.core.model.tolerances import VERIFIED
from treemip.core.resolve.sorts import POINT, Degree
from treemip.core.resolve.spec import Constraint, Relation
from treemip.core.resolve.typed import Comprehension, Symbol, Typed
from treemip.core.source.deadline import heed

MOST_KEPT = 10_000_000
"""Entries of a model that is kept as a whole: 120 MB, and as much again for each pass."""

AT_LEAST = 4
"""Families with an entry for each point, node and feature: no model with fewer is looked at."""

HEAD, AT_ONCE = 256, 4_000_000
"""Rows that tell how many entries the others have, and entries, about, of rows made at once."""

FIRST = 1 << 13
"""Rows of a family that are looked at first: most trees that break any break some of these."""


def on_demand(instance: Instance, most: float | None = None) -> Model | None:
    """The model of a spec with more entries than `most`, which is MOST_KEPT if None; None where it
    has fewer, and where its rows cannot be made apart from each other."""
    spec, most = instance.spec, MOST_KEPT if most is None else most
    if instance.data is None or instance.topology is None:
        return None
    wide = len(instance.table.y) * instance.topology.size * (1 + len(instance.table.features))
    if AT_LEAST * wide <= most or any(map(_is_each_point, spec.constraints)):
        return None
    if spec.objective is not None and spec.objective.value.degree > Degree.PIECEWISE:
        return None
    telling = TellingPoints(instance)
    with np.errstate(all="ignore"):
        affine = [_Family(instance, c, telling) for c in spec.constraints if _is_affine(c)]
        if sum(family.entries for family in affine) <= most:
            return None
        named = {family.constraint.name: family for family in affine}
        return _model(instance, named, telling)


def _is_each_point(constraint: Constraint) -> bool:
    """Whether it is a function or product for each point."""
    return not _is_affine(constraint) and POINT in constraint.domain.sorts


def _is_affine(constraint: Constraint) -> bool:
    relation = constraint.relation
    parts = [relation.left, relation.right, relation.right2]
    parts += [guard.left for guard in constraint.guards]
    return all(part is None or part.degree <= Degree.AFFINE for part in parts)


def _model(instance: Instance, affine: dict[str, _Family], telling: TellingPoints) -> Model | None:
    building = ModelBuilder(instance)
    evaluator = Evaluator(instance, ModelColumns(building))
    for symbol in instance.spec.variables:
        _add_variables(symbol, building, evaluator)
    relations = Relations(building, evaluator)
    for constraint in instance.spec.constraints:
        if constraint.name not in affine:
            relations.lower(constraint)
    objective = of_alike_points(instance, telling) or objective_of(instance, evaluator)
    if building.tape.tape().steps:
        return None
    families = [family for family in affine.values() if family.length]
    rows = [f.as_rows(building) for f in families if not f.constraint.guards]
    guarded = [f.as_implications(building) for f in families if f.constraint.guards]
    return Model(
        instance.spec.name,
        tuple(building.variables),
        OnDemand((*map(_kept, building.rows), *rows)),
        OnDemand((*map(_kept, building.implications), *guarded)),
        tuple(building.functions),
        objective,
    )


def _kept(block: Block) -> Family[Block]:
    """A family whose rows are made at once."""
    return Family(
        block.name, block.length, 0, lambda: iter((block,)), lambda *_: iter((block,)), True
    )


def _add_variables(symbol: Symbol, building: ModelBuilder, evaluator: Evaluator) -> None:
    """The family with its indices on demand, and with one value for bounds that are the same."""
    alike, count = all(not e.free for _, e in symbol.bounds), evaluator.places.size(symbol)
    frame = Frame.empty() if alike else evaluator.places.domain_frame(symbol)
    lower, upper = bounds_of(symbol, frame, evaluator)
    if alike:
        lower, upper = np.broadcast_to(lower, count), np.broadcast_to(upper, count)
    index = _index(building.instance, symbol, count)
    kind = Kind(symbol.kind)
    start = building.add_variables(symbol.name, index, lower, upper, kind, symbol.span)
    building.starts[symbol.name] = start
    evaluator.places.forget(symbol)


class _Columns:
    """Columns of an index, all made when one of them is asked for."""

    def __init__(self, make: Callable[[], tuple[np.ndarray, ...]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self._make())

    def __getitem__(self, at: int) -> np.ndarray:
        return self._make()[at]


def _index(instance: Instance, symbol: Symbol, length: int) -> Index:
    building = ModelBuilder(instance)

    def whole() -> Index:
        frame = Evaluator(instance, ModelColumns(building)).places.domain_frame(symbol)
        return building.index(symbol.domain.names, symbol.domain.sorts, frame)

    names, sorts = building.index_names(symbol.domain.names, symbol.domain.sorts)
    columns = _Columns(lambda: whole().columns)
    return Index(names, sorts, columns, length)  # type: ignore[arg-type]


def _is_run(local: Typed) -> bool:
    return isinstance(local, Comprehension) and bounds_on_feature(local.binder) is not None


class _Family:
    """The rows of one constraint; `length` and `entries` as its first rows tell."""

    def __init__(self, instance: Instance, constraint: Constraint, telling: TellingPoints) -> None:
        self.instance, self.constraint, self.telling = instance, constraint, telling
        self.by_point = POINT in constraint.domain.sorts
        sets = [local for _, local in constraint.local_sets]
        self.of_runs = bool(sets) and all(map(_is_run, sets))  # evaluated without their points
        self.length, self.entries = self._counted()

    def as_rows(self, building: ModelBuilder) -> Family[Rows]:
        def lowered(frame: Frame, evaluator: Evaluator) -> Iterator[Rows]:
            for relations, relation, suffix in self._relations(building, evaluator):
                rows = self._rows(relations, relation, frame, suffix)
                yield relations.without_trivial(rows, frame, self.constraint)

        return self._family(building, lowered)

    def as_implications(self, building: ModelBuilder) -> Family[Implications]:
        def lowered(frame: Frame, evaluator: Evaluator) -> Iterator[Implications]:
            for relations, relation, suffix in self._relations(building, evaluator):
                rows = self._rows(relations, relation, frame, suffix)
                yield relations.implication(self.constraint, rows, frame)

        return self._family(building, lowered)

    def _family(
        self, building: ModelBuilder, lowered: Callable[[Frame, Evaluator], Iterator[Block]]
    ) -> Family[Block]:
        name = self.constraint.name

        def make() -> Iterator[Block]:
            evaluator = Evaluator(self.instance, ModelColumns(building))
            for frame in self._slices(evaluator, self._at_once(SLICE)):
                yield from lowered(frame, evaluator)
                evaluator.forget()

        def broken(values: dict[str, np.ndarray], first: bool) -> Iterator[Block]:
            if first and not self.by_point:
                return  # sums over points take all of them
            evaluator = self._at(values)
            points = None if first else self.telling.of(self.constraint, values)
            most = SLICE if self.of_runs else self._at_once(FIRST if first else SLICE)
            slices = self._slices(evaluator, most, points)
            for frame in islice(slices, 1 if first else None):
                heed(f"a tree was checked against the {self.length:,} rows of '{name}'")
                off = self._off(evaluator, frame)
                evaluator.forget()
                for start in range(0, len(off), self._at_once(SLICE)):
                    columns = Evaluator(self.instance, ModelColumns(building))
                    some = off[start : start + self._at_once(SLICE)]
                    yield from lowered(frame.take(some), columns)

        return Family(name, self.length, self.entries, make, broken)

    def _relations(
        self, building: ModelBuilder, evaluator: Evaluator
    ) -> Iterator[tuple[Relations, Relation, str]]:
        for suffix, relation in sides(self.constraint.relation):
            yield Relations(building, evaluator), relation, suffix

    def _rows(self, relations: Relations, relation: Relation, frame: Frame, suffix: str) -> Rows:
        return relations.rows(self.constraint, relation, frame, self.constraint.name + suffix)

    def _at(self, values: dict[str, np.ndarray]) -> Evaluator:
        """At values of the variables; where there is no row for each point and points are alike at
        them, over one or two of each kind."""
        if self.by_point or self.constraint.local_sets:
            return Evaluator(self.instance, Solution(values))
        return evaluator_at(self.instance, values, (), [self.constraint], self.telling)

    def _at_once(self, most: int) -> int:
        """The number of rows that are made together, `most` or fewer."""
        if self.entries > self.length * (AT_ONCE / most):
            return max(1, int(AT_ONCE * self.length / self.entries))
        return most

    def _slices(
        self, evaluator: Evaluator, most: int, points: np.ndarray | None = None
    ) -> Iterator[Frame]:
        """Of the rows of all points, or of some, int64 (n,); of at most `most` rows."""
        relations = Relations(ModelBuilder(self.instance), evaluator)
        domain = self.constraint.domain
        for frame in evaluator.sets.slices(domain.binders, domain.guard, most, points):
            yield relations.with_local_sets(self.constraint, frame)

    def _off(self, evaluator: Evaluator, frame: Frame) -> np.ndarray:
        """Rows of the frame that may not hold, int64; those with unknown values are passed over."""
        rows = np.arange(frame.size)
        for guard in self.constraint.guards:
            own, value = (evaluator.known(e, frame) for e in (guard.left, guard.value))
            on = np.flatnonzero(np.abs(own - value) < 0.5)
            frame, rows = frame.take(on), rows[on]
        far, relation = np.zeros(frame.size), self.constraint.relation
        pairs = [(relation.left, relation.op, relation.right)]
        if relation.op2 is not None and relation.right2 is not None:
            pairs.append((relation.right, relation.op2, relation.right2))
        with np.errstate(all="ignore"):
            for left, op, right in pairs if frame.size else ():
                a, b = (np.asarray(evaluator.known(e, frame), float) for e in (left, right))
                far = np.fmax(far, np.where(compare(op, a, b), 0.0, np.abs(a - b)))
        return rows[far > VERIFIED]

    def _counted(self) -> tuple[int, int]:
        """Rows and entries, as the first rows of each set tell of the others."""
        building = ModelBuilder(self.instance)
        building.starts = {symbol.name: 0 for symbol in self.instance.spec.variables}
        evaluator = Evaluator(self.instance, ModelColumns(building))
        frame = evaluator.expand((), self.constraint.domain.guard, Frame.empty())[0]
        rows = float(frame.size)
        for binder in self.constraint.domain.binders:
            some = frame.take(np.arange(min(HEAD, frame.size)))
            frame = evaluator.expand((binder,), (), some)[0]
            rows *= frame.size / max(1, some.size)
        some = frame.take(np.arange(min(HEAD, frame.size)))
        if not some.size:
            return round(rows), 0
        relations = Relations(building, evaluator)
        order, entries, seen = np.random.default_rng(0).permutation(some.size), 0, 0
        while seen < some.size and entries <= AT_ONCE:  # a row may have an entry for each point
            part = some.take(np.sort(order[seen : 2 * seen + 1]))
            part = relations.with_local_sets(self.constraint, part)
            for _, relation in sides(self.constraint.relation):
                body, _, _ = relations.between(relation, part)
                entries += sum(len(each.var) for each in body.parts)
            seen += part.size
        return round(rows), round(rows * entries / seen)
