"""The page without a mouse, on a narrow screen, and by the rules of accessibility (axe-core)."""

from __future__ import annotations

from typing import Any

import pytest
from browser import EDITORS, Visit

AXE = EDITORS / "node_modules" / "axe-core" / "axe.min.js"


def found_by_axe(one: Visit) -> list[tuple[str, Any]]:
    """Rules that the page breaks, each with the places."""
    if not AXE.is_file():
        pytest.skip("run `make editors`, which installs axe-core")
    one.page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = one.page.evaluate(
        "async () => (await axe.run(document, { resultTypes: ['violations'] })).violations"
    )
    return [(rule["id"], [place["html"][:200] for place in rule["nodes"]]) for rule in violations]


def test_everything_by_keyboard(visit) -> None:
    one = visit().open()
    keys = one.page.keyboard
    one.says("no errors")
    stops = []
    for _ in range(9):
        keys.press("Tab")
        stops.append(one.focused())
    assert stops == [
        *("choose-example", "open-table", "share", "show-keys", "seconds", "solve"),
        *("file-tabs-0", "new-file", "format"),
    ]
    keys.press("Tab")
    assert one.focused() == "editor"
    keys.press("Control+End")
    keys.insert_text('  more: recal["good"] >= 0.5;')
    one.says("1 error")
    keys.press("F8")
    keys.press("Control+.")
    one.says("no errors")
    assert one.text().endswith('more: recall["good"] >= 0.5;')
    keys.press("Control+Enter")
    one.says("Solved")
    keys.press("Escape")
    keys.press("Tab")
    assert one.focused() == "answer-tabs-tree"
    keys.press("ArrowRight")
    assert one.focused() == "answer-tabs-mathematics"
    keys.press("Home")
    keys.press("Tab")
    assert one.focused() == "panel-tree"
    keys.press("Tab")
    assert one.focused() == "bad 3 points bad: 2 (67 %) good: 1 (33 %), leaf 4"
    keys.press("Enter")
    assert one.page.locator("#leaf-about h2").inner_text() == "Leaf 4: bad"
    keys.press("Shift+Tab")
    keys.press("Shift+Tab")
    keys.press("Shift+Tab")
    assert one.focused() == "editor"


def test_a_tab_of_a_table_is_removed_by_a_key_and_dialogs_give_the_focus_back(visit) -> None:
    one = visit().open()
    one.says("no errors")
    one.page.locator("#file-tabs-0").focus()
    one.page.keyboard.press("ArrowRight")
    assert one.page.locator("#grid").is_visible()
    one.page.keyboard.press("Delete")
    one.says("1 error")
    assert one.page.locator("#file-tabs [role=tab]").all_inner_texts() == ["credit.tree"]
    one.page.locator("#show-keys").focus()
    one.page.keyboard.press("Enter")
    assert one.page.locator("dialog#keys").is_visible()
    one.page.keyboard.press("Escape")
    assert one.focused() == "show-keys"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_no_rule_of_accessibility_is_broken(visit, width, theme) -> None:
    one = visit(width, theme).open()
    one.says("no errors")
    assert found_by_axe(one) == []
    one.write('  more: recal["good"] >= 0.5;')
    one.says("1 error")
    assert found_by_axe(one) == []
    one.page.keyboard.press("Control+.")
    one.says("no errors")
    one.page.keyboard.press("Control+Enter")
    one.says("Solved")
    one.page.locator("g.leaf").first.click()
    for name in ("Tree", "Mathematics", "Verdict", "Log"):
        one.tab(name)
        assert (name, found_by_axe(one)) == (name, [])
    one.tab("credit-24.csv")
    assert found_by_axe(one) == []
    one.page.get_by_role("button", name="Examples").click()
    one.page.locator("#example-list li").first.wait_for()
    assert found_by_axe(one) == []
    # axe tries styles of its own, which the policy of the page refuses.
    one.faults = [fault for fault in one.faults if "Applying inline style" not in fault]


def test_on_a_narrow_screen_nothing_is_beside_the_page(visit) -> None:
    one = visit(400).open()
    one.says("no errors")
    one.page.get_by_role("button", name="Solve").click()
    one.says("Solved")
    for name in ("Tree", "Mathematics", "Verdict", "Log", "credit-24.csv"):
        one.tab(name)
        assert one.page.evaluate("document.documentElement.scrollWidth") == 400, name
    left, right = (one.page.locator(f"#{side}").bounding_box() for side in ("left", "right"))
    assert left["y"] + left["height"] <= right["y"] and left["width"] > 370
    for button in one.page.locator("header button:visible").all():
        box = button.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 400 and box["height"] >= 24
