"""A picture of a sweep: mean scores and features of its configurations. Needs matplotlib."""

from __future__ import annotations

import io
from math import nan
from pathlib import Path
from typing import Any

from treemip.files.atomic import replacing
from treemip.solving.optional import needed
from treemip.source.diagnostic import refused
from treemip.sweeps.table import Configuration, Sweep

SUFFIXES = (".png", ".svg", ".pdf")


def demand_plot(path: Path) -> None:
    """E902 for a suffix of no picture, E602 without matplotlib."""
    if path.suffix.lower() not in SUFFIXES:
        message = f"no picture format has the suffix of '{path}'"
        raise refused(message, f"use one of {', '.join(SUFFIXES)}")
    needed("matplotlib.figure", "plot")


def plot(sweep: Sweep, path: str | Path) -> None:
    """Write a picture: the first name that varies along the axis, a line for each value of the
    others; bars are standard deviations. Raises E602, E603, E902."""
    target = Path(path)
    demand_plot(target)
    image = io.BytesIO()
    figure(sweep).savefig(image, format=target.suffix.lower()[1:], bbox_inches="tight")
    with replacing(target) as file:
        file.write(image.getvalue())


def figure(sweep: Sweep) -> Any:
    """The picture as a matplotlib Figure."""
    drawn = needed("matplotlib.figure", "plot").Figure(figsize=(9, 4), layout="constrained")
    left, right = drawn.subplots(1, 2)
    along = sweep.settled[0] if sweep.settled else ""
    places = list(dict.fromkeys(c.values.get(along, "") for c in sweep.configurations))
    for title, line in _lines(sweep, along).items():
        at = [places.index(c.values.get(along, "")) for c in line]
        means = [nan if c.score is None else c.score for c in line]
        left.errorbar(at, means, [c.deviation or 0.0 for c in line], marker="o", capsize=3)
        features = [nan if c.features is None else c.features for c in line]
        right.plot(at, features, marker="o", label=title)
    tested = any(c.tested for c in sweep.configurations)
    left.set_ylabel(f"{'test' if tested else 'training'} {sweep.measure.title}")
    right.set_ylabel("features used")
    for axes in (left, right):
        axes.set_xticks(range(len(places)), places)
        axes.set_xlabel(along)
    if len(_lines(sweep, along)) > 1:
        right.legend()
    return drawn


def _lines(sweep: Sweep, along: str) -> dict[str, list[Configuration]]:
    """Configurations by what varies beside `along`, as the legend says it."""
    lines: dict[str, list[Configuration]] = {}
    for each in sweep.configurations:
        others = (f"{name}={value}" for name, value in each.values.items() if name != along)
        lines.setdefault(", ".join(others), []).append(each)
    return lines
