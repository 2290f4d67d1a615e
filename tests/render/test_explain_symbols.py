"""`explain` reads like the papers: their symbols, and no terms over sets without members."""

from __future__ import annotations

import treemip
from treemip.api.explain import explain
from treemip.core.resources import specs_path


def explained(name: str) -> str:
    return explain(treemip.load(specs_path() / f"{name}.tree").compile(), "md")


def test_svm1_odt_without_kept_columns_has_no_tests() -> None:
    text = explained("wine_svm1")
    assert r"\alpha_{2} \, \mathrm{l1}" in text
    assert r"p^-_{i t} + m_{i t} \ge \varepsilon \, e_{i l}" in text
    assert "tests" not in text


def test_mrct_writes_p_for_the_probability_that_is_written_out() -> None:
    text = explained("iris_mrct")
    assert r"\sum_{i \in \mathcal{I},\, l \in \mathcal{L}} P_{i l} \, \sum_{k" in text
    assert r"\mathrm{reach}" not in text


def test_the_functions_of_search_trees_are_in_binoct_s_notation() -> None:
    text = explained("iris_binoct")
    for name in ("mid", "lo", "hi", "next", "inner", "bisect", "descend"):
        assert rf"| $\mathrm{{{name}}}$ | " in text
