"""MM-SVM-OCT written out a second time, for SCIP, from the papers alone: depth 2."""

from __future__ import annotations

import numpy as np

BELOW = {1: (2, 3), 2: (4, 5), 3: (6, 7)}


def least_value(x: np.ndarray, sign: np.ndarray, c1: float, c3: float) -> float:
    """Proven optimum on points x (N, p) with signs (N,): big-M 100, eps 0.001."""
    from pyscipopt import Model, quicksum

    count, p = x.shape
    model, big, eps = Model(), 100.0, 0.001
    model.hideOutput()
    model.setParam("numerics/feastol", 1e-9)
    worst = model.addVar(lb=0)
    w = {t: [model.addVar(lb=None) for _ in range(p)] for t in BELOW}
    b = {t: model.addVar(lb=None) for t in BELOW}
    split = {t: model.addVar(vtype="B") for t in BELOW}
    slack = {(i, t): model.addVar(lb=0) for i in range(count) for t in BELOW}
    at = {(i, n): model.addVar(vtype="B") for i in range(count) for n in range(2, 8)}
    for t in BELOW:
        model.addCons(quicksum(v * v for v in w[t]) <= 2 * worst)
        for v in w[t]:
            model.addCons(v <= big * split[t])
            model.addCons(v >= -big * split[t])
        if t > 1:
            model.addCons(split[t] <= split[1])
    for i in range(count):
        model.addCons(at[i, 2] + at[i, 3] == 1)
        for t, (left, right) in BELOW.items():
            here = 1 if t == 1 else at[i, t]
            height = quicksum(float(x[i, j]) * w[t][j] for j in range(p)) + b[t]
            model.addCons(float(sign[i]) * height >= 1 - slack[i, t] - big * (1 - here))
            model.addCons(height >= -big * (1 - at[i, right]))
            model.addCons(height <= -eps + big * (1 - at[i, left]))
            if t > 1:
                model.addCons(at[i, left] + at[i, right] == at[i, t])
    cost = quicksum(slack.values()) * c1 + quicksum(split.values()) * c3
    model.setObjective(worst + cost)
    model.optimize()
    assert model.getStatus() == "optimal"
    return float(model.getObjVal())
