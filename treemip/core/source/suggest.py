"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable


class Suggestion(str):
    """`did you mean 'branches'?`, with what was `written` and the `name` that is meant.

    Empty, with an empty name, where nothing is near. An editor can put the name in its place.
    """

    written: str = ""
    name: str = ""

    @classmethod
    def of(cls, written: str, name: str) -> Suggestion:
        one = cls(f"did you mean '{name}'?")
        one.written, one.name = written, name
        return one


NEAR = 0.65
"""The least share of letters, in order, that a suggestion has in common with what was written."""


def did_you_mean(name: str, *known: Iterable[str]) -> Suggestion:
    """`did you mean 'branches'?`, or an empty text when nothing is near.

    Of several pools, the first that has a name near enough gives it. Names of one or two letters
    are near only to those that differ in their case.
    """
    for pool in known:
        near = _nearest(name, sorted(set(pool)))
        if near:
            return Suggestion.of(name, near)
    return Suggestion()


def _nearest(name: str, pool: list[str]) -> str:
    from difflib import get_close_matches

    folded = {k.casefold(): k for k in pool}
    if name.casefold() in folded:
        return folded[name.casefold()]
    alike = [k for k in pool if min(len(k), len(name)) > 2 and _of_a_length(k, name)]
    near = get_close_matches(name, alike, n=3, cutoff=NEAR)
    near.sort(key=lambda k: sorted(k) != sorted(name))  # letters in another order come first
    return next(iter(near or [k for k in alike if name.startswith(k)]), "")


def _of_a_length(one: str, other: str) -> bool:
    """Whether one name could be the other with letters lost or added: `median` is not `min`."""
    near = abs(len(one) - len(other)) <= max(1, len(other) // 3)
    return near or one.startswith(other) or other.startswith(one)


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names for a message: quoted, in order, cut when there are many."""
    pool = list(names)
    text = ", ".join(f"'{n}'" for n in pool[:most])
    return text + (f" and {len(pool) - most} more" if len(pool) > most else "")
