"""Raw columns as tensors of an ONNX graph, and sums of what they become before their weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treemip.core.instance.decimals import number_of
from treemip.core.instance.encodings import IDENTITY
from treemip.core.instance.feature import Feature
from treemip.writers.convert.onnx_graph import ML, Graph
from treemip.writers.convert.raw_limits import NO_VALUE
from treemip.writers.convert.raw_splits import (
    UNSEEN,
    RawTree,
    Term,
    level_names,
    origins,
    scaling,
    term_of,
)
from treemip.writers.convert.source_text import (
    marks_in_text,
    places_of,
)


def inputs_of(tree: RawTree) -> tuple[Feature, ...]:
    """The columns that the tree asks for; some column where it asks for none, for their number."""
    encoder = tree.tree.fitted_encoder()
    return tree.features or (*encoder.features, *encoder.kept)[:1]


@dataclass
class Columns:
    """Raw columns as tensors (rows, 1), and truth values `refused` of rows that have no answer."""

    graph: Graph
    tree: RawTree
    refused: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    """For each column that keeps missing values, in which rows it has none."""

    def __post_init__(self) -> None:
        self.values = {f.column: self._value(f) for f in inputs_of(self.tree)}

    @cached_property
    def shape(self) -> str:
        """The shape of a column."""
        return self.graph.apply("Shape", self.graph.inputs[0].name)

    def filled(self, number: object, kind: type) -> str:
        """A constant (1, k) for each row, (rows, k)."""
        return self.graph.apply("Expand", self.graph.constant(number, kind), self.shape)

    def _value(self, feature: Feature) -> str:
        """A double, finite; of a categorical column the position of its level, int64."""
        if feature.levels is None:
            return self._number(feature, 0.0 if feature.fill is None else feature.fill)
        graph = self.graph
        if feature.levels.numeric:
            position = self._position_of_number(feature)
        else:
            position = self._position_of_text(feature)
        missing = graph.apply("Equal", position, graph.constant(NO_VALUE, np.int64))
        if feature.keeps_missing:
            self.missing[feature.column] = missing
        elif feature.fill is None:
            self.refused.append(missing)
        if feature.keeps_missing or feature.fill is not None:
            fill = graph.constant(int(feature.fill or 0), np.int64)
            position = graph.apply("Where", missing, fill, position)
        if not feature.takes_unseen:
            self.refused.append(graph.apply("Less", position, graph.constant(0, np.int64)))
        return position

    def _number(self, feature: Feature, fill: float) -> str:
        graph = self.graph
        raw = graph.add_input(feature.column, np.float64)
        missing, infinite = self._missing(raw), graph.apply("IsInf", raw)
        self.refused.append(infinite)
        if feature.keeps_missing:
            self.missing[feature.column] = missing
        elif feature.fill is None:
            self.refused.append(missing)
        # In rows that are refused too a number stands, which no operator stumbles over.
        replaced = graph.apply("Or", missing, infinite)
        return graph.apply("Where", replaced, graph.constant(fill), raw)

    def _missing(self, raw: str) -> str:
        graph = self.graph
        marks = map(number_of, self.tree.tree.fitted_encoder().marks)
        equal = [graph.apply("Equal", raw, graph.constant(m)) for m in marks if m is not None]
        return graph.fold("Or", [graph.apply("IsNaN", raw), *equal])

    def _position_of_number(self, feature: Feature) -> str:
        graph = self.graph
        raw = graph.add_input(feature.column, np.float64)
        levels = [float(name) for name in level_names(feature)]
        equal = graph.apply("Equal", raw, graph.constant([levels]))
        places = graph.constant(np.arange(1, len(levels) + 1)[:, None], np.float32)
        product = graph.apply("MatMul", graph.apply("Cast", equal, to=1), places)
        place = graph.apply("Cast", product, to=7)
        position = graph.apply("Sub", place, graph.constant(1, np.int64))
        missing = graph.constant(NO_VALUE, np.int64)
        return graph.apply("Where", self._missing(raw), missing, position)

    def _position_of_text(self, feature: Feature) -> str:
        positions = places_of(feature)
        positions |= dict.fromkeys(("", *marks_in_text(self.tree)), NO_VALUE)
        return self.graph.apply(
            "LabelEncoder",
            self.graph.add_input(feature.column, str),
            domain=ML,
            keys_strings=list(positions),
            values_int64s=list(positions.values()),
            default_int64=UNSEEN,
        )

    # --------------------------------------------------------------------- sums

    def encoded(self, term: Term) -> str:
        """What the raw value becomes before its weight, (rows, 1) or (1, 1)."""
        present = self._present(term)
        if term.missing is None:
            return present
        absent, graph = self.missing[term.feature.column], self.graph
        return graph.apply("Where", absent, graph.constant([[term.missing]]), present)

    def _present(self, term: Term) -> str:
        """What a value becomes that is not missing."""
        graph, value = self.graph, self.values[term.feature.column]
        if term.part is not None and term.part.end is not None:
            operator = "Max" if term.part.lowest else "Min"
            value = graph.apply(operator, value, graph.constant(term.part.end))
        if term.table is not None:
            return graph.apply("Gather", graph.constant(term.table), value)
        if term.edge is not None:
            above = graph.apply("GreaterOrEqual", value, graph.constant(term.edge))
            return graph.apply("Cast", above, to=11)
        line = scaling(term.finish)
        if isinstance(line, float):
            return graph.constant([[line]])
        if line is IDENTITY:
            return value
        share = graph.apply("Sub", value, graph.constant(line.origin))
        share = graph.apply("Div", share, graph.constant(line.unit))
        infinite = graph.apply("IsInf", share)
        self.refused.append(infinite)
        share = graph.apply("Where", infinite, graph.constant(0.0), share)
        if (line.lower, line.upper) != (0.0, 1.0):
            scaled = graph.apply("Mul", graph.constant(line.upper - line.lower), share)
            scaled = graph.apply("Add", graph.constant(line.lower), scaled)
            whole = graph.apply("Equal", share, graph.constant(1.0))
            return graph.apply("Where", whole, graph.constant(line.upper), scaled)
        return share

    def sums(self, weights: np.ndarray) -> str:
        """`routing.weighted_sum` of each row of weights float64 (k, inputs), (rows, k): weights of
        0 change nothing."""
        graph = self.graph
        total = self.filled(np.zeros((1, len(weights))), np.float64)
        places = list(origins(self.tree.tree.fitted_encoder()))
        for j in np.flatnonzero(weights.any(axis=0)).tolist():
            factor = graph.constant(weights[None, :, j])
            product = graph.apply("Mul", self.encoded(term_of(*places[j], 1.0)), factor)
            total = graph.apply("Add", total, product)
        return total
