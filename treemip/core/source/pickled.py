"""What is pickled of a program, a compiled model, a result and a tree: no row of the data.

A pickle is sent to others and kept for years, so it has what tree.json has. A copy in the same
process shares the data with its original.
"""

from __future__ import annotations

from typing import Any, Self


class PickledWithoutRows:
    """A class that says by `_to_pickle` which attributes a pickle has."""

    def _to_pickle(self) -> dict[str, Any]:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return self._to_pickle()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Arrays and models are never changed in place, so copies share them."""
        return self.__copy__()
