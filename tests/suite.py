"""Which of many like cases `make test` runs; `make truth` runs the others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def one_in(step: int, *axes: Iterable[Any]) -> list[Any]:
    """Parameters for all combinations of the axes; all but every `step`-th are marked `truth`.

    With a `step` prime to the lengths of all axes but the first, every value is still in the suite.
    """
    return [
        pytest.param(*case, marks=() if number % step == 0 else pytest.mark.truth)
        for number, case in enumerate(product(*axes))
    ]
