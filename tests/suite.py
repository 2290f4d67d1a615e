"""Which of many like cases `make test` runs; `make truth` runs the others. Which formulations have
classes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import pytest

from treemip import loads
from treemip.core.resolve.modules import formulation_names, library_module
from treemip.core.source.diagnostic import TreemipError
from treemip.core.syntax import nodes as n


def one_in(step: int, *axes: Iterable[Any]) -> list[Any]:
    """Parameters for all combinations of the axes; all but every `step`-th are marked `truth`.

    With a `step` prime to the lengths of all axes but the first, every value is still in the suite.
    """
    return [
        pytest.param(*case, marks=() if number % step == 0 else pytest.mark.truth)
        for number, case in enumerate(product(*axes))
    ]


TIMES = "label none; number time, event;"
OTHERS = {
    "ort": "label kind number;",
    "ort_linear": "label kind number;",
    "sorrt": "label kind number;",
    "ost": TIMES,
    "ost_grid": TIMES,
    "share_trees": "label kind;",
}
"""The columns of formulations whose leaves do not answer classes."""


@cache
def class_formulations() -> list[str]:
    """The formulations of the library whose leaves answer classes, sorted; others answer numbers,
    treatments or shares, and are tested in tests/properties."""
    return [name for name in formulation_names() if _answers_classes(name)]


def _answers_classes(formulation: str) -> bool:
    file = library_module(formulation)
    assert file is not None
    kind = next(s.kind for s in file.statements if isinstance(s, n.Header))
    text = f'data "t" {{ label c; }} topology complete(depth = 1); split {kind} by {formulation};'
    try:
        return not loads(text).spec.other_answers
    except TreemipError:
        return False
