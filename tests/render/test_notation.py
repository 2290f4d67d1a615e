"""Symbols as authors write them: formulas where they are such, else text; no command of TeX."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemip
from treemip.core.resolve.modules import formulation_names, library_module
from treemip.writers.render.mathematics.document import document
from treemip.writers.render.mathematics.formats import render
from treemip.writers.render.mathematics.notation import LETTERS, MARKED, is_formula

pytest.importorskip("latex2mathml", reason="MathML is made by latex2mathml")

FORMULAS = [
    r"\hat y",
    r"\hat L",
    "z_{a(n),n}",
    "z_{n,t}",
    "p^-",
    "p^+",
    r"\xi",
    r"\epsilon_j",
    "w_0",
    "a'",
    "a''_t",
    r"\hat{\mu}_{t,j}^{2}",
    r"\mathcal{T}_B",
    r"\frac{a}{b}",
    r"\sqrt{x_1}",
    r"\bar\bar x",
    "größe",
    "東京^ö",
    r"\text{schön} x",
    r"\operatorname{err}",
    "|a|",
    "x_{y_{z}}",
    "{x^a}^b",
]
TEXTS = [
    "a_b_c",
    "x^a^b",
    "{",
    "}",
    "a}",
    "{a",
    "_",
    "^",
    "a_",
    "a^",
    "",
    "  ",
    "&",
    "%",
    "#",
    "$",
    "~",
    "$$",
    "\\",
    "a\\",
    r"\\",
    r"\frac",
    r"\frac{a}",
    r"\hat",
    r"\left(",
    r"\right)",
    r"\sqrt[",
    r"\sqrt[3]{x}",
    r"\begin{matrix}",
    r"\end{matrix}",
    r"\href{javascript:alert(1)}{x}",
    r"\input{/etc/passwd}",
    r"\write18{ls}",
    r"\immediate\write18{ls}",
    r"\catcode`\%=12",
    r"\def\a{b}",
    r"\newcommand",
    "^^41",
    r"\color{red}{x}",
    r"\style{x}{y}",
    r"\unknown",
    r"\limits",
    r"\text{<script>}\text",
    "a\u202eb",
    r"\text{\input{x}}",
    r"\csname input\endcsname",
    r"\include{x}",
    r"\special{x}",
    r"\hline",
    "{}",
    "x_{}",
    "{" * 20 + "a" + "}" * 20,
    "a" * 1000,
    r"\url{x}",
    r"\def",
    "<script>alert(1)</script>",
    "x\x1b[31m",
]
ATOMS = [
    *"ab_^{}()[]|&%#$'<>~, 1東",
    "\\",
    "\\\\",
    r"\hat",
    r"\frac",
    r"\alpha",
    r"\text",
    r"\left",
    r"\right",
    r"\sum",
    r"\href",
    r"\begin",
    r"\end",
    "{a}",
    r"\sqrt",
    r"\mathrm",
    r"\input",
    r"\limits",
    r"\,",
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


def shown(symbol: str, format_: str) -> str:
    quoted = symbol.replace("\\", "\\\\").replace('"', '\\"')
    spec = f"""data "none.csv" {{ label c; }}
topology complete(depth = 1);
split univariate by binoct;
var v "{quoted}" {{t in leaves}} binary means 0 "doc";
subject to
  r "{quoted}" {{t in leaves}}: v[t] + v[t]^2 <= sum {{k in classes}} label[t,k];
"""
    return render(document(treemip.loads(spec).spec, "a <b> \n & c"), format_)


def variable(symbol: str) -> str:
    """The LaTeX of the variable in the table of variables, with its index."""
    text = shown(symbol, "md")
    (line,) = [line for line in text.split("\n") if "| `v` |" in line]
    return line


def demand_harmless(symbol: str) -> None:
    page = shown(symbol, "html")
    for tag in re.findall("<[^>]*>", page):
        assert not re.match("<(a|script|img|iframe|style|object)[ >]", tag) or tag == "<style>"
        assert "href" not in tag and "javascript" not in tag
    for formula in re.findall("<math.*?</math>", page, re.DOTALL):
        ET.fromstring(formula)
    article = shown(symbol, "latex").partition(r"\begin{document}")[2]
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


@pytest.mark.parametrize("text", [t for t in (*FORMULAS, *TEXTS) if t.isprintable()])
def test_no_symbol_is_more_than_a_symbol(text: str) -> None:
    demand_harmless(text)


@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=7))
def test_random_symbols(atoms: list[str]) -> None:
    demand_harmless("".join(atoms))


def test_what_is_no_formula_is_printed_as_it_stands() -> None:
    assert r"$\text{a\_b\textasciicircum ^c}_{t}$" not in variable("a_b_c")
    assert r"$\mathrm{a\_b\_c}_{t}$" in variable("a_b_c")
    assert r"$\text{x\textasciicircum a\textasciicircum b}_{t}$" in variable("x^a^b")
    assert r"\text{\textbackslash input\{x\}}" in variable(r"\input{x}")


def test_the_greatest_argument_is_an_operator() -> None:
    page = shown("v", "html")
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
