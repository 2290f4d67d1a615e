"""`make docs` finds nothing to write: every generated file is that of the code as it is."""

from __future__ import annotations

import shutil

import made_pages
import pytest


def test_nothing_generated_is_out_of_date() -> None:
    assert [path.name for path, _ in made_pages.outdated()] == [], "run: make docs"


def test_a_page_that_is_out_of_date_is_named_and_written(tmp_path, monkeypatch, capsys) -> None:
    shutil.copytree(made_pages.DOCS, tmp_path, dirs_exist_ok=True)
    page = tmp_path / "errors.md"
    page.write_text(page.read_text().replace("| E101 | syntax error |", "| E101 | an error |"))
    monkeypatch.setattr(made_pages, "DOCS", tmp_path)
    monkeypatch.setattr(made_pages, "ROOT", tmp_path)
    pages = {"errors.md": made_pages.PAGES["errors.md"]}
    monkeypatch.setattr(made_pages, "PAGES", pages)
    assert made_pages.main(check=True) == 1
    assert capsys.readouterr().err == "out of date: errors.md; run: make docs\n"
    assert made_pages.main(check=False) == 0
    assert "| E101 | syntax error |" in page.read_text()
    assert made_pages.main(check=True) == 0


@pytest.mark.parametrize("name", ["library.md", "formats.md"])
def test_a_table_edited_by_hand_is_found(name: str) -> None:
    text = (made_pages.DOCS / name).read_text()
    begin = text.index("|", text.index("<!-- made:"))
    edited = text[:begin] + "| by hand |\n" + text[begin:]
    assert made_pages.PAGES[name](edited) == text
