"""A document of formulas as LaTeX, HTML or Markdown, by a template each."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Literal, get_args

from treemip.mathematics.document import Document
from treemip.mathematics.letters import FONTS, spelled
from treemip.mathematics.notation import escaped, unescaped
from treemip.source.diagnostic import Diagnostic, TreemipError

Format = Literal["md", "html", "latex"]
FORMATS: tuple[Format, ...] = get_args(Format)
TEMPLATES = Path(__file__).parent / "templates"


def render(document: Document, format_: str) -> str:
    """The whole document as a text of that format.

    latex: an article that needs amsmath and amssymb only, for pdflatex; of letters that it does not
    know, xelatex and lualatex show the shapes and it the numbers. html: one page with MathML, which
    browsers show without any network. md: formulas between dollar signs, as GitHub shows them.
    Raises E602 when a package that the format needs is missing, E902 for an unknown format.
    """
    if format_ not in FORMATS:
        raise TreemipError(
            Diagnostic.outside(
                "E902", f"unknown format '{format_}'", f"one of {', '.join(FORMATS)}"
            )
        )
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise _missing("jinja2") from None
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
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
    template = environment.get_template(f"document.{format_}")
    text: str = template.render(doc=document, fonts=())
    if format_ == "latex" and spelled(text) != text:
        text = spelled(template.render(doc=document, fonts=FONTS))
    return text


def _mathml(formula: str) -> str:
    """A line of LaTeX as MathML.

    latex2mathml passes what is in \\text on as it stands, be it HTML or an escape of LaTeX. So the
    punctuation there travels in letters of Unicode's private area.
    """
    try:
        from latex2mathml.converter import convert
    except ImportError:
        raise _missing("latex2mathml") from None
    latex = _TEXT.sub(_hidden, formula).replace(r"\arg\max", r"\operatorname{arg}\max")
    latex = latex.replace(r"\arg\min", r"\operatorname{arg}\min")
    try:
        text: str = convert(latex, display="block")
    except Exception:  # of ten kinds without a common one; the formula itself is still readable
        return f"<code>{escape(formula)}</code>"
    return _PRIVATE.sub(lambda found: escape(chr(ord(found[0]) - _SHIFT)), text)


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
    """A formula in Markdown, where what looks like HTML would be taken for it."""
    return _TAG.sub("< ", text)


_TAG = re.compile("<(?=[A-Za-z/!?])")


def _plain(text: str) -> str:
    """Text in Markdown that is neither HTML nor a link there."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[])")


def _missing(package: str) -> TreemipError:
    message = f"this format needs {package}"
    return TreemipError(Diagnostic.outside("E602", message, 'pip install "treemip[math]"'))
