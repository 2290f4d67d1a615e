"""Numbers, sums and lines of text, as drawings, pictures and rules of a tree show them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from treemip.core.source.render import visible

DIGITS = 5


def short(value: float, digits: int = DIGITS) -> str:
    """Five digits, and at least one after the point of a number with fewer than 16 before it, so
    that a threshold between two whole numbers is shown between them; never -0. With fewer or more
    digits, those alone, without an exponent where the number is neither tiny nor huge."""
    if digits != DIGITS and value and 1e-4 <= abs(value) < 1e15:
        places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:.{places}f}"
        return text.rstrip("0").removesuffix(".") if "." in text else text
    if abs(value) < 1e4 or abs(value) >= 1e15:
        whole = value.is_integer() and abs(value) < 1e4
        return str(int(value)) if whole else f"{value:.{digits}g}"
    return f"{value:.1f}".removesuffix(".0")


def addend(value: float, what: str, first: bool, number: Callable[[float], str] = short) -> str:
    """`0.5 age` at the beginning of a sum, else `+ 0.5 age`; without a factor of 1."""
    sign = ("-" if value < 0 else "") if first else ("- " if value < 0 else "+ ")
    size = number(abs(value))
    return sign + ("" if size == "1" else f"{size} ") + what


def sum_of(addends: Iterable[tuple[float, str]], number: Callable[[float], str] = short) -> str:
    """`2 age - 0.5 income`"""
    parts = (addend(value, what, not k, number) for k, (value, what) in enumerate(addends))
    return " ".join(parts)


def plus(constant: float, number: Callable[[float], str] = short) -> str:
    """`+ 12.5`, behind a sum."""
    return f"{'-' if constant < 0 else '+'} {number(abs(constant))}"


def on_one_line(text: str) -> str:
    """A text with escapes for line ends and for characters that are not printed."""
    return visible(text.replace("\r", "\\r").replace("\n", "\\n"))
