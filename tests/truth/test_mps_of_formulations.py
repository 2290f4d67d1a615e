"""The MPS file of every formulation: four programs see the same model and the same optimum."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mps_programs import NEEDS, PROGRAMS, Reading
from truth_cases import HERE, KINDS, SPECS, compiled

from treemip.api.compiled import Compiled

pytestmark = pytest.mark.truth

TILTED = """
maximize tilted: sum {i in points, l in leaves} (1 + x[i,"sepal_width"]) * ord(l) * reach[i,l]
  - sum {t in branches, j in features} ord(j) * coef[t,j];
"""
"""The relaxations of most formulations have a bound of 0 or N, which any model would share."""


def read(program: str, made: Compiled, folder: Path, relaxed: bool) -> Reading:
    if program in NEEDS and shutil.which(NEEDS[program]) is None:
        pytest.skip(f"{NEEDS[program]} is not installed")
    path = folder / "m.mps"
    made.write(path)
    reading = PROGRAMS[program](path, relaxed)
    model = made.model
    constant = int(model.objective.constant != 0)
    sizes = (model.row_count, model.column_count + constant, model.nonzeros)
    assert (reading.rows, reading.columns, reading.nonzeros) == sizes
    return reading


def sign(made: Compiled) -> float:
    return -1.0 if made.model.objective.sense == "maximize" else 1.0


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("formulation", KINDS)
@pytest.mark.parametrize("rest", ["", TILTED], ids=["own objective", "tilted"])
def test_sizes_and_relaxation(rest: str, formulation: str, program: str, tmp_path: Path) -> None:
    made = compiled(formulation, HERE, "small_iris_30.csv", rest=rest)
    bound = made.stats(relaxation=True)["lp_bound"]
    reading = read(program, made, tmp_path, relaxed=True)
    assert sign(made) * reading.value == pytest.approx(bound, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("formulation", ["soct", "oct", "binoct"])
def test_sizes_on_whole_data(formulation: str, program: str, tmp_path: Path) -> None:
    made = compiled(formulation, SPECS, "iris.csv", "scale minmax(0.00001, 0.99999);")
    bound = made.stats(relaxation=True)["lp_bound"]
    reading = read(program, made, tmp_path, relaxed=True)
    assert sign(made) * reading.value == pytest.approx(bound, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("formulation", [*KINDS, "flow_oct"])  # linear: these programs take all
def test_optimum(formulation: str, program: str, tmp_path: Path) -> None:
    bins = "bin quantile(5);" if formulation == "flow_oct" else ""
    made = compiled(formulation, HERE, "small_blood-transfusion_20.csv", bins, depth=1)
    result = made.solve("scip", start="none", feasibility=1e-9)
    assert result.status == "optimal"
    assert result.verified, result.report
    reading = read(program, made, tmp_path, relaxed=False)
    # the programs keep their own tolerances: at 1e-6 a row of SVM1-ODT is worth 1e-3
    close = 1e-3 if formulation == "svm1_odt" else 1e-6
    assert sign(made) * reading.value == pytest.approx(result.objective, rel=1e-6, abs=close)
