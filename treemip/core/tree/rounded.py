"""Limits with few digits that still do."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

DIGITS = 6  # of a limit in a message


def rounded(value: float, down: bool) -> str:
    """The number with few digits, towards the side on which the requirement holds."""
    exact = Decimal(f"{value:.9g}")
    last = Decimal(1).scaleb(max(exact.adjusted() - DIGITS + 1, -9))
    rounded = exact.quantize(last, ROUND_FLOOR if down else ROUND_CEILING)
    return f"{rounded.normalize():f}"
