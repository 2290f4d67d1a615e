"""Points that a model is stated over, where a strategy selects them from the training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from treemip.core.instance.encoded_table import Table


@dataclass(frozen=True)
class Selected:
    """How the points of `Data.train` were selected.

    whole: the N points of the training part. rows int64 (n,): which of them are selected,
    ascending. how: the setting of the strategy. clusters: how many; bare: those in which no point
    is inside the hull of others. extreme: points that are not inside the hull of others of their
    cluster, None where no hull was computed; equal: points equal to another of their cluster.
    by: the tree that clusters are of, errors: its errors on all points. heavy int64 (h,): positions
    in `rows` of points whose weight is raised by `added`. kept_with int64 (n,): the position in
    `rows` of the point whose leaf each has to share, its own where there is none. seconds: of
    selection.
    """

    whole: Table
    rows: np.ndarray
    how: str
    clusters: int
    bare: int
    extreme: int | None
    equal: int
    by: str
    errors: int
    heavy: np.ndarray
    added: float
    kept_with: np.ndarray
    seconds: float

    def __repr__(self) -> str:
        return f"<Selected: {self.kept} of {self.points} points, by '{self.how}'>"

    @property
    def kept(self) -> int:
        return len(self.rows)

    @property
    def points(self) -> int:
        return len(self.whole.y)

    def table(self) -> Table:
        """The selected points, heavy ones with their raised weights."""
        table = self.whole.take(self.rows)
        table.weight[self.heavy] += self.added
        return table

    def to_json(self) -> dict[str, Any]:
        """Rows are those of the data file, counted from 1."""
        numbers = self.whole.row_numbers[self.rows]
        return {
            "how": self.how,
            "selected": self.kept,
            "of": self.points,
            "share": self.kept / self.points,
            "extreme": self.extreme,
            "share_extreme": None if self.extreme is None else self.extreme / self.points,
            "equal": self.equal,
            "clusters": self.clusters,
            "clusters_with_none_inside": self.bare,
            "clusters_of": self.by,
            "errors_of_that_tree": self.errors,
            "seconds": round(self.seconds, 6),
            "rows": numbers.tolist(),
            "heavy_rows": numbers[self.heavy].tolist(),
            "added_weight": self.added,
            "leaves_shared": self._shared(numbers),
        }

    def _shared(self, numbers: np.ndarray) -> list[list[int]]:
        """The rows that share a leaf, group by group, each begun with the one of `kept_with`."""
        others = np.flatnonzero(self.kept_with != np.arange(self.kept))
        firsts = np.unique(self.kept_with[others])
        groups = [[first, *others[self.kept_with[others] == first]] for first in firsts]
        return [numbers[group].tolist() for group in groups]


def selected_of(saved: dict[str, Any], whole: Table) -> Selected:
    """The selection that a file records, from the whole training part of the same data.

    Raises KeyError, TypeError or ValueError where it is damaged.
    """
    rows = _positions(saved["rows"], whole.row_numbers)
    heavy = _positions(saved["heavy_rows"], whole.row_numbers[rows])
    numbers = {k: saved[k] for k in ("selected", "of")}
    if numbers != {"selected": len(rows), "of": len(whole.y)}:
        raise ValueError("its counts are not those of its rows")
    kept_with = np.arange(len(rows))
    for group in saved.get("leaves_shared", ()):
        together = _positions(sorted(group), whole.row_numbers[rows])
        kept_with[together] = together[0]
    extreme = saved["extreme"]
    return Selected(
        whole,
        rows,
        str(saved["how"]),
        int(saved["clusters"]),
        int(saved["clusters_with_none_inside"]),
        None if extreme is None else int(extreme),
        int(saved["equal"]),
        str(saved["clusters_of"]),
        int(saved["errors_of_that_tree"]),
        heavy,
        float(saved["added_weight"]),
        kept_with,
        float(saved["seconds"]),
    )


def _positions(numbers: object, among: np.ndarray) -> np.ndarray:
    """Where ascending row numbers stand among others, which ascend too. Raises ValueError."""
    if not isinstance(numbers, list) or not all(type(v) is int for v in numbers):
        raise ValueError("its rows are not whole numbers")
    wanted = np.array(numbers, np.int64)
    if (np.diff(wanted) <= 0).any() or not np.isin(wanted, among).all():
        raise ValueError("its rows are not rows of the training part")
    return np.searchsorted(among, wanted)
