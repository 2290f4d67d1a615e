"""One server for all tests of the page, a browser for each module, a new visitor for each test.

A browser leaves an event loop running, in which tests of other modules could not run theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browser import FLAGS, Visit, chromium, serving


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with serving() as found:
        yield found


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api")
    path = chromium()
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(address: str, started: Any) -> Iterator[Callable[..., Visit]]:
    """Opens the page for a new visitor; at the end nothing went wrong on it."""
    visits: list[Visit] = []

    def begin(width: int = 1280, theme: str = "light") -> Visit:
        context = started.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=theme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        visits.append(Visit(context.new_page(), address))
        return visits[-1]

    yield begin
    for one in visits:
        one.page.context.close()
        assert one.faults == []
