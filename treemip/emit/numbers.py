"""Numbers as the shortest text that reads back bit for bit."""

from __future__ import annotations

import numpy as np

_AT_ONCE = 1 << 16  # values turned into Python floats at a time


def shortest(values: np.ndarray, lead: bool = False) -> np.ndarray:
    """Each number as text, an 'S' array: Python's repr without a final ``.0``.

    repr is the shortest decimal that reads back to the same float64 (David Gay's algorithm);
    ``1``, ``-0.25``, ``1e-05``, ``1e+16``. With `lead`, a space stands before each.
    Raises ValueError for an infinity or NaN: no reader of model files agrees on their names.
    """
    if not np.isfinite(values).all():
        raise ValueError("only finite numbers have a text")
    parts = [_texts(values[k : k + _AT_ONCE], lead) for k in range(0, len(values), _AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros(0, "S1")


def _texts(values: np.ndarray, lead: bool) -> np.ndarray:
    # One repr of a list, "[0.5, 1.0]", costs half of many; its separators are the lead.
    text = f" {repr(values.tolist())[1:-1]},".replace(".0,", ",")[:-1]
    return np.array(text.split(",") if lead else text[1:].split(", "), "S")
