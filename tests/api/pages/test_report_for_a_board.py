"""What a reader who knows no solvers sees first, on the screen and on paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import treemip
from treemip.study.report.proof import better_tree
from treemip.study.report.report import report, whole_numbers

SPEC = """\
data "rows.csv" { label class; scale minmax; }
topology complete(depth = 2);
split univariate by oct;
subject to
  a_floor_with_a_long_name: recall["no"] >= 0.00447/8;
strategy { start cart; time_limit 1; }
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a tree that is proven to be nothing."""
    folder = tmp_path_factory.mktemp("board")
    rows = [f"{k * 7 % 11},{k * 5 % 13},{'yes' if k % 3 else 'no'}" for k in range(40)]
    (folder / "rows.csv").write_text("\n".join(["a,b,class", *rows]) + "\n")
    (folder / "s.tree").write_text(SPEC.replace("", ""))
    result = treemip.load(folder / "s.tree").compile().solve()
    result.save(folder / "s.json")
    text, _ = report(folder / "s.json")
    (folder / "s.html").write_text(text, encoding="utf-8")
    return folder / "s.html"


def test_bound_and_gap_are_below_the_tree_and_the_scores(page: Path) -> None:
    text = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page.read_text(encoding="utf-8"), flags=re.S)
    places = [
        text.index(words)
        for words in ("verified, checked again", "The tree as text", "Scores", "Whether there is")
    ]
    assert places == sorted(places)
    first_page = text[: text.index("Scores")]
    assert not re.search(r"\b(gap|bound|proven|solver)\b", first_page)


SAID = {
    "verdict": "verified",
    "status": "time_limit",
    "objective": 178.6557327,
    "bound": 0.0,
    "gap": 1.0,
    "optimality": {"proven": False, "by": None, "false_bound": None},
}
PROVEN = {"proven": True, "by": "an exact engine", "false_bound": None}


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            {},
            "A better tree may exist, since the search ended before a proof. This tree's objective"
            " is 178.66, and no tree can have less than 0, which is called the bound. The gap, 100"
            " %, is how far these two are apart. It says how much is left to prove, and not that"
            " this tree is so much worse than the best.",
        ),
        ({"bound": 300.0}, "no tree can have more than 300, which"),
        ({"bound": None, "gap": None}, "A better tree may exist: nothing is proven about how much"),
        ({"optimality": PROVEN, "gap": 0.0}, "No tree that the spec allows is better by its obj"),
        ({"status": "locally_optimal"}, "the solver compared this one only with trees that are"),
        ({"optimality": None}, "It is not known whether the spec allows a better tree."),
    ],
)
def test_a_gap_is_said_in_words(other: dict[str, Any], words: str) -> None:
    told, rows = better_tree(SAID | other, None)
    assert words in told
    assert dict(rows)["objective"] == "178.6557327"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("recall >= 0.00447/8", ["0.00447/8"]),
        ("missed by 1.5e-07, or 80.5 % of <3>", ["1.5e-07", "80.5 %", "3"]),
        ("x12 and 3fa9 are names", []),
    ],
)
def test_no_line_ends_within_a_number(text: str, numbers: list[str]) -> None:
    found = str(whole_numbers(text))
    assert re.findall(r'<span class="number">([^<]*)</span>', found) == numbers
    assert "<3>" not in found


def test_on_paper_numbers_and_the_tree_as_text_are_whole(browser: Any, page: Path) -> None:
    shown = browser.new_page(viewport={"width": 330, "height": 900})
    shown.emulate_media(media="print")
    shown.goto(page.as_uri())
    number = shown.locator(".number", has_text="0.00447/8").first
    assert number.evaluate("each => each.getClientRects().length") == 1
    text = shown.locator(".drawing pre")
    assert text.evaluate("each => getComputedStyle(each).breakInside") == "avoid"
