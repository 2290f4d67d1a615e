"""Values that a table gives by the names of its indices, over frames."""

from __future__ import annotations

import numpy as np

from treemip.core.lower.frame import Frame
from treemip.core.lower.index_lookup import IndexLookup
from treemip.core.lower.protocols import EvaluatorParts
from treemip.core.resolve import typed as t
from treemip.core.resolve.sorts import FEATURE, Number
from treemip.core.resolve.typed_tables import Table
from treemip.core.source.diagnostic import Diagnostic, TreemipError


class ValueTables:
    def __init__(self, evaluator: EvaluatorParts, places: IndexLookup) -> None:
        self.evaluator, self.places = evaluator, places

    def values(self, e: Table, frame: Frame) -> np.ndarray:
        """The value of each row's index. Raises E308 where there is none, E309 for a wrong key."""
        which = self._entries(e, frame.column(e.index.name))
        if e.default is None and (which < 0).any():
            raise self._no_value(e, frame, int(np.argmax(which < 0)))
        entries = (*e.values, *(() if e.default is None else (e.default,)))
        if all(isinstance(entry, t.Const) for entry in entries):
            numbers = np.array([entry.value for entry in entries if isinstance(entry, t.Const)])
            return numbers[which]
        values = np.empty(frame.size)
        order = np.argsort(which % len(entries), kind="stable")
        ends = np.cumsum(np.bincount(which % len(entries), minlength=len(entries)))
        for entry, rows in zip(entries, np.split(order, ends[:-1]), strict=True):
            if len(rows):
                values[rows] = self.evaluator.known(entry, frame.take(rows))
        return values

    def _entries(self, e: Table, indices: np.ndarray) -> np.ndarray:
        """Which entry each index has, -1 for none; a feature's own name goes before a column's."""
        named = [self.places.elements(key) for key in e.keys]
        own = self._own_names(e)
        order = sorted(range(len(named)), key=lambda k: own[k])
        elements = np.concatenate([named[k] for k in order] or [np.zeros(0)])
        entries = np.repeat(np.array(order, np.int64), [len(named[k]) for k in order])
        known, at = np.unique(elements[::-1], return_index=True)
        if not len(known):
            return np.full(len(indices), -1)
        place = np.minimum(np.searchsorted(known, indices), len(known) - 1)
        return np.where(known[place] == indices, entries[::-1][at][place], -1)

    def _own_names(self, e: Table) -> list[bool]:
        """Whether each key is an element's own name, not that of a column."""
        if e.index.of != FEATURE:
            return [True] * len(e.keys)
        features = frozenset(self.places.instance.names(FEATURE))
        return [key.name in features for key in e.keys]

    def _no_value(self, e: Table, frame: Frame, row: int) -> TreemipError:
        index = frame.column(e.index.name)[[row]]
        where = self.places.describe((e.index.of,), [index], 0)
        if isinstance(e.index.of, Number):
            where = f"{e.index.name} = {where}"
        remedy = "add it, or a value for all that are not named: default = …"
        return TreemipError(
            Diagnostic("E308", f"the table has no value for {where}", e.span, remedy)
        )
