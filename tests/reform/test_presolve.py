"""Random models with equal points keep their optimum when the points are merged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from small_models import products

from treemip.core.model.blocks import Implications, Index, Kind, Rows, SparseRows, Variables
from treemip.core.model.model import Model, Objective
from treemip.core.model.sparse_rows import sparse_rows
from treemip.core.model.values import objective_value, violation
from treemip.core.reform.presolve.merge_points import merge_points
from treemip.core.reform.presolve.presolve import PASSES, passes_named, presolved
from treemip.core.resolve.settings.strategy import PRESOLVES
from treemip.core.source.diagnostic import TreemipError

SHARED = 4  # three binaries and a continuous column


class Draft:
    """A model of shared columns and N points with P columns each, written down row by row."""

    def __init__(self, kinds: list[Kind], points: int) -> None:
        self.points, self.width = points, len(kinds)
        self.entries: list[tuple[dict[int, float], float, float]] = []
        self.variables = [_block("s", Index(("k",), ("number",), (np.arange(3),), 3), 0)]
        self.variables += [_block("f", Index(), 3, Kind.CONTINUOUS)]
        at = Index(("i",), ("point",), (np.arange(points),), points)
        for place, kind in enumerate(kinds):
            self.variables.append(_block(f"v{place}", at, SHARED + place * points, kind))
        self.costs = np.zeros(SHARED + points * len(kinds))

    def column(self, point: int, place: int) -> int:
        return SHARED + place * self.points + point

    def row(self, entries: dict[int, float], low: float, high: float) -> None:
        self.entries.append((entries, low, high))

    def model(self, implications: tuple[Implications, ...] = ()) -> Model:
        low, high = (np.array([e[k] for e in self.entries], float) for k in (1, 2))
        matrix = _matrix([e[0] for e in self.entries])
        rows = Rows("r", Index(length=len(low)), matrix, low, high)
        costs = Objective("minimize", linear=self.costs)
        return Model("draft", tuple(self.variables), (rows,), implications, objective=costs)


def _block(name: str, at: Index, start: int, kind: Kind = Kind.BINARY) -> Variables:
    return Variables(name, at, start, np.zeros(at.length), np.ones(at.length), kind)


def _matrix(rows: list[dict[int, float]]) -> SparseRows:
    triplets = [(r, c, a) for r, entries in enumerate(rows) for c, a in entries.items()]
    row, column, coef = (np.array([t[k] for t in triplets]) for k in range(3))
    return sparse_rows(row.astype(np.int64), column.astype(np.int32), coef.astype(float), len(rows))


def optimum(model: Model) -> tuple[float | None, np.ndarray | None]:
    """By HiGHS in scipy; of models with rows only."""
    (rows,) = model.rows
    shape = (rows.length, model.column_count)
    matrix = csr_array((rows.matrix.data, rows.matrix.indices, rows.matrix.indptr), shape=shape)
    found = milp(
        model.costs,
        integrality=model.integer.astype(int),
        bounds=Bounds(model.lower, model.upper),
        constraints=LinearConstraint(matrix, rows.lower, rows.upper),
    )
    return (None, None) if found.x is None else (float(found.fun), found.x)


WHOLE = [-2.0, -1.0, 0.0, 0.0, 1.0, 2.0]


def random_draft(seed: int) -> Draft:
    """Points of two or three kinds, rows of one point, rows of all, prices; often few of each."""
    rng = np.random.default_rng(seed)
    kinds = [
        Kind.BINARY if rng.random() < 0.6 else Kind.CONTINUOUS for _ in range(rng.integers(1, 4))
    ]
    draft = Draft(kinds, int(rng.integers(2, 6)))
    width, points = draft.width, draft.points
    kind = rng.integers(0, rng.integers(1, 4), points)
    draft.costs[:SHARED] = rng.choice(WHOLE, SHARED)
    for k in range(3):
        members = np.flatnonzero(kind == k)
        for _ in range(rng.integers(0, 4)):
            own, shared = rng.choice(WHOLE, width), rng.choice(WHOLE, SHARED)
            low = float(rng.choice([-np.inf, -1.0, 0.0, 1.0]))
            high = low if rng.random() < 0.3 and np.isfinite(low) else max(low, 0.0) + 1.0
            for i in members:
                entries = {s: a for s, a in enumerate(shared) if a}
                entries |= {draft.column(i, p): a for p, a in enumerate(own) if a}
                if entries:
                    draft.row(entries, low, high)
        prices = rng.choice(WHOLE, width)
        for i in members:
            draft.costs[[draft.column(i, p) for p in range(width)]] = prices
    if rng.random() < 0.3:  # one point that is another's all but in one price
        draft.costs[draft.column(int(rng.integers(points)), 0)] += 1
    for _ in range(rng.integers(0, 3)):
        coef = rng.choice(WHOLE, (3, width))
        entries = {
            draft.column(i, p): coef[kind[i], p] for i in range(points) for p in range(width)
        }
        entries = {c: a for c, a in entries.items() if a}
        most = float(rng.integers(-2, points))
        draft.row(entries or {0: 1.0}, -np.inf, most + 0.5 * float(rng.random() < 0.2))
    draft.row({0: 1.0}, 0.0, 1.0)
    return draft


@given(st.integers(0, 10**9))
def test_the_optimum_of_a_random_model_stays(seed: int) -> None:
    model = random_draft(seed).model()
    made = merge_points(model)
    before, _ = optimum(model)
    if made is None:
        return
    after, values = optimum(made.model)
    if before is None:
        assert after is None
        return
    assert values is not None
    assert after == pytest.approx(before, abs=1e-5)
    whole = made.back(values)
    assert violation(model, whole) <= 1e-5
    assert objective_value(model, whole) == pytest.approx(before, abs=1e-5)
    assert made.forward(whole) == pytest.approx(values)


def test_random_models_are_often_merged() -> None:
    made = [merge_points(random_draft(seed).model()) for seed in range(100)]
    assert sum(one is not None for one in made) >= 30


# ------------------------------------------------------------------------- by hand


def routed(points: int, gap: float = 0.5) -> Draft:
    """Points with columns left and right: left ==> f <= s0 / 2, right ==> f >= s0 / 2 + gap."""
    draft = Draft([Kind.BINARY, Kind.BINARY], points)
    for i in range(points):
        left, right = draft.column(i, 0), draft.column(i, 1)
        draft.row({left: 1, right: 1}, 1, 1)
        draft.row({3: 1, 0: -0.5, left: 1}, -np.inf, 1)
        draft.row({3: 1, 0: -0.5, right: -1 - gap}, -1, np.inf)
    return draft


def test_a_way_that_rows_force_is_merged_across_prices_and_limits() -> None:
    draft = routed(3)
    draft.costs[draft.column(0, 0)], draft.costs[draft.column(1, 1)] = 1.0, 2.0
    draft.row({draft.column(0, 0): 1, draft.column(1, 0): 2, draft.column(2, 0): 1}, -np.inf, 3)
    made = merge_points(draft.model())
    assert made is not None
    assert (made.merged, made.points) == (2, 3)
    assert made.model.column_count == SHARED + 2
    assert made.model.row_count == 4
    assert made.model.costs.tolist() == [0, 0, 0, 0, 1, 2]


def test_a_way_that_rows_leave_open_is_not_merged_under_a_limit() -> None:
    """Both ways are allowed at f = s0 / 2: the limit sends one point left and one right."""
    draft = routed(2, gap=0.0)
    for place in range(2):
        draft.row({draft.column(0, place): 1, draft.column(1, place): 1}, -np.inf, 1)
    assert merge_points(draft.model()) is None
    assert optimum(draft.model())[0] == pytest.approx(0)


def test_a_way_that_rows_leave_open_is_merged_where_points_are_separate() -> None:
    draft = routed(2, gap=0.0)
    made = merge_points(draft.model())
    assert made is not None
    assert made.model.row_count == 3


def test_another_price_keeps_apart_what_is_not_forced() -> None:
    draft = routed(2, gap=0.0)
    draft.costs[draft.column(0, 0)] = 1.0
    assert merge_points(draft.model()) is None


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_an_implication_forces_where_its_guard_asks_for_1(value: float) -> None:
    """With guards that ask for 0, a point may go either way where both bodies hold."""
    draft = Draft([Kind.BINARY, Kind.BINARY], 2)
    points = range(2)
    for i in points:
        draft.row({draft.column(i, 0): 1, draft.column(i, 1): 1}, 1, 1)
    draft.row({draft.column(0, 0): 1, draft.column(1, 0): 1}, 1, 1)
    implications = []
    for place, low, high in ((0, -np.inf, 0.0), (1, 0.5, np.inf)):
        body = Rows(
            f"go{place}",
            Index(length=2),
            _matrix([{3: 1}, {3: 1}]),
            np.full(2, low),
            np.full(2, high),
        )
        guard = _matrix([{draft.column(i, place): 1} for i in points])
        implications.append(Implications(body, guard, np.zeros(2), np.full(2, value)))
    made = merge_points(draft.model(tuple(implications)))
    if value == 0:
        assert made is None
        return
    assert made is not None
    assert [block.length for block in made.model.implications] == [1, 1]
    assert made.model.column_count == SHARED + 2


def test_a_point_in_a_product_stays() -> None:
    draft = routed(2, gap=0.0)
    model = draft.model()
    form = products((0, draft.column(0, 0), draft.column(1, 0), 1.0))
    squared = model.with_(objective=Objective("minimize", linear=draft.costs, quadratic=form))
    assert merge_points(squared) is None


# ------------------------------------------------------------------ names and the way back


def test_the_passes_are_those_that_a_strategy_may_name() -> None:
    assert tuple(PASSES) == PRESOLVES


def test_no_pass_leaves_the_model_as_it_is() -> None:
    model = routed(2).model()
    assert presolved(model, ()).model is model


def test_what_was_done_in_words() -> None:
    (step,) = presolved(routed(3).model()).steps
    assert step.text == "2 of 3 points merged; 9 rows become 3, 10 columns become 6"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("merge_point", "there is no presolve 'merge_point'"),
        (["merge_points", "none"], "the presolve 'none' excludes all others"),
    ],
)
def test_names_that_are_none(names: str | list[str], message: str) -> None:
    with pytest.raises(TreemipError) as caught:
        passes_named(names)
    assert caught.value.diagnostics[0].code == "E902"
    assert caught.value.diagnostics[0].message == message
