"""Column bounds: both ends of every column."""

from __future__ import annotations

import pytest
from emit_models import INF, Builder, grid

from treemip.files.mps.writer import KINDS, VALUED, bound_lines
from treemip.model.blocks import Kind


def bounds(lower: float, upper: float, kind: Kind) -> list[str]:
    block = Builder().var("x", None, lower, upper, kind)
    at, kinds, values = bound_lines(block)
    assert at.tolist() == [0] * len(at)
    return [
        KINDS[k].decode().split()[0] + (f" {v:g}" if k in VALUED else "")
        for k, v in zip(kinds, values, strict=True)
    ]


@pytest.mark.parametrize("kind", [Kind.CONTINUOUS, Kind.INTEGER])
def test_bounds(kind: Kind) -> None:
    assert bounds(0, INF, kind) == ["LO 0", "PL"]
    assert bounds(0, 1, kind) == ["LO 0", "UP 1"]
    assert bounds(-2, -1, kind) == ["LO -2", "UP -1"]
    assert bounds(-INF, 0, kind) == ["MI", "UP 0"]
    assert bounds(-INF, INF, kind) == ["FR"]
    assert bounds(-7, -7, kind) == ["FX -7"]


def test_bounds_of_binaries() -> None:
    assert bounds(0, 1, Kind.BINARY) == ["BV"]
    assert bounds(-INF, INF, Kind.BINARY) == ["BV"]
    assert bounds(-3, 0, Kind.BINARY) == ["FX 0"]
    assert bounds(1, 5, Kind.BINARY) == ["FX 1"]
    assert bounds(0.5, 1, Kind.BINARY) == ["LO 0.5", "UP 1"]


def test_bounds_stay_in_column_order() -> None:
    block = Builder().var("x", grid("i", 3), [0, 1, -INF], [INF, 1, INF])
    assert bound_lines(block)[0].tolist() == [0, 0, 1, 2]
