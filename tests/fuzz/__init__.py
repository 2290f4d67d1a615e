"""Random and hostile inputs for the whole of treemip: `make fuzz`, see README.md here."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The helpers of tests and of some of its folders, which are modules by themselves.
for _path in (
    str(ROOT / "tests" / folder) for folder in ("", "properties", "tree", "sweeps", "engines")
):
    if _path not in sys.path:
        sys.path.append(_path)
