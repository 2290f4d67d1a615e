"""The folder of a sweep: a small file for each run that is done, and the table at the end.

A file appears whole or not at all, so an end at any moment loses only the runs in flight.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treemip.core.files.atomic import replacing
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.study.sweeps.run import MEASURED, Row, Run

FORMAT = "treemip run 1"
ROWS, TABLE = "rows", "table.csv"


class Folder:
    """Rows by the keys of their runs, in `path`/rows. Raises E603 where it cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            (path / ROWS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            message = f"the folder '{path}' cannot be written: {reason}"
            raise TreemipError(Diagnostic.outside("E603", message, "name another one")) from None

    def kept(self, run: Run) -> Row | None:
        """The row of a run that is done, under the names that vary in this sweep; else None.

        A file that somebody damaged counts as none.
        """
        try:
            said = json.loads(self._file(run.key).read_text())
            results = said["results"]
            if said["format"] != FORMAT or set(results) != set(MEASURED):
                return None
            return {**run.values, **results}
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, row: Row) -> None:
        """Raises E603 where the disk is full."""
        results = {name: row[name] for name in MEASURED}
        values = {name: value for name, value in row.items() if name not in results}
        said = {"format": FORMAT, "values": values, "results": results}
        with replacing(self._file(row["key"])) as file:
            file.write(json.dumps(said, indent=1, allow_nan=False).encode())

    def write_table(self, names: Sequence[str], rows: Sequence[Row]) -> Path:
        """table.csv: a line for each run of this sweep, in its order."""
        path = self.path / TABLE
        with replacing(path) as file:
            file.write(csv_text(names, rows).encode())
        return path

    def _file(self, key: str) -> Path:
        return self.path / ROWS / f"{key[:32]}.json"


def csv_text(names: Sequence[str], rows: Sequence[Row]) -> str:
    """The rows as CSV; what is not known is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    return "" if value is None else value
