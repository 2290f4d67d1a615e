"""The formulations by gurobipy's matrix interface (MVar and scipy.sparse), written by Model.write.

Building and writing need no licence beyond the one in the wheel; only solving is limited.
"""

from __future__ import annotations

import gurobipy as gp
import numpy as np
import scipy.sparse as sp
from binoct import binoct, sizes
from command import run
from gurobipy import GRB
from soct import EPSILON, LEFT, RIGHT, soct


def _model() -> gp.Model:
    return gp.Model(env=gp.Env(params={"OutputFlag": 0}))


def write_soct(table: str, depth: int, target: str) -> None:
    s = soct(table, depth)
    points, features = s.x.shape
    m = _model()
    active = m.addMVar(s.branches, vtype=GRB.BINARY)
    reach = m.addMVar((points, s.nodes), vtype=GRB.BINARY)
    label = m.addMVar((s.leaves, s.class_count), vtype=GRB.BINARY)
    hit = m.addMVar((points, s.leaves), lb=-GRB.INFINITY)
    coef = m.addMVar((s.branches, features), lb=-1, ub=1)
    bias = m.addMVar(s.branches, lb=-1, ub=1)
    norm = m.addMVar((s.branches, features), ub=1)

    at_leaf = reach[:, s.branches :]
    left, right = reach[:, LEFT], reach[:, RIGHT]
    m.setObjective(hit.sum(), GRB.MAXIMIZE)
    m.addConstr(at_leaf.sum(axis=1) == 1)
    m.addConstr(reach[:, : s.branches] == left + right)
    m.addConstr(label.sum(axis=1) == 1)
    m.addConstr(hit <= at_leaf)
    m.addConstr(hit <= label[:, s.y].T)
    m.addConstr(right <= active)
    m.addConstr(active.sum() <= s.branches)
    m.addConstr(norm.sum(axis=1) <= 1)
    m.addConstr(norm >= coef)
    m.addConstr(norm >= -coef)
    # One matrix over [coef_t, bias_t, reach_child] a branch: dense x times an MVar is slower.
    minus_one = -np.ones((points, 1))
    head = sp.csr_array(np.hstack([s.x, minus_one]))
    go_left = sp.hstack([head, sp.diags_array(s.big_m)], format="csr")
    go_right = sp.hstack([head, sp.diags_array(-(s.big_m + EPSILON))], format="csr")
    for t in range(s.branches):
        split = [coef[t], bias[t].reshape(1)]
        m.addMConstr(go_left, gp.hstack([*split, reach[:, 2 * t + 1]]), "<", s.big_m)
        m.addMConstr(go_right, gp.hstack([*split, reach[:, 2 * t + 2]]), ">", -s.big_m)
    m.write(target)


def write_binoct(table: str, depth: int, target: str) -> None:
    s = binoct(table, depth)
    m = _model()
    coef = m.addMVar((s.branches, s.features), vtype=GRB.BINARY)
    bit = m.addMVar((s.branches, s.bits), vtype=GRB.BINARY)
    reach = m.addMVar((s.points, s.leaves), ub=1)
    label = m.addMVar((s.leaves, s.class_count), vtype=GRB.BINARY)
    error = m.addMVar((s.leaves, s.class_count))

    m.setObjective(error.sum(), GRB.MINIMIZE)
    m.addConstr(coef.sum(axis=1) == 1)
    m.addConstr(reach.sum(axis=1) == 1)
    m.addConstr(label.sum(axis=1) == 1)

    pick = sp.csr_array((np.ones(len(s.feature)), (np.arange(len(s.feature)), s.feature)))
    upper, lower = sizes(s.upper), sizes(s.lower)
    bits_left = sp.hstack([sp.diags_array(upper) @ pick, sp.diags_array(upper) @ s.left_path])
    bits_right = sp.hstack([sp.diags_array(lower) @ pick, -sp.diags_array(lower) @ s.right_path])
    below_and_above = sizes(s.above) + sizes(s.below)
    for n in range(s.branches):
        to_left, to_right = s.leaves_under(2 * n + 1), s.leaves_under(2 * n + 2)
        width = to_left.stop - to_left.start
        code = [coef[n], bit[n]]
        under_left = gp.hstack([*code, *(reach[:, k] for k in _range(to_left))])
        under_right = gp.hstack([*code, *(reach[:, k] for k in _range(to_right))])
        m.addMConstr(
            sp.hstack([bits_left, *[s.upper] * width], format="csr"),
            under_left,
            "<",
            upper * (1 + np.diff(s.left_path.indptr)),
        )
        m.addMConstr(
            sp.hstack([bits_right, *[s.lower] * width], format="csr"), under_right, "<", lower
        )
        both = [reach[:, k] for k in (*_range(to_left), *_range(to_right))]
        m.addMConstr(
            sp.hstack(
                [sp.diags_array(below_and_above), *[s.above] * width, *[s.below] * width],
                format="csr",
            ),
            gp.hstack([coef[n], *both]),
            "<",
            below_and_above,
        )
    members = sp.csr_array((np.ones(s.points), (s.y, np.arange(s.points))))
    for leaf in range(s.leaves):
        m.addConstr(members @ reach[:, leaf] - s.class_sizes * label[leaf] - error[leaf] <= 0)
    m.write(target)


def _range(leaves: slice) -> range:
    return range(leaves.start, leaves.stop)


if __name__ == "__main__":
    run(soct=write_soct, binoct=write_binoct)
