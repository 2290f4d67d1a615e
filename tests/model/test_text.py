"""Models as text: every form of line, whole."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treemip.api.program import loads
from treemip.core.model.blocks import Index
from treemip.core.model.model import Model
from treemip.core.model.text import number, row_names, to_text

SPEC = """
var v >= -1, <= 1; var k integer >= 0, <= 4; var k2 integer; var z binary; var fixed binary = 1;
var u {h in 1..2} >= -3, <= 5; var w >= 0;
minimize cost: abs(v - 0.5) - 2 * z * k + v^2 - 3 + min {h in 1..2} u[h];
subject to
  plain: v + 1.5 * k - 1e-7 * w >= 1;
  double: -1 <= v - k <= 3;
  equal: u[1] = 0.1 + 0.2;
  square {h in 1..2}: u[h] * v - u[h]^2 <= h;
  when {h in 1..2}: z = 1 ==> u[h] + v <= h;
  given: 1 - z = 0 ==> v = 2 by big_m(9);
  sure: z = 0 ==> k >= 1 by indicator;
  great: max(v, abs(k), 2) + norminf(u[*]) <= 4;
"""

TEXT = """\
minimize cost: abs_2 + min + v^2 - 2 k * z - 3
subject to
  plain: v + 1.5 k - 1e-07 w >= 1
  double: -1 <= v - k <= 3
  equal: u(1) = 0.30000000000000004
  square(1): v * u(1) - u(1)^2 <= 1
  square(2): v * u(2) - u(2)^2 <= 2
  great: max + norminf <= 4
  when(1): z = 1 ==> v + u(1) <= 1
  when(2): z = 1 ==> v + u(2) <= 2
  given: -z + 1 = 0 ==> v = 2 [big_m 9]
  sure: z = 0 ==> k >= 1 [indicator]
functions
  abs = |k|
  max = max(v, abs, 2)
  norminf = norminf(u(1), u(2))
  abs_2 = |v - 0.5|
  min = min(u(1), u(2))
variables
  -1 <= v <= 1
  integer 0 <= k <= 4
  integer k2 free
  binary z
  binary fixed = 1
  -3 <= u(1) <= 5
  -3 <= u(2) <= 5
  w >= 0
  0 <= abs <= 4
  2 <= max <= 4
  0 <= norminf <= 5
  0 <= abs_2 <= 1.5
  -3 <= min <= 5
"""


def test_every_form() -> None:
    assert to_text(lowered(SPEC)) == TEXT


def lowered(text: str) -> Model:
    """Before the passes, some of which refuse what is in the text."""
    from treemip.core.lower.bind import bind
    from treemip.core.lower.lower import lower

    program = loads(text)
    return lower(bind(program.spec, program.data))


def test_nothing() -> None:
    assert to_text(Model("m", (), ())) == "minimize obj: 0\n"


def test_names_that_would_be_the_same_are_numbered() -> None:
    column = np.array([4, 4])
    assert row_names("r", Index(("i",), ("number",), (column,), 2)) == ["r(4,1)", "r(4,2)"]
    assert row_names("r", Index()) == ["r"]


@given(st.floats(allow_nan=False))
def test_numbers_read_back(value: float) -> None:
    assert float(number(value)) == value
