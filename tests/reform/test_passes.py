"""What passes make of small models, text in and text out.

A case of passes.expected has a title, with what `compile` is asked for in brackets, the model as it
is stated, and behind the arrow the model after all passes. What is behind arrows is rewritten by
--update-goldens.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treemip.api.program import loads
from treemip.core.model.text import to_text

CASES = Path(__file__).parent / "passes.expected"
TITLE = re.compile(r"^== [^(\n]*(?:\((.*)\))?$", re.MULTILINE)


def test_the_model_after_all_passes(golden: Callable[[str, str], None]) -> None:
    text = CASES.read_text(encoding="utf-8")
    starts = [match.start() for match in TITLE.finditer(text)]
    stated = [
        text[start:stop].partition("\n->\n")[0].strip()
        for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)
    ]
    golden(CASES.name, "\n".join(f"{case}\n->\n{_reformed(case)}" for case in stated))


def _reformed(case: str) -> str:
    title, _, spec = case.partition("\n")
    match = TITLE.match(title)
    assert match is not None, title
    asked: dict[str, Any] = dict(word.split("=") for word in (match[1] or "").split())
    return to_text(loads(spec).compile(**asked).model)
