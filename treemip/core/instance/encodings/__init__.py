"""Every encoding, found by the lines of `resolve/settings/encodings.py`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from treemip.core.instance.encodings.bins import Thermometer
from treemip.core.instance.encodings.finish import IDENTITY, Finish, Line, Number
from treemip.core.instance.encodings.numbers import AS_IS, AsIs, MinMax, Standard
from treemip.core.instance.encodings.onehot import OneHot
from treemip.core.resolve.settings.data_spec import Binning, Scaling
from treemip.core.resolve.settings.encodings import BINS, SCALES, WORDS

__all__ = [
    "AS_IS",
    "FITTING",
    "IDENTITY",
    "AsIs",
    "Finish",
    "Line",
    "MinMax",
    "Number",
    "OneHot",
    "Standard",
    "Thermometer",
    "fit_bins",
    "fit_scale",
    "scale_class",
]


def _found(path: str) -> Any:
    module, _, name = path.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), name)


FITTING = {word.encoding: _found(word.encoding) for word in WORDS if word.encoding}
"""What each word is fitted by. All are imported: tree.json knows encodings by their kind."""


def scale_class(scaling: Scaling | None) -> type[Number]:
    """The encoding that a scaling asks for."""
    found: type[Number] = AsIs if scaling is None else FITTING[SCALES[scaling.kind].encoding]
    return found


def fit_scale(scaling: Scaling | None, values: np.ndarray) -> Number:
    """The scaling fitted on training values float64 (N,). Raises OverflowError.

    That is where the values lie so far apart, or so near, that their spread is no normal double.
    """
    return scale_class(scaling).fit(scaling.arguments if scaling else (), values)


def fit_bins(binning: Binning, values: np.ndarray) -> Thermometer:
    """The edges that training values float64 (N,) call for; there may be none.

    Raises OverflowError for quantiles of values whose range is no double.
    """
    bins: Thermometer = FITTING[BINS[binning.kind].encoding](binning.arguments, values)
    return bins
