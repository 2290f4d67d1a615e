"""Columns and classes called anything: through every format to a solver and back to a tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import highspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemip
from treemip.api.compiled import Compiled

ODD = "aAbé_ß .;:'\"`[](){}<>%$#!?&|\\/+-*^~=@δ变☃0123456789"
KEYWORDS = ["free", "end", "st", "inf", "RHS", "Bounds", "x(1)", "e1", "points", "nan x", "sum"]
NAME = st.one_of(
    st.sampled_from(KEYWORDS),
    st.text(st.sampled_from(ODD), min_size=1, max_size=12).map(str.strip),
    st.text(st.sampled_from("long "), min_size=150, max_size=300).map(str.strip),
).filter(bool)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


NAMES = st.lists(NAME, min_size=5, max_size=5, unique=True).filter(
    lambda names: not all(map(is_number, names[3:]))  # 0 and 00 are one class, and come back as 0
)
FIRST, SECOND = [0.1, 0.2, 0.4, 0.6, 0.7, 0.9], [0.3, 0.9, 0.2, 0.8, 0.1, 0.6]


def compiled(names: list[str]) -> tuple[Compiled, dict[str, list]]:
    """Two features, a label and two classes of these names."""
    one, two, label, low, high = names
    table = {one: FIRST, two: SECOND, label: [low, low, low, high, high, high]}
    spec = treemip.Builder("odd").data(table, label=label, scale="minmax").topology(depth=1)
    return spec.split("univariate", by="oct").compile(), table


def by_highs(path: Path) -> Path:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) != highspy.HighsStatus.kError
    solver.run()
    found = path.with_name("found.sol")
    solver.writeSolution(str(found), 0)
    return found


def by_scip(path: Path) -> Path:
    pyscipopt = pytest.importorskip("pyscipopt")
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.readProblem(str(path))
    solver.optimize()
    found = path.with_name("found.sol")
    solver.writeBestSol(str(found))
    return found


@pytest.mark.parametrize("style", ["spec", "short"])
@pytest.mark.parametrize(
    ("form", "solve"),
    [("mps", by_highs), ("lp", by_highs), ("mps", by_scip), ("lp", by_scip), ("nl", by_scip)],
)
def test_to_a_solver_and_back(form: str, solve: Callable[[Path], Path], style: str) -> None:
    if form == "nl":
        pytest.importorskip("pyomo")

    @given(names=NAMES)
    @settings(max_examples=8, deadline=None)
    def there_and_back(names: list[str]) -> None:
        made, table = compiled(names)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"m.{form}"
            made.write(path, names=style, map_path=Path(folder) / "map.json")  # type: ignore[arg-type]
            result = made.decode(solve(path))
            assert result.verified
            assert result.train_errors == 0
            result.save(Path(folder) / "tree.json")
            tree = treemip.load_tree(Path(folder) / "tree.json")
        assert list(tree.predict(table)) == table[names[2]]

    there_and_back()


@given(names=NAMES)
@settings(max_examples=8, deadline=None)
def test_in_memory(names: list[str]) -> None:
    made, table = compiled(names)
    result = made.solve("highs")
    assert result.verified
    assert list(result.tree.predict(table)) == table[names[2]]
    with TemporaryDirectory() as folder:
        made.write(Path(folder) / "m.mof.json")
        text = (Path(folder) / "m.mof.json").read_text()
    assert text.isascii()
