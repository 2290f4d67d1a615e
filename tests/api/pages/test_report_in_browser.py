"""The report in a browser: it fits the window, and a click on a leaf shows the leaf's points.

Needs Playwright and Chromium: its own (`playwright install chromium`), one on the path, or the one
that TREEMIP_BROWSER names.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from contrast import faint_in_page, faint_in_svg
from deep_tree import deep

import treemip
from treemip.api.store import FORMAT, VERSION
from treemip.study.report.report import report

SPEC = """\
data "rows.csv" { label class; group town; scale minmax; }
topology complete(depth = 2);
split univariate by binoct;
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    columns = [f"a_rather_long_name_{k}" for k in range(6)]
    rows = [",".join([*columns, "town", "class"])]
    for k in range(24):
        label = ("low", "middle", "high")[k // 8] if k != 3 else "high"
        rows.append(",".join([str(k), *["1.5"] * 5, "ab"[k % 2], label]))
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    (folder / "shapes.tree").write_text(SPEC)
    compiled = treemip.load(folder / "shapes.tree").compile()
    compiled.solve(log_json=folder / "log.jsonl").save(folder / "tree.json")
    text, _ = report(folder / "tree.json", progress=folder / "log.jsonl")
    (folder / "report.html").write_text(text, encoding="utf-8")
    return folder / "report.html"


@pytest.mark.parametrize("width", [1280, 400])
def test_a_click_on_a_leaf_shows_its_points(browser: Any, written: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    asked, logged = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: logged.append(message.text))
    page.goto(written.as_uri())
    assert page.locator("section.node:visible").count() == 0
    links = page.locator("figure a")
    leaf = links.nth(links.count() - 1)
    leaf.click()
    (shown,) = page.locator("section.node:visible").all()
    assert "#" + shown.get_attribute("id") == leaf.get_attribute("href")
    assert "training point" in shown.inner_text()
    assert page.locator("figure svg").first.bounding_box()["y"] + 40 > 0
    frame = leaf.locator("rect").first
    assert frame.evaluate("each => getComputedStyle(each).strokeWidth") == "4px"
    shown.get_by_text("Back to the tree").click()
    assert page.locator("section.node:visible").count() == 0
    assert [url.partition("#")[0] for url in asked] == [written.as_uri()]
    assert logged == []


@pytest.mark.parametrize("width", [1280, 400])
def test_only_parts_of_the_page_scroll_sideways(browser: Any, written: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(written.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    cells = page.locator("table.many td")
    heights = cells.evaluate_all("all => all.map(each => each.getBoundingClientRect().height)")
    assert heights and max(heights) < 40


@pytest.mark.parametrize(("depth", "width"), [(6, 1280), (6, 400), (2, 400), (2, 1280)])
def test_a_tree_is_whole_or_begins_at_its_root(
    browser: Any, tmp_path: Path, depth: int, width: int
) -> None:
    saved = {"format": f"{FORMAT} {VERSION}", "tree": deep(depth).to_json()}
    (tmp_path / "deep.json").write_text(json.dumps(saved))
    text, _ = report(tmp_path / "deep.json")
    (tmp_path / "deep.html").write_text(text, encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((tmp_path / "deep.html").as_uri())
    frame, root = (page.locator(each).bounding_box() for each in ("figure", "figure a >> nth=0"))
    off = root["x"] + root["width"] / 2 - frame["x"] - frame["width"] / 2
    whole = page.evaluate("(f => f.scrollWidth <= f.clientWidth)(document.querySelector('figure'))")
    assert whole == (depth == 2)
    assert whole or abs(off) < 3


def test_the_keyboard_reaches_a_node(browser: Any, written: Path) -> None:
    page = browser.new_page()
    page.goto(written.as_uri())
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    (shown,) = page.locator("section.node:visible").all()
    assert "The root: every point begins here." in shown.inner_text()


def test_every_text_of_the_page_can_be_told_from_its_ground(browser: Any, written: Path) -> None:
    page = browser.new_page()
    page.set_content('<p style="opacity: .5">pale</p><p style="color: #767676">grey</p>')
    assert faint_in_page(page) == ["3.98: pale"]
    page.goto(written.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert faint_in_page(page) == []
    for picture in re.findall(r"<svg.*?</svg>", written.read_text(encoding="utf-8"), re.S):
        assert list(faint_in_svg(picture)) == []
