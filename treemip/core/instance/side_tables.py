"""What a spec reads: its table, and those in files of their own that give parameters values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from treemip.core.instance.columns import Unreadable
from treemip.core.instance.data_frames import columns_of
from treemip.core.instance.encoded_table import Data
from treemip.core.instance.raw_table import RawTable, read_table
from treemip.core.instance.table import from_frame, load_table
from treemip.core.resolve.spec import Spec
from treemip.core.resolve.typed_tables import FileTable
from treemip.core.source.diagnostic import Diagnostic, TreemipError


def read(spec: Spec, base: Path, table: Any = None, raw: RawTable | None = None) -> Data | None:
    """The spec's table, read and encoded, with the tables of its parameters; None for a spec
    without data. Raises E3xx.

    table: columns in memory that stand in for the spec's file, or rows that were read from it. raw:
    that file, if it was read before. Files are those in `base`.
    """
    if spec.data is None:
        return None
    bits = spec.split == "univariate"  # other splits multiply all features
    if isinstance(table, RawTable):
        raw, table = table, None
    if table is not None:
        data = from_frame(spec.data, columns_of(table, label=spec.data.label.text), bits, base)
    else:
        data = load_table(spec.data, base, bits, raw)
    return with_tables(spec, data, base)


def file_tables(spec: Spec) -> tuple[FileTable, ...]:
    """The parameters' tables that are in files."""
    return tuple(s.value for s in spec.parameters if isinstance(s.value, FileTable))


def with_tables(spec: Spec, data: Data, base: Path) -> Data:
    """The data with the tables that the spec's parameters take from files in the folder `base`.

    Raises TreemipError E301 for a file that cannot be read.
    """
    marks = spec.data.marks if spec.data is not None else ()
    tables: dict[tuple[str, str | None], RawTable] = {}
    for one in file_tables(spec):
        if (one.path, one.separator) in tables:
            continue
        try:
            table = read_table(base / one.path, one.separator, marks)
        except Unreadable as fault:
            message = f"'{one.path}': {fault.message}"
            columns = "only one column" in fault.message
            remedy = 'name what parts its cells: separator = ";"' if columns else fault.remedy
            raise TreemipError(Diagnostic("E301", message, one.span, remedy)) from None
        tables[one.path, one.separator] = table
    return replace(data, tables=tables) if tables else data


def digests(data: Data) -> dict[str, str]:
    """The SHA-256 of each of these files and of saved trees, by its path in the spec."""
    trees = {each.path: each.digest for each in data.answers}
    return {path: table.digest for (path, _), table in data.tables.items()} | trees


def files_beside(spec: Spec) -> tuple[str, ...]:
    """The paths of all files that a spec reads beside its table, from its folder."""
    trees = () if spec.data is None else spec.data.saved_trees
    return (*(one.path for one in file_tables(spec)), *(one.path for one in trees))
