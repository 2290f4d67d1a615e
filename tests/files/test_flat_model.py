"""Row bounds as a sense, a right-hand side and a range."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from file_models import INF, Builder, grid, objective
from file_readers import reader, taking
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_names import KEYWORDS
from probes import special

from treemip.core.files.flat_model import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    FREE,
    row_senses,
    special_sets,
    weight_table,
)
from treemip.core.files.model_files import write_model
from treemip.core.files.names import name_model
from treemip.core.files.profiles import profiles
from treemip.core.model.blocks import SpecialSets
from treemip.core.model.model import Model
from treemip.core.packages.cvxpy import to_cvxpy
from treemip.core.packages.pyomo import to_pyomo
from treemip.core.solvers.highs.model import to_highs
from treemip.core.solvers.ipopt.model import to_casadi
from treemip.core.solvers.mosek import to_mosek
from treemip.core.solvers.scip.solve import solve_scip
from treemip.core.solving.optional import is_installed
from treemip.core.solving.solve import choose
from treemip.core.source.diagnostic import TreemipError


@pytest.mark.parametrize(
    ("lower", "upper", "sense", "rhs", "spread"),
    [
        (-INF, INF, FREE, 0, 0),
        (-INF, 3, AT_MOST, 3, 0),
        (-2, INF, AT_LEAST, -2, 0),
        (4, 4, EQUAL, 4, 0),
        (0.0, -0.0, EQUAL, 0, 0),
        (-1, 3, AT_LEAST, -1, 4),
        (0.1, 0.3, AT_LEAST, 0.1, 0.3 - 0.1),
        (-1e-17, 1, AT_LEAST, -1e-17, 1),
        (-1, 1e-17, AT_MOST, 1e-17, 1),
    ],
)
def test_sides(lower: float, upper: float, sense: int, rhs: float, spread: float) -> None:
    found = row_senses(np.array([lower]), np.array([upper]))
    assert (found.sense[0], found.rhs[0], found.spread[0]) == (sense, rhs, spread)
    assert not found.rounded[0]


@given(st.floats(-1e19, 1e19), st.floats(-1e19, 1e19))
@settings(deadline=None)
def test_ranges_are_exact_or_say_so(a: float, b: float) -> None:
    lower, upper = min(a, b), max(a, b)
    found = row_senses(np.array([lower]), np.array([upper]))
    rhs, spread = float(found.rhs[0]), float(found.spread[0])
    ends = {AT_LEAST: (rhs, rhs + spread), AT_MOST: (rhs - spread, rhs), EQUAL: (rhs, rhs)}
    low, high = ends[int(found.sense[0])]
    assert found.rounded[0] == ((low, high) != (lower, upper))
    assert abs(high - upper) <= np.spacing(upper - lower)
    assert low == lower


def test_a_range_that_no_pair_of_numbers_states() -> None:
    """-0.81 + 1.63 and 0.82 - 1.63 both miss by the last digit, and so do their neighbours."""
    low, high = -0.81, 0.82
    found = row_senses(np.array([low]), np.array([high]))
    assert found.rounded[0]
    near = [np.nextafter(high - low, way) for way in (-INF, INF)]
    assert all(low + r != high and high - r != low for r in (high - low, *near))


# -------------------- Special ordered sets as streams, names and maps, and who refuses them.


def test_sets_one_by_one_and_as_a_stream() -> None:
    sets = special_sets(special()[0])
    assert list(sets.each()) == [([0, 2], [1, 2]), ([1, 3, 4], [1, 2, 3])]
    places, weights = sets.stream()
    assert places.tolist() == [0, 2, 4, 1, 3, 5, 6]
    assert weights.tolist() == [0, 1, 2, 0, 1, 2, 3]
    assert weight_table(sets, ":").tolist() == [b"", b":1", b":2", b":3"]


def test_a_model_without_sets() -> None:
    sets = special_sets(special()[0].with_(special_sets=()))
    assert (sets.count, list(sets.each()), len(sets.weights)) == (0, [], 0)


def test_names_are_those_of_the_implication_and_never_those_of_rows() -> None:
    model = special()[0]
    assert name_model(model).sets().tolist() == [b"either_set", b"three_set(1)"]
    assert name_model(model, "short").sets().tolist() == [b"set1", b"set2"]
    rows = (model.rows[0], replace(model.rows[1], name="either_set"))
    first = name_model(model.with_(rows=rows)).sets().tolist()[0].decode()
    assert first.startswith("either_set_")


def test_the_map_says_what_their_names_stand_for(tmp_path: Path) -> None:
    path, names = tmp_path / "m.mps", tmp_path / "m.json"
    told = write_model(special()[0], path, map_path=names, profile=profiles()["scip"])
    assert told.special_sets == 2
    first, second = json.loads(names.read_text())["sets"]
    assert (first["block"], first["emitted"], first["index"]) == ("either", "either_set", [])
    assert (second["first"], second["last"], second["index"]) == (2, 2, ["i"])


def test_math_opt_format(tmp_path: Path) -> None:
    path = tmp_path / "m.mof.json"
    told = write_model(special()[0], path)
    assert told.special_sets == 2
    said = [
        one for one in json.loads(path.read_text())["constraints"] if one["set"]["type"] == "SOS1"
    ]
    assert said == [
        {
            "name": "either_set",
            "function": {"type": "VectorOfVariables", "variables": ["_S1", "x"]},
            "set": {"type": "SOS1", "weights": [1, 2]},
        },
        {
            "name": "three_set(1)",
            "function": {"type": "VectorOfVariables", "variables": ["b", "_S2(1)", "_S2(2)"]},
            "set": {"type": "SOS1", "weights": [1, 2, 3]},
        },
    ]


def test_scip_in_memory() -> None:
    pytest.importorskip("pyscipopt")
    model, optimum = special()
    assert choose(model) == "scip"
    answer = solve_scip(model)
    assert answer.objective == pytest.approx(optimum)
    assert answer.values is not None and answer.values[2] == pytest.approx(0)


def test_pyomo() -> None:
    pyo = pytest.importorskip("pyomo.environ")
    made = to_pyomo(special()[0])
    found = {c.name: c for c in made.component_data_objects(pyo.SOSConstraint)}
    assert list(found) == ["either", "three[1]"]
    assert all(c.level == 1 for c in found.values())
    items = [(v.name, w) for v, w in found["three[1]"].get_items()]
    assert items == [("b", 1), ("S2[1]", 2), ("S2[2]", 3)]


REFUSING: dict[str, tuple[str, Callable[[Model], object]]] = {
    "HiGHS": ("highspy", to_highs),
    "CVXPY": ("cvxpy", to_cvxpy),
    "CasADi": ("casadi", to_casadi),
    "MOSEK": ("mosek", to_mosek),
}


@pytest.mark.parametrize("name", REFUSING)
def test_packages_without_sets_refuse_them(name: str) -> None:
    needs, make = REFUSING[name]
    if not is_installed(needs):
        pytest.skip(f"{needs} is not installed")
    with pytest.raises(TreemipError, match="has no special ordered sets") as caught:
        make(special()[0])
    assert {d.code for d in caught.value.diagnostics} == {"E601"}


@pytest.mark.parametrize("name", ["m.nl", "m.lp", "m.mps", "fixed.mps"])
def test_files_without_sets_refuse_them(name: str, tmp_path: Path) -> None:
    fixed = name.startswith("fixed")
    profile = profiles()["scip" if fixed else "portable"]
    with pytest.raises(TreemipError) as caught:
        write_model(special()[0], tmp_path / name, profile=profile, fixed=fixed)
    assert [d.code for d in caught.value.diagnostics] == ["E601", "E601"]
    assert "by which 'either' is stated" in caught.value.diagnostics[0].message
    assert list(tmp_path.iterdir()) == []


def test_members_are_at_least_zero() -> None:
    """What every use of the sets here relies on, and what the probe keeps."""
    model = special()[0]
    assert (model.lower[special_sets(model).members] >= 0).all()
    assert special_sets(model).offsets.dtype == np.int64


def pairs_of_odd_names() -> tuple[Model, float]:
    """Of each two columns one is 0: the dearer ones add up. Names are words of the formats."""
    names = [*KEYWORDS, *map(str.upper, KEYWORDS), "S1", "S2", "s1", "s2", "S1 x"]
    names = names[: len(names) // 2 * 2]
    b = Builder("odd")
    for name in names:
        b.var(name, None, 0, 1)
    b.row("all", [dict.fromkeys(range(len(names)), 1.0)], -INF, len(names))
    costs = 1.0 + np.arange(len(names)) % 7
    columns = np.arange(len(names), dtype=np.int32)
    offsets = np.arange(0, len(names) + 1, 2)
    sets = SpecialSets("S1", grid("i", len(names) // 2), offsets, columns)
    best = float(costs.reshape(-1, 2).max(axis=1).sum())
    return b.model(objective(costs, "maximize"), special_sets=(sets,)), best


@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", taking("sos"))
def test_members_of_any_name(solver: str, form: str, tmp_path: Path) -> None:
    read, (model, optimum) = reader(solver), pairs_of_odd_names()
    path = tmp_path / f"m.{form}"
    write_model(model, path, profile=profiles()[solver])
    assert read(path) == pytest.approx(-optimum)
