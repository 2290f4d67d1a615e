"""Runs an estimator of pytrees on a table, in a Python process of its own: its searches cannot be
interrupted, and may end the process.

    python -P engines/peer_process.py folder estimator depth until

until: seconds since the epoch when it must end. It reads table.npz and writes answer.npz: of each
node its children, negative for a leaf, and its feature and threshold; how many errors the tree has,
and whether these are called the fewest.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import numpy as np


def main(folder: str, name: str, depth: str, until: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is nothing to keep
    import pytrees

    table = np.load(Path(folder) / "table.npz")
    seconds = max(0.1, float(until) - time.time())
    estimator = getattr(pytrees, name)(max_depth=int(depth), max_time=seconds)
    fitted = estimator.fit(table["x"], table["y"])
    tree = fitted.tree_
    np.savez(
        Path(folder) / "answer.npz",
        nodes=np.column_stack(
            [tree.children_left, tree.children_right, tree.feature, tree.threshold]
        ),
        errors=float(fitted.train_error_),
        optimal=fitted.status_ == "optimal",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
