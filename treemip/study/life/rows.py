"""A saved tree with the rows that it meets: those of its data file, or new ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from treemip.api.program import Program
from treemip.api.recorded_program import data_asked, recorded_program
from treemip.api.store import read_tree
from treemip.core.instance.columns import Column, Unreadable, read_numbers
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.feature import Feature
from treemip.core.instance.raw_table import RawTable, read_table
from treemip.core.instance.row_location import RowLocation
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.tree.tree import Tree


@dataclass(frozen=True)
class Saved:
    """A tree.json. program: the spec that it records, None where it cannot be read."""

    path: Path
    document: dict[str, Any]
    tree: Tree
    program: Program | None

    @classmethod
    def read(cls, path: Path) -> Saved:
        """Raises TreemipError: E701, E901."""
        document, tree = read_tree(path)
        tree.fitted_encoder()
        try:
            program = recorded_program(document, path)
        except TreemipError:
            program = None
        return cls(path, document, tree, program)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def encoder(self) -> Encoder:
        return self.tree.fitted_encoder()

    @property
    def columns(self) -> tuple[str, ...]:
        """The raw columns that the tree takes."""
        return tuple(f.column for f in (*self.encoder.features, *self.encoder.kept))

    @property
    def objectives(self) -> list[tuple[str, str]]:
        """Sense and text of each objective, in the order in which they were solved.

        Of several the recorded spec has the last, and a row for each before it; the document has
        them all.
        """
        solved = self.document.get("objectives")
        if isinstance(solved, list) and solved and all(isinstance(one, dict) for one in solved):
            return [(str(one.get("sense")), str(one.get("objective"))) for one in solved]
        if self.program is None or self.program.spec.objective is None:
            return []
        stated = self.program.spec.objective.in_turn
        return [(one.sense, " ".join(one.value.span.text.split())) for one in stated]

    def learned_rows(self) -> Rows:
        """`recorded_rows`, where they are still those that the tree was learned from. Raises
        TreemipError with the reason where they are not."""
        rows = self.recorded_rows()
        if rows.raw.digest != self.document["spec"]["data_sha256"]:
            raise refused(f"'{rows.place.file}' is not the file that the tree was learned from", "")
        return rows

    def recorded_rows(self) -> Rows:
        """All rows of the data file that the tree records. Raises TreemipError with the reason
        where they are not there."""
        if self.program is None or self.program.spec.data is None:
            raise refused(f"'{self.name}' does not record its data", "name a file by --data")
        if self.document["spec"]["from_memory"] is not False:
            raise refused(f"'{self.name}' was learned from data in memory", "name a file by --data")
        spec = data_asked(self.program, self.path, None)
        return Rows.read(self.program.base / spec.path, spec.separator, spec.marks)


@dataclass(frozen=True)
class Rows:
    """Raw rows, and where they stand."""

    raw: RawTable
    place: RowLocation

    @classmethod
    def read(cls, path: Path, separator: str | None, marks: tuple[str, ...]) -> Rows:
        """Raises TreemipError E301."""
        try:
            return cls(read_table(path, separator, marks), RowLocation(path.name))
        except Unreadable as fault:
            message = f"'{path}': {fault.message}"
            raise TreemipError(Diagnostic.outside("E301", message, fault.remedy)) from None

    def __len__(self) -> int:
        return self.raw.count

    def take(self, rows: np.ndarray) -> Rows:
        """The rows at positions int64 (n,)."""
        if len(rows) == self.raw.count:
            return self
        return Rows(self.raw.take(rows), replace(self.place, rows=self.place.row_at(rows)))

    def column(self, name: str, why: str) -> Column:
        """Raises E902 where there is no such column. why: the option that names it."""
        if name not in self.raw:
            message = f"{why} {name}: {self.place.file} has no column '{name}'"
            hint = did_you_mean(name, self.raw.names)
            raise refused(message, hint or f"there are {listed(self.raw.names)}")
        return self.raw[name]


def unfit(encoder: Encoder, rows: Rows) -> np.ndarray:
    """Which rows the encoder refuses, bool (M,): for a missing value without a side or fill-in, a
    text in place of a number, a value that training did not have. Columns that are not there are
    left to the encoder to refuse."""
    found = np.zeros(len(rows), bool)
    for feature in (*encoder.features, *encoder.kept):
        if feature.column in rows.raw:
            found |= refused_cells(feature, rows.raw[feature.column])
    return found


def refused_cells(feature: Feature, column: Column) -> np.ndarray:
    """Which cells a feature refuses, bool (M,)."""
    missing = column.missing
    kept = feature.fill is not None or feature.keeps_missing
    refused = np.zeros(len(missing), bool) if kept else missing.copy()
    return refused | (strange_cells(feature, column) & ~np.bool_(feature.takes_unseen))


def strange_cells(feature: Feature, column: Column) -> np.ndarray:
    """Which cells hold what training did not: another category, or a text in place of a number;
    bool (M,)."""
    if feature.levels is None:
        return np.isnan(read_numbers(column)) & ~column.missing
    return (feature.levels.codes(column) < 0) & ~column.missing


MOST_GROUPS = 50
"""Different values of a column that rows are grouped by."""


def groups(rows: Rows, name: str, why: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Which group each row is in, int64 (M,), and what groups are called; rows without a value are
    the last one. Raises E902 for too many, and for a column that is not there."""
    texts = rows.column(name, why).texts
    if len(texts.levels) > MOST_GROUPS:
        message = f"{why} {name}: the column has {len(texts.levels)} different values"
        raise refused(message, f"name a column of at most {MOST_GROUPS} values")
    none = texts.codes < 0
    codes = np.where(none, len(texts.levels), texts.codes)
    return codes, (*texts.levels, *(["missing"] if none.any() else []))
