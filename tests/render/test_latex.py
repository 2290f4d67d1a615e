"""Expressions of the language as LaTeX."""

from __future__ import annotations

import pytest

import treemip
from treemip.writers.render.mathematics.document import document

SPEC = """
data "points.csv" {{ label kind; }}
topology complete(depth = 2);
split oblique by soct;
param eps_2  = 1e-5;
param C      {{t in branches}} = 2;
param price  "\\\\gamma" = 3;
minimize {0};
"""
CASES = {
    "sum {t in branches, j in features} C[t] * coef[t,j]": (
        r"\sum_{t \in \mathcal{B},\, j \in \mathcal{J}} C_{t} \, a_{t j}"
    ),
    "sum {t in branches} (active[t] - 1) * 2": (
        r"\sum_{t \in \mathcal{B}} \left( d_{t} - 1 \right) \cdot 2"
    ),
    "(sum {t in branches} active[t]) * price": (
        r"\left( \sum_{t \in \mathcal{B}} d_{t} \right) \, \gamma"
    ),
    "sum {t in branches} norm1(coef[t,*])": (r"\sum_{t \in \mathcal{B}} \lVert a_{t} \rVert_1"),
    "sum {j in features} norminf(coef[*,j])": (
        r"\sum_{j \in \mathcal{J}} \lVert a_{\cdot j} \rVert_\infty"
    ),
    "sum {t in branches} normsq(coef[t,*]) / 2": (
        r"\sum_{t \in \mathcal{B}} \frac{\lVert a_{t} \rVert_2^2}{2}"
    ),
    "sum {i in points, t in branches} (dot(coef[t,*], x[i,*]) - bias[t])": (
        r"\sum_{i \in \mathcal{I},\, t \in \mathcal{B}} "
        r"\left( a_{t}^{\top} x_{i} - b_{t} \right)"
    ),
    'sum {i in points : y[i] = "50% & more"} correct[i]': (
        r"\sum_{i \in \mathcal{I} : y_{i} = \text{50\% \& more}} \mathrm{correct}_{i}"
    ),
    "sum {l in leaves, t in left_ancestors(l) : t != root and not depth(t) > 1} active[t]": (
        r"\sum_{l \in \mathcal{L},\, t \in A_{\mathrm{L}}(l) : "
        r"t \ne \mathrm{root}, \neg (\mathrm{depth}(t) > 1)} d_{t}"
    ),
    "max(bias[root], 0)": r"\max \{ b_{\mathrm{root}}, 0 \}",
    "(max {t in branches} bias[t]) + eps_2": (
        r"\left( \max_{t \in \mathcal{B}} b_{t} \right) + \mathrm{eps\_2}"
    ),
    "sum {t in branches} (if depth(t) = 0 then 1 else -price) * active[t]": (
        r"\sum_{t \in \mathcal{B}} \begin{cases} 1 & \text{if } \mathrm{depth}(t) = 0 \\ "
        r"-\gamma & \text{otherwise} \end{cases} \, d_{t}"
    ),
    "sum {j in 0..2} 0.5 * j ^ 2 * splits": (
        r"\sum_{j \in \{ 0, \ldots, 2 \}} 0.5 \, {j}^{2} \, \mathrm{splits}"
    ),
    "abs(bias[root]) - (1 - card({t in branches : t in last_branches}))": (
        r"\left| b_{\mathrm{root}} \right| - \left( 1 - \left| "
        r"\{ t \in \mathcal{B} : t \in \mathcal{B}_{\mathrm{last}} \} \right| \right)"
    ),
}


def objective(text: str) -> str:
    said = document(treemip.loads(SPEC.format(text)).spec).objective
    assert said is not None
    return " ".join(said.lines).removeprefix(r"\min \quad ")


@pytest.mark.parametrize("text", CASES)
def test_an_expression_in_the_papers_symbols(text: str) -> None:
    assert objective(text) == CASES[text]


def test_no_two_things_have_one_symbol() -> None:
    # BinOCT's paper calls its reach l and its error e; a name of the spec gives way to them.
    text = SPEC.format("sum {i in points} weight[i] * w + omega").replace(
        "minimize", "param w = 1; param omega = 2; minimize"
    )
    said = document(treemip.loads(text).spec)
    symbols = [v.symbol.split("_")[0] for v in said.variables]
    symbols += [p.lines[0].split(" ")[0].split("_")[0] for p in said.parameters]
    assert len(set(symbols)) == len(symbols)
    assert said.objective is not None
    assert r"\omega_{i}" in said.objective.lines[0]
    assert r"\mathrm{omega}" in said.objective.lines[0]
