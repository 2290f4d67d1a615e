"""Random and hostile inputs for the whole of treemip: `make fuzz`, see README.md here."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The helpers of tests/properties, which are modules by themselves.
if (_path := str(ROOT / "tests" / "properties")) not in sys.path:
    sys.path.append(_path)
