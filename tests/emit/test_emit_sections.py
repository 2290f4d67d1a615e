"""Row sides, column bounds and lines, piece by piece."""

from __future__ import annotations

import io

import numpy as np
import pytest
from emit_models import INF, Builder, grid
from hypothesis import given, settings
from hypothesis import strategies as st

from treemip.emit import lines
from treemip.emit.bounds import KINDS, VALUED, bound_lines
from treemip.emit.lines import Lines, right
from treemip.emit.sides import AT_LEAST, AT_MOST, EQUAL, FREE, sides
from treemip.model.blocks import Kind

MODERATE = st.floats(-1e19, 1e19)


@pytest.mark.parametrize(
    ("lower", "upper", "sense", "rhs", "spread"),
    [
        (-INF, INF, FREE, 0, 0),
        (-INF, 3, AT_MOST, 3, 0),
        (-2, INF, AT_LEAST, -2, 0),
        (4, 4, EQUAL, 4, 0),
        (0.0, -0.0, EQUAL, 0, 0),
        (-1, 3, AT_LEAST, -1, 4),
        (0.1, 0.3, AT_LEAST, 0.1, 0.3 - 0.1),
        (-1e-17, 1, AT_LEAST, -1e-17, 1),
        (-1, 1e-17, AT_MOST, 1e-17, 1),
    ],
)
def test_sides(lower: float, upper: float, sense: int, rhs: float, spread: float) -> None:
    found = sides(np.array([lower]), np.array([upper]))
    assert (found.sense[0], found.rhs[0], found.spread[0]) == (sense, rhs, spread)
    assert not found.rounded[0]


@given(MODERATE, MODERATE)
@settings(deadline=None)
def test_ranges_are_exact_or_say_so(a: float, b: float) -> None:
    lower, upper = min(a, b), max(a, b)
    found = sides(np.array([lower]), np.array([upper]))
    rhs, spread = float(found.rhs[0]), float(found.spread[0])
    ends = {AT_LEAST: (rhs, rhs + spread), AT_MOST: (rhs - spread, rhs), EQUAL: (rhs, rhs)}
    low, high = ends[int(found.sense[0])]
    assert found.rounded[0] == ((low, high) != (lower, upper))
    assert abs(high - upper) <= np.spacing(upper - lower)
    assert low == lower


def test_a_range_that_no_pair_of_numbers_states() -> None:
    """-0.81 + 1.63 and 0.82 - 1.63 both miss by the last digit, and so do their neighbours."""
    low, high = -0.81, 0.82
    found = sides(np.array([low]), np.array([high]))
    assert found.rounded[0]
    near = [np.nextafter(high - low, way) for way in (-INF, INF)]
    assert all(low + r != high and high - r != low for r in (high - low, *near))


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


@pytest.mark.parametrize("size", [1, 30, 1 << 18])
def test_lines_have_no_padding(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_AT_ONCE", size)
    names, numbers = np.array([b"", b" a", b" long(12,3)"]), np.array([b" 1", b" -0.25"])
    file = io.BytesIO()
    writer = Lines(file, b"\n ", names, b"=", numbers)
    writer.write(np.array([2, 1, -3]), np.array([0, 1, 1]))
    writer.write(np.array([], int), np.array([], int))
    writer.write(np.array([1]), np.array([0]))
    assert file.getvalue() == b"\n  long(12,3)= 1\n  a= -0.25\n = -0.25\n  a= 1"


def test_right_aligned_tokens_keep_their_text() -> None:
    tokens = np.array([b"", b" a", b" long(12,3)"])
    moved = right(tokens)
    assert moved.dtype == tokens.dtype
    assert [t.replace(b"\0", b"") for t in moved.tolist()] == tokens.tolist()
    assert moved.tolist()[1].startswith(b"\0")
