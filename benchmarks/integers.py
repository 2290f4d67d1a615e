"""Make the BinOCT table: integers of about 50 distinct values a feature, by a fixed seed."""

from __future__ import annotations

import random
from pathlib import Path

SEED = 20190127


def write(path: Path, points: int = 4601, features: int = 57, values: int = 50) -> Path:
    """Write x1..xp and class to `path`; feature j takes values-5 .. values+5 distinct values.

    Every value is certain to occur, so the number of thresholds does not hang on chance, and
    the class leans on the first two features, so that the trees are not noise alone.
    """
    random_ = random.Random(SEED)
    columns = []
    for _ in range(features):
        distinct = values + random_.randint(-(values // 10), values // 10)
        rest = [random_.randrange(distinct) for _ in range(points - distinct)]
        column = [*range(distinct), *rest]
        random_.shuffle(column)
        columns.append(column)
    labels = [
        int(first + second + random_.randint(0, values) > 1.5 * values)
        for first, second in zip(columns[0], columns[1], strict=True)
    ]
    heading = [f"x{j + 1}" for j in range(features)] + ["class"]
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join(heading)]
    lines += [",".join(map(str, row)) for row in zip(*columns, labels, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path
