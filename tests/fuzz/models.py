"""Random specs with their optima: small tables with ties, terms and side constraints.

Tables have 6 to 14 points of few distinct values, 2 or 3 classes, weights and two groups; or up to
8 of values of all kinds. Oblique trees are enumerated by their ways to part points, so that theirs
have few distinct points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from reference.enumeration import Enumeration, Trees, Worth, complete
from reference.shapes import Shape, depth, drawn
from reference.ways import Flow, Hyperplanes, Lines, Oct, Splits, Thresholds

from . import search_words as words
from .search_words import CLASSES, OF_USES, Row, Term, Words
from .tables import Table
from .tables import random_table as any_table


@dataclass(frozen=True)
class Model:
    """A spec on a table, and what its answers are held against.

    sign: 1 for an objective to be minimized, -1 for another; reference: the interval that the
    optimum lies in, as of minimization, infinite without a tree; encoded: what splits see, (N,
    inputs), and feature_of: the feature of each input; worth: the objective as of minimization,
    None where only the report says it; words: the names of its terms and side constraints.
    """

    formulation: str
    table: Table
    text: str
    sign: float
    reference: Callable[[], tuple[float, float]]
    encoded: np.ndarray
    feature_of: np.ndarray
    worth: Worth | None = None
    rows: tuple[Row, ...] = ()
    words: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    tolerance: float = 1e-5


@dataclass(frozen=True)
class Form:
    """What is particular to a formulation: `own` is the worth of its own objective, `table` draws a
    table, `before` are statements that it needs."""

    kind: str
    settings: str
    splits: Callable[[Table, Mapping[str, float], bool], Splits]
    own: Callable[[Table, Mapping[str, float]], Worth]
    sign: float
    parameters: Mapping[str, tuple[float, ...]]
    words: Words = CLASSES
    table: Callable[[np.random.Generator, Form, int, int], Table] | None = None
    before: str = ""
    binary: bool = False  # whether features are 0 or 1

    @property
    def oblique(self) -> bool:
        return self.kind == "oblique"

    def encode(self, table: Table) -> np.ndarray:
        if "bin" in self.settings:
            return table.binned()
        return table.scaled() if "scale" in self.settings else table.inputs

    def feature_of(self, table: Table) -> np.ndarray:
        """The feature of each input: of columns that are not encoded, each bin is one."""
        bins = "bin" in self.settings
        return np.arange(self.encode(table).shape[1]) if bins else table.feature_of


def _errors(t: Trees) -> np.ndarray:
    return (~t.right).sum(axis=1).astype(float)


def _oct(table: Table, given: Mapping[str, float]) -> Worth:
    most = int(np.bincount(table.y).max())
    return lambda t: _errors(t) / most + given["alpha"] * t.active.sum(axis=1)


def _octh(table: Table, given: Mapping[str, float]) -> Worth:
    most = int(np.bincount(table.y).max())
    return lambda t: _errors(t) / most + given["alpha"] * t.uses.sum(axis=(1, 2))


def _flow(table: Table, given: Mapping[str, float]) -> Worth:
    price, points = given["lambda"], len(table.y)
    return lambda t: price * t.active.sum(axis=1) - (1 - price) * (points - _errors(t))


def _soct(table: Table, given: Mapping[str, float]) -> Worth:
    return lambda t: _errors(t) - len(table.y)


FORMS: dict[str, Form] = {
    "binoct": Form("univariate", "", lambda t, g, u: Thresholds(t.x),
                   lambda t, g: _errors, 1.0, {}),
    "oct": Form("univariate", "scale minmax;", lambda t, g, u: Oct(t.scaled()), _oct, 1.0,
                {"alpha": (0.0, 0.1, 0.3), "min_leaf": (1, 1, 2)}),
    "flow_oct": Form("univariate", "", lambda t, g, u: Flow(t.x), _flow, -1.0,
                     {"lambda": (0.0, 0.1, 0.4)}, binary=True),
    "soct": Form("oblique", "scale minmax;", lambda t, g, u: Lines(t.scaled(), g["eps"]).where(u),
                 _soct, -1.0, {"eps": (0.005, 0.05, 0.1)}),
    "octh": Form("oblique", "scale minmax;",
                 lambda t, g, u: Hyperplanes(t.scaled(), g["mu"]).where(u or g["alpha"] > 0),
                 _octh, 1.0,
                 {"alpha": (0.0, 0.1), "mu": (0.005, 0.05), "min_leaf": (1, 1, 2)}),
}  # fmt: skip


def random_model(
    rng: np.random.Generator,
    name: str,
    shape: Shape | None = None,
    near: bool = False,
    form: Form | None = None,
) -> Model:
    """shape: of at most three branches; None for a complete one of depth 1 or 2. near: with numbers
    that all but agree, see `nearly`. form: of a formulation that is not of FORMS."""
    form = form or FORMS[name]
    shape = complete(int(rng.choice([1, 2, 2]))) if shape is None else shape
    given = {key: float(rng.choice(values)) for key, values in form.parameters.items()}
    classes = int(rng.choice([2, 2, 3]))
    known = form.words
    priced = [known.priced[k] for k in _some(rng, len(known.priced))]
    asked = [known.rows[k] for k in _some(rng, len(known.rows))]
    if shape != complete(depth(shape)):  # its leaves have another order
        asked = [row for row in asked if row is not words.ordered]
    base, prices = int(rng.integers(len(known.bases))), rng.choice([0.01, 0.0625, 0.25, 0.6], 2)
    own = not priced and rng.random() < 0.3
    said = [each.__name__ for each in (*priced, *asked)]
    uses = bool(given.get("alpha")) or bool({*said} & OF_USES)
    distinct = 7 if shape == complete(1) else 4 if uses else 6
    table = (form.table or random_table)(rng, form, classes, distinct)
    if near:
        table, prices = nearly(rng, table, form.binary), prices * close(rng, 2)
    terms = [make(rng, table) for make in priced]
    rows = tuple(make(rng, table) for make in asked)
    if own:
        objective, worth, sign = "", form.own(table, given), form.sign
    else:
        first = known.bases[base](rng, table)
        objective, worth, sign = goal_of(first, terms, prices)
        said = [known.bases[base].__name__, *said]
    before = "".join(dict.fromkeys(part.before for part in (*terms, *rows)))
    if not own and first.before not in before:
        before += first.before
    text = spec_text(name, form, table, shape, given, before + objective, rows)
    splits = form.splits(table, given, uses)
    keeps = tuple(row.keeps for row in rows)
    size = int(given.get("min_leaf", 1))

    def reference() -> tuple[float, float]:
        return Enumeration(table, splits, shape, worth, keeps, size).best()

    return Model(
        name, table, text, sign, reference, form.encode(table), form.feature_of(table), worth, rows,
        tuple(said) if said else ("its own",), given,
    )  # fmt: skip


def _parity(rng: np.random.Generator, table: Table) -> Row:
    """Without the rates among points of one class, which a group may not have."""
    row = words.parity(rng, table)
    return replace(row, before=row.before[: row.before.index("let chance")])


OF_ANY_TABLE = Words(
    [words.misclassified, words.misclassified, words.accuracy, words.balanced_error],
    [words.splits, words.features_used, words.distinct_features, words.leaves_used],
    [words.least_leaf, words.most_leaf, words.few_leaves, words.few_splits, words.few_features,
     words.short_splits, words.recall, words.precision, words.right, words.together, words.apart,
     _parity],
)  # fmt: skip

MOST = {name: (7, 5) if form.oblique else (8, 6) for name, form in FORMS.items()}
"""Points of trees of depth 1 and 2 with values of all kinds; the least are 4."""


def random_of_any_values(rng: np.random.Generator, name: str) -> Model:
    """One of FORMS on a table with values of all kinds: up to two side constraints."""
    depth = int(rng.choice([1, 1, 2]))

    def table(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
        points = int(rng.integers(4, MOST[name][depth - 1] + 1))
        return any_table(rng, points, classes, bool(rng.random() < 0.25))

    form = replace(FORMS[name], words=OF_ANY_TABLE, table=table, binary=False)
    if name == "flow_oct":
        bins = {"settings": "bin thresholds;", "splits": lambda t, g, u: Flow(t.binned())}
        form = replace(form, **bins)
    return random_model(rng, name, complete(depth), form=form)


def _some(rng: np.random.Generator, size: int) -> list[int]:
    """None, one or two of so many."""
    return [int(k) for k in rng.choice(size, rng.choice([0, 0, 1, 1, 2]), replace=False)]


def nearly(rng: np.random.Generator, table: Table, binary: bool) -> Table:
    """Weights, or values of one feature, that all but agree; or two features that do. binary:
    features stay as they are."""
    x, weight, points = table.x.copy(), table.weight, len(table.y)
    what = 0 if binary else int(rng.integers(3))
    if what == 0 and table.weighable:
        weight = rng.choice([1.0, 2.0]) * close(rng, points)
    if what == 1:
        j = int(rng.integers(x.shape[1]))
        x[:, j] *= close(rng, points)
    if what == 2 and x.shape[1] > 1:
        x[:, 1] = x[:, 0] * close(rng, points)
    return replace(table, x=x, weight=weight, plain=False, kind="near")


def close(rng: np.random.Generator, size: int) -> np.ndarray:
    """Factors of about 1, at most 1e-6 away."""
    return 1.0 + rng.integers(-1, 2, size) * float(rng.choice([1e-12, 1e-9, 1e-7, 1e-6]))


def goal_of(first: Term, terms: list[Term], prices: np.ndarray) -> tuple[str, Worth, float]:
    sign = -1.0 if first.maximized else 1.0
    sense, plus = ("maximize", "-") if first.maximized else ("minimize", "+")
    priced = list(zip(prices, terms, strict=False))
    more = "".join(f" {plus} {float(price)!r} * ({term.text})" for price, term in priced)

    def worth(t: Trees) -> np.ndarray:
        total = sign * first.worth(t).astype(float)
        for price, term in priced:
            total = total + price * term.worth(t)
        return total

    return f"{sense} goal: {first.text}{more};\n", worth, sign


def random_table(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
    """6 to 14 points, with points of equal values; of oblique trees at most so many distinct ones.

    Each group has points of the class k1.
    """
    points, features = int(rng.integers(6, 15)), int(rng.integers(1, 4))
    if form.oblique:
        features = min(features, 2) if distinct == 6 else features
    values = 2 if form.binary else int(rng.integers(2, 5))
    features += int(values == 2 and not form.oblique)
    x = rng.integers(0, values, (points, features)).astype(float)
    if rng.random() < 0.3:
        x = x**2 + 0.25 * x if values > 2 else x
    if form.oblique:
        x = _of_few(rng, x, distinct)
    x[0], x[1] = x.min(axis=0), x.max(axis=0)
    if (x[0] == x[1]).all():
        x[1, 0] += 1.0
    y = rng.integers(0, classes, points)
    y[:classes] = np.arange(classes)
    group = rng.integers(0, 2, points)
    y[[3, 4]], group[[3, 4]] = 1, [0, 1]
    order = rng.permutation(points)
    weight = rng.choice([0.5, 1.0, 2.0, 3.0], points) if rng.random() < 0.3 else None
    return Table(x[order], y[order], weight, group[order], True, "few values")


def _of_few(rng: np.random.Generator, x: np.ndarray, distinct: int) -> np.ndarray:
    some = rng.permutation(np.unique(x, axis=0))[: distinct - 2]
    return some[rng.integers(len(some), size=len(x))]


def spec_text(
    name: str,
    form: Form,
    table: Table,
    shape: Shape,
    given: Mapping[str, float],
    goal: str,
    rows: tuple[Row, ...],
) -> str:
    options = ", ".join(f"{key} = {value:g}" for key, value in given.items())
    return (
        f'data "table.csv" {{ {table.roles} {form.settings} }}\n'
        f'topology shape "{drawn(shape)}";\n'
        f"split {form.kind} by {name}{f'({options})' if options else ''};\n"
        + form.before
        + goal
        + ("subject to\n" + "".join(f"  {row.text}\n" for row in rows) if rows else "")
    )
