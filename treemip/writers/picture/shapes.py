"""What pictures are made of, whatever draws them: rectangles, lines and text in pixels, and the
colours of classes."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

INK, FAINT, PAPER, BRANCH = "#1a1a1a", "#6b6b6b", "#ffffff", "#f4f4f2"

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C")
"""Okabe and Ito (2008): told apart by all readers. Text never relies on them alone."""

GREYS = ("#3a3a3a", "#d9d9d9", "#8c8c8c", "#f2f2f2", "#616161", "#b5b5b5")

PLUS, MINUS, LINE = "#0072B2", "#D55E00", "#8c8c8c"
"""Of weights above and below 0, and of lines between nodes: 3 to 1 against white at least."""

ELLIPSIS = "…"


@dataclass(frozen=True)
class Rect:
    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = ""
    radius: float = 0.0


@dataclass(frozen=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float
    width: float = 1.0
    stroke: str = FAINT


@dataclass(frozen=True)
class Path:
    """A line through places (x, y), or the area that they enclose where it has a `fill`."""

    places: tuple[tuple[float, float], ...]
    stroke: str = INK
    width: float = 1.5
    fill: str = ""


@dataclass(frozen=True)
class Text:
    """y: of the baseline. middle: whether x is its middle, else its left end."""

    x: float
    y: float
    text: str
    size: float = 12.0
    bold: bool = False
    middle: bool = False
    colour: str = INK


Shape = Rect | Line | Path | Text


@dataclass(frozen=True)
class Group:
    """A node: its shapes, and everything that it says, without any shortening, as `title`."""

    kind: str
    heap: tuple[int, ...]
    title: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Scene:
    """Lines, and texts beside nodes, are `edges`. title: of the whole picture. shown: width and
    height that it is scaled to. root: the middle of the root's upper side."""

    width: float
    height: float
    title: str
    edges: tuple[Shape, ...]
    groups: tuple[Group, ...]
    shown: tuple[float, float] = (0.0, 0.0)
    root: tuple[float, float] = (0.0, 0.0)


def moved(shape: Shape, x: float, y: float) -> Shape:
    if isinstance(shape, Line):
        ends = shape.x1 + x, shape.y1 + y, shape.x2 + x, shape.y2 + y
        return Line(*ends, shape.width, shape.stroke)
    if isinstance(shape, Path):
        return replace(shape, places=tuple((a + x, b + y) for a, b in shape.places))
    return replace(shape, x=shape.x + x, y=shape.y + y)


def colour(label: int, palette: tuple[str, ...] = PALETTE) -> str:
    """The colour of a class by its number; behind the last of the palette lighter ones, then
    darker ones."""
    base = palette[label % len(palette)]
    turn = label // len(palette) % 3
    if turn == 0:
        return base
    toward, share = ((255, 0.5), (0, 0.4))[turn - 1]
    parts = (int(base[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(p + (toward - p) * share):02X}" for p in parts)


# ------------------------------------------------------------------------ text

_NARROW, _WIDE = frozenset(" !'(),.:;I[]ijl|`{}ft/r-"), frozenset("%@MWmw=+<>")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is in a common sans serif, rather too much than too little."""
    width = sum(map(_letter, text)) * size
    return width * 1.08 if bold else width


def _letter(letter: str) -> float:
    if letter in _NARROW:
        return 0.42
    if letter in _WIDE:
        return 0.92
    if letter.isascii():
        return 0.72 if letter.isupper() else 0.62
    if unicodedata.combining(letter):
        return 0.0
    return 1.05 if unicodedata.east_asian_width(letter) in "WF" else 0.72


def fitted(text: str, most: float, size: float, bold: bool = False) -> str:
    """The text, or its beginning and its end where it is wider than `most`."""
    if text_width(text, size, bold) <= most:
        return text
    keep = len(text) - 1
    while keep > 1:
        tail = keep // 3
        short = f"{text[: keep - tail]}{ELLIPSIS}{text[len(text) - tail :] if tail else ''}"
        if text_width(short, size, bold) <= most:
            return short
        keep -= max(1, (keep - 40) // 2)
    return text[:1] + ELLIPSIS


def wrapped(text: str, most: float, size: float, bold: bool = False) -> list[str]:
    """The text in lines, broken at spaces; a word that is too wide is shortened."""
    lines: list[str] = []
    for word in (fitted(word, most, size, bold) for word in text.split(" ")):
        if lines and text_width(f"{lines[-1]} {word}", size, bold) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
