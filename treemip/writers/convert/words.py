"""Numbers, sums and lines of text, as drawings, pictures and rules of a tree show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from treemip.core.source.render import visible


def short(value: float) -> str:
    """Five digits, and at least one after the point of a number with fewer than 16 before it, so
    that a threshold between two whole numbers is shown between them; never -0."""
    if abs(value) < 1e4 or abs(value) >= 1e15:
        return str(int(value)) if value.is_integer() and abs(value) < 1e4 else f"{value:.5g}"
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


def points(total: int) -> str:
    """`no point`, `1 point`, `46 points`"""
    return f"{total} point{'s' * (total != 1)}" if total else "no point"


def on_one_line(text: str) -> str:
    """A text with escapes for line ends and for characters that are not printed."""
    return visible(text.replace("\r", "\\r").replace("\n", "\\n"))
