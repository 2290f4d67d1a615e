"""Performance profiles of a study: Dolan and Moré (2002), Mathematical Programming 91, 201-213.

An instance is a table, a depth and a fold; a formulation solves it when its optimum is proven. At
a ratio r the profile of a formulation is the share of all instances that it solves within r times
the seconds of the fastest formulation on that instance.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treemip.core.files.atomic import replacing
from treemip.core.solving.optional import is_installed, needed
from treemip.study.sweeps.axes import DATA, FOLD
from treemip.study.sweeps.folder import csv_text
from treemip.study.sweeps.run import Row
from treemip.study.sweeps.study import DEPTH, FORMULATION
from treemip.study.sweeps.table import Sweep

LEAST_SECONDS = 1e-3
"""Seconds are kept to a millisecond: a shorter run counts as one."""


@dataclass(frozen=True)
class Profile:
    """Steps of one formulation. ratios: (K,), rising from 1. shares: (K,), the share of the
    instances that is solved within each ratio; both are empty where nothing is proven."""

    formulation: str
    ratios: np.ndarray
    shares: np.ndarray


def profiles_of(study: Sweep) -> list[Profile]:
    """A profile of each formulation; an instance that it does not take is one it does not solve."""
    names = list(dict.fromkeys(row[FORMULATION] for row in study.rows))
    seconds = _seconds(study.rows, names)
    fastest = seconds.min(axis=0, initial=np.inf)
    profiles = []
    for name, own in zip(names, seconds, strict=True):
        solved = np.isfinite(own)
        ratios, counts = np.unique(own[solved] / fastest[solved], return_counts=True)
        shares = np.cumsum(counts) / max(1, seconds.shape[1])
        profiles.append(Profile(name, ratios, shares))
    return profiles


def _seconds(rows: Sequence[Row], names: Sequence[str]) -> np.ndarray:
    """Seconds to the proof, (formulations, instances); infinite where there is none."""
    ran = [row for row in rows if row[FOLD]]
    keys = [(row[DATA], row[DEPTH], row[FOLD]) for row in ran]
    place = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    seconds = np.full((len(names), len(place)), np.inf)
    for row, key in zip(ran, keys, strict=True):
        if row["proven_by"] is not None:
            seconds[names.index(row[FORMULATION]), place[key]] = max(row["seconds"], LEAST_SECONDS)
    return seconds


def profiles_csv(profiles: Sequence[Profile]) -> str:
    """A line for each step: formulation, ratio, share."""
    rows = [
        {"formulation": each.formulation, "ratio": f"{ratio:.6g}", "share": f"{share:.6g}"}
        for each in profiles
        for ratio, share in zip(each.ratios, each.shares, strict=True)
    ]
    return csv_text(("formulation", "ratio", "share"), rows)


def write_profiles(profiles: Sequence[Profile], folder: Path) -> None:
    """profiles.csv in a folder, and profiles.png where matplotlib is installed. Raises E603."""
    with replacing(folder / "profiles.csv") as file:
        file.write(profiles_csv(profiles).encode())
    if not is_installed("matplotlib"):
        return
    image = io.BytesIO()
    figure(profiles).savefig(image, format="png", dpi=150)
    with replacing(folder / "profiles.png") as file:
        file.write(image.getvalue())


def figure(profiles: Sequence[Profile]) -> Any:
    """The profiles as a matplotlib Figure, ratios on a logarithmic scale."""
    drawn = needed("matplotlib.figure", "plot").Figure(figsize=(6, 4), layout="constrained")
    axes = drawn.subplots()
    last = 1.1 * max((float(each.ratios[-1]) for each in profiles if len(each.ratios)), default=1.0)
    for each in profiles:
        ratios = np.concatenate([[1.0], each.ratios, [last]])
        shares = np.concatenate([[0.0], each.shares, each.shares[-1:] if len(each.shares) else [0]])
        axes.step(ratios, shares, where="post", label=each.formulation)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("{x:g}")
    axes.set_ylim(-0.02, 1.05)
    axes.set_xlabel("seconds to the proof, relative to the fastest")
    axes.set_ylabel("share of instances proven")
    axes.legend()
    return drawn
