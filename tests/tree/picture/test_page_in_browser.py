"""The page of `show` in a browser: a deep tree opens at its root, keys and buttons move and enlarge
it, and nothing is asked of the network.

Needs Playwright and Chromium: its own, one on the path, or the one that TREEMIP_BROWSER names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from contrast import faint_in_page
from deep_tree import deep


@pytest.fixture
def written(tmp_path: Path) -> Path:
    (tmp_path / "deep.html").write_text(deep().to_html(), encoding="utf-8")
    return tmp_path / "deep.html"


def middle(page: Any, node: str) -> tuple[float, float, float]:
    box = page.locator(f'g[data-node="{node}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"], box["width"]


@pytest.mark.parametrize("width", [1280, 400])
def test_a_deep_tree_opens_at_its_root_and_is_walked_by_keys(
    browser: Any, written: Path, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    asked, logged = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: logged.append(message.text))
    page.goto(written.as_uri())
    x, y, size = middle(page, "1")
    frame = page.locator("figure").bounding_box()
    assert abs(x - width / 2) < 3 and frame["y"] <= y < frame["y"] + 40 and size > 40
    page.locator('g[data-node="1"]').focus()
    for key, node in (
        *(("ArrowDown", "2"), ("ArrowDown", "4"), ("ArrowRight", "5"), ("ArrowUp", "2")),
        *(("ArrowRight", "3"), ("ArrowLeft", "2"), ("ArrowUp", "1")),
    ):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.node") == node, key
        x, y, _ = middle(page, node)
        assert 0 < x < width and frame["y"] <= y < frame["y"] + frame["height"]
    before = middle(page, "1")[2]
    page.keyboard.press("+")
    assert middle(page, "1")[2] == pytest.approx(1.25 * before, rel=0.02)
    page.keyboard.press("0")
    picture = page.locator("figure svg").bounding_box()
    assert picture["width"] <= frame["width"] + 1
    page.locator('[data-zoom="1"]').click()
    assert page.locator("figure svg").bounding_box()["width"] > 1.2 * picture["width"]
    assert asked == [written.as_uri()] and logged == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_without_script_the_picture_scrolls_and_the_table_has_every_leaf(
    browser: Any, written: Path
) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(written.as_uri())
    assert page.locator(".tools").is_hidden()
    assert page.locator("figure svg").bounding_box()["width"] > 2000
    assert page.locator("tr").count() == 1 + 64
    assert "age ≤ 0 and age ≤ 1" in page.locator("tr").nth(1).inner_text()


def test_every_text_of_the_page_can_be_told_from_its_ground(browser: Any, written: Path) -> None:
    page = browser.new_page()
    page.goto(written.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert faint_in_page(page) == []


@pytest.mark.parametrize("width", [1280, 400])
def test_a_small_tree_is_shown_whole_and_the_table_fits(
    browser: Any, tmp_path: Path, width: int
) -> None:
    (tmp_path / "small.html").write_text(deep(2).to_html(), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((tmp_path / "small.html").as_uri())
    frame = page.locator("figure").bounding_box()
    for box in (each.bounding_box() for each in page.locator("g[data-node]").all()):
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]
    assert page.evaluate(
        "[...document.querySelectorAll('.wide')].every(each => "
        "each.scrollWidth <= each.clientWidth)"
    )
