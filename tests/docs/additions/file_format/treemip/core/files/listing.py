"""A list of a model's families of rows, with their sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from treemip.core.files.atomic import replacing
from treemip.core.files.model_files import WriteReport
from treemip.core.model.model import Model


def write_listing(model: Model, path: str | Path, **_: Any) -> WriteReport:
    lines = [f"{block.name} {block.length}\n" for block in model.rows]
    text = "".join(lines).encode()
    with replacing(path) as file:
        file.write(text)
    entries = sum(len(block.matrix.indices) for block in model.rows)
    counts = model.row_count, model.column_count, entries, len(text)
    return WriteReport(Path(path), None, *counts, False, None, 0)
