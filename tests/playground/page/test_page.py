"""What a visitor does on the page: types, takes the fix of an error, solves, shares, reloads."""

from __future__ import annotations

import re

import pytest
from browser import LONG


def test_type_see_the_error_take_the_fix_solve_click_a_leaf_share_and_reload(visit) -> None:
    one = visit().open()
    page = one.page
    one.says("Checked with its data: no errors")
    assert page.locator("#hint").is_visible()
    one.write('  more: recal["good"] >= 0.5;')
    one.says("1 error")
    problem = page.locator("#problems li")
    assert "Line 18 unknown name 'recal' E201" in problem.inner_text().replace("\n", " ")
    assert page.locator(".cm-lintRange-error").inner_text() == "recal"
    problem.get_by_role("button", name="Replace 'recal' by 'recall'").click()
    one.says("no errors")
    assert one.text().endswith('more: recall["good"] >= 0.5;')
    page.get_by_role("button", name="Solve").click()
    assert "optimal, objective 3, verified" in one.says("Solved")
    assert page.locator("#hint").is_hidden()

    page.locator("g.leaf[data-node='5']").click()
    about = page.locator("#leaf-about").inner_text()
    assert about.startswith("Leaf 5: good\n")
    assert "amount < 3869: yes and amount < 1288.5: no" in about
    assert re.findall(r"(\w+)\t(\d+)\t(\d+ %)", about) == [
        ("good", "11", "92 %"),
        ("bad", "1", "8 %"),
    ]

    one.tab("Verdict")
    page.locator("#panel-verdict", has_text="Scores").wait_for()
    verdict = page.locator("#panel-verdict").inner_text()
    assert "3 of 24 points" in verdict and "proven optimal by an exact engine" in verdict
    page.get_by_role("button", name="Share").click()
    one.says("The link is copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url and len(link) < 2000
    text = one.text()
    page.reload()
    one.says("Solved")
    assert one.text() == text
    assert page.get_by_role("tab", name="Verdict").get_attribute("aria-selected") == "true"
    page.locator("#panel-verdict", has_text="Scores").wait_for()
    assert page.locator("#panel-verdict").inner_text() == verdict

    other = visit()
    other.open(link.removeprefix(other.address + "/"))
    other.says("no errors")
    assert other.text() == text
    assert (
        other.page.locator("#panel-verdict").inner_text()
        == "Solve, and what was checked of the tree is here."
    )


def test_mathematics_and_model_come_without_a_solve(visit) -> None:
    one = visit().open()
    one.says("no errors")
    one.tab("Mathematics")
    mathematics = one.page.locator("#panel-mathematics")
    mathematics.locator("math").first.wait_for()
    assert "bad_recall" in mathematics.inner_text()
    one.tab("Model")
    model = one.page.locator("#panel-model pre")
    model.wait_for()
    assert "Subject To" in model.inner_text() and "Binaries" in model.inner_text()


def test_a_solve_can_be_stopped_and_keeps_its_best_tree(visit) -> None:
    one = visit().open("#example=wine_svm1")
    one.says("no errors")
    one.page.get_by_role("button", name="Solve").click()
    one.page.locator("#objective", has_text=re.compile(r"\d")).wait_for()
    assert one.page.locator("#progress").is_visible()
    one.page.get_by_role("button", name="Stop").click()
    one.says("Solved: ")
    assert one.page.locator("#panel-tree g.leaf").count() > 1
    assert one.page.locator("#progress").is_hidden()


def test_examples_are_found_and_back_brings_the_text_before(visit) -> None:
    one = visit().open()
    one.says("no errors")
    one.write("# mine")
    one.page.wait_for_url(re.compile("#s="))
    one.page.get_by_role("button", name="Examples").click()
    one.page.get_by_label("Find").fill("ordinal")
    one.page.get_by_role("button", name="own/wine_ordinal").click()
    one.page.get_by_role("tab", name="ordinal.tree", exact=True).wait_for()
    assert one.page.url.endswith("#example=own%2Fwine_ordinal")
    tabs = one.page.locator("#file-tabs [role=tab]").all_inner_texts()
    assert tabs == ["wine_ordinal.tree", "ordinal.tree", "wine.csv"]
    one.says("no errors")
    one.page.go_back()
    one.page.get_by_role("tab", name="credit.tree", exact=True).wait_for()
    assert one.text().endswith("# mine")


def test_a_table_is_opened_seen_and_gets_a_first_spec(visit, tmp_path) -> None:
    table = tmp_path / "loans.csv"
    rows = "".join(f'{n % 7},"a, ""b""",{"yes" if n % 3 else "no"}\n' for n in range(30))
    table.write_text(f"amount,kind,paid\n{rows}", encoding="utf-8")
    one = visit().open()
    one.says("no errors")
    one.page.locator("#table-file").set_input_files(table)
    one.says("loans.csv is open")
    grid = one.page.locator("#grid tbody tr")
    assert grid.count() == 30
    assert grid.first.inner_text().split("\t") == ["1", "0", 'a, "b"', "no"]
    one.page.get_by_label("Label").select_option("paid")
    one.page.get_by_role("button", name="Write a first spec").click()
    one.says("A first spec for loans.csv")
    assert 'data "loans.csv" {' in one.text() and re.search(r"label\s+paid", one.text())
    assert one.page.locator("#file-tabs [role=tab]").all_inner_texts() == [
        "loans.tree",
        "loans.csv",
    ]


def test_a_large_table_goes_to_the_server_is_kept_by_a_reload_and_is_in_no_link(
    visit, tmp_path
) -> None:
    table = tmp_path / "large.csv"
    rows = "".join(f"{n},{n % 7},{'ab'[n % 2]}\n" for n in range(20_000))
    table.write_text(f"x,y,class\n{rows}", encoding="utf-8")
    one = visit().open()
    one.says("no errors")
    one.page.locator("#table-file").set_input_files(table)
    one.says("large.csv is open")
    assert (
        "20000 rows, 3 columns, the first 200 shown" in one.page.locator("#file-bar").inner_text()
    )
    one.page.get_by_role("button", name="Write a first spec").click()
    one.says("A first spec")
    one.page.get_by_role("button", name="Share").click()
    one.says("It is without large.csv")
    one.page.reload()
    one.tab("large.csv")
    assert "20000 rows, 3 columns" in one.page.locator("#file-bar").inner_text()


def test_a_module_of_its_own_is_made_and_removed(visit) -> None:
    one = visit().open()
    one.says("no errors")
    one.page.get_by_role("button", name="New file").click()
    one.page.get_by_label("Name").fill("mine")
    one.page.keyboard.press("Enter")
    one.page.get_by_role("tab", name="mine.tree").wait_for()
    one.write("let few = 3;")
    one.tab("credit.tree")
    one.page.locator(".cm-line", has_text="minimize").wait_for()
    one.write("use mine;")
    one.says("no errors")
    one.tab("mine.tree")
    assert one.text() == "let few = 3;"
    one.page.get_by_role("button", name="Remove").click()
    one.says("1 error")
    assert "mine" in one.page.locator("#problems").inner_text()


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("#s=AAAA", "This link cannot be read"),
        ("#s=%3Cb%3E", "This link cannot be read"),
        ("#example=none", "there is no such example"),
    ],
)
def test_a_bad_link_says_so_and_shows_the_first_example(visit, fragment, said) -> None:
    one = visit()
    one.open(fragment)
    one.faults = [fault for fault in one.faults if "404" not in fault]
    one.page.get_by_role("tab", name="credit.tree").wait_for()
    one.page.wait_for_timeout(2000)  # the look at the data has been answered by then
    assert said.lower() in one.page.locator("#status").inner_text().lower()
    one.write(" ")
    one.says("no errors")


def test_texts_from_a_link_are_never_markup(visit) -> None:
    one = visit().open()
    bad = '<img src=x onerror="document.title=1">'
    state = {"files": {"a.tree": f'data "{bad}.csv" {{ }}', f"{bad}.csv": f"{bad},b\n{bad},1\n"}}
    state |= {"spec": "a.tree", "open": f"{bad}.csv", "tab": "log"}
    letters = one.page.evaluate(
        """async (state) => {
          const stream = new Blob([JSON.stringify(state)]).stream();
          const packed = stream.pipeThrough(new CompressionStream("deflate-raw"));
          const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
          return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
        }""",
        state,
    )
    other = visit().open(f"#s={letters}")
    assert other.page.locator("#grid tbody td").first.inner_text() == bad
    assert other.page.locator("img").count() == 0
    assert other.page.title() == "treemip playground"


def test_what_can_come_here_and_what_is_under_the_pointer(visit) -> None:
    one = visit().open()
    one.says("no errors")
    one.write("\nminimize errors2: miscl")
    one.page.keyboard.press("Control+Space")
    item = one.page.locator(".cm-tooltip-autocomplete li", has_text="misclassified").first
    item.wait_for()
    item.click()
    assert one.text().endswith("misclassified")
    one.page.locator(".cm-line span", has_text="oct").last.hover()
    tip = one.page.locator(".about")
    tip.wait_for(timeout=LONG)
    assert "formulation oct, univariate splits" in tip.inner_text()


def test_the_text_is_laid_out(visit) -> None:
    one = visit().open()
    one.says("no errors")
    one.write("minimize   more:misclassified ;")
    one.page.keyboard.press("Shift+Alt+F")
    one.page.locator(".cm-line", has_text="minimize more: misclassified;").wait_for()
    assert "more:misclassified" not in one.text()


def test_an_answer_says_when_the_text_has_changed_since(visit) -> None:
    one = visit().open()
    one.says("no errors")
    one.page.keyboard.press("Control+Enter")
    one.says("Solved")
    stale = one.page.locator("#stale")
    assert stale.is_hidden()
    one.write(" ")
    stale.wait_for()
    one.page.locator(".cm-content").press("Backspace")
    stale.wait_for(state="hidden")
