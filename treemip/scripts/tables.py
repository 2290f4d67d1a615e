"""What the data file of a script holds: values by index, and how JSON says them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treemip.resolve.sorts import NUMBER, Sort


@dataclass(frozen=True)
class Table:
    """`values[r]` belongs to the indices `columns[0][r]`, `columns[1][r]`, …

    Without columns it is a single value. `sorts` are those of the indices, `of` that of a value: a
    list where that is a set.
    """

    columns: tuple[list[Any], ...]
    values: list[Any]
    sorts: tuple[Sort, ...] = ()
    of: Sort = NUMBER
    doc: str = ""

    @property
    def rows(self) -> list[list[Any]]:
        """Indices with the value behind them."""
        return [[*row] for row in zip(*self.columns, self.values, strict=True)]


def json_text(tables: Mapping[str, Table]) -> str:
    """The tables as JSON, a row on a line each. Infinite numbers are 1e999."""
    parts = []
    for name, table in tables.items():
        value = table.rows if table.columns else table.values[0]
        rows = isinstance(value, list) and bool(value) and isinstance(value[0], list)
        said = ",\n".join(f"  {_json(r)}" for r in value) if rows else _json(value)
        parts.append(f"{_json(name)}: [\n{said}\n ]" if rows else f"{_json(name)}: {said}")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def plain(value: float) -> int | float:
    """A number of Python's, whole where it is."""
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _json(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_json(v) for v in value)}]"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "1e999" if value > 0 else "-1e999"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
