"""Every solver's file of one spec gives the verified tree, and no damaged one a better answer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError

FOLDER = Path(__file__).parents[1] / "solutions" / "tiny"
FILES = sorted(
    p.name
    for p in FOLDER.iterdir()
    if p.suffix in (".sol", ".txt", ".json", ".slx", ".asc", ".int")
)
OPTIMUM = 11.25
NOT_STATED = ("xpress.slx", "xpress.asc")  # the objective
VAGUE = {"copt.sol", "gurobi.sol", "scip.sol", "lp_solve.txt", *NOT_STATED}  # no proof stated


@cache
def compiled() -> Compiled:
    return treemip.load(FOLDER / "tiny.tree").compile()


@pytest.mark.parametrize("name", FILES)
def test_the_verified_tree(name: str) -> None:
    result = compiled().decode(FOLDER / name)
    assert result.status == ("feasible" if name in VAGUE else "optimal")
    assert result.objective == pytest.approx(OPTIMUM, abs=1e-5)
    assert result.verified
    assert result.train_errors == 1


def test_the_model_they_answer_is_what_is_written_today(tmp_path: Path) -> None:
    compiled().write(tmp_path / "tiny.mps")
    assert (tmp_path / "tiny.mps").read_bytes() == (FOLDER / "tiny.mps").read_bytes()


def decoded(data: bytes, path: Path) -> Result | None:
    """None when the file is refused."""
    path.write_bytes(data)
    try:
        return compiled().decode(path)
    except TreemipError as error:
        assert {d.code for d in error.diagnostics} <= {"E606", "E607"}
        return None


def demand_no_wrong_answer(result: Result | None, name: str) -> None:
    if result is None or result.tree is None or not result.verified:
        return
    assert result.objective is not None
    if name in NOT_STATED:
        assert result.objective <= OPTIMUM + 1e-5
    else:
        assert result.objective == pytest.approx(OPTIMUM, abs=2e-3)  # of 1e-4, relative


@pytest.mark.parametrize("name", FILES)
def test_files_cut_anywhere(name: str, tmp_path: Path) -> None:
    data = (FOLDER / name).read_bytes()
    ends = {*range(0, len(data), 1 + len(data) // 60), *range(len(data) - 20, len(data))}
    for end in sorted(ends):
        demand_no_wrong_answer(decoded(data[:end], tmp_path / "cut.sol"), name)


@pytest.mark.parametrize("name", ["cbc.sol", "scip.sol"])
def test_lines_lost_from_files_without_zeros(name: str, tmp_path: Path) -> None:
    """These state no number of columns: what is lost must show in the objective or the rows."""
    lines = (FOLDER / name).read_bytes().splitlines(keepends=True)
    for lost in range(2, len(lines)):
        text = b"".join(lines[:lost] + lines[lost + 1 :])
        demand_no_wrong_answer(decoded(text, tmp_path / "lost.sol"), name)


@given(st.sampled_from(FILES), st.data())
def test_damage(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    text = bytearray((FOLDER / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        piece = data.draw(st.sampled_from([b"", b"0", b"1", b"9", b"-", b".", b"e", b" ", b"\n"]))
        text[at : at + data.draw(st.integers(0, 2))] = piece
    demand_no_wrong_answer(decoded(bytes(text), tmp_path_factory.getbasetemp() / "d.sol"), name)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Infeasible - objective value 3.0\n", "infeasible"),
        ("Unbounded - objective value 3.0\n", "unbounded"),
        ("This problem is infeasible\n", "infeasible"),
        ('{"SolutionInfo": {"Status": 9, "SolCount": 0}}', "time_limit"),
    ],
)
def test_files_without_solution_are_results(text: str, status: str, tmp_path: Path) -> None:
    (tmp_path / "x.sol").write_text(text)
    result = compiled().decode(tmp_path / "x.sol")
    assert (result.status, result.tree, result.objective) == (status, None, None)


def test_a_relaxation_is_no_solution(tmp_path: Path) -> None:
    text = (FOLDER / "xpress.slx").read_text()
    lines = text.splitlines()
    at = next(k for k, line in enumerate(lines) if line.split()[1].startswith("reach("))
    lines[at] = f"  C {lines[at].split()[1]} 0.5"
    (tmp_path / "x.slx").write_text("\n".join(lines) + "\n")
    with pytest.raises(TreemipError, match=r"'reach\(.*\)' is 0\.5, not whole") as raised:
        compiled().decode(tmp_path / "x.slx")
    assert raised.value.diagnostics[0].code == "E607"


def test_another_objective_than_the_values_have(tmp_path: Path) -> None:
    text = (FOLDER / "gurobi.sol").read_text()
    (tmp_path / "x.sol").write_text(
        text.replace("# Objective value = -11.25", "# Objective value = -13.25")
    )
    with pytest.raises(TreemipError, match=r"states the objective 13\.25") as raised:
        compiled().decode(tmp_path / "x.sol")
    assert raised.value.diagnostics[0].code == "E607"


def test_columns_numbered_by_a_reader_of_lp_files(tmp_path: Path) -> None:
    """`glpsol --lp -w`: as many columns, in the order in which the reader met them."""
    model = compiled().model
    rows = "".join(f"i {k} 0\n" for k in range(1, model.row_count + 1))
    count = model.column_count + 1  # the objective's constant has one
    columns = "".join(f"j {k} 0\n" for k in range(1, count + 1))
    head = f"s mip {model.row_count} {count} o -11.25\n"
    (tmp_path / "x.sol").write_text(f"{head}{rows}{columns}e o f\n")
    with pytest.raises(TreemipError, match=r"states the objective 11\.25") as raised:
        compiled().decode(tmp_path / "x.sol")
    assert raised.value.diagnostics[0].remedy.startswith("the file has columns by number")


def test_the_bound_of_a_maximisation(tmp_path: Path) -> None:
    assert compiled().decode(FOLDER / "gurobi.json").bound == pytest.approx(OPTIMUM)
    assert compiled().decode(FOLDER / "gurobi.sol").bound is None


def test_an_ampl_solution_in_the_order_of_the_nl_file(tmp_path: Path) -> None:
    """No solver of NL files is at hand: the file is made here, by the names in the .col file."""
    pytest.importorskip("pyomo")
    compiled().write(tmp_path / "tiny.nl")
    lines = (FOLDER / "gurobi.sol").read_text().splitlines()[2:]
    known = dict(line.split() for line in lines)
    names = (tmp_path / "tiny.col").read_text().split()
    assert names != list(known)[: len(names)]
    values = [known[name] for name in names]
    counts = [0, 0, len(values), len(values)]
    text = ["a solver", "", "Options", "3", "1", "1", "0", *map(str, counts), *values, "objno 0 0"]
    (tmp_path / "tiny.sol").write_text("\n".join(text) + "\n")
    result = compiled().decode(tmp_path / "tiny.sol")
    assert (result.status, result.verified) == ("optimal", True)
    assert result.objective == pytest.approx(OPTIMUM)
    (tmp_path / "tiny.col").unlink()
    with pytest.raises(TreemipError, match=r"no \.col file") as raised:
        compiled().decode(tmp_path / "tiny.sol")
    assert raised.value.diagnostics[0].code == "E607"
