"""S-OCT by gurobipy's MVar expressions alone, `A @ x` as its documentation writes rows.

`with_gurobipy.py` gathers long rows in scipy matrices first, which costs more lines and less time.
BinOCT is not here: gurobipy warns of its chains of matrix products, and it takes minutes.
"""

from __future__ import annotations

import gurobipy as gp
from command import run
from gurobipy import GRB
from soct import EPSILON, LEFT, RIGHT, soct


def write_soct(table: str, depth: int, target: str) -> None:
    s = soct(table, depth)
    points, features = s.x.shape
    m = gp.Model(env=gp.Env(params={"OutputFlag": 0}))
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
    for t in range(s.branches):
        side = s.x @ coef[t] - bias[t]
        m.addConstr(side <= s.big_m * (1 - left[:, t]))
        m.addConstr(side - EPSILON >= -(s.big_m + EPSILON) * (1 - right[:, t]))
    m.write(target)


if __name__ == "__main__":
    run(soct=write_soct)
