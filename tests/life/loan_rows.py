"""Rows of a made table of loans."""

from __future__ import annotations

import numpy as np


def loans(rows: int, seed: int, late: bool = False) -> str:
    """A table of loans; `late` ones are larger, with another kind of housing and gaps."""
    rng = np.random.default_rng(seed)
    lines = ["amount,age,housing,new,sex,day,class"]
    for k in range(rows):
        amount = int(rng.integers(2500, 9000) if late else rng.integers(500, 5000))
        age = int(rng.integers(20, 70))
        housing = str(rng.choice(["own", "rent", "boat"] if late else ["own", "rent", "free"]))
        sex = str(rng.choice(["f", "m"]))
        good = (amount < 2600) ^ (housing == "rent" and age < 40) ^ bool(rng.random() < 0.1)
        shown = "" if late and k % 10 == 9 else str(age)
        sure = "good" if good else "bad"
        lines.append(f"{amount},{shown},{housing},{rng.integers(9)},{sex},d{k % 3},{sure}")
    return "\n".join(lines) + "\n"
