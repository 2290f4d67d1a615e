"""The least that handing a model to HiGHS can cost: load finished arrays, pass them on.

`ready.py make DEPTH TABLE.csv MODEL.npz` prepares S-OCT; `ready.py load MODEL.npz` is measured.
"""

from __future__ import annotations

import sys

import highspy
import numpy as np


def make(depth: int, table: str, target: str) -> None:
    from arrays import soct_arrays
    from soct import soct

    model = soct_arrays(soct(table, depth))
    matrix = model.matrix()
    np.savez(
        target,
        cost=np.concatenate(model.cost),
        lower=np.concatenate(model.lower),
        upper=np.concatenate(model.upper),
        row_lower=np.concatenate(model.row_lower),
        row_upper=np.concatenate(model.row_upper),
        starts=matrix.indptr,
        rows=matrix.indices,
        values=matrix.data,
        integer=np.concatenate(model.integer).astype(np.uint8),
    )


def load(source: str) -> highspy.Highs:
    a = np.load(source)
    highs = highspy.Highs()
    highs.silent()
    values = a["values"]
    highs.passModel(
        len(a["lower"]),
        len(a["row_lower"]),
        len(values),
        int(highspy.MatrixFormat.kColwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        a["cost"],
        a["lower"],
        a["upper"],
        a["row_lower"],
        a["row_upper"],
        a["starts"],
        a["rows"],
        values,
        a["integer"],
    )
    return highs


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        made = load(sys.argv[2])
        print(made.getNumRow(), made.getNumCol(), made.getNumNz())
