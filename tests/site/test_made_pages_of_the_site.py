"""What the site adds to docs/: where links lead, which pages there are, what is made of code."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.append(str(DOCS))

from _site import docstrings, finish, messages, outside, places, reading, runs  # noqa: E402

from treemip.core.source.codes import TITLES  # noqa: E402

FOLDERS_OF_THEIR_OWN = ("decisions", "tutorial", "coming_from")
"""Their first page has a list of the others, which `reading.LISTED` makes."""


def test_each_page_is_in_one_list_of_the_home_page() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = re.findall(
        r"^(?![:`<])[\w/.-]+$", "".join(re.findall(r"```\{toctree\}.*?```", text, re.S)), re.M
    )
    assert len(listed) == len(set(listed))
    written = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    folders = {name.partition("/")[0] for name in listed if "/" in name}
    assert written == {name for name in listed if "/" not in name}
    assert set(FOLDERS_OF_THEIR_OWN) <= folders


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("[a](../specs/credit.tree)", "[a](gallery/credit.md)"),
        ("[a](../specs/library/oct.tree#rows)", "[a](gallery/library/oct.md#rows)"),
        ("[a](../specs/constraints)", "[a](gallery/index.md)"),
        ("[a](../README.md#install)", "[a](index.md#install)"),
        ("[a](../treemip/plot.py)", "[a](files/treemip/plot.py.md)"),
        ("[a](../tests/fuzz)", "[a](files/tests/fuzz/README.md)"),
        ("[a](../tests/targets)", "[a](files/tests/targets/index.md)"),
        ("[a](../benchmarks/README.md#data)", "[a](files/benchmarks/README.md#data)"),
        ("[a](cli.md#verdicts)", "[a](cli.md#verdicts)"),
        ("[a](https://example.invalid/x)", "[a](https://example.invalid/x)"),
        ("`[a](../specs/credit.tree)`", "`[a](../specs/credit.tree)`"),
        ("```\n[a](../specs/credit.tree)\n```\n", "```\n[a](../specs/credit.tree)\n```\n"),
        ("[a](../specs/gone.tree)", "[a](../specs/gone.tree)"),
    ],
)
def test_where_a_link_leads(link: str, leads_to: str) -> None:
    assert places.moved(link, DOCS, DOCS / "page.md") == leads_to


def test_the_readme_is_the_home_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    text = reading.with_readme((DOCS / "index.md").read_text(encoding="utf-8"), DOCS / "index.md")
    for line in re.findall(r"^#.*", readme, re.M):
        assert line in text
    assert "](docs/" not in text
    assert "README:" not in text


def test_files_outside_have_pages() -> None:
    made = outside.files()
    assert made[DOCS / "files" / "CHANGELOG.md"].startswith("# Changelog")
    assert "def " in made[DOCS / "files" / "treemip" / "api" / "pipeline.py.md"]
    assert "* `" in made[DOCS / "files" / "tests" / "targets" / "index.md"]


def test_specs_in_blocks_without_a_language_are_coloured() -> None:
    text = "```\ntopology complete(depth = 2);\n```\n\n```\n$ treemip list\n```\n"
    assert reading.coloured(text) == text.replace("```\ntop", "```tree\ntop", 1)


def test_each_message_has_an_example_or_what_it_can_say() -> None:
    shown = messages.examples()
    bare = [code for code in TITLES if "## " not in messages.page(code, shown.get(code, []))]
    assert bare == []


def test_the_page_of_a_message_has_spec_and_message() -> None:
    text = messages.page("E210", messages.examples()["E210"])
    assert text.startswith("# E210: unknown formulation or module\n")
    assert "````tree\n" in text
    assert "\nerror[E210]: unknown " in text
    assert "`unknown … '…'`" in text


def test_the_changed_module_of_an_example_makes_its_run_stale(tmp_path, monkeypatch) -> None:
    spec = tmp_path / "specs" / "own" / "wine_ordinal.tree"
    for path in runs.read_by(runs.SPECS / "own" / "wine_ordinal.tree"):
        copy = tmp_path / path.resolve().relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(runs, "SPECS", spec.parents[1])
    monkeypatch.setattr(runs, "LIBRARY", spec.parents[1] / "library")
    before = runs.digest("own/wine_ordinal")
    assert before == runs.read("own/wine_ordinal").digest
    for changed in ("own/ordinal.tree", "data/wine.csv", "library/shared/univariate_routing.tree"):
        path = spec.parents[1] / changed
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        after = runs.digest("own/wine_ordinal")
        assert after != before, changed
        before = after


@pytest.mark.parametrize(
    ("doc", "markup"),
    [
        ("Gives `x * y`.", "Gives ``x * y``."),
        ("A *star and name_.", r"A \*star and name\_."),
        ("So:\n\n    x = 1\n", "So:\n\n.. code-block:: python\n\n    x = 1"),
        (
            "Parameters\n----------\ndepth : of a tree,\n    or None.\ngap : a share.",
            "**Parameters**\n\n* ``depth``: of a tree,\n  or None.\n* ``gap``: a share.",
        ),
    ],
)
def test_docstrings_as_markup(doc: str, markup: str) -> None:
    lines = doc.split("\n")
    docstrings.convert(None, "function", "f", None, None, lines)
    assert "\n".join(lines).strip() == markup


def test_tables_have_no_empty_headings_and_scroll() -> None:
    empty = '<th class="head"><p></p></th>'
    head = '<div class="table-wrapper docutils"><thead>\n<tr>{}</tr>\n</thead>\n<pre>'
    context = {"body": head.format(empty) + head.format('<th class="head">a</th>' + empty)}
    finish.page(None, "", "", context, None)
    assert context["body"].count("<thead>") == 1
    assert empty not in context["body"]
    assert context["body"].count('tabindex="0"') == 4
