"""longer.txt lists tests that exist, and leaves each file some that every run takes."""

from __future__ import annotations

import pytest

from tests.conftest import COLLECTED, LONGER

LISTED = [
    line for line in LONGER.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
]


def file_of(name: str) -> str:
    return name.partition("::")[0]


def test_they_exist(request: pytest.FixtureRequest) -> None:
    """By function: cases depend on what is installed."""
    names = request.config.stash[COLLECTED]
    files = set(map(file_of, names))
    functions = {name.partition("[")[0] for name in names}
    asked = [name for name in LISTED if file_of(name) in files]
    assert [name for name in asked if name.partition("[")[0] not in functions] == []


def test_each_file_keeps_some_for_every_run(request: pytest.FixtureRequest) -> None:
    kept = {file_of(name) for name in request.config.stash[COLLECTED] - set(LISTED)}
    collected = set(map(file_of, request.config.stash[COLLECTED]))
    assert ({file_of(name) for name in LISTED} & collected) - kept == set()


def test_each_is_listed_once_and_in_order() -> None:
    assert sorted(set(LISTED)) == LISTED
