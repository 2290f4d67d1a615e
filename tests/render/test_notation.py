"""Symbols as authors write them: formulas where they are such, else text; no command of TeX."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemip
from treemip.core.resolve.modules import formulation_names, library_module
from treemip.writers.render.mathematics.document import document
from treemip.writers.render.mathematics.formats import render
from treemip.writers.render.mathematics.notation import LETTERS, MARKED, is_formula

pytest.importorskip("latex2mathml", reason="MathML is made by latex2mathml")

SYMBOLS = Path(__file__).with_name("symbols.txt").read_text(encoding="utf-8")
FORMULAS, WRITTEN = (part.splitlines()[1:] for part in SYMBOLS.split("\n\n"))
BRACES = "{" * 20 + "a" + "}" * 20
TEXTS = [*WRITTEN, "", "  ", "a\u202eb", BRACES, "a" * 1000, "x\x1b[31m"]
ATOMS = [
    *"ab_^{}()[]|&%#$'<>~, 1東",
    *("\\", "\\\\", r"\hat", r"\frac", r"\alpha", r"\text", r"\left", r"\right", r"\sum"),
    *(r"\href", r"\begin", r"\end", "{a}", r"\sqrt", r"\mathrm", r"\input", r"\limits", r"\,"),
]
ALLOWED = (
    LETTERS
    | MARKED
    | frozenset(["text", "frac", "textbackslash", "textasciitilde", "textasciicircum", "other"])
)


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas(text: str) -> None:
    assert is_formula(text)


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str) -> None:
    assert not is_formula(text)


def test_all_symbols_of_the_library_are_formulas_or_words() -> None:
    for name in [*formulation_names(), "vocabulary"]:
        file = library_module(name)
        assert file is not None
        for statement in file.statements:
            for text in getattr(statement, "strings", ())[:1]:
                assert is_formula(text) or text.isalpha(), (name, text)


def shown(symbols: list[str], format_: str) -> str:
    """A document whose variables v0, v1, … have these symbols."""
    quoted = [symbol.replace("\\", "\\\\").replace('"', '\\"') for symbol in symbols]
    declared = "".join(
        f'var v{k} "{text}" {{t in leaves}} binary means 0 "doc";' for k, text in enumerate(quoted)
    )
    rows = "".join(
        f'r{k} "{text}" {{t in leaves}}: v{k}[t] + v{k}[t]^2 <= 1;' for k, text in enumerate(quoted)
    )
    spec = f"""data "none.csv" {{ label c; }} topology complete(depth = 1); split univariate;
use univariate_routing; var label {{l in leaves, k in classes}} binary; {declared}
minimize sum {{t in leaves}} v0[t]; subject to {rows}
predict class argmax {{k in classes}} label[l,k];
"""
    return render(document(treemip.loads(spec).spec, "a <b> \n & c"), format_)


def variable(symbol: str) -> str:
    """The LaTeX of the variable in the table of variables, with its index."""
    (line,) = [line for line in shown([symbol], "md").split("\n") if "| `v0` |" in line]
    return line


def demand_harmless(*symbols: str) -> None:
    page = shown([*symbols], "html")
    for tag in re.findall("<[^>]*>", page):
        assert not re.match("<(a|script|img|iframe|style|object)[ >]", tag) or tag == "<style>"
        assert "href" not in tag and "javascript" not in tag
    for formula in re.findall("<math.*?</math>", page, re.DOTALL):
        ET.fromstring(formula)
    article = shown([*symbols], "latex").partition(r"\begin{document}")[2]
    body = article.replace(r"\\", "")
    inside = re.findall(r"\$(.*?)(?<!\\)\$ & ", body)
    assert inside
    for formula in inside:
        used = set(re.findall(r"\\([A-Za-z]+)", formula))
        assert used <= ALLOWED | {"mathcal", "in", "forall", "quad", "min", "mathbb", "mathrm"}, (
            used
        )
    assert "^^" not in article
    assert _balanced(article)


def _balanced(latex: str) -> bool:
    depth = 0
    for mark in re.findall(r"\\.|[{}]", latex, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth < 0:
            return False
    return depth == 0


def test_no_symbol_is_more_than_a_symbol() -> None:
    demand_harmless(*(text for text in (*FORMULAS, *TEXTS) if text.isprintable()))


@given(st.lists(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=7), min_size=3, max_size=9))
def test_random_symbols(symbols: list[list[str]]) -> None:
    demand_harmless(*map("".join, symbols))


def test_what_is_no_formula_is_printed_as_it_stands() -> None:
    assert r"$\text{a\_b\textasciicircum ^c}_{t}$" not in variable("a_b_c")
    assert r"$\mathrm{a\_b\_c}_{t}$" in variable("a_b_c")
    assert r"$\text{x\textasciicircum a\textasciicircum b}_{t}$" in variable("x^a^b")
    assert r"\text{\textbackslash input\{x\}}" in variable(r"\input{x}")


def test_the_greatest_argument_is_an_operator() -> None:
    page = shown(["v"], "html")
    assert "<mo>arg</mo><msub><mo>max</mo>" in page
    assert r"\arg" not in page


def test_markdown_has_neither_html_nor_links_of_users() -> None:
    spec = """data "none.csv" { label c; }
topology complete(depth = 1);
split univariate by binoct;
var v {t in leaves} binary means 0 "<img src=x> [a](javascript:b)";
"""
    text = render(document(treemip.loads(spec).spec, "<b>"), "md")
    assert text.startswith("# \\<b>\n")
    assert r"\<img src=x> [a\](javascript:b)" in text
