"""Formulations whose leaves answer values, shares or treatments, or whose splits ask for sets of
categories: random tables of theirs, their splits, and what their own words are worth.

Of values and shares each leaf has the best one, which the sums over leaves of `tests/reference`
and `tests/trials.py` tell; a tree that is given has its own (`Trees.answers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Self

import numpy as np
from reference.enumeration import Trees, Worth
from reference.leaf_losses import brier, closed_form, half_deviance, log_loss, over_list
from reference.ways import Flow, Oct, Points, Splits, Way
from trials import DRUGS, METHODS, PREDICTED, estimates, random_trial

from .models import Form, close, random_table
from .search_words import CLASSES, OF_ROUTES, Row, Term, Terms, Words
from .tables import Table

STEPS = 4
"""Hazards of OST's list."""
DOUBTED = 0.2  # share of tables whose answers all but agree


@dataclass(frozen=True)
class Valued(Table):
    """Points without classes: y is 0, or the number of the treatment. more: the other columns;
    said: what the data block says of them."""

    more: Mapping[str, np.ndarray] = field(default_factory=dict)
    said: str = ""

    @property
    def columns(self) -> dict[str, list[object]]:
        features = {f"a{j + 1}": column.tolist() for j, column in enumerate(self.x.T)}
        weights = {} if self.weight is None else {"w": self.weight.tolist()}
        return {**features, **weights, **{name: v.tolist() for name, v in self.more.items()}}

    @property
    def roles(self) -> str:
        return self.said + (" weight w;" if self.weight is not None else "")

    @property
    def weighable(self) -> bool:
        return "label c" in self.said

    def part(self, rows: Any) -> Self:
        return replace(super().part(rows), more={n: v[rows] for n, v in self.more.items()})

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The other columns and the weights, as `leaf_losses` has them."""
        return {**self.more, "w": self.weights}


Cost = Callable[[Valued, np.ndarray], float]
"""Of a leaf with some of the points, bool (N,), the least loss."""
Told = Callable[[Valued, np.ndarray], float]
"""The loss of what points are given: values (N,), or shares (N, K)."""


def of_leaves(cost: Cost, told: Told) -> Worth:
    """The sum over leaves of what each loses by its best answer; of a tree with answers theirs."""
    known: dict[bytes, float] = {}

    def leaf(table: Valued, here: np.ndarray) -> float:
        key = here.tobytes()
        if key not in known:
            known[key] = cost(table, here) if here.any() else 0.0
        return known[key]

    def worth(t: Trees) -> np.ndarray:
        assert isinstance(t.table, Valued)
        if t.answers is not None:
            return np.array([told(t.table, t.answers)])
        routes, which = np.unique(t.ends, axis=0, return_inverse=True)
        sums = [sum(leaf(t.table, route == end) for end in np.unique(route)) for route in routes]
        return np.array(sums)[which.ravel()]

    return worth


def _named(name: str, make: Terms) -> Terms:
    make.__name__ = name
    return make


# ----------------------------------------------------------------- regression


def _numbers(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
    """Labels that are numbers with ties; some all but agree."""
    drawn = random_table(rng, form, classes, distinct)
    label = rng.integers(-4, 5, len(drawn.y)).astype(float)
    label[:2] = -4.0, 4.0
    near = rng.random() < DOUBTED
    label = label * close(rng, len(label)) if near else label
    nothing = np.zeros_like(drawn.y)
    return Valued(drawn.x, nothing, drawn.weight, nothing, not near, drawn.kind,
                  {"c": label}, "label c number;")  # fmt: skip


def _loss(label: np.ndarray, value: np.ndarray, weight: np.ndarray, squared: bool) -> float:
    apart = np.abs(label - value)
    return float((weight * (apart**2 if squared else apart)).sum())


def best_constant(table: Valued, here: np.ndarray, squared: bool) -> float:
    """What the best value of a leaf loses: the mean, or one of its labels."""
    label, weight = table.more["c"][here], table.weights[here]
    values = [np.average(label, weights=weight)] if squared else np.unique(label)
    return min(_loss(label, value, weight, squared) for value in values)


def _error(squared: bool) -> Terms:
    text = "squared_error" if squared else "absolute_error"

    def make(rng: np.random.Generator, table: Table) -> Term:
        return Term(text, of_leaves(
            lambda t, here: best_constant(t, here, squared),
            lambda t, given: _loss(t.more["c"], given, t.weights, squared),
        ))  # fmt: skip

    return _named(text, make)


def baseline(table: Valued, squared: bool) -> float:
    """The loss of one value: around the weighted mean, or the lower median without weights."""
    label, weight = table.more["c"], table.weights
    value = np.average(label, weights=weight) if squared else np.sort(label)[(len(label) - 1) // 2]
    return _loss(label, np.full(len(label), value), weight, squared) or 1.0


def _ort(table: Table, given: Mapping[str, float]) -> Worth:
    assert isinstance(table, Valued)
    squared = bool(given["squared"])
    error = _error(squared)(np.random.default_rng(0), table).worth
    scale = baseline(table, squared)
    return lambda t: error(t) / scale + given["alpha"] * t.active.sum(axis=1)


# --------------------------------------------------------------------- shares


def _classes(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
    drawn = random_table(rng, form, classes, distinct)
    names = np.array([f"k{k}" for k in drawn.y])
    nothing = np.zeros_like(drawn.y)
    return Valued(
        drawn.x, nothing, drawn.weight, nothing, drawn.plain, drawn.kind, {"c": names}, "label c;"
    )


def _given_brier(table: Valued, shares: np.ndarray) -> float:
    own = np.unique(table.more["c"]) == table.more["c"][:, None]
    return float((table.weights * ((shares - own) ** 2).sum(axis=1)).sum())


def _given_log_loss(table: Valued, shares: np.ndarray) -> float:
    own = np.unique(table.more["c"]) == table.more["c"][:, None]
    return -float((table.weights * np.log(shares[own])).sum())


def _brier(rng: np.random.Generator, table: Table) -> Term:
    return Term("brier", of_leaves(lambda t, here: brier(t.arrays, here), _given_brier))


def _log_loss(rng: np.random.Generator, table: Table) -> Term:
    return Term("log_loss", of_leaves(lambda t, here: log_loss(t.arrays, here), _given_log_loss))


def _shares(table: Table, given: Mapping[str, float]) -> Worth:
    score = _brier(np.random.default_rng(0), table).worth
    return lambda t: score(t) + given["alpha"] * t.active.sum(axis=1)


# ------------------------------------------------------------------- survival


def _times(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
    drawn = random_table(rng, form, classes, distinct)
    time = rng.integers(1, 6, len(drawn.y)).astype(float)
    event = rng.integers(0, 2, len(drawn.y)).astype(float)
    event[int(rng.integers(len(event)))] = 1.0
    nothing = np.zeros_like(drawn.y)
    return Valued(drawn.x, nothing, None, nothing, drawn.plain, drawn.kind,
                  {"time": time, "event": event}, "label none; number time, event;")  # fmt: skip


def _given_hazards(table: Valued, theta: np.ndarray) -> float:
    points = np.eye(len(theta), dtype=bool)
    return sum(half_deviance(table.arrays, p, t) for p, t in zip(points, theta, strict=True))


def _likelihood(steps: int | None) -> Terms:
    """By a list of hazards, or by any."""
    text = "(sum {i in points} weight[i] * (Lambda[i] * predicted[i] - event[i]) - "
    text += "(sum {i in points : event[i] = 1} weight[i] * log(Lambda[i] * predicted[i])))"
    if steps:
        text = "(sum {i in points, l in leaves, r in possible[i]} half_deviance[i,r] * has[i,l,r])"

    def cost(table: Valued, here: np.ndarray) -> float:
        columns = table.arrays
        return over_list(columns, here, steps) if steps else closed_form(columns, here)

    def make(rng: np.random.Generator, table: Table) -> Term:
        return Term(text, of_leaves(cost, _given_hazards))

    return _named("likelihood", make)


def _survival(steps: int | None) -> Callable[[Table, Mapping[str, float]], Worth]:
    def own(table: Table, given: Mapping[str, float]) -> Worth:
        likelihood = _likelihood(steps)(np.random.default_rng(0), table).worth
        return lambda t: likelihood(t) + given["alpha"] * t.active.sum(axis=1)

    return own


# ----------------------------------------------------------------- treatments


def _trial(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
    columns = random_trial(int(rng.integers(1 << 30)), int(rng.integers(6, 15)), 3)
    x = np.column_stack([columns.pop(f"a{j}") for j in range(3)]).astype(float)
    drugs, received = np.unique(columns["treatment"], return_inverse=True)
    near = rng.random() < DOUBTED
    if near:
        columns["outcome"] = columns["outcome"] * close(rng, len(x))
    known = ", ".join(f"under_{drug}" for drug in DRUGS)
    said = f"label none; group treatment, sex; number outcome, propensity, {known};"
    assert len(drugs) == received.max() + 1
    return Valued(x, received, None, received, not near, "trial", columns, said)


def _policy_value(method: str) -> Terms:
    def make(rng: np.random.Generator, table: Table) -> Term:
        assert isinstance(table, Valued)
        worth, points = estimates(method, dict(table.more)), np.arange(len(table.y))
        return Term("policy_value", lambda t: worth[points, t.given].mean(axis=1), maximized=True)

    return _named("policy_value", make)


def _own_value(method: str) -> Callable[[Table, Mapping[str, float]], Worth]:
    def own(table: Table, given: Mapping[str, float]) -> Worth:
        value = _policy_value(method)(np.random.default_rng(0), table).worth
        return lambda t: -value(t)

    return own


def budget(rng: np.random.Generator, table: Table) -> Row:
    """Points that are given one treatment."""
    assert isinstance(table, Valued)
    k, most = int(rng.integers(table.classes)), int(rng.integers(0, 6))
    drug = np.unique(table.more["treatment"])[k]
    text = f'budget: sum {{i in points}} prescribed[i,"{drug}"] <= {most};'
    return Row(text, lambda t: (t.given == k).sum(axis=1) <= most)


# ------------------------------------------------------------------ categories


@dataclass(frozen=True)
class Sorted(Table):
    """x: a column of 0 and 1, and the numbers of the categories of `h` and `k`."""

    NAMES = ("h", "k")

    @property
    def columns(self) -> dict[str, list[object]]:
        given = dict(super().columns)
        for j, name in enumerate(self.NAMES, start=1):
            numbers: Any = given.pop(f"a{j + 1}")
            given[name] = ["pqrs"[int(v)] for v in numbers]
        return given

    @property
    def roles(self) -> str:
        return f"{super().roles} encode keep h, k;"

    @property
    def inputs(self) -> np.ndarray:
        return np.hstack([self.x[:, j, None] == v for j, v in self._values]).astype(float)

    @property
    def feature_of(self) -> np.ndarray:
        return np.concatenate([np.full(len(v), j) for j, v in self._values])

    @property
    def _values(self) -> list[tuple[int, np.ndarray]]:
        return [(0, np.ones(1)), *((j, np.unique(self.x[:, j])) for j in (1, 2))]


def _categories(rng: np.random.Generator, form: Form, classes: int, distinct: int) -> Table:
    drawn = random_table(rng, form, classes, distinct)
    points = len(drawn.y)
    x = np.column_stack([rng.integers(0, most, points) for most in (2, 4, 2)]).astype(float)
    x[:2, 0] = x[:2, 2] = 0.0, 1.0
    return Sorted(x, drawn.y, drawn.weight, drawn.group, True, "categories")


class Sets(Splits):
    """Left where a 0/1 feature has one value, or where the category is in a set; or no split, and
    all go left, whatever splits are below. Sets of all categories, or of none, never pay."""

    def __init__(self, x: np.ndarray, most: int) -> None:
        super().__init__(x)
        self.most = most

    def ways(self, here: Points) -> Iterator[Way]:
        yield Way(here, active=False)
        for value in (0.0, 1.0):
            yield Way(frozenset(i for i in here if self.x[i, 0] == value), frozenset([0]))
        for j in (1, 2):
            values = np.unique(self.x[:, j]).tolist()
            for size in range(len(values) + 1):
                allowed = not self.most or min(size, len(values) - size) <= self.most
                for some in combinations(values, size) if allowed else ():
                    left = frozenset(i for i in here if self.x[i, j] in some)
                    yield Way(left, frozenset([j]), sure=0 < size < len(values))


def _right(table: Table, given: Mapping[str, float]) -> Worth:
    return lambda t: -t.right.sum(axis=1).astype(float)


# ------------------------------------------------------------------- all forms


def _words(*bases: Terms, more: tuple[Any, ...] = ()) -> Words:
    return replace(OF_ROUTES, bases=list(bases), rows=[*OF_ROUTES.rows, *more])


def _scaled(table: Table, given: Mapping[str, float], uses: bool) -> Splits:
    return Oct(table.scaled())


SPLIT_LIKE_OCT = {"alpha": (0.0, 0.1, 0.3), "min_leaf": (1.0, 1.0, 2.0)}

VALUED: dict[str, Form] = {
    "ort": Form("univariate", "scale minmax;", _scaled, _ort, 1.0,
                {"squared": (0.0, 1.0), **SPLIT_LIKE_OCT},
                _words(_error(False), _error(True)), _numbers),
    "share_trees": Form("univariate", "scale minmax;", _scaled, _shares, 1.0, SPLIT_LIKE_OCT,
                        _words(_named("brier", _brier), _named("log_loss", _log_loss)), _classes),
    "ost": Form("univariate", "scale minmax;", _scaled, _survival(None), 1.0, SPLIT_LIKE_OCT,
                _words(_likelihood(None)), _times),
    "ost_grid": Form("univariate", "scale minmax;", _scaled, _survival(STEPS), 1.0,
                     {**SPLIT_LIKE_OCT, "steps": (float(STEPS),)},
                     _words(_likelihood(STEPS)), _times),
    **{f"prescriptive_{m}": Form(
        "univariate", "", lambda t, g, u: Flow(t.x), _own_value(m), -1.0, {},
        _words(_policy_value(m), more=(budget,)), _trial, "" if m == "ipw" else PREDICTED, True,
    ) for m in METHODS},
    "categorical_odt": Form("univariate", "", lambda t, g, u: Sets(t.x, int(g["max_card"])),
                            _right, -1.0, {"max_card": (0.0, 0.0, 1.0)}, CLASSES, _categories,
                            binary=True),
}  # fmt: skip
