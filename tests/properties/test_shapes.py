"""Every formulation on trees of any shape: its rows, its optimum, its trees read out and drawn."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from formulations import KINDS, SETTINGS, Columns, errors_of, random_table, table
from reference.shapes import FIXED, MAKERS, Ways, drawn, random_shape, read, widest_margins
from suite import class_formulations, one_in

import treemip
from treemip.answers.starts.fixed import fix_tree
from treemip.api.compiled import Compiled
from treemip.core.files.names import name_model
from treemip.core.solving.solve import solve
from treemip.writers.picture.drawing import drawing as draw

ENUMERATED_ELSEWHERE = {
    "roct": "test_roct.py: an attacker moves the points",
    "categorical_odt": "test_categorical_odt.py: branches ask for sets of categories",
}

NO_OPTIMUM = {
    "mrct": "splits with probabilities: a smooth problem with local optima",
    "mm_svm_oct": "its cost is the greatest of its nodes', not their sum",
}


def program(formulation: str, columns: Columns, shape: str, rest: str = "") -> treemip.Program:
    kind = {"mrct": "randomized", "margot": "margin", "mm_svm_oct": "margin"}
    kind |= dict.fromkeys(ENUMERATED_ELSEWHERE, "univariate")
    settings = {**SETTINGS, "categorical_odt": "bin thresholds;"}
    text = (
        f'data "t" {{ label c positive "1"; {settings.get(formulation, "scale minmax;")} }}\n'
        f'topology shape "{shape}";\n'
        f"split {KINDS.get(formulation) or kind[formulation]} by {formulation};\n{rest}"
    )
    return treemip.loads(text, data=columns)


@cache
def case(formulation: str, seed: int) -> tuple[Ways, str, Compiled]:
    """A small table, a shape, and the model: the fixed shapes first, then random ones."""
    rng = np.random.default_rng(seed)
    shape = read(FIXED[seed]) if seed < len(FIXED) else random_shape(rng, int(rng.integers(2, 6)))
    two = formulation == "margot"  # and dearer to enumerate
    while True:
        x, y = random_table(rng, 4 if two else 5, 2, 2 if two else 3)
        if {0, 1} <= set(y.tolist()) and (x.min(axis=0) < x.max(axis=0)).any():
            break
    made = program(formulation, table(x, y), drawn(shape)).compile()
    scaled = made.instance.table.x if SETTINGS.get(formulation) is None else x
    maker = MAKERS.get(formulation)
    return (maker(scaled, made.instance.table.y) if maker else None), drawn(shape), made


def value(made: Compiled, objective: float) -> float:
    name = made.program.spec.formulation
    return objective if name in ("svm1_odt", "margot") else errors_of(made, objective)


def test_every_formulation_is_here() -> None:
    assert {*MAKERS, *NO_OPTIMUM, *ENUMERATED_ELSEWHERE} == set(class_formulations())


@pytest.mark.parametrize("shape", FIXED)
@pytest.mark.parametrize("formulation", class_formulations())
def test_every_formulation_lowers_on_every_shape(formulation: str, shape: str) -> None:
    x, y = random_table(np.random.default_rng(1), 6, 2, 2)
    made = program(formulation, table(x, np.r_[0, 1, y[2:]]), shape).compile()
    assert made.model.row_count > 0
    leaves = shape.count(".")
    assert len(made.instance.topology.leaves) == leaves == shape.count("(") + 1


@pytest.mark.parametrize(("formulation", "seed"), one_in(3, MAKERS, range(len(FIXED))))
def test_the_optimum_is_that_of_all_trees_of_the_shape(
    formulation: str, seed: int, tmp_path: Path
) -> None:
    check_optimum(formulation, seed, tmp_path)


def check_optimum(formulation: str, seed: int, folder: Path) -> None:
    ways, shape, made = case(formulation, seed)
    result = made.solve("scip", start="none", threads=1, feasibility=1e-9)
    assert result.status == "optimal"
    expected = ways.best(read(shape), ways.everyone)
    assert value(made, result.objective) == pytest.approx(expected, abs=1e-5), shape
    assert result.verified, (shape, result.report)
    check_drawing(result.tree)
    check_decoding(made, result, folder / "other.sol")


@pytest.mark.truth
@pytest.mark.parametrize("formulation", MAKERS)
def test_the_optimum_on_random_shapes(formulation: str, tmp_path: Path) -> None:
    for seed in range(len(FIXED), len(FIXED) + 40):
        check_optimum(formulation, seed, tmp_path)


FREE = [name for name in MAKERS if name != "margot"]
"""Those whose leaves have labels of their own."""


@pytest.mark.parametrize(
    ("formulation", "seed", "by"),
    [
        *one_in(3, FREE, range(4, 12), [None]),
        *one_in(2, ["oct", "soct", "octh"], range(3, 6), ["sos1"]),
    ],
)
def test_any_tree_of_the_shape_is_a_solution(formulation: str, seed: int, by: str | None) -> None:
    """At the price of its own errors."""
    ways, shape, made = case(formulation, seed)
    if by:
        made = made.program.compile(implications=by)
        assert made.model.special_sets
    numbers = ways.random(read(shape), np.random.default_rng(seed))
    topology, y = made.instance.topology, made.instance.table.y
    ends = np.searchsorted(topology.heap, numbers)
    classes = {int(n): int(np.bincount(y[ends == n]).argmax()) for n in np.unique(ends)}
    fixed = fix_tree(made.instance, made.model, ends, classes)
    result = made.result(solve(fixed, "scip" if by else "highs"), {}, [])
    assert result.status == "optimal", shape
    wrong = sum(classes[int(n)] != k for n, k in zip(ends, y, strict=True))
    assert result.train_errors == wrong
    if formulation != "svm1_odt":  # which has a price of weights as well
        assert errors_of(made, result.objective) == pytest.approx(wrong, abs=1e-6)
    assert result.tree.route(made.instance.table.x).tolist() == ends.tolist()
    assert result.verified, (shape, result.report)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("shape", ["((. .) .)", "(. (. .))"])
def test_mm_svm_oct_on_lopsided_shapes(shape: str, seed: int) -> None:
    """Its cost is not a sum over nodes, so that all ways of all points are enumerated together."""
    x, y = random_table(np.random.default_rng(seed), 4, 2, 2)
    y[:2] = [0, 1]
    made = program("mm_svm_oct", table(x, y), shape, "param c3 = 0;").compile()
    result = made.solve("scip", start="none", threads=1)
    assert result.status == "optimal"
    scaled = made.instance.table.x
    assert result.objective == pytest.approx(widest_margins(scaled, y, read(shape), 1e-3), abs=1e-5)
    assert result.verified, result.report
    check_drawing(result.tree)


@pytest.mark.parametrize("shape", ["((. .) .)", "(. (. ((. .) .)))"])
def test_mrct_on_lopsided_shapes(shape: str) -> None:
    """Two classes in bands: no single split tells them apart, two on any of these shapes do."""
    pytest.importorskip("casadi", reason="a nonlinear solver is needed")
    x = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0], [3.0, 3.0], [0.0, 3.0]])
    result = program("mrct", table(x, np.array([0, 0, 1, 1, 0, 1])), shape).compile().solve()
    assert result.status in ("optimal", "locally_optimal")  # no cost at all is the best there is
    assert result.verified, result.report
    assert result.train_score.errors == result.train_errors == 0
    assert result.train_score.leaves_used == result.train_score.effective_splits + 1 >= 3


@pytest.mark.parametrize("shape", ["((. .) .)", "(. (. ((. .) .)))"])
def test_margot_with_a_constraint_on_its_leaves(shape: str) -> None:
    """Points of its last branches take sides on demand, those of a single leaf have one already."""
    x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    rest = "subject to most {l in leaves}: sum {i in points} reach[i,l] <= 4;"
    made = program("margot", table(x, np.array([0, 1, 1, 0, 1])), shape, rest).compile()
    result = made.solve("scip", start="none", threads=1)
    assert result.status == "optimal"
    assert result.verified, result.report
    assert np.bincount(result.tree.route(made.instance.table.x)).max() <= 4


def check_decoding(made: Compiled, result: treemip.Result, path: Path) -> None:
    """The tree comes back from a file that HiGHS would write of the same solution."""
    names = [name.decode() for name in name_model(made.model).columns().tolist()]
    values = result.answer.values.tolist()
    sign = -1 if made.model.objective.sense == "maximize" else 1
    head = ["Model status", "Optimal", "", "# Primal solution values", "Feasible"]
    head += [f"Objective {sign * result.objective!r}", f"# Columns {len(names)}"]
    lines = [*head, *(f"{a} {v!r}" for a, v in zip(names, values, strict=True)), "# Rows 0", ""]
    path.write_text("\n".join(lines))
    again = made.decode(path)
    assert again.tree.to_json() == result.tree.to_json()
    assert again.verified, again.report


def check_drawing(tree) -> None:  # type: ignore[no-untyped-def]
    lines = draw(tree).split("\n\n")[0].splitlines()
    left, right = (sum(f"{mark}─ " in line for line in lines) for mark in "├└")
    assert left == right and len(lines) == left + right + 1
