"""Tutorials and the pages for those who come from other tools, followed in an empty folder: every
block runs, and what it shows is what it says. --update-goldens writes what they say now.

A page whose peers are not installed runs without their blocks and is then skipped, with the names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from walkthrough import RUN, Walk, agrees, blocks, links, rewritten

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [
    path for room in ("tutorial", "coming_from") for path in sorted((DOCS / room).glob("*.md"))
]
OUTPUT = "text"
"""What the block above it prints."""


def name(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.delenv("TREEMIP_PATH", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    before = Path.cwd()
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)  # a page may have gone elsewhere


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_the_page_says_what_happens(
    path: Path, empty: Path, request: pytest.FixtureRequest
) -> None:
    page = path.read_text(encoding="utf-8")
    walk = Walk(page, name(path))
    walk.go()
    if walk.changed and request.config.getoption("--update-goldens"):
        path.write_text(rewritten(page, walk.changed), encoding="utf-8")
        return
    first = min(walk.changed, default=0)
    shown = "".join(b.text for b in walk.blocks if b.line == first)
    assert shown == walk.changed.get(first, ""), f"{name(path)}:{first}"
    if walk.lacking:
        pytest.skip(
            f"not installed: {', '.join(sorted(walk.lacking))}; without their blocks it holds"
        )


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_block_is_run_or_says_why_not(path: Path) -> None:
    before = ""
    for block in blocks(path.read_text(encoding="utf-8")):
        compared = block.language == OUTPUT and before == "python"
        assert compared or block.left_out or block.language in RUN, (name(path), block.line)
        before = block.language


@pytest.mark.parametrize("path", [*PAGES, DOCS / "summary.md"], ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    lost = [one for one, _ in links(path.read_text(encoding="utf-8")) if one]
    assert [one for one in lost if not (path.parent / one).exists()] == []


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        ("solver  engine, 0.8 s\n", "solver  engine, 12.25 s\n", True),
        ("objective  3\n", "objective  4\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nb\nc\n", False),
        ("a\n", "a\nb\n", False),
    ],
)
def test_what_is_shown_is_compared(shown: str, said: str, same: bool) -> None:
    assert agrees(shown, said) == same


def test_a_page_that_says_something_else_is_seen(empty: Path) -> None:
    page = (
        "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```console\n$ cat a.txt\nhello\n```\n"
    )
    Path("a.txt").write_text("hello\n")
    walk = Walk(page, "page")
    walk.go()
    assert walk.changed == {6: "2\n"}
    assert rewritten(page, walk.changed) == page.replace("3\n", "2\n")
