"""A built site in Chromium: what axe-core finds (contrast, headings, names, alternative texts), and
whether a page is wider than the screen, at the width of a desk and of a phone, by day and by night.
Of pages of one mould a few are read by axe-core; all are tried for their width.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (1280, 400)
"""Of the window, in px."""

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

FIRST = ("index", "language", "gallery/index", "gallery/credit", "errors/E210")
"""Pages that are looked at by night and on a phone too: one of each kind."""


def browser_path() -> str | None:
    """Chromium of this machine; None: the one that Playwright has, if any."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def missing() -> str:
    """What the checks lack, or ""."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright: pip install '.[site]'"
    if browser_path() is None:
        return "Chromium: such as apt-get install chromium"
    return "" if AXE.is_file() else "axe-core: npm ci in tests/site"


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=browser_path(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def selected(site: Path) -> list[str]:
    """Pages of docs/ itself and a few of each folder of made pages, which are of one mould."""
    names = [path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")]
    kept: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: (name not in FIRST, name)):
        folder = name.rpartition("/")[0]
        if folder in ("", "tutorial", "coming_from") or len(kept.get(folder, [])) < 3:
            kept.setdefault(folder, []).append(name)
    return [name for some in kept.values() for name in some if name != "genindex"]


def faults(site: Path, names: Iterable[str], browser: Any) -> Iterator[str]:
    """What is wrong on those pages at the width of a desk, and on the FIRST of them at both widths
    by day and by night; each with the page and the width."""
    names = list(names)
    for width, scheme in product(WIDTHS, ("light", "dark")):
        is_usual = (width, scheme) == (WIDTHS[0], "light")
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        for name in names if is_usual else [name for name in names if name in FIRST]:
            page.goto((site.resolve() / f"{name}.html").as_uri())
            found = [*_too_wide(page, width), *_by_axe(page)]
            yield from (f"{name} ({width} px, {scheme}): {fault}" for fault in found)
        context.close()


def too_wide(site: Path, names: Iterable[str], browser: Any) -> Iterator[str]:
    """Pages that can be scrolled sideways on a phone."""
    page = browser.new_page(viewport={"width": WIDTHS[-1], "height": 900})
    for name in names:
        page.goto((site.resolve() / f"{name}.html").as_uri())
        yield from (f"{name}: {fault}" for fault in _too_wide(page, WIDTHS[-1]))


def _too_wide(page: Any, width: int) -> Iterator[str]:
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        yield f"is {wide} px wide"


def _by_axe(page: Any) -> Iterator[str]:
    page.add_script_tag(path=str(AXE))
    options = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
    result = page.evaluate("options => axe.run(document, options)", options)
    for fault in result["violations"]:
        where = "; ".join(str(node["target"][0]) for node in fault["nodes"][:3])
        more = f" and {len(fault['nodes']) - 3} more" if len(fault["nodes"]) > 3 else ""
        yield f"{fault['id']}: {fault['help']} [{where}{more}]"
