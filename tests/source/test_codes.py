"""The list of codes, and the reference made from it."""

from __future__ import annotations

import re
from pathlib import Path

from treemip.core.source.codes import STAGES, TITLES, reference

ROOT = Path(__file__).parents[2]


def test_the_reference_of_errors_is_current() -> None:
    written = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    assert written == reference(), "run: make docs"


def test_every_code_belongs_to_one_stage_and_has_a_title() -> None:
    for code, title in TITLES.items():
        assert re.fullmatch(r"[EW]\d{3}", code)
        assert sum(code.startswith(prefix) for prefix in STAGES) == 1
        assert title and title.strip() == title


def test_the_list_has_the_codes_that_are_raised_and_no_others() -> None:
    used = set()
    for path in (ROOT / "treemip").rglob("*.py"):
        if path.name != "codes.py":
            used |= set(re.findall(r'"([EW]\d{3})"', path.read_text(encoding="utf-8")))
    assert used == TITLES.keys()
