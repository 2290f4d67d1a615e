"""Values in the model's order, from files written here and from whole ways through a solver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from driven_models import INF, missing, model
from solution_files import FILES, SAMPLE, code_of

import treemip
from treemip.core.files.mps.writer import write_mps
from treemip.core.files.names import CONSTANT, name_model
from treemip.core.files.solution_files import SolutionFile
from treemip.core.files.solution_formats import read_solution
from treemip.core.model.blocks import Index, Kind, Quadratic, Rows, SparseRows, Variables
from treemip.core.model.model import Model, Objective
from treemip.core.model.values import violation
from treemip.core.solving.solution_values import EXACT, restore_digits, values_by_name
from treemip.core.source.diagnostic import TreemipError

NAMES = np.array([name for name in SAMPLE if name != CONSTANT.encode()], "S")
VALUES = [SAMPLE[name] for name in NAMES.tolist()]


def made(names: str, complete: bool = True, **changes: object) -> SolutionFile:
    column = np.array(names.split(), "S")
    values = np.arange(1.0, len(column) + 1)
    solution = SolutionFile("x.sol", "HiGHS", "optimal", complete, 13, 0.0, column, values)
    return replace(solution, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        "highs_optimal.sol",
        "highs_sparse_optimal.sol",
        "highs_sparse_bound_optimal.sol",
        "scip_optimal.sol",
    ],
)
def test_the_sample_in_the_order_of_the_model(name: str) -> None:
    solution = read_solution(FILES / name)
    assert values_by_name(solution, NAMES, (CONSTANT,)) == pytest.approx(VALUES, abs=1e-13)
    back = values_by_name(solution, NAMES[::-1], (CONSTANT,))
    assert back == pytest.approx(VALUES[::-1], abs=1e-13)


def test_names_already_in_order_and_the_values_are_a_copy() -> None:
    solution = made("a b c")
    values = values_by_name(solution, np.array([b"a", b"b", b"c"]))
    assert values.tolist() == [1.0, 2.0, 3.0]
    values[0] = 9
    assert solution.values is not None and solution.values[0] == 1.0


def test_a_column_of_the_model_may_be_called_as_an_extra_one() -> None:
    names = np.array([b"b", b"qmatrixvar"])
    assert values_by_name(made("qmatrixvar b", added=(b"qmatrixvar",)), names).tolist() == [2, 1]
    assert values_by_name(made("b qmatrixvar", added=(b"qmatrixvar",)), names[:1]).tolist() == [1]


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        (made("a b"), "has no value for 'c'"),
        (made("a b c d"), "has columns that the model does not have: 'd'"),
        (made("a d", complete=False), "has columns that the model does not have: 'd'"),
        (made("a b b c"), "has more than one value for 'b'"),
        (made("z y x w v"), "'z', 'y', 'x' and 2 more"),
        (made("a b c", objective=10.0, listed=9.0), "values add up to 9"),
    ],
)
def test_what_does_not_fit_is_refused(solution: SolutionFile, words: str) -> None:
    with pytest.raises(TreemipError) as raised:
        values_by_name(solution, np.array([b"a", b"b", b"c"]))
    assert code_of(raised) == "E607"
    assert words in str(raised.value)


def test_what_an_incomplete_format_leaves_out_is_zero() -> None:
    names = np.array([b"a", b"b", b"c"])
    assert values_by_name(made("c", complete=False), names).tolist() == [0.0, 0.0, 1.0]
    assert values_by_name(made("", complete=False), names).tolist() == [0.0, 0.0, 0.0]


def test_a_file_without_solution_is_no_solution() -> None:
    with pytest.raises(TreemipError, match="no solution: infeasible or unbounded") as raised:
        values_by_name(read_solution(FILES / "scip_infeasible_or_unbounded.sol"), NAMES)
    assert code_of(raised) == "E605"


def test_every_cut_between_lines_that_costs_something_is_refused(tmp_path: Path) -> None:
    lines = (FILES / "scip_optimal.sol").read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.sol"
    for end in range(2, len(lines)):
        path.write_bytes(b"".join(lines[:end]))
        with pytest.raises(TreemipError, match="the file was cut") as raised:
            values_by_name(read_solution(path), NAMES, (CONSTANT,))
        assert code_of(raised) == "E607"


def random_model(seed: int) -> Model:
    """Two blocks of three with index labels, a constant, both senses, and an optimum."""
    random = np.random.default_rng(seed)
    index = Index(("i",), ("point",), (np.array([4, 2, -3]),), 3)
    blocks = (
        Variables("pick", index, 0, np.zeros(3), np.ones(3), Kind.BINARY),
        Variables(
            "size", index, 3, np.full(3, -2.5), random.integers(1, 9, 3) / 3, Kind.CONTINUOUS
        ),
    )
    matrix = random.integers(1, 9, (4, 6)).astype(float)
    rows = SparseRows(
        np.arange(0, 25, 6, dtype=np.int64),
        np.tile(np.arange(6, dtype=np.int32), 4),
        matrix.ravel(),
    )
    upper = matrix.sum(axis=1) / 7
    family = Rows("limit", Index(length=4), rows, np.full(4, -np.inf), upper)
    objective = Objective("maximize", "gain", -12.5, random.integers(1, 9, 6).astype(float))
    return Model("small", blocks, (family,), objective=objective)


def written(model: Model, folder: Path, solver: str) -> Path:
    """The solution file that the solver writes for the model's MPS file."""
    write_mps(model, folder / "model.mps")
    target = folder / f"{solver}.sol"
    if solver == "scip":
        scip = pytest.importorskip("pyscipopt").Model()
        scip.hideOutput()
        scip.readProblem(folder / "model.mps")
        scip.optimize()
        scip.writeBestSol(target)
        return target
    highs = pytest.importorskip("highspy").Highs()
    highs.silent()
    highs.readModel(str(folder / "model.mps"))
    highs.run()
    highs.writeSolution(str(target), {"raw": 0, "table": 1, "sparse": 4}[solver])
    return target


@pytest.mark.parametrize("solver", ["raw", "table", "sparse", "scip"])
@pytest.mark.parametrize("seed", range(3))
def test_from_model_to_file_to_solver_and_back(tmp_path: Path, solver: str, seed: int) -> None:
    model = random_model(seed)
    solution = read_solution(written(model, tmp_path, solver))
    values = values_by_name(solution, name_model(model).columns(), (CONSTANT,))
    near = 10.0 ** (2 - solution.digits)
    for block in model.rows:
        dense = block.matrix.data.reshape(4, 6)
        assert (dense @ values <= block.upper + 60 * near + 1e-6).all()
    objective = model.objective.constant + model.costs @ values
    assert solution.objective is not None
    assert -solution.objective == pytest.approx(objective, abs=60 * near)


# -------------------- Six digits made whole: the same number as printed, and every row kept.

pytest.importorskip("highspy", reason="a solver is needed")


def printed(values: np.ndarray, digits: int = 6) -> np.ndarray:
    return np.array([float(f"{v:.{digits}g}") for v in values])


def file(values: np.ndarray, digits: int = 6, complete: bool = True) -> SolutionFile:
    return SolutionFile("t.sol", "lp_solve", "feasible", complete, digits, values=values)


def tied(seed: int) -> tuple[Model, np.ndarray]:
    """A model with as many equations as continuous columns, beside an integer, and its solution."""
    random = np.random.default_rng(seed)
    matrix = random.uniform(-3, 3, (4, 5))
    values = np.append(random.uniform(-40, 40, 4), random.integers(0, 5))
    side = matrix @ values
    return model("cccci", [1, 1, 1, 1, 1], matrix, side, 100, low=-100, least=side), values


@pytest.mark.parametrize("seed", range(8))
def test_what_the_rows_determine_is_found(seed: int) -> None:
    stated, exact = tied(seed)
    short = printed(exact)
    assert violation(stated, short) > 1e-6
    found = restore_digits(stated, file(short), short)
    assert violation(stated, found) <= EXACT
    assert found == pytest.approx(exact, abs=1e-7)
    assert (printed(found) == short).all()


def test_values_stay_that_could_not_be_printed_so() -> None:
    """Rows that are missed by more than the digits can explain: the solution is wrong."""
    stated, exact = tied(0)
    wrong = printed(exact + np.array([0.1, 0, 0, 0, 0]))
    assert restore_digits(stated, file(wrong), wrong) is wrong


def test_values_stay_where_nothing_is_known_of_their_digits() -> None:
    stated, exact = tied(1)
    short = printed(exact)
    for given in (file(short, digits=15), file(short, complete=False)):
        assert restore_digits(stated, given, short) is short
    one = np.zeros(1, np.int32)
    square = Quadratic(np.zeros(1, np.int64), one, one, np.ones(1))
    curved = replace(stated, objective=replace(stated.objective, quadratic=square))
    assert restore_digits(curved, file(short), short) is short
    great = np.append(short[:4], 1234560.0)
    assert restore_digits(stated, file(great), great) is great


def test_values_that_keep_the_rows_stay() -> None:
    stated = model("ci", [1, 1], [[1, 1]], INF, 9, least=0.5)
    values = np.array([0.5, 0.0])
    assert restore_digits(stated, file(values), values) is values


def test_digits_gain_nothing_from_tolerances() -> None:
    """Points of SVM1-ODT on the wrong side by 1e-9 each would cost the tree 1000 times as much."""
    points = [0, 0.125, 0.25, 0.375, 0.625, 0.75, 1, 0.75], [2, 0, 6, 8, 1, 3, 7, 3]
    table = np.array(points).T * [1, 0.125], np.array(list("nnyyyynn"))
    spec = "topology complete(depth = 1); split oblique by svm1_odt;\n"
    way = "subject to way {t in branches, j in features}: coef[t,j] >= 0;"
    compiled = treemip.loads('data "memory" { label class; }' + spec + way, data=table).compile()
    solved = compiled.solve("highs", start="none", feasibility=1e-9)
    short = printed(solved.answer.values[: compiled.model.column_count])
    found = compiled.tree_of(restore_digits(compiled.model, file(short), short))
    assert found.objective == pytest.approx(solved.objective, rel=2e-7)


@pytest.mark.skipif(bool(missing("lp_solve")), reason=missing("lp_solve"))
@pytest.mark.parametrize("seed", [0, 2, 4, 5])
def test_trees_of_lp_solve_are_verified(seed: int) -> None:
    """SVM1-ODT's price of 1000 makes much of a digit: without the others none of these was."""
    random = np.random.default_rng(seed)
    table = random.random((9, 3)), np.where(random.random(9) < 0.5, "a", "b")
    spec = 'data "memory" { label class; scale minmax; } topology complete(depth = 1);\n'
    compiled = treemip.loads(spec + "split oblique by svm1_odt;", data=table).compile()
    assert compiled.solve("lp_solve", start="none", time_limit=30).verified
