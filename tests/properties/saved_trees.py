"""A saved tree with another answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treemip.api.result import Result
from treemip.api.store import checksum


def changed_leaf(
    result: Result, folder: Path, change: Callable[[dict[str, Any]], None], leaf: int
) -> Path:
    """The tree.json of a result with another answer of a leaf, and a checksum that fits it."""
    path = folder / "tree.json"
    result.save(path)
    document = json.loads(path.read_text())
    (node,) = (each for each in document["tree"]["nodes"] if each["node"] == leaf)
    change(node)
    document["checksum"] = checksum(document)
    path.write_text(json.dumps(document))
    return path
