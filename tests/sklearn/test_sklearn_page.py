"""docs/sklearn.md: its code runs from top to bottom, and it names every parameter."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from treemip.sklearn import OptimalTreeClassifier

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sklearn.md").read_text(encoding="utf-8")


def test_the_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but what a comment leaves to other tests."""
    shutil.copytree(ROOT / "specs" / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"(?<!-->\n)^```python\n(.*?)^```$", PAGE, re.M | re.S)
    assert len(blocks) == 10
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert names["scores"].shape == (2,)  # type: ignore[attr-defined]


def test_every_parameter_is_named() -> None:
    parameters = set(OptimalTreeClassifier().get_params()) - {"spec"}
    assert parameters <= set(re.findall(r"`(\w+)`", PAGE))


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", PAGE)
    assert links and [link for link in links if not (ROOT / "docs" / link).exists()] == []
