"""The tests of the search wait as long as a search does for users."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def short_searches() -> None:
    """In place of that of the whole suite, which ends searches earlier."""
