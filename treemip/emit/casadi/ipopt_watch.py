"""CasADi's hook between two iterations of a solver: the one place where a run can be ended."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakMethod

if TYPE_CHECKING:
    import casadi

    from treemip.emit.casadi.model import CasadiModel


def stopper(
    ca: casadi, made: CasadiModel, stops: WeakMethod[Callable[[], bool]]
) -> casadi.Callback:
    """A callback that ends the run when `stops` says so; the caller keeps it alive."""
    rows, columns = made.g.numel(), made.x.numel()
    sizes = {"f": 1, "x": columns, "lam_x": columns, "g": rows, "lam_g": rows}
    return _stopper_class(ca)(sizes, stops)


@cache
def _stopper_class(ca: casadi) -> type[casadi.Callback]:
    """A class, which can only be defined once CasADi is imported."""
    names = tuple(ca.nlpsol_out(i) for i in range(ca.nlpsol_n_out()))

    class Stopper(ca.Callback):
        def __init__(self, sizes: dict[str, int], stops: WeakMethod[Callable[[], bool]]) -> None:
            ca.Callback.__init__(self)
            self.sizes = sizes
            self.stops = stops
            self.construct("stopper", {})

        def get_n_in(self) -> int:
            return len(names)

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, i: int) -> str:
            return str(names[i])

        def get_name_out(self, i: int) -> str:
            return "ret"

        def get_sparsity_in(self, i: int) -> casadi.Sparsity:
            return ca.Sparsity.dense(self.sizes.get(names[i], 0), 1)

        def eval(self, arguments: list[casadi.DM]) -> list[float]:
            stops = self.stops()
            return [float(stops is not None and stops())]

    return Stopper
