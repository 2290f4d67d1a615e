"""How a picture looks and what it says beside the tree: the same options on the command line, in
Python and in notebooks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from treemip.core.source.diagnostic import refused
from treemip.core.source.suggest import listed
from treemip.writers.convert.words import DIGITS, short
from treemip.writers.picture.shapes import GREYS, PALETTE
from treemip.writers.picture.wording import LANGUAGES, WORDS

PALETTES = {"colour": PALETTE, "grey": GREYS}
MOST_DIGITS, LARGEST = 17, 100_000


class Looks(TypedDict, total=False):
    """The options of `to_svg`, `plot` and the others, as `treemip show` has them."""

    title: str
    note: str
    size: str | tuple[float, float]
    palette: str
    language: str
    words: Mapping[str, str]
    digits: int
    depth: int
    unit: str


@dataclass(frozen=True)
class Style:
    """title, note: above and below the tree. size: width and height in pixels that the picture is
    scaled to fit, 0 for any; None for its own. palette: of `PALETTES`. language: of `LANGUAGES`.
    words: texts in place of those of the language, by their key in `WORDS`. digits: of numbers.
    depth: levels of splits that are shown, None for all. unit: of the label, outcome or time."""

    title: str = ""
    note: str = ""
    size: tuple[float, float] | None = None
    palette: str = "colour"
    language: str = "en"
    words: Mapping[str, str] = field(default_factory=dict)
    digits: int = DIGITS
    depth: int | None = None
    unit: str = ""

    def say(self, key: str) -> str:
        return self.words.get(key) or WORDS[key][LANGUAGES.index(self.language)]

    def number(self, value: float) -> str:
        return short(value, self.digits)

    def rough(self, value: float) -> str:
        """A statistic of points, with four digits unless others are asked for."""
        return short(value, min(self.digits, 4) if self.digits == DIGITS else self.digits)

    def points(self, total: int) -> str:
        """`no point`, `1 point`, `46 points`"""
        if not total:
            return self.say("no point")
        return f"{total} {self.say('point' if total == 1 else 'points')}"

    def measured(self, value: float) -> str:
        """A number of the label with its unit."""
        return f"{self.rough(value)} {self.unit}".rstrip()

    @property
    def colours(self) -> tuple[str, ...]:
        return PALETTES[self.palette]


PLAIN = Style()


def style_of(looks: Looks) -> Style:
    """The style that options ask for. Raises E902 for what is none."""
    unknown = sorted(set(looks) - set(Looks.__annotations__))
    if unknown:
        raise refused(
            f"'{unknown[0]}' is no option of pictures", f"use {listed(list(Looks.__annotations__))}"
        )
    given = {name: value for name, value in looks.items() if value is not None}
    if "size" in given:
        given["size"] = _size(given["size"])
    for name, allowed in (("palette", tuple(PALETTES)), ("language", LANGUAGES)):
        if given.get(name, allowed[0]) not in allowed:
            raise refused(f"'{given[name]}' is no {name}", f"use {listed(list(allowed))}")
    for name, least, most in (("digits", 1, MOST_DIGITS), ("depth", 0, LARGEST)):
        if name in given:
            _demand_whole(name, given[name], least, most)
    for name in ("title", "note", "unit"):
        _demand_text(name, given.get(name, ""))
    for word, text in (given.get("words") or {}).items():  # type: ignore[attr-defined]
        _demand_text(word, text)
    for word in sorted(set(given.get("words") or {}) - set(WORDS)):  # type: ignore[call-overload]
        raise refused(f"pictures have no word '{word}'", f"use {listed(list(WORDS))}")
    return Style(**given)  # type: ignore[arg-type]


def _demand_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise refused(f"'{name}' is a text, not {type(value).__name__} {value!r}", "give a string")


def _demand_whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        remedy = f"give a whole number from {least} to {most}"
        raise refused(f"'{value}' is no number of {_OF[name]}", remedy)


_OF = {"digits": "digits", "depth": "levels to show"}


def _size(value: object) -> tuple[float, float]:
    """Width and height of a text `WIDTH`, `WIDTHxHEIGHT` or `xHEIGHT`, or of a pair."""
    pair: tuple[object, ...] = value if isinstance(value, tuple) else ()
    if isinstance(value, str) and (match := re.fullmatch(r"(\d*)(?:x(\d+))?", value.strip())):
        pair = tuple(float(part or 0) for part in match.groups())
    numbers = [float(n) for n in pair if isinstance(n, int | float)]
    if len(numbers) != 2 or not any(numbers) or not all(0 <= n <= LARGEST for n in numbers):
        message = f"'{value}' is no size of a picture"
        raise refused(message, "give pixels: 1200, 1200x800 or x800")
    return numbers[0], numbers[1]
