"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'branches'?`, or an empty string when nothing is near."""
    from difflib import get_close_matches

    pool = sorted(set(known))
    near = get_close_matches(name, pool, n=1, cutoff=0.6)
    if not near:
        folded = {k.casefold(): k for k in pool}
        near = [folded[name.casefold()]] if name.casefold() in folded else []
    return f"did you mean '{near[0]}'?" if near else ""


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names for a message: quoted, in order, cut when there are many."""
    pool = list(names)
    text = ", ".join(f"'{n}'" for n in pool[:most])
    return text + (f" and {len(pool) - most} more" if len(pool) > most else "")
