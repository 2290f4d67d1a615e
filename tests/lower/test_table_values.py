"""Tables by name have the values that a chain of cases has."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treemip.api.program import loads
from treemip.core.lower.check_literals import check_literals

DATA = pd.DataFrame(
    {
        "a": [0.0, 1, 2, 3],
        "kind": ["u", "v", "w", "u"],
        "sex": ["m", "f", "m", "f"],
        "name": ["P1", "P2", "P3", "P4"],
        "y": ["no", "yes", "no", "yes"],
    }
)
HEAD = (
    'data "points" { use a, kind; label y; group sex; id name; encode onehot; scale minmax; }\n'
    "topology complete(depth = 1); split univariate by oct;\n"
)


def values(declaration: str, name: str = "p") -> list[float]:
    return loads(HEAD + declaration, data=DATA).instance.values[name].values.tolist()


def test_listed_sets_need_no_data() -> None:
    program = loads(
        'set doses = {"low", "high", "none"};\n'
        'param p {a in doses : a != "none"} = table("low": 1, "high": 4);\n'
        "var v {a in doses} >= 0;\n"
        'minimize sum {a in doses : a != "none"} p[a] * v[a] + v["none"];\n'
        "subject to least {a in doses}: v[a] >= ord(a);"
    )
    model = program.compile().model
    assert model.objective.linear.tolist() == [1, 4, 1]


def test_a_large_table_is_one_lookup() -> None:
    x = pd.DataFrame(np.eye(3, 2000), columns=[f"g{j}" for j in range(2000)]).assign(y=[0, 1, 0])
    keys = ", ".join(f'"g{j}": {j}' for j in range(1, 2000))
    program = loads(
        'data "points" { label y; }\ntopology complete(depth = 1); split univariate by oct;\n'
        f"param p {{j in features}} = table({keys}, default = -1);",
        data=x,
    )
    assert program.instance.values["p"].values.tolist() == [-1, *range(1, 2000)]


def test_keys_are_checked_where_nothing_is_lowered() -> None:
    program = loads(HEAD + 'param p {j in features} = table("aa": 1, "kin": 2, "y": 3);', data=DATA)
    found = [d.message for d in check_literals(program.spec, program.data)]
    assert found == [
        'there is no feature and no column "aa"',
        'there is no feature and no column "kin"',
        'there is no feature and no column "y"',
    ]
