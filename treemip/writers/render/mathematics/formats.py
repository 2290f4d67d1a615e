"""A document of formulas as LaTeX, HTML or Markdown, by a template each."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Literal, get_args

from treemip.core.source.diagnostic import fail
from treemip.core.source.extras import pip_install
from treemip.writers.render.mathematics.document import Document
from treemip.writers.render.mathematics.notation import escaped, unescaped
from treemip.writers.render.text import templates

Format = Literal["md", "html", "latex"]
FORMATS: tuple[Format, ...] = get_args(Format)
TEMPLATES = Path(__file__).parent / "templates"


def render(document: Document, format_: str) -> str:
    """The whole document as a text of that format.

    latex: an article for pdflatex that needs amsmath and amssymb only; letters that pdflatex lacks
    appear as their code points there, as they are with xelatex and lualatex. html: one page with
    MathML, which browsers show offline. md: formulas between dollar signs, as GitHub shows them.
    Raises E602 when latex2mathml is missing for html, E902 for an unknown format.
    """
    if format_ not in FORMATS:
        remedy = f"one of {', '.join(FORMATS)}"
        fail("E902", f"unknown format '{format_}'", remedy=remedy)
    text = _rendered(document, f"document.{format_}")
    if format_ == "latex" and spelled(text) != text:
        text = spelled(_rendered(document, "document.latex", FONTS))
    return text


def fragment(document: Document) -> str:
    """What stands in the body of the page, for pages that have more. Raises E602."""
    return _rendered(document, "body.html")


def _rendered(document: Document, template: str, fonts: tuple[str, ...] = ()) -> str:
    environment = templates(
        TEMPLATES,
        keep_trailing_newline=True,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    environment.filters.update(tex=escaped, html=escape, mathml=_mathml)
    environment.filters.update(cell=_cell, plain=_plain, formula=_formula)
    text: str = environment.get_template(template).render(doc=document, fonts=fonts)
    return text


def _mathml(formula: str) -> str:
    """A line of LaTeX as MathML.

    latex2mathml passes what is in \\text on as it stands, be it HTML or an escape of LaTeX. So the
    punctuation there travels in letters of Unicode's private area.
    """
    try:
        from latex2mathml.converter import convert
    except ImportError:
        fail("E602", "this format needs latex2mathml", remedy=pip_install("math"))
    latex = _TEXT.sub(_hidden, formula).replace(r"\arg\max", r"\operatorname{arg}\max")
    latex = latex.replace(r"\arg\min", r"\operatorname{arg}\min")
    try:
        text: str = convert(latex, display="block")
    except Exception:  # of ten kinds without a common one; the formula itself is still readable
        return f"<code>{escape(formula)}</code>"
    return _PRIVATE.sub(lambda match: escape(chr(ord(match[0]) - _SHIFT)), text)


def _hidden(text: re.Match[str]) -> str:
    plain = unescaped(text[1])
    return rf"\text{{{_PUNCTUATION.sub(lambda c: chr(_SHIFT + ord(c[0])), plain)}}}"


_SHIFT = 0xE000
_TEXT = re.compile(r"\\text\{((?:[^{}\\]|\\.)*)\}")
_PUNCTUATION = re.compile("[!-/:-@[-`{-~]")
_PRIVATE = re.compile("[\ue021-\ue07e]")


def _cell(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return text.replace("|", r"\|")


def _formula(text: str) -> str:
    """A formula in Markdown, with nothing in it that looks like an HTML tag."""
    return _TAG.sub("< ", text)


_TAG = re.compile("<(?=[A-Za-z/!?])")


def _plain(text: str) -> str:
    """Text in Markdown, with nothing in it that would be HTML or a link."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[])")


# ------------------------------------------------- letters that pdflatex stops at
#
# Names in a spec may have any letters, its classes and columns any characters. pdflatex knows those
# of its encodings T1 and TS1 and stops at all others; xelatex and lualatex know all and print
# nothing where their font lacks one.

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
"""Fonts of many scripts on systems with TeX; the first that has a name's first letter is used."""


def spelled(document: str) -> str:
    r"""A document with each stretch of other letters as `\other{U+6771}{東}`.

    The template defines `\other`: its second argument where the engine has a font for it, else the
    first, so that no engine stops and none leaves a name out.
    """
    return _OTHERS.sub(_spelled, document)


def _spelled(match: re.Match[str]) -> str:
    numbers = [f"U+{ord(letter):04X}" for letter in match[0]]
    # A control character would stop every engine.
    shown = [c if c.isprintable() else number for c, number in zip(match[0], numbers, strict=True)]
    return f"\\other{{{' '.join(numbers)}}}{{{''.join(shown)}}}"
