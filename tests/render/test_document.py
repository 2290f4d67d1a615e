"""Whole documents: every formulation of the library in every format."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from suite import OTHERS, class_formulations

import treemip
from treemip.core.resolve.modules import library_module
from treemip.core.source.diagnostic import TreemipError
from treemip.core.syntax import nodes as n
from treemip.writers.render.mathematics.document import Document, document
from treemip.writers.render.mathematics.formats import FORMATS, render

pytest.importorskip("latex2mathml", reason="MathML is made by latex2mathml")

VOID = {"meta", "br", "mspace", "mprescripts", "none"}


def of(formulation: str) -> Document:
    file = library_module(formulation)
    assert file is not None
    kind = next(s.kind for s in file.statements if isinstance(s, n.Header))
    columns = OTHERS.get(formulation, "label kind;")
    text = f'data "points.csv" {{ {columns} }} topology complete(depth = 2);'
    program = treemip.loads(f"{text} split {kind} by {formulation};")
    return document(program.spec, formulation)


@pytest.mark.parametrize("format_", FORMATS)
def test_s_oct_in_full(format_, golden):
    golden(f"golden/soct.{format_}", render(of("soct"), format_))


@pytest.mark.parametrize("formulation", [*class_formulations(), *OTHERS])
def test_every_statement_is_shown_with_its_number(formulation):
    said = of(formulation)
    assert said.variables
    for format_ in ("latex", "md"):
        text = render(said, format_)
        for formula in (*said.constraints, *said.cuts, *said.definitions):
            assert formula.lines[0] in text
            if formula.tag:
                assert f"\\tag{{{formula.tag}}}" in text
        assert text.count("{") == text.count("}")


class Nesting(HTMLParser):
    """Notes tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.formulas = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.formulas += tag == "math"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("formulation", [*class_formulations(), *OTHERS])
def test_html_is_one_page_with_nothing_from_elsewhere(formulation):
    said = of(formulation)
    text = render(said, "html")
    page = Nesting()
    page.feed(text)
    assert page.open == []
    lines = [line for f in (*said.constraints, *said.cuts) for line in f.lines]
    assert page.formulas > len(lines)
    assert "merror" not in text
    for way_out in ("<script", "<link", "src=", "url("):
        assert way_out not in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("formulation", [*class_formulations(), *OTHERS])
def test_latex_compiles_and_fits_the_page(formulation, tmp_path: Path):
    (tmp_path / "model.tex").write_text(render(of(formulation), "latex"), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "model.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "Overfull" not in ran.stdout


def test_an_unknown_format_is_refused():
    with pytest.raises(TreemipError, match="unknown format 'word'"):
        render(of("soct"), "word")


def test_families_without_members_are_left_out():
    text = 'data "p.csv" { label k; } topology complete(depth = 1); split oblique by svm1_odt;'
    spec = treemip.loads(text).spec
    whole, told = document(spec), document(spec, sizes={"tested": 0, "chosen": 0, "coef": 3})
    assert {v.name for v in whole.variables} - {v.name for v in told.variables} == {"tested"}
    assert {c.name for c in whole.constraints} - {c.name for c in told.constraints} == {"chosen"}
    (coef,) = (v for v in told.variables if v.name == "coef")
    assert coef.meaning.endswith("3 columns")


def test_numbered_letters_and_conditions_without_indices():
    said = of("svm1_odt")
    (pigeonhole,) = (f for f in said.cuts if f.name == "pigeonhole")
    assert pigeonhole.lines[-1].endswith(r"\qquad \text{if } Y > \left| \mathcal{L} \right|")
    names = {f.name: f.lines[0] for f in said.parameters}
    assert names["alpha1"].startswith(r"\alpha_{1} =")
    assert r"c_{3} =" in {f.name: f.lines[0] for f in of("mm_svm_oct").parameters}["c3"]


def test_sizes_are_counted_in_words():
    text = 'data "points.csv" { label kind; } topology complete(depth = 1); split oblique by soct;'
    said = document(treemip.loads(text).spec, "x", {"budget": 1, "flow": 1200, "bias": 1})
    notes = {f.name: f.note for f in said.constraints}
    assert (notes["budget"], notes["flow"]) == ("1 row", "1 200 rows")
    assert any(v.meaning.endswith("; 1 column") for v in said.variables)


def test_any_class_name_is_plain_text_in_html():
    """Neither HTML nor escapes of LaTeX; the page stays well nested."""
    names = ["<script>alert(1)</script>", "x<y & z", "a_b", "{q}", "50 %", "back\\slash", "<i>"]
    rows = "\n".join(
        f"""row{k} {{l in leaves}}: label[l,"{name.replace(chr(92), chr(92) * 2)}"] <= 1;"""
        for k, name in enumerate(names)
    )
    text = 'data "points.csv" { label kind; } topology complete(depth = 2); split oblique by soct;'
    page = render(document(treemip.loads(f"{text}\nsubject to {rows}").spec, "x"), "html")
    reader = Texts()
    reader.feed(page)
    for name in names:
        assert name in reader.found
    assert "<script>" not in page


class Texts(HTMLParser):
    """What is in the page's mtext elements, with ordinary blanks."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.inside = tag == "mtext"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found.append(data.replace("\N{NO-BREAK SPACE}", " "))
            self.inside = False
