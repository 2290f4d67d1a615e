"""Every tool of the benchmark builds the model that treemip builds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DEPTH = 2
PEERS = ("gurobipy", "linopy", "pyoptinterface", "pyomo")
SPECS = {
    "soct": "scale minmax(0.00001, 0.99999); } split oblique by soct;",
    "binoct": "} split univariate by binoct;",
}


@pytest.mark.parametrize("formulation", ["soct", "binoct"])
def test_treemip_builds_what_the_formulas_say(folder, compare, run, formulation):
    spec = folder / f"{formulation}.tree"
    text = (
        f'data "table.csv" {{ label class; {SPECS[formulation]} topology complete(depth = {DEPTH});'
    )
    spec.write_text(text + "\n")
    target = folder / f"treemip.{formulation}.mps"
    run(Path(sys.executable).with_name("treemip"), "compile", spec, "-o", target)
    by_hand = compare.read(folder / f"arrays.{formulation}.mps")
    assert compare.difference(by_hand, compare.read(target)) is None


BUILT = [(peer, formulation) for peer in PEERS for formulation in SPECS]


@pytest.mark.parametrize(("peer", "formulation"), [*BUILT, ("gurobipy_expressions", "soct")])
def test_peer_builds_what_the_formulas_say(folder, compare, build, peer, formulation):
    by_hand = compare.read(folder / f"arrays.{formulation}.mps")
    assert compare.difference(by_hand, compare.read(build(folder, formulation, peer))) is None


def test_s_oct_has_the_size_that_its_equations_give(folder, compare):
    points, features, classes, branches, leaves = 23, 3, 3, 3, 4
    columns = branches + points * (branches + leaves) + leaves * classes + points * leaves
    columns += branches * (2 * features + 1)
    rows = points + points * branches + leaves + 2 * points * leaves + points * branches + 1
    rows += branches * (1 + 2 * features) + 2 * points * branches
    nonzeros = points * leaves + 3 * points * branches + leaves * classes + 4 * points * leaves
    nonzeros += 2 * points * branches + branches + 5 * branches * features
    nonzeros += 2 * points * branches * (features + 2)
    assert compare.read(folder / "arrays.soct.mps").size == (rows, columns, nonzeros)


def test_binoct_has_brute_force_optimum(folder):
    """The least number of errors of a depth-2 tree with a threshold between any two values."""
    import highspy

    cells = [
        [int(cell) for cell in line.split(",")]
        for line in (folder / "table.csv").read_text().splitlines()[1:]
    ]
    highs = highspy.Highs()
    highs.silent()
    highs.readModel(str(folder / "arrays.binoct.mps"))
    highs.run()
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    assert round(highs.getInfo().objective_function_value, 6) == least_errors(cells, DEPTH)


def least_errors(rows: list[list[int]], depth: int) -> int:
    """Fewest points of another class than their leaf's, over all trees that split everywhere."""
    if depth == 0:
        labels = [row[-1] for row in rows]
        return len(labels) - max(map(labels.count, set(labels)), default=0)
    return min(
        least_errors([row for row in rows if row[f] < at], depth - 1)
        + least_errors([row for row in rows if row[f] >= at], depth - 1)
        for f in range(3)
        for at in range(1, 7)
    )
