"""The first 24 rows of German credit, as frames and lists, and a parity constraint for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from treemip.sklearn import OptimalTreeClassifier

ALONE: dict[str, Any] = {"solver": "highs", "start": "none"}
"""Parameters of a fit by the solver alone, in a fifth of the time that engines take over a spec."""

FILE = Path(__file__).parents[2] / "specs" / "data" / "credit-24.csv"


def credit() -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Features, classes and sex of 24 customers."""
    frame = pd.read_csv(FILE)
    return frame, frame.pop("class"), frame.pop("sex")


def rates(group: str) -> str:
    """The share of each group that is given the positive class, as a definition."""
    inside = f"{{i in points : {group}[i] = g}}"
    return f"let rate {{g in values({group})}} = sum {inside} predicts[i,positive] / card({inside})"


def parity(group: str) -> str:
    pair = f"{{g in values({group}), h in values({group}) : g != h}}"
    return f"parity {pair}: rate[g] - rate[h] <= widest"


def fair_tree(of: str = "group", /, **params: Any) -> OptimalTreeClassifier:
    """A priced tree whose rates differ by at most 0.2 between groups."""
    return OptimalTreeClassifier(
        objective="misclassified + price * splits",
        positive="good",
        definitions=rates(of),
        constraints=parity(of),
        params={"price": 0.3, "widest": 0.2},
    ).set_params(**params)
