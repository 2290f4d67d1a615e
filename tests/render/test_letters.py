"""Letters that pdflatex does not know: marked one by one, and no engine stops at them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemip
from treemip.writers.render.mathematics.document import document
from treemip.writers.render.mathematics.formats import FONTS, render, spelled
from treemip.writers.render.mathematics.notation import word

MARK = re.compile(r"\\other\{([^}]*)\}\{([^}]*)\}")
KEPT = "größe, Łódź – “a” … € ×"  # noqa: RUF001

SPEC = """data "d.csv" { label class; }
topology complete(depth = 1);
split oblique by soct;
param größe = 2 "Łódź, 上限";
param β = 1;
var hat "\\\\hat ü" >= 0;
var bar "\\\\bar{größe}_ß" >= 0;
var two "\\\\text{schön} \\\\vec 東京^ö" >= 0;
param 上限 = 3;
subject to
  少ない {l in leaves}: sum {i in points} reach[i,l] <= 上限 + β + größe;
  one "東京": label[left(root),"東京 tower"] = 1;
  two: label[right(root),"Ħal"] = 1;
  three: hat + bar + two <= 1;
"""


def shown(text: str = SPEC, title: str = "東") -> str:
    return render(document(treemip.loads(text).spec, title), "latex")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (KEPT, KEPT),
        ("a\x07\u200d", r"a\other{U+0007 U+200D}{U+0007U+200D}"),
        ("東京 tower", r"\other{U+6771 U+4EAC}{東京} tower"),
        ("β+Ж", r"\other{U+03B2}{β}+\other{U+0416}{Ж}"),
        ("Ħ", r"\other{U+0126}{Ħ}"),
        ("a\u0308", "a" + r"\other{U+0308}" + "{\u0308}"),
        ("🌳", r"\other{U+1F333}{🌳}"),
    ],
)
def test_what_is_marked(text: str, found: str) -> None:
    assert spelled(text) == found


@given(st.text(st.characters(exclude_characters="\\{}")))
def test_nothing_else_is_changed_and_nothing_left(text: str) -> None:
    marked = spelled(text)
    kept = (c.isprintable() or spelled(c) == c for c in text)
    printed = "".join(c if k else f"U+{ord(c):04X}" for c, k in zip(text, kept, strict=True))
    assert MARK.sub(r"\2", marked) == printed
    outside = MARK.sub("", marked)
    assert spelled(outside) == outside
    for numbers, letters in MARK.findall(marked):
        assert all(c.isprintable() for c in letters)
        assert all(chr(int(n.removeprefix("U+"), 16)) in text for n in numbers.split())


def test_names_in_formulas_are_text_where_mathrm_would_drop_letters() -> None:
    assert [word(name) for name in ("few", "f", "größe", "ö", "上限")] == [
        r"\mathrm{few}",
        "f",
        r"\text{größe}",
        r"\text{ö}",
        r"\text{上限}",
    ]


def test_letters_in_a_symbol_are_one_argument_of_text() -> None:
    text = shown()
    assert r"\hat {\text{ü}}" in text
    assert r"\bar{gr{\text{öß}}e}_{\text{ß}}" in text
    assert r"\text{schön} \vec {\text{\other{U+6771 U+4EAC}{東京}}}^{\text{ö}}" in text


def test_the_document_says_which_engine_it_is_for() -> None:
    plain = shown(SPEC[: SPEC.index("param")], "soct")
    assert "other" not in plain.partition("\\begin{document}")[0]
    text = shown()
    assert text.startswith("% Some names have letters that pdflatex has no fonts for")
    assert "% Compile with xelatex or lualatex to see them" in text
    assert all(f"\\other@font{{{font}}}" in text for font in FONTS)
    assert r"\section*{\other{U+6771}{東}}" in text
    assert (
        r"\le \text{\other{U+4E0A U+9650}{上限}} + \text{\other{U+03B2}{β}} + \text{größe}" in text
    )


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex"])
def test_every_engine_compiles_it(engine: str, tmp_path: Path) -> None:
    """Each shows every name: by its letters or by their numbers."""
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    if engine == "lualatex" and shutil.which("luaotfload-tool") is None:
        pytest.skip("lualatex has no fonts without luaotfload")
    (tmp_path / "model.tex").write_text(shown(), encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "model.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    said = ran.stdout.decode("utf-8", "replace")
    assert ran.returncode == 0, said[-2000:]
    assert "Missing character" not in said and "invalid in math mode" not in said
