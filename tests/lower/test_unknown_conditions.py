"""Conditions on values that are not there: what follows from them is not there either."""

from __future__ import annotations

import numpy as np
import pytest

from treemip.api.program import loads
from treemip.core.lower.bind import bind
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Meaning
from treemip.core.resolve.typed import at_all

TEXT = """
data "t" {{ label y; scale minmax; }}
topology complete(depth = 1);
split oblique by soct;
var v {{k in classes}} binary;
param w {{k in classes}} = ord(k) - 1;
var said {{k in classes}} >= 0 means if {condition} then 1 else 0;
minimize sum {{k in classes}} said[k];
"""


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("v[k] != 0", [0, 1, np.nan]),
        ("not v[k] != 0", [1, 0, np.nan]),
        ("v[k] = 1 or w[k] = 2", [0, 1, 1]),
        ("w[k] = 2 or v[k] = 1", [0, 1, 1]),
        ("v[k] = 1 and w[k] = 2", [0, 0, np.nan]),
        ("w[k] = 1 and v[k] = 1", [0, 1, 0]),
        ("w[k] = 2", [0, 0, 1]),
    ],
)
def test_a_choice_is_open_where_its_condition_is(condition: str, expected: list[float]) -> None:
    table = {"n": [0.0, 1.0, 2.0], "y": ["p", "q", "r"]}
    program = loads(TEXT.format(condition=condition), data=table)
    instance = bind(program.spec, program.data)
    said = next(s for s in program.spec.variables if s.name == "said")
    evaluator = Evaluator(instance, Meaning({}, {"v": np.array([0.0, 1.0, np.nan])}))
    found = evaluator.known(at_all(said), Frame(3, {"k": np.arange(3)}))
    np.testing.assert_array_equal(np.asarray(found, float), expected)
