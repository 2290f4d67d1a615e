"""What passes cannot state: all that is said of it, for the cases of refused.expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from golden_cases import remade, told
from reform_models import reformed_text

from treemip.core.source.diagnostic import TreemipError

CASES = Path(__file__).parent / "refused.expected"


def test_what_is_refused(golden: Callable[[str, str], None]) -> None:
    golden(CASES.name, remade(CASES, outcome))


def outcome(text: str) -> str:
    """What is said; of a model that is taken, which constructs it keeps, its binaries and rows."""
    try:
        model = reformed_text(text)
    except TreemipError as error:
        return told(error.diagnostics)
    kept = [word for word in ("functions", "tape") if f"\n{word}\n" in model]
    kept += [line.strip() for line in model.splitlines() if line.startswith(("  binary ", "  r: "))]
    return "taken: " + (", ".join(kept) or "linear")
