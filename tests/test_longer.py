"""longer.txt lists tests that exist, and leaves each file some that every run takes."""

from __future__ import annotations


def file_of(name: str) -> str:
    return name.partition("::")[0]


def test_they_exist(collected: set[str], longer: list[str]) -> None:
    """By function: cases depend on what is installed."""
    files = set(map(file_of, collected))
    functions = {name.partition("[")[0] for name in collected}
    asked = [name for name in longer if file_of(name) in files]
    assert [name for name in asked if name.partition("[")[0] not in functions] == []


def test_each_file_keeps_some_for_every_run(collected: set[str], longer: list[str]) -> None:
    kept = set(map(file_of, collected - set(longer)))
    assert (set(map(file_of, longer)) & set(map(file_of, collected))) - kept == set()


def test_each_is_listed_once_and_in_order(longer: list[str]) -> None:
    assert sorted(set(longer)) == longer
