"""A route with its point left free: the weights of features and of categories, by branch."""

from __future__ import annotations

import numpy as np

from treemip.api.program import loads
from treemip.core.lower.bind import bind
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import FreePointEvaluator

TABLE = {
    "n": [0.0, 1.0, 2.0],
    "m": [1.0, 0.0, 1.0],
    "h": ["a", "b", "c"],
    "k": ["u", "b", "u"],
    "y": ["p", "q", "q"],
}
TEXT = """
data "t" { label y; encode keep h, k; }
topology complete(depth = 2);
split oblique;
var coef {t in branches, j in features} >= -1, <= 1;
var part {t in branches, c in categorical_features, v in categories(c)} >= 0, <= 9;
var label {l in leaves, k in classes} binary;
let all_parts {i in points, t in branches} =
  sum {c in categorical_features} ord(c) * part[t,c,category[i,c]];
route left when dot(coef[t,*], x[i,*]) - 2 * all_parts[i,t] <= 0.5;
"""


def test_weights_of_categories_follow_those_of_features() -> None:
    program = loads(TEXT, data=TABLE)
    instance = bind(program.spec, program.data)
    # part is declared over branches and (h, a) (h, b) (h, c) (k, b) (k, u)
    values = {"coef": np.arange(6.0), "part": np.arange(15.0)}
    route = program.spec.route
    assert route is not None and route.left is not None
    branches = np.array([0, 1, 2])
    frame = Frame(3, {"t": branches, "i": np.zeros(3, np.int64)})
    found = FreePointEvaluator(instance, values).linear(route.left, frame).matrix()
    dense = np.zeros((3, 7))
    dense[found.row_of, found.indices] = found.data
    part = np.arange(15.0).reshape(3, 5)
    expected = np.hstack([np.arange(6.0).reshape(3, 2), -2 * part * [1, 1, 1, 2, 2]])
    assert dense.tolist() == expected.tolist()

    # the same text at the points themselves, whose categories are known
    from treemip.core.lower.evaluate import Evaluator
    from treemip.core.lower.value_sources import Solution

    pairs = Frame(9, {"t": np.repeat(branches, 3), "i": np.tile(np.arange(3), 3)})
    known = Evaluator(instance, Solution(values)).known(route.left, pairs)
    assert known.tolist() == (expected @ instance.table.inputs.T).ravel().tolist()
