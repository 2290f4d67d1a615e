"""What cannot be lowered: the code, the place and the indices of the first row to blame.

More cases, with all that is said of each, are in tests/bad/lower.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from treemip.api.program import loads
from treemip.core.source.diagnostic import TreemipError

DATA = 'data "t" { label class; } topology shape "((. .) .)";\n'
TABLE = (np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 5.0]]), np.array(["n", "n", "y"]))

CASES = [
    # indices
    ("var z {k in 1..3}; minimize z[4];", "E401", "z[4]", "for 4"),
    ("var z {k in 1..3}; minimize z[1.5];", "E401", "z[1.5]", "for 1.5"),
    ("var z {k in 1..3}; minimize z[1.00000001];", "E401", "z[", "for 1.00000001"),
    ("param p {k in 1..2} = k; var v; minimize p[0] * v;", "E401", "p[0]", "for 0"),
    # numbers
    ("var v; minimize v; subject to r: 0 <= v <= log(0);", "E402", "0 <= v <= log(0)", "finite"),
    ("var v; minimize 1e200 * 1e200 * v;", "E402", "minimize", "not finite"),
    ("set s = 1..1e99 * 1e299; var v; minimize v;", "E402", "1..1e99 * 1e299", "must be finite"),
    ("var v; minimize sum {k in 1..3} v / (k - 1);", "E404", "v / (k - 1)", "division by zero"),
    ("var v; minimize sum {k in 0..2} sqrt(k - 1) * v;", "E404", "sqrt", "undefined"),
    ("var v; minimize (0 - 8) ^ 0.5 * v;", "E404", "^ 0.5", "undefined power"),
    # rows and bounds that can never hold
    ("var v; minimize v; subject to r {k in 0..2}: 0 * v <= k - 1;", "E403", "r {k", "for 0"),
    ("var v; minimize v; subject to r: 1 <= v <= 0;", "E403", "1 <= v <= 0", "1 is above 0"),
    ("var v {k in 1..2} >= k, <= 3 - k; minimize v[1];", "E403", "3 - k", "within its bounds"),
    ("var v <= log(0); minimize v;", "E403", "log(0)", "within its bounds"),
    # elements
    ('var v {i in points : y[i] = "q"}; minimize 0;', "E309", '"q"', "no class"),
]


@pytest.mark.parametrize(("text", "code", "place", "message"), CASES, ids=[c[0] for c in CASES])
def test_the_error(text: str, code: str, place: str, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy says nothing either
        with pytest.raises(TreemipError) as caught:
            loads(DATA + text, TABLE).compile()
    (fault,) = caught.value.diagnostics
    assert fault.code == code and message in fault.message
    assert fault.span is not None and place in fault.span.text


def test_what_a_condition_excludes_is_not_evaluated() -> None:
    text = (
        "var v {k in 1..2}; minimize v[1];"
        "subject to r {k in 0..2 : k > 0 and 1 / k >= 0.5}: v[k] / k <= 1;"
        "s: sum {k in 0..2} (if k = 0 then 1 else v[k] / k) >= 0;"
    )
    assert loads(DATA + text, TABLE).compile().model.row_count == 3


def test_rows_that_always_hold_are_left_out() -> None:
    text = (
        "var v; minimize v; subject to r {k in 0..2}: (k - 1) * v <= k; none {k in 1..0}: v <= k;"
    )
    (rows,) = loads(DATA + text, TABLE).compile().model.rows
    assert rows.index.columns[0].tolist() == [0, 2]
