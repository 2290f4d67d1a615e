"""The words of `scale`, `bin` and `encode`: what each takes, and the encoding that it asks for.

A new encoding is a file in `instance/encodings/` and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Word:
    """A word with numbers in brackets, perhaps.

    example: for messages. encoding: its place in instance/encodings, as numbers.MinMax: of `scale`
    a `Number`, of `bin` a function that fits its edges. read: the numbers with their defaults, None
    where they are wrong; form: what is right then.
    """

    example: str
    encoding: str
    read: Callable[[Numbers], Numbers | None] = lambda numbers: None if numbers else ()
    form: str = ""


@dataclass(frozen=True)
class Code:
    """A word of `encode`.

    encoding: as of `Word`, a function that fits 0/1 columns; empty where levels become numbers or
    stay categorical. flags: what it takes in brackets, with the values of each. orders: whether it
    takes levels in their order; they are then numbers, which may be scaled or binned. every:
    whether it may speak for `all` features. named: whether it must name its columns.
    """

    example: str
    encoding: str = ""
    flags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    orders: bool = False
    every: bool = False
    named: bool = False


def _ends(numbers: Numbers) -> Numbers | None:
    right = not numbers or (len(numbers) == 2 and numbers[0] < numbers[1])
    return (numbers or (0.0, 1.0)) if right else None


def _count(numbers: Numbers) -> Numbers | None:
    right = len(numbers) == 1 and numbers[0].is_integer() and numbers[0] >= 2
    return numbers if right else None


def _edges(numbers: Numbers) -> Numbers:
    return tuple(sorted(set(numbers)))


ONE_RANGE = "only minmax(lower, upper) takes numbers, lower < upper"
BIN_COUNT = "quantile(k) takes a whole number of bins, at least 2"
UNSEEN = ("zero", "error")

SCALES = {
    "minmax": Word(
        "minmax [columns];  scale minmax(lower, upper) …;", "numbers.MinMax", _ends, ONE_RANGE
    ),
    "standard": Word("standard …;", "numbers.Standard", form=ONE_RANGE),
    "rank": Word("rank …;", "rank.Rank", form=ONE_RANGE),
    "none": Word("none …;", "numbers.AsIs", form=ONE_RANGE),
}
BINS = {
    "quantile": Word("quantile(5) [columns];", "bins.fit_quantiles", _count, BIN_COUNT),
    "thresholds": Word("thresholds(0.5, 1.5) …;  bin thresholds …;", "bins.fit_thresholds", _edges),
}
CODES = {
    "onehot": Code(
        "onehot [all | columns];  encode onehot(drop = if_binary, unseen = zero) …;",
        "onehot.fit_onehot",
        {"drop": ("if_binary",), "unseen": UNSEEN},
        every=True,
    ),
    "ordinal": Code('ordinal column("low", "high"), …;', orders=True),
    "keep": Code("keep columns;", flags={"unseen": UNSEEN}, named=True),
}

WORDS: tuple[Word | Code, ...] = (*SCALES.values(), *BINS.values(), *CODES.values())
