"""Gaps between the points on the two sides of a hyperplane, along weights whose 1-norm is 1.

`widest_gap` is the widest gap between two sets of points, `widened` gives a whole tree wider gaps,
and `needed_gap` reads off the model's rows how wide they must be, as S-OCT's eps. `feature_gaps` is
the same for cuts by single features, whose gaps may differ, as OCT's epsilon does.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from treemip.answers.search.alternate import Alternation
from treemip.answers.search.candidate import Candidate, canonical
from treemip.answers.search.complete import never
from treemip.answers.search.open_columns import held_rows, tighten
from treemip.answers.search.propagate import propagated
from treemip.core.instance.instance import Instance
from treemip.core.model.answer import Limits
from treemip.core.model.blocks import Index, Kind, Rows, SparseRows, Variables
from treemip.core.model.model import Model, Objective
from treemip.core.model.tolerances import GAP_SLACK
from treemip.core.solving.solve import solve
from treemip.core.tree.tree_map import TreeMap

FIRST, MORE, ROUNDS = 60, 60, 30


def widest_gap(
    left: np.ndarray,
    right: np.ndarray,
    weights: np.ndarray,
    seconds: float,
    least: float = 0.0,
) -> tuple[np.ndarray, float, float] | None:
    """Weights (p,), the left edge and the width of the widest gap; None where there is none.

    left, right float64 (n, p): the points of either side; weights (p,): a hyperplane that parts
    them nearly, which says where to begin. seconds: for all linear programs together. least: None
    as soon as the gap is proven to be narrower than that.
    """
    began = time.perf_counter()
    features = left.shape[1]
    nearest = np.argsort(-(left @ weights))[:FIRST], np.argsort(right @ weights)[:FIRST]
    chosen = [left[nearest[0]], right[nearest[1]]]
    for _ in range(ROUNDS):
        rest = seconds - (time.perf_counter() - began)
        if rest <= 0:
            return None
        values = _widest(chosen[0], chosen[1], rest)
        if values is None:
            return None
        weights = values[:features] - values[features : 2 * features]
        low, width = float(values[-2]), float(values[-1])
        if width <= GAP_SLACK or width < least - GAP_SLACK:
            return None  # the gap of some of the points is no narrower than that of all
        over = left @ weights - low
        under = low + width - right @ weights
        missed = np.flatnonzero(over > GAP_SLACK), np.flatnonzero(under > GAP_SLACK)
        if not len(missed[0]) and not len(missed[1]):
            return weights, low, width
        worst = (
            missed[0][np.argsort(-over[missed[0]])[:MORE]],
            missed[1][np.argsort(-under[missed[1]])[:MORE]],
        )
        chosen = [
            np.concatenate([chosen[0], left[worst[0]]]),
            np.concatenate([chosen[1], right[worst[1]]]),
        ]
    return None


def _solver() -> str:
    from treemip.core.solving.optional import is_installed

    return "highs" if is_installed("highspy") else "scip"


def _widest(left: np.ndarray, right: np.ndarray, seconds: float) -> np.ndarray | None:
    """How weights rise and fall from 0 (p, p), the left edge of the gap and its width."""
    features = left.shape[1]
    columns = 2 * features + 2
    lower = np.concatenate([np.zeros(2 * features), [-1.0, -np.inf]])
    upper = np.concatenate([np.ones(2 * features), [1.0, np.inf]])
    one = np.ones((len(left), 1))
    of_left = np.hstack([left, -left, -one, 0 * one])
    one = np.ones((len(right), 1))
    of_right = np.hstack([-right, right, one, one])
    norm = np.concatenate([np.ones(2 * features), [0, 0]])[None]
    dense = np.concatenate([of_left, of_right, norm])
    top = np.concatenate([np.zeros(len(left) + len(right)), [1.0]])
    width = np.eye(1, columns, columns - 1)[0]
    return solved_program(width, dense, top, lower, upper, seconds)


def solved_program(
    worth: np.ndarray,
    dense: np.ndarray,
    top: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    seconds: float,
) -> np.ndarray | None:
    """Values float64 (n,) between `lower` and `upper` of the greatest worth . values for which
    dense (m, n) . values <= top (m,); None where none are found in time."""
    row, column = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(dense)))])
    matrix = SparseRows(indptr, column.astype(np.int32), dense[row, column])
    rows = Rows("gap", _index(len(dense)), matrix, np.full(len(dense), -np.inf), top)
    block = Variables("a", _index(len(worth)), 0, lower, upper, Kind.CONTINUOUS)
    objective = Objective("maximize", "width", linear=worth)
    program = Model("gap", (block,), (rows,), objective=objective)
    return solve(program, _solver(), Limits(time=seconds)).values


def _index(length: int) -> Index:
    return Index(("k",), ("number",), (np.arange(1, length + 1),), length)


# ------------------------------------------------------------------- the gaps of a tree


def in_widest_gaps(tree: Candidate, x: np.ndarray, seconds: float) -> Candidate:
    """The tree with each hyperplane in the widest gap between the points x (M, p) that it parts.

    seconds: for the linear programs of one branch; where they do not suffice it stays as it is.
    """
    tree, rows = tree.copy(), {0: np.arange(len(x))}
    for node in tree.topology.branches.tolist():
        here = rows[node]
        left = tree.goes_left(node, x[here])
        rows[int(tree.topology.left[node])] = here[left]
        rows[int(tree.topology.right[node])] = here[~left]
        used = np.flatnonzero(tree.weights[node])
        if not len(used) or left.all() or not left.any():
            continue
        inside = x[here][:, used]
        gap = widest_gap(inside[left], inside[~left], tree.weights[node, used], seconds)
        if gap is not None:
            tree.weights[node, used], low, width = gap
            tree.threshold[node] = low + width / 2
    return tree


MANY = 3000
"""Points of a branch, whose gap need not be wider than what is asked for."""

SECONDS, LEAST = 10.0, 0.1
"""Of one branch's linear programs, at most, and where the search has no time left."""

Gap = tuple[float, np.ndarray, float]
"""Width of a gap along weights whose 1-norm is 1, the weights, and the middle of the gap."""


def widened(search: Alternation, tree: Candidate, least: float) -> tuple[Candidate, float]:
    """The tree with wider gaps, from the root down, and the narrowest of them, infinite where no
    hyperplane parts anything.

    No point goes where it is worth less. least: the gap that is asked for; narrower ones need not
    be the widest, nor those of MANY points that are as wide.
    """
    tree, narrowest = tree.copy(), np.inf
    for node in tree.topology.branches:
        rows = search.members(tree, int(node))
        if tree.weights[node].any() and len(rows) > 1:
            narrowest = min(narrowest, _widen(search, tree, int(node), rows, least))
    return tree, narrowest


def _widen(
    search: Alternation, tree: Candidate, node: int, rows: np.ndarray, least: float
) -> float:
    """The same for one branch: the width of its gap, infinite where it parts nothing."""
    x, left = search.x[rows], tree.goes_left(node, search.x[rows])
    matter = search.matter(tree, node, rows)
    if not (left & matter).any() or not (~left & matter).any():
        tree.weights[node] = 0.0  # nothing is to be parted here
        tree.threshold[node] = -1.0 if (~left & matter).any() else 1.0
        return np.inf
    if search.inputs.is_by_set(tree.weights[node]):
        return np.inf
    used = np.flatnonzero(tree.weights[node])
    weights, until = tree.weights[node, used], _until(search)
    own = own_gap(x[:, used], left, weights)
    if len(x) > MANY and own >= max(least, search.gap) > 0:
        return own
    width, weights, middle = best_gap(x[:, used], left, matter, weights, until, least)
    if width <= own:
        return own
    tree.weights[node, used], tree.threshold[node] = weights, middle
    return width


def _until(search: Alternation) -> float:
    now = time.perf_counter()
    return now + min(SECONDS, max(LEAST, search.until - now))


def best_gap(
    x: np.ndarray,
    left: np.ndarray,
    matter: np.ndarray,
    weights: np.ndarray,
    until: float,
    least: float = 0.0,
) -> Gap:
    """The widest gap found between points x float64 (m, p) that go left and right; of width 0
    where there is none.

    matter bool (m,): the points that must stay on their side. First all others may be anywhere, and
    the widest slice that is free of them is taken. Then each keeps its side, the one of that
    slice or the one it had, and the hyperplane moves away from it. weights: where to begin. until:
    of the clock. least: as for `widened`.
    """

    def parted(sides: np.ndarray, some: np.ndarray, weights: np.ndarray) -> Gap | None:
        seconds = until - time.perf_counter()
        gap = widest_gap(x[sides & some], x[~sides & some], weights, seconds, least)
        return None if gap is None else (gap[2], gap[0], gap[1] + gap[2] / 2)

    free = parted(left, matter, weights)
    if free is None:
        return 0.0, weights, 0.0
    slices = _widest_slice(free, x[~matter])
    if slices[0] == free[0]:
        return slices
    best, everyone = slices, np.ones(len(x), bool)
    for sides in (x @ slices[1] <= slices[2], left):
        gap = parted(sides, everyone, slices[1])
        if gap is not None and gap[0] > best[0]:
            best = gap
    return best


def _widest_slice(gap: Gap, x: np.ndarray) -> Gap:
    """The widest part of a gap that has none of the points x."""
    width, weights, middle = gap
    low, high = middle - width / 2, middle + width / 2
    position = x @ weights
    inside = position[(position > low) & (position < high)]
    if not len(inside):
        return gap
    stops = np.sort(np.concatenate([[low], inside, [high]]))
    at = int(np.diff(stops).argmax())
    return float(stops[at + 1] - stops[at]), weights, float((stops[at] + stops[at + 1]) / 2)


def own_gap(x: np.ndarray, left: np.ndarray, weights: np.ndarray) -> float:
    """The gap between the points x float64 (m, p) on the two sides of a hyperplane as it stands."""
    if left.all() or not left.any():
        return np.inf
    position = x @ weights
    return float((position[~left].min() - position[left].max()) / np.abs(weights).sum())


# ----------------------------------------------------- the gap that a formulation needs


DIRECTIONS = 2
"""Along which a gap is looked for: so many single features, and as many of several."""


def needed_gap(
    instance: Instance,
    model: Model,
    x: np.ndarray,
    empty: Candidate,
    late: Callable[[], bool] = never,
) -> float:
    """The least gap along weights whose 1-norm is 1, as S-OCT's eps; 0 where no row asks for one.

    The greatest of a few directions: features whose values are farthest apart, and random ones.
    x, empty, late: as of `gaps_along`.
    """
    features = instance.table.x.shape[1]
    several = np.random.default_rng(0).standard_normal((DIRECTIONS, features))
    several /= np.abs(several).sum(axis=1, keepdims=True)
    widest = np.diff(np.sort(x[:, :features], axis=0), axis=0).max(axis=0, initial=0.0)
    single = np.eye(features)[np.argsort(-widest, kind="stable")[:DIRECTIONS]]
    directions = np.concatenate([single, several])
    return float(gaps_along(directions, instance, model, x, empty, late).max())


def feature_gaps(
    instance: Instance,
    model: Model,
    x: np.ndarray,
    empty: Candidate,
    first: np.ndarray,
    late: Callable[[], bool] = never,
) -> np.ndarray:
    """How far apart two values of a feature must be for a cut between them, float64 (features,).

    x, empty, late: as of `gaps_along`. first: features to look at, int64; the others only where
    these need a gap.
    """
    single = np.eye(instance.table.x.shape[1])
    gaps = np.zeros(len(single))
    others = np.setdiff1d(np.arange(len(gaps)), first)
    gaps[first] = gaps_along(single[first], instance, model, x, empty, late)
    if gaps.any():
        gaps[others] = gaps_along(single[others], instance, model, x, empty, late)
    return gaps


def gaps_along(
    directions: np.ndarray,
    instance: Instance,
    model: Model,
    x: np.ndarray,
    empty: Candidate,
    late: Callable[[], bool],
) -> np.ndarray:
    """How far apart points must be for a split between them along directions float64 (q, features);
    float64 (q,).

    The rows of the stated model leave the threshold of the root an interval, which is narrower than
    the gap between the points by what the formulation asks for. 0 where nothing does, and where
    the threshold is no column. x float64 (M, features or more). empty: a tree without splits.
    late: whether the time is used up; the gaps of the directions that are left count as none then.
    """
    columns, gaps = TreeMap.of(instance), np.zeros(len(directions))
    root = np.flatnonzero(columns.bias.at[0] == 0)
    if len(root) != 1:
        return gaps
    column, rate = int(columns.bias.column[root[0]]), abs(float(columns.bias.rate[root[0]]))
    for number, direction in enumerate(directions):
        values = np.unique(x[:, : len(direction)] @ direction)
        if late() or len(values) < 2:
            continue
        widest = int(np.diff(values).argmax())
        low, high = values[widest : widest + 2].tolist()
        tree = empty.copy()
        tree.weights[0, : len(direction)], tree.threshold[0] = direction, (low + high) / 2
        shaped = canonical(tree, x, columns.unsplit_left)
        known = propagated(instance, model, shaped, but=columns.variables(columns.bias))
        gaps[number] = max(0.0, high - low - _room(model, known, column) * rate)
    return gaps


def _room(model: Model, x: np.ndarray, column: int) -> float:
    """The length of the interval that the rows leave a column, the others as in x (columns,), nan
    where unknown; infinite without rows."""
    low, high = np.full((2, len(x)), [[-np.inf], [np.inf]])
    for rows in (*model.rows, *held_rows(model, x)[0]):
        if rows.slots is None and (rows.matrix.indices == column).any():
            tighten(rows, x, low, high)
    return float(high[column] - low[column])
