"""The curves, in the order in which they are tried.

A new one is a file with a subclass of `Curve` and a line here. Numpy knows it then; the compiled
kernel where it has a number there as well.
"""

from __future__ import annotations

from treemip.answers.search.curves.class_shares import LogShares, QuadraticShares
from treemip.answers.search.curves.curve import Curve
from treemip.answers.search.curves.log_linear import LogLinear
from treemip.answers.search.curves.parabola import Parabola

CURVES: tuple[type[Curve], ...] = (Parabola, LogLinear, QuadraticShares, LogShares)
