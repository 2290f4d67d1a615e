"""Random small models: the text of a spec, and the reference its optimum is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .sides import SIDES, Side
from .tables import Table, random_table
from .trees import (
    TERMS,
    Candidate,
    Flow,
    Hyperplanes,
    Lines,
    Oct,
    Reference,
    Splits,
    Thresholds,
    Value,
    errors,
    features_used,
    splits,
)

PRICED = ["splits", "features_used", "distinct_features", "leaves_used"]
OF_USES = {"features_used", "distinct_features"}


@dataclass(frozen=True)
class Model:
    """A spec of one formulation on a table. `reference` gives the interval its optimum lies in.
    encoded: what splits see, (N, inputs), categories of kept columns among it.

    `judge(tree, x)`: the value of a decoded tree; None where only the report says it.
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


@dataclass(frozen=True)
class Linear:
    """What is particular to a formulation whose trees can be enumerated by their splits."""

    kind: str
    settings: str
    encode: Callable[[Table], np.ndarray]
    splits: Callable[[np.ndarray, Mapping[str, float], bool], Splits]
    own: Callable[[Table, Mapping[str, float]], Value]
    minimize: bool
    parameters: Mapping[str, tuple[float, ...]]
    points: tuple[int, int, int]  # least; most at depth 1 and at depth 2


def _majority(table: Table) -> int:
    return int(np.bincount(table.y).max())


def _oct(table: Table, given: Mapping[str, float]) -> Value:
    return lambda tree, t: errors(tree, t) / _majority(t) + given["alpha"] * splits(tree, t)


def _octh(table: Table, given: Mapping[str, float]) -> Value:
    return lambda tree, t: errors(tree, t) / _majority(t) + given["alpha"] * features_used(tree, t)


def _flow(table: Table, given: Mapping[str, float]) -> Value:
    price = given["lambda"]
    return lambda tree, t: (1 - price) * (len(t.y) - errors(tree, t)) - price * splits(tree, t)


LINEAR: dict[str, Linear] = {
    "binoct": Linear("univariate", "", lambda t: t.x, lambda x, g, u: Thresholds(x),
                     lambda t, g: errors, True, {}, (4, 8, 6)),
    "oct": Linear("univariate", "scale minmax;", Table.scaled, lambda x, g, u: Oct(x),
                  _oct, True, {"alpha": (0.0, 0.1, 0.3), "min_leaf": (1, 1, 2)}, (4, 8, 6)),
    "flow_oct": Linear("univariate", "bin thresholds;", Table.binned, lambda x, g, u: Flow(x),
                       _flow, False, {"lambda": (0.0, 0.1, 0.4)}, (4, 8, 6)),
    "soct": Linear("oblique", "scale minmax;", Table.scaled,
                   lambda x, g, u: _with(Lines(x, g["eps"]), u),
                   lambda t, g: lambda tree, t: len(t.y) - errors(tree, t), False,
                   {"eps": (0.005, 0.05, 0.1)}, (4, 7, 5)),
    "octh": Linear("oblique", "scale minmax;", Table.scaled,
                   lambda x, g, u: _with(Hyperplanes(x, g["mu"]), u or g["alpha"] > 0), _octh, True,
                   {"alpha": (0.0, 0.1), "mu": (0.005, 0.05), "min_leaf": (1, 1, 2)}, (4, 7, 5)),
}  # fmt: skip


def _with(lines: Lines, uses: bool) -> Lines:
    """Where nothing speaks of features, a split may have them all."""
    if not uses:
        lines.supports = [frozenset(range(lines.x.shape[1]))]
    return lines


def random_linear(rng: np.random.Generator, name: str) -> Model:
    """One of LINEAR: own objective or one of the vocabulary, up to two side constraints."""
    form = LINEAR[name]
    depth = int(rng.choice([1, 1, 2]))
    points = int(rng.integers(form.points[0], form.points[depth] + 1))
    table = random_table(rng, points, int(rng.choice([2, 2, 3])), bool(rng.random() < 0.25))
    given = {key: float(rng.choice(values)) for key, values in form.parameters.items()}
    objective, value, minimize, error, spoken = _objective(rng, form, table, given)
    sides = [
        SIDES[k](rng, table) for k in rng.choice(len(SIDES), rng.choice([0, 0, 1, 1, 2]), False)
    ]
    uses = spoken or any(s.uses for s in sides)
    text = _text(name, form, table, depth, given, objective, sides)
    x = form.encode(table)

    def reference() -> tuple[float, float]:
        return Reference(
            table,
            form.splits(x, given, uses),
            depth,
            value,
            minimize,
            tuple(s.keeps for s in sides),
            any(s.labelled for s in sides),
            error,
            int(given.get("min_leaf", 1)),
        ).best()

    return Model(name, table, text, depth, minimize, reference, x, value, parameters=given)


def _objective(
    rng: np.random.Generator, form: Linear, table: Table, given: Mapping[str, float]
) -> tuple[str, Value, bool, np.ndarray | None, bool]:
    """Text, value, sense, price of an error at each point, whether it speaks of features."""
    if rng.random() < 0.4:
        return "", form.own(table, given), form.minimize, None, False
    first = str(rng.choice(["misclassified", "misclassified", "accuracy", "balanced_error"]))
    error = table.weights
    if first == "balanced_error":
        error = 1.0 / np.bincount(table.y)[table.y]
    minimize = first != "accuracy"
    priced = [str(p) for p in rng.choice(PRICED, rng.choice([0, 1, 1, 2]), replace=False)]
    prices = [float(rng.choice([0.01, 0.0625, 0.25, 0.6])) for _ in priced]
    sign = 1.0 if minimize else -1.0
    text = f"{'minimize' if minimize else 'maximize'} {first}"
    text += "".join(
        f" {'+' if minimize else '-'} {p} * {t}" for p, t in zip(prices, priced, strict=True)
    )

    def value(tree: Candidate, t: Table) -> float:
        more = sum(p * TERMS[name](tree, t) for p, name in zip(prices, priced, strict=True))
        return TERMS[first](tree, t) + sign * more

    return f"{text};\n", value, minimize, error, bool(OF_USES & set(priced))


def _text(
    name: str,
    form: Linear,
    table: Table,
    depth: int,
    given: Mapping[str, float],
    objective: str,
    sides: list[Side],
) -> str:
    roles = "label c; group g;" + (" weight w;" if table.weight is not None else "")
    options = ", ".join(f"{key} = {value:g}" for key, value in given.items())
    rows = "".join(f"  {s.text}\n" for s in sides)
    return (
        f'data "table.csv" {{ {roles} {form.settings} }}\n'
        f"topology complete(depth = {depth});\n"
        f"split {form.kind} by {name}{f'({options})' if options else ''};\n"
        + "".join(s.before for s in sides)
        + objective
        + (f"subject to\n{rows}" if rows else "")
    )
