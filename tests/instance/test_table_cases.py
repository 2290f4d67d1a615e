"""Small tables and settings: the encoded table, or all that is said against it, for each case of
tables.expected. The last line of a case is its settings, the lines before it are the CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from golden_cases import remade, told
from small_data import load

from treemip.core.instance.encoded_table import Data, Table
from treemip.core.source.diagnostic import TreemipError

CASES = Path(__file__).parent / "tables.expected"


def test_what_becomes_of_tables(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    def outcome(case: str) -> str:
        csv, _, settings = case.rstrip("\n").rpartition("\n")
        try:
            return "\n".join(written(load(tmp_path, csv + "\n", settings)))
        except TreemipError as error:
            return told(error.diagnostics)

    golden(CASES.name, remade(CASES, outcome))


def written(data: Data) -> Iterator[str]:
    yield from part(data.train)
    if data.positive is not None:
        yield f"positive {data.train.classes[data.positive]}"
    if data.test is not None:
        yield from (f"test {line}" for line in part(data.test))
    if data.warnings:
        yield told(data.warnings)


def part(table: Table) -> Iterator[str]:
    assert table.x.dtype == np.float64 and table.x.flags.c_contiguous
    yield line("rows", table.row_numbers)
    for name, values in zip(table.features, table.x.T, strict=True):
        yield line(name, values)
    yield from (named(f"{name} kept", known) for name, known in table.categorical.items())
    yield from (named(f"group {name}", known) for name, known in table.groups.items())
    yield from (line(f"number {name}", values) for name, values in table.numbers.items())
    if (table.weight != 1).any():
        yield line("weight", table.weight)
    if table.ids:
        yield line("id", table.ids)
    if table.label_kind == "class":
        yield named("y", (table.y, table.classes))
    elif table.label_kind == "number":
        yield line("y", table.y)
    else:
        assert table.y.dtype == np.int64 and not table.y.any()


def named(name: str, known: tuple[np.ndarray, tuple[str, ...]]) -> str:
    codes, names = known
    return line(name, [names[k] if k >= 0 else "(none)" for k in codes]) + f" of {', '.join(names)}"


def line(name: str, values: object) -> str:
    texts = [v if isinstance(v, str) else f"{v:.12g}" for v in values]  # type: ignore[attr-defined]
    return f"{name}: {' '.join(texts)}"
