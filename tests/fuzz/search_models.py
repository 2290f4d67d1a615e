"""Random specs for the search: small tables with ties, terms and side constraints, optima known.

Tables have 6 to 14 points of few distinct values, 2 or 3 classes, weights and two groups. Oblique
trees are enumerated by their ways to part points, so that theirs have few distinct points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from .models import _with
from .search_trees import Enumeration, Trees, Worth
from .search_words import BASES, PRICED, ROWS, Row, Term
from .tables import Table
from .trees import Flow, Hyperplanes, Lines, Oct, Splits, Thresholds


@dataclass(frozen=True)
class SearchModel:
    """A spec on a table. worth: its objective, to be minimized (`sign` times its own value);
    reference: the interval that the optimum lies in, as of minimization, infinite without a tree;
    words: the names of its terms and side constraints."""

    formulation: str
    table: Table
    text: str
    depth: int
    sign: float
    worth: Worth
    rows: tuple[Row, ...]
    encoded: np.ndarray
    reference: Callable[[], tuple[float, float]]
    words: tuple[str, ...]
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class Form:
    """What is particular to a formulation: `own` is the worth of its own objective."""

    kind: str
    settings: str
    splits: Callable[[np.ndarray, Mapping[str, float], bool], Splits]
    own: Callable[[Table, Mapping[str, float]], Worth]
    sign: float
    parameters: Mapping[str, tuple[float, ...]]

    @property
    def oblique(self) -> bool:
        return self.kind == "oblique"


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
    "binoct": Form("univariate", "", lambda x, g, u: Thresholds(x),
                   lambda t, g: _errors, 1.0, {}),
    "oct": Form("univariate", "scale minmax;", lambda x, g, u: Oct(x), _oct, 1.0,
                {"alpha": (0.0, 0.1, 0.3), "min_leaf": (1, 1, 2)}),
    "flow_oct": Form("univariate", "", lambda x, g, u: Flow(x), _flow, -1.0,
                     {"lambda": (0.0, 0.1, 0.4)}),
    "soct": Form("oblique", "scale minmax;", lambda x, g, u: _with(Lines(x, g["eps"]), u), _soct,
                 -1.0, {"eps": (0.005, 0.05, 0.1)}),
    "octh": Form("oblique", "scale minmax;",
                 lambda x, g, u: _with(Hyperplanes(x, g["mu"]), u or g["alpha"] > 0), _octh, 1.0,
                 {"alpha": (0.0, 0.1), "mu": (0.005, 0.05), "min_leaf": (1, 1, 2)}),
}  # fmt: skip


def random_model(rng: np.random.Generator, name: str) -> SearchModel:
    form = FORMS[name]
    depth = int(rng.choice([1, 2, 2]))
    given = {key: float(rng.choice(values)) for key, values in form.parameters.items()}
    classes = int(rng.choice([2, 2, 3]))
    priced = [int(k) for k in rng.choice(len(PRICED), rng.choice([0, 0, 1, 1, 2]), replace=False)]
    asked = [int(k) for k in rng.choice(len(ROWS), rng.choice([0, 0, 1, 1, 2]), replace=False)]
    base, prices = int(rng.integers(len(BASES))), rng.choice([0.01, 0.0625, 0.25, 0.6], 2)
    own = not priced and rng.random() < 0.3
    words = [PRICED[k].__name__ for k in priced] + [ROWS[k].__name__ for k in asked]
    used = {"features_used", "distinct_features", "feature_price", "few_features", "short_splits"}
    uses = bool(given.get("alpha")) or bool({*words} & (used | {"left_out", "not_at_root"}))
    table = random_table(rng, form, classes, {1: 7, 2: 4 if uses else 6}[depth])
    terms = [PRICED[k](rng, table) for k in priced]
    rows = tuple(ROWS[k](rng, table) for k in asked)
    if own:
        objective, worth, sign = "", form.own(table, given), form.sign
    else:
        first = BASES[base](rng, table)
        objective, worth, sign = _objective(first, terms, prices)
        words = [BASES[base].__name__, *words]
    before = "".join(dict.fromkeys(part.before for part in (*terms, *rows)))
    if not own and first.before not in before:
        before += first.before
    text = _text(name, form, table, depth, given, before + objective, rows)
    x = table.scaled() if "scale" in form.settings else table.x
    splits = form.splits(x, given, uses)
    keeps = tuple(row.keeps for row in rows)
    size = int(given.get("min_leaf", 1))

    def reference() -> tuple[float, float]:
        return Enumeration(table, splits, depth, worth, keeps, size).best()

    named = tuple(words) if words else ("its own",)
    return SearchModel(
        name, table, text, depth, sign, worth, rows, x, reference, named, given
    )  # fmt: skip


def _objective(first: Term, terms: list[Term], prices: np.ndarray) -> tuple[str, Worth, float]:
    sign = -1.0 if first.maximized else 1.0
    sense, plus = ("maximize", "-") if first.maximized else ("minimize", "+")
    priced = list(zip(prices, terms, strict=False))
    more = "".join(f" {plus} {price:g} * ({term.text})" for price, term in priced)

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
    values = 2 if form.settings == "" and form.parameters else int(rng.integers(2, 5))
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


def _text(
    name: str,
    form: Form,
    table: Table,
    depth: int,
    given: Mapping[str, float],
    goal: str,
    rows: tuple[Row, ...],
) -> str:
    roles = 'label c positive "k1"; group g;' + (" weight w;" if table.weight is not None else "")
    options = ", ".join(f"{key} = {value:g}" for key, value in given.items())
    return (
        f'data "table.csv" {{ {roles} {form.settings} }}\n'
        f"topology complete(depth = {depth});\n"
        f"split {form.kind} by {name}{f'({options})' if options else ''};\n"
        + goal
        + ("subject to\n" + "".join(f"  {row.text}\n" for row in rows) if rows else "")
    )
