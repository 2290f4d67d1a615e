"""Random and hostile inputs for the whole of treemip: `make fuzz`, see README.md here."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The helpers of the other tests, which are modules by themselves.
for _folder in ("properties", "read"):
    if (_path := str(ROOT / "tests" / _folder)) not in sys.path:
        sys.path.append(_path)
