"""Squared errors once more, without the compiled kernel."""

from __future__ import annotations

from treemip.answers.search.curves.parabola import Parabola


class NarrowParabola(Parabola):
    kernel = 0
