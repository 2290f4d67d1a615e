"""CBC's binary solution file, from its command ``saveSolution FILE``: the values to the last bit.

Two int32, the numbers of rows and columns; then float64: the objective, each row's activity and
dual, each column's value and reduced cost. There are no names and no status, so that it goes with
the text file of the same run, whose values have 8 digits: FILE is that file's name and
``.saved``. (CoinParam's saveSolution in CBC 2.10.)
"""

from __future__ import annotations

import numpy as np

from treemip.model.tolerances import CBC_TEXT, CBC_ZERO
from treemip.source.reading import read_bytes

SUFFIX = ".saved"
EXACT = 17  # digits that tell any two numbers apart
HEAD = 8  # bytes


def saved_values(path: str, index: np.ndarray, values: np.ndarray) -> np.ndarray | None:
    """All columns' values beside the text file at `path`, float64 (columns,).

    index int64 and values float64 (listed,): the columns that the text lists. None where there is
    no such file, or it does not agree with the text, since it may be an older run's.
    """
    try:
        raw = read_bytes(path + SUFFIX)
    except OSError:
        return None
    rows, columns = np.frombuffer(raw[:HEAD], np.int32).tolist() if len(raw) >= HEAD else (-1, -1)
    if min(rows, columns) < 0 or len(raw) != HEAD + 8 * (1 + 2 * rows + 2 * columns):
        return None
    found = np.frombuffer(raw, np.float64, columns, HEAD + 8 * (1 + 2 * rows))
    if len(index) and index[-1] >= columns:
        return None
    text = np.zeros(columns)
    text[index] = values
    allowed = CBC_TEXT * np.abs(text) + np.where(text == 0, CBC_ZERO, 0.0)
    return found if (np.abs(found - text) <= allowed).all() else None
