"""All files that are generated from the code: pages of docs/ and the parser's prepared tables.

    python tests/docs/made_pages.py            write those that are out of date
    python tests/docs/made_pages.py --check    name them, and exit with 1 if there are any

docs/support.md is the expensive one: each of its cells is solved. Only cells that it does not have
are solved here (new terms and side constraints); `support_page.py` makes a whole section again.
"""

# ruff: noqa: E402  The generators are scripts of two test folders, found by the path set here.

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path += [str(ROOT / "tests" / room) for room in ("support", "targets")]

import support_cells
import support_page
import target_page

from treemip.files import profiles
from treemip.resolve.library_page import filled_in
from treemip.resources import grammar_path
from treemip.source import codes
from treemip.syntax import tables

PAGES: dict[str, Callable[[str], str]] = {
    "errors.md": lambda _: codes.reference(),
    "formats.md": lambda text: filled_in(text, {"profiles": profiles.table}),
    "library.md": filled_in,
    "support.md": lambda text: support_page.page(support_page.sections(text)),
    "targets.md": lambda _: target_page.page(),
}
"""The text of each page, made from its present text; docs/support.md without its missing cells."""


def outdated() -> Iterator[tuple[Path, Callable[[], object]]]:
    """The files that are out of date, each with what writes it anew."""
    if not tables.current():
        yield grammar_path().with_suffix(".tables"), tables.write
    for name, make in PAGES.items():
        path = DOCS / name
        before = path.read_text(encoding="utf-8")
        after = make(before)
        if before != after:
            yield path, lambda path=path, after=after: path.write_text(after, encoding="utf-8")
    path = DOCS / "support.md"
    if support_page.covered(path.read_text(encoding="utf-8")) != wanted_cells():
        yield path, lambda: support_page.main(path, [], None, missing=True)


def wanted_cells() -> set[tuple[str, str, str]]:
    """The (formulation, term, side constraint) of all cells that docs/support.md should have."""
    names = support_cells.formulations()
    return {place for name in names for place in support_cells.combinations(name)}


def main(check: bool) -> int:
    files = list(outdated())
    if check and files:
        listed = ", ".join(dict.fromkeys(str(path.relative_to(ROOT)) for path, _ in files))
        print(f"out of date: {listed}; run: make docs", file=sys.stderr)
        return 1
    for path, write in files:
        print(f"writing {path.relative_to(ROOT)}")
        write()
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
