"""Whole models of the library's formulations, equal to a slow second reading of their texts."""

from __future__ import annotations

import numpy as np
import pytest
from compared import compare

from treemip.api.program import loads

KINDS = {"binoct": "univariate", "oct": "univariate", "soct": "oblique", "octh": "oblique"}
KINDS["svm1_odt"] = "oblique"
KINDS["flow_oct"] = "univariate"
TOPOLOGIES = [
    "complete(depth = 1)",
    "complete(depth = 2)",
    'shape "((. .) .)"',
    'shape "(. (. (. .)))"',
]

TERMS = (
    "misclassified + 0.5 * splits + 0.25 * features_used + distinct_features + 0.125 * l1 + linf"
)


def table(seed: int, points: int = 5) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = {f"f{j}": rng.integers(0, 4, points) / 3 for j in range(2)}
    columns["g"] = np.array(["m", "f"])[rng.integers(0, 2, points)]
    columns["class"] = np.array(["a", "b", "c"])[np.r_[0, 1, 2, rng.integers(0, 3, points - 3)]]
    return columns


def text(formulation: str, topology: str, rest: str = "", settings: str = "") -> str:
    needed = "bin thresholds;" if formulation == "flow_oct" else "scale minmax;"
    return (
        f'data "t" {{ label class; group g; {needed} {settings} }} topology {topology}; '
        f"split {KINDS[formulation]} by {formulation}; {rest}"
    )


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("formulation", KINDS)
def test_as_the_paper_states_it(formulation: str, topology: str) -> None:
    assert compare(loads(text(formulation, topology), table(len(topology)))) >= 12


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_categorical_features_as_the_appendix_states_them(topology: str) -> None:
    """Two kept columns that share values, among them `b`, and features beside them."""
    rest = "cut told {l in leaves, k in classes}: label[l,k] <= 1; minimize cost + splits;"
    columns = table(4) | {"h": np.array([*"bacab"]), "k": np.array([*"bbxbx"])}
    said = text("svm1_odt", topology, rest, "encode keep h, k;")
    assert compare(loads(said, columns)) >= 12


@pytest.mark.parametrize("formulation", KINDS)
def test_with_every_term_of_the_vocabulary(formulation: str) -> None:
    program = loads(text(formulation, TOPOLOGIES[2], f"minimize {TERMS};"), table(3))
    assert compare(program) >= 12


def two_classes(seed: int) -> dict[str, np.ndarray]:
    """The first two classes are one, as margin trees need it."""
    columns = table(seed)
    columns["class"] = np.where(columns["class"] == "b", "a", columns["class"])
    return columns


@pytest.mark.parametrize(
    "rest",
    [
        "",
        f"minimize {TERMS} + margin + total_slack;",
        "subject to few {t in branches}: sum {j in features} uses[t,j] <= 1;",
        "subject to low {l in leaves}: sum {i in points} reach[i,l] * reach[i,root] >= 1;",
    ],
)
@pytest.mark.parametrize(
    "topology",
    [*TOPOLOGIES[2:], *(pytest.param(t, marks=pytest.mark.truth) for t in TOPOLOGIES[:2])],
)
@pytest.mark.parametrize("formulation", ["margot", "mm_svm_oct"])
def test_margin_trees_with_products(formulation: str, topology: str, rest: str) -> None:
    said = (
        f'data "t" {{ label class; group g; scale minmax; }} topology {topology}; '
        f"split margin by {formulation}; {rest}"
    )
    assert compare(loads(said, two_classes(len(topology)))) >= 10
