"""The chart of objective and bound: axes with round numbers that can be told apart."""

from __future__ import annotations

import re

import pytest

from treemip.writers.pages.progress_chart import Event, chart


def labels(*objectives: float, seconds: float = 3.0) -> tuple[list[str], list[str]]:
    """Of the vertical and of the horizontal axis."""
    count = len(objectives)
    events = [
        Event("solve", seconds * (k + 1) / count, value, None) for k, value in enumerate(objectives)
    ]
    found = re.findall(r'text-anchor="(end|middle)">([^<]*)<', chart(events))
    return [t for end, t in found if end == "end"], [t for end, t in found if end == "middle"]


def test_labels_are_round_numbers() -> None:
    assert labels(25.0, 21.5) == (["22", "23", "24", "25"], ["0 s", "1 s", "2 s", "3 s"])


@pytest.mark.parametrize(
    "objectives",
    [(3.8444998, 3.8444996), (0.0,), (-7.0,), (1e9, 1e9 - 1), (1e-7, 3e-7), (-1e-3, 4.0), (5e12,)],
)
def test_labels_are_short_and_differ(objectives: tuple[float, ...]) -> None:
    for axis in labels(*objectives, seconds=0.0123):
        assert 3 <= len(axis) <= 8
        assert len(set(axis)) == len(axis)
        assert max(map(len, axis)) <= 10
