"""What notebooks show of a spec, a model, a result and a tree, and their one-line forms."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import treemip
from treemip.writers.pages.highlight import highlighted

TEXT = """\
data "t" { label class; scale minmax; }  # <b>a comment</b>
topology complete(depth = 1);
split oblique by soct;
"""
X = np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 5.0], [3.0, 3.0]])
Y = np.array(["<no>", "<no>", "yes", "yes"])


@pytest.fixture(scope="module")
def program():
    return treemip.loads(TEXT, (X, Y), eps=0.01)


@pytest.fixture(scope="module")
def result(program):
    return program.compile().solve()


def test_one_line_forms(program, result):
    assert repr(program) == "<Program <text>: oblique by soct>"
    assert repr(result.compiled) == "<Compiled <text>: 32 rows, 30 columns as stated>"
    assert repr(result) == (
        "<Result <text>: optimal, objective 4; verified; "
        "proven optimal by the objective's own bound, found by tree search>"
    )
    assert repr(result.tree) == "<Tree tree: 2 leaves, 2 features>"
    assert repr(result.compiled.model).startswith("<Model tree: ")


def test_a_spec_is_shown_in_colours_without_changing_its_text(program):
    html = program._repr_html_()
    assert html.startswith("<pre") and "&lt;b&gt;a comment&lt;/b&gt;" in html
    assert '<span style="color:#0050a0;font-weight:600">topology</span>' in html
    assert "<p>with eps = 0.01</p>" in html
    assert "The model as mathematics" in html and "<math" in html


def test_without_latex2mathml_a_spec_is_shown_with_what_to_install(program, monkeypatch):
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    html = program._repr_html_()
    assert html.startswith("<pre")
    assert (
        "this format needs latex2mathml: pip install &quot;latex2mathml&gt;=3.77,&lt;4&quot;"
        in html
    )


@pytest.mark.parametrize("text", ["", "§ <&", TEXT, '"never closed', "a\tb\n\n# last"])
def test_highlighting_keeps_every_character(text):
    from html import unescape
    from re import sub

    assert unescape(sub("<[^>]*>", "", highlighted(text))) == text


def test_a_model_is_shown_by_its_sizes(result):
    html = result.compiled._repr_html_()
    sizes = result.compiled.stats()
    for name in ("rows", "columns", "nonzeros"):
        row = f'<td style="text-align:left">{name}</td>'
        assert f'{row}<td style="text-align:left">{sizes[name]}</td>' in html
    assert "unit_norm" in html


def test_a_result_is_shown_with_its_verdict_and_its_tree(result):
    html = result._repr_html_()
    assert "verified; proven optimal" in html and "0 of 4 points" in html
    assert html.count("<svg") == 1 and "&lt;no&gt;: 2" in html and "<no>" not in html


def test_stats_are_a_data_frame(result, monkeypatch):
    pandas = pytest.importorskip("pandas")
    frame = result.compiled.stats_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["family", "of", "kind", "length"]
    sizes = result.compiled.stats()
    assert frame[frame["of"] == "variables"]["length"].sum() == sizes["columns"]
    assert frame[frame["of"] == "constraints"]["length"].sum() == sizes["rows"]
    pytest.importorskip("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(result.compiled.stats_frame()).__module__.startswith("polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(treemip.TreemipError, match="a DataFrame needs pandas or polars"):
        result.compiled.stats_frame()


def test_public_names_are_listed():
    assert dir(treemip) == sorted([*treemip.__all__, "__version__"])
    assert all(getattr(treemip, name) is not None for name in dir(treemip))
