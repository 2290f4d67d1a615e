"""What a search lets the leaves of a tree answer: one of K labels, a number, or shares of classes.

A number is one of K candidates, unless what points add to the objective is a curve of it: then the
best number of a leaf follows from the sums of its points (`curves`), and nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.lower import add_variables, bounds_of
from treemip.core.lower.model_columns import ModelBuilder, ModelColumns
from treemip.core.lower.relations import Relations
from treemip.core.lower.value_sources import Meaning, Nothing, mentioned
from treemip.core.model.blocks import Variables, binary_columns
from treemip.core.model.tolerances import EQUAL
from treemip.core.resolve.builtins import GIVEN
from treemip.core.resolve.other_names import variable_behind
from treemip.core.resolve.sorts import CLASS
from treemip.core.resolve.spec import PredictSpec
from treemip.core.resolve.tree_rules import LEAF_NAME
from treemip.core.resolve.typed import At, at_all
from treemip.core.source.diagnostic import TreemipError

LABEL = "label"
LABEL_TABLE = GIVEN + LABEL

MOST_CANDIDATES, LEAST_CANDIDATES = 128, 16
"""Values of a leaf that are tried, where its best value does not follow from sums."""

MOST_SUMS = 1 << 23
"""Points times leaves times such values, about, of large tables: three seconds."""


@dataclass(frozen=True)
class LeafAnswers:
    """table: the language's table of the labels, such as given_label; empty where leaves have
    values. count: K. values float64 (K,) or, where each leaf has its own, (L, K): what the labels
    stand for; None where they are classes; where there is a table too, shares of the classes
    (K, classes). complete: whether one of the values is a leaf's best
    whatever points it has; untried: how many such values there may be, more than there is room
    for. where_used: whether labels count in leaves that have points alone, as the formulation's
    variable of them says."""

    table: str
    count: int
    values: np.ndarray | None = None
    complete: bool = False
    untried: int = 0
    where_used: bool = False

    @classmethod
    def among(cls, values: np.ndarray, complete: bool = False) -> LeafAnswers:
        """Values, one of which each leaf has."""
        return cls("", values.shape[-1], np.asarray(values, float), complete)

    @property
    def are_classes(self) -> bool:
        return self.table == LABEL_TABLE and self.values is None

    @property
    def are_shares(self) -> bool:
        return bool(self.table) and self.values is not None

    @property
    def why_incomplete(self) -> str:
        """Why a leaf's best value may be none of these, in words."""
        if self.untried:
            return f"its leaves may need any of {self.untried} values of the label, too many to try"
        return (
            "the best value of a leaf need not be one of the label's, and does not follow from "
            "sums over its points"
        )

    @property
    def table_rows(self) -> np.ndarray | None:
        """The values as `Candidate.answers` has them, float64 (K, 1); None of classes."""
        return None if self.values is None else self.values.reshape(-1, 1)


def answers_of(instance: Instance) -> LeafAnswers | None:
    """The labels that leaves choose from; None where they have values."""
    predict = instance.spec.predict
    if predict is None or predict.over == CLASS:
        count = len(instance.table.classes)
        return LeafAnswers(LABEL_TABLE, count, where_used=_where_used(instance))
    if predict.over is None:
        return None
    return LeafAnswers(predict_table(predict), len(instance.names(predict.over)))


def _where_used(instance: Instance) -> bool:
    """Whether the variable behind labels means that a leaf without points has none."""
    label, topology = instance.spec.concepts.get(LABEL), instance.topology
    variable = None if label is None else variable_behind(label)
    if variable is None or variable.means is None or topology is None:
        return False
    given = np.zeros((topology.size, len(instance.table.classes)))
    given[topology.leaves] = 1.0
    routed = np.zeros((len(instance.table.y), topology.size))
    tables = {"routed": routed.ravel(), LABEL_TABLE: given.ravel()}
    evaluator = Evaluator(instance, Meaning(tables, {}))
    try:
        labels = evaluator.known(at_all(variable), evaluator.places.domain_frame(variable))
    except TreemipError:  # it has no value without points
        return False
    return bool((labels == 0).all())


def predict_table(predict: PredictSpec) -> str:
    """The language's table of what leaves answer, where they have labels."""
    assert predict.over is not None
    if predict.over == CLASS:
        return LABEL_TABLE
    return GIVEN + predict.over.name


# ------------------------------------------------------------------------------- values


def value_range(instance: Instance) -> tuple[float, float] | None:
    """The least and the greatest value that a leaf may need; None where nothing says.

    That of the label where it is a number, within the bounds of the variable that is the value.
    """
    low, high = leaf_bounds(instance)
    table = instance.table
    if table.label_kind == "number" and len(table.y):
        low = float(np.clip(table.y.min(), low, high))
        high = float(np.clip(table.y.max(), low, high))
    return (low, high) if np.isfinite(low) and np.isfinite(high) else None


def leaf_bounds(instance: Instance) -> tuple[float, float]:
    """Bounds of the variable that is a leaf's value; infinite where no single variable is."""
    predict = instance.spec.predict
    value = None if predict is None else predict.value
    variable = variable_behind(value.symbol) if isinstance(value, At) else None
    if variable is None:
        return -np.inf, np.inf
    evaluator = Evaluator(instance, Nothing())
    frame = evaluator.places.domain_frame(variable)
    lower, upper = bounds_of(variable, frame, evaluator)
    return float(lower.max(initial=-np.inf)), float(upper.min(initial=np.inf))


def has_slopes(instance: Instance) -> bool:
    """Whether the values of leaves depend on features, so that constants are not the best ones."""
    predict = instance.spec.predict
    return predict is not None and any(s.name == "x" for s in mentioned(predict.value))


def listed_values(instance: Instance) -> LeafAnswers | None:
    """The values that each leaf chooses from by binary variables of which one is 1, as a row of the
    formulation says; None where leaves have none such, or not all the same."""
    predict, topology = instance.spec.predict, instance.topology
    if predict is None or topology is None or predict.over is not None:
        return None
    building = ModelBuilder(instance)
    columns = Evaluator(instance, ModelColumns(building))
    for symbol in instance.spec.variables:
        add_variables(symbol, building, columns)
    leaves = Frame(len(topology.leaves), {LEAF_NAME: topology.leaves})
    if has_slopes(instance):
        return None
    value = columns.linear(predict.value, leaves)
    matrix = value.matrix()
    if value.slots or value.products is not None or not matrix.nonzeros:
        return None
    binary = binary_columns(building.variables)
    names = {b.name for b in building.variables if np.isin(_columns(b), matrix.indices).any()}
    chosen = np.zeros((value.size, len(binary)))
    chosen[matrix.row_of, matrix.indices] = matrix.data
    own = next(iter(names)) if len(names) == 1 else ""
    one_of = _rows_of_one(instance, building, columns, own, len(binary))
    values = []
    for row, constant in zip(chosen, value.constant, strict=True):
        rows = [one for one in one_of if binary[one].all() and not np.delete(row, one).any()]
        if not rows:
            return None
        values.append(np.unique(row[rows[0]] + constant))
    same = all(np.array_equal(one, values[0]) for one in values)
    return LeafAnswers.among(values[0], complete=True) if same else None


def _columns(block: Variables) -> np.ndarray:
    return np.arange(block.start, block.stop)


def _rows_of_one(
    instance: Instance, building: ModelBuilder, evaluator: Evaluator, name: str, count: int
) -> list[np.ndarray]:
    """The columns of the rows that say that a sum of columns is 1, of those that mention a variable
    by that name."""
    relations, found = Relations(building, evaluator), []
    for constraint in instance.spec.constraints:
        if constraint.guards or name not in {s.name for s in mentioned(*constraint.sides)}:
            continue
        frame = relations.frame(constraint)
        if not frame.size:
            continue
        for row, low, high in relations.all_between(constraint.relation, frame):
            if row.slots or row.products is not None:
                continue
            matrix, right = row.matrix(), low - row.constant
            says = (low == high) & (right != 0)
            np.logical_and.at(says, matrix.row_of, matrix.data == right[matrix.row_of])
            ends = matrix.indptr
            found += [matrix.indices[ends[r] : ends[r + 1]] for r in np.flatnonzero(says)]
    return found


def why_no_values(instance: Instance) -> str:
    """Why there is no `value_range`, in words."""
    assert instance.spec.predict is not None
    value = instance.spec.predict.value
    if isinstance(value, At) and variable_behind(value.symbol) is not None:
        name = value.symbol.name
        return f"'{name}', the value of a leaf, lacks a bound, and there is no number as a label"
    text = " ".join(value.span.text.split())
    return f"a leaf's value is '{text}', and a search sets values that are a single variable"


def candidates(instance: Instance) -> LeafAnswers | None:
    """Values to try: those of the label, or its quantiles where there are many; where there is no
    label, values between the bounds of the variable. None where there are none to try."""
    ends = value_range(instance)
    if ends is None:
        return None
    table, cells = instance.table, len(instance.table.y) * len(instance.nodes.leaves)
    most = min(MOST_CANDIDATES, max(LEAST_CANDIDATES, MOST_SUMS // max(1, cells)))
    if table.label_kind != "number":
        return LeafAnswers.among(np.linspace(*ends, most))
    return LeafAnswers.among(thinned(np.unique(np.clip(table.y, *ends)), most))


def thinned(values: np.ndarray, most: int = MOST_CANDIDATES) -> np.ndarray:
    """At most that many of increasing values, at equal steps of their number."""
    if len(values) <= most:
        return values
    at = np.unique(np.round(np.linspace(0, len(values) - 1, most)).astype(int))
    return values[at]


BETWEEN = 0.382
"""Where, between two values, it is seen whether the objective is linear there: not in the middle,
where a bend would be overlooked that is the same on both sides."""


def breakpoints(instance: Instance) -> np.ndarray | None:
    """The different values of the label, increasing, float64 (K,), where a leaf can have no others
    than those and what is between them; None where it can, or where there are fewer than two."""
    ends = value_range(instance)
    if ends is None or instance.table.label_kind != "number":
        return None
    values = np.unique(np.clip(instance.table.y, *ends))
    low, high = leaf_bounds(instance)
    return values if len(values) > 1 and values[0] <= low and high <= values[-1] else None


def with_between(values: np.ndarray) -> LeafAnswers:
    """Increasing values (K,) and one between each two neighbours, (2 K - 1,)."""
    probes = np.repeat(values, 2)[:-1]
    probes[1::2] += BETWEEN * np.diff(values)
    return LeafAnswers.among(probes)


def is_linear_between(worth: np.ndarray) -> bool:
    """Whether worth float64 (..., 2 K - 1) at the values of `with_between` is linear between
    neighbours, so that no sum of such functions is less than at the best of the values."""
    at, between = worth[..., ::2], worth[..., 1::2]
    size = EQUAL * float(np.abs(worth).max(initial=0.0))
    line = at[..., :-1] + BETWEEN * np.diff(at, axis=-1)
    return bool((np.abs(line - between) <= size).all())
