"""Letters that pdflatex stops at: names of other scripts in a LaTeX document.

A spec's names may have any letters, and its classes and columns any characters. pdflatex knows
those of its encodings T1 and TS1, and ends with an error at all others; xelatex and lualatex know
all, and print nothing where their font has no such letter.
"""

from __future__ import annotations

import re

# T1 and TS1, as far as scripts of Europe go (t1enc.dfu, ts1enc.dfu of LaTeX 2020 and later).
_KNOWN = "\t\n -~\u00a0-\u00b7\u00b9-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165"
_KNOWN += "\u0168-\u017e–—‘’‚“”„…‰‹›€†‡•™"  # noqa: RUF001
_OTHERS = re.compile(f"[^{_KNOWN}]+")

FONTS = (
    "DejaVu Serif",
    "FreeSerif",
    "Noto Serif",
    "Noto Serif CJK SC",
    "Noto Sans CJK SC",
    "Noto Serif CJK JP",
    "Noto Sans CJK JP",
    "Source Han Serif SC",
    "FandolSong-Regular",
    "Hiragino Mincho ProN",
    "Songti SC",
    "SimSun",
    "MS Mincho",
    "Arial Unicode MS",
    "Droid Sans Fallback",
    "Noto Sans Mono",
)
"""Fonts of many scripts on systems that have TeX; the first that has a name's first letter is
taken."""


def spelled(document: str) -> str:
    r"""A document with each stretch of other letters as `\other{U+6771}{東}`.

    The template defines `\other`: its second argument where the engine has a font for it, else the
    first, so that no engine stops and none leaves a name out.
    """
    return _OTHERS.sub(_spelled, document)


def _spelled(found: re.Match[str]) -> str:
    numbers = [f"U+{ord(letter):04X}" for letter in found[0]]
    # A control character would stop every engine.
    shown = [c if c.isprintable() else number for c, number in zip(found[0], numbers, strict=True)]
    return f"\\other{{{' '.join(numbers)}}}{{{''.join(shown)}}}"
