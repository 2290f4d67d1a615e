"""Random small models: the text of a spec, and the reference its optimum is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from reference.enumeration import Trees, complete
from reference.ways import Candidate, Flow

from . import search_words as words
from .search_models import FORMS, Form, random_model
from .search_words import Row, Words
from .tables import Table, random_table

Value = Callable[[Candidate, Table], float]


@dataclass(frozen=True)
class Model:
    """A spec of one formulation on a table. `reference` gives the interval its optimum lies in.
    encoded: what splits see, (N, inputs), categories of kept columns among it.

    `value(tree, table)`: of a decoded tree; None where only the report says it.
    """

    formulation: str
    table: Table
    text: str
    depth: int
    minimize: bool
    reference: Callable[[], tuple[float, float]]
    encoded: np.ndarray
    value: Value | None = None
    tolerance: float = 1e-5
    parameters: Mapping[str, float] = field(default_factory=dict)


def _parity(rng: np.random.Generator, table: Table) -> Row:
    """Without the rates among points of one class, which a group may not have."""
    row = words.parity(rng, table)
    return replace(row, before=row.before[: row.before.index("let chance")])


WORDS = Words(
    [words.misclassified, words.misclassified, words.accuracy, words.balanced_error],
    [words.splits, words.features_used, words.distinct_features, words.leaves_used],
    [words.least_leaf, words.most_leaf, words.few_leaves, words.few_splits, words.few_features,
     words.short_splits, words.recall, words.precision, words.right, words.together, words.apart,
     _parity],
)  # fmt: skip

MOST = {name: (7, 5) if form.oblique else (8, 6) for name, form in FORMS.items()}
"""Points of trees of depth 1 and 2; the least are 4."""


def _drawn(name: str, depth: int) -> Form:
    """The formulation on tables with values of all kinds."""

    def table(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
        points = int(rng.integers(4, MOST[name][depth - 1] + 1))
        return random_table(rng, points, classes, bool(rng.random() < 0.25))

    form = replace(FORMS[name], words=WORDS, table=table, binary=False)
    if name != "flow_oct":
        return form
    return replace(form, settings="bin thresholds;", splits=lambda t, g, u: Flow(t.binned()))


def random_linear(rng: np.random.Generator, name: str) -> Model:
    """One of FORMS: own objective or one of the vocabulary, up to two side constraints."""
    depth = int(rng.choice([1, 1, 2]))
    drawn = random_model(rng, name, complete(depth), form=_drawn(name, depth))
    inputs = np.arange(drawn.encoded.shape[1])

    def value(tree: Candidate, table: Table) -> float:
        return float(drawn.sign * drawn.worth(Trees.one(tree, table, inputs))[0])

    def reference() -> tuple[float, float]:
        low, high = drawn.reference()
        return drawn.sign * low, drawn.sign * high

    return Model(
        name, drawn.table, drawn.text, depth, drawn.sign > 0, reference, drawn.encoded, value,
        parameters=drawn.parameters,
    )  # fmt: skip
