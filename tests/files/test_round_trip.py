"""Whatever a model holds and is called, each reader finds it in each format.

Bounds, senses, kinds and numbers of every sort, under names that formats could trip over.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import mps_reader
import numpy as np
import pytest
from content_readers import READERS, content_reader
from file_readers import reader
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from odd_names import assert_same, names_of, odd_models
from random_models import EXACT, MANY, TAME, WHOLE, models, optimum, row_limits
from test_mof import read as read_mof

from treemip.core.files import linear_forms, lines
from treemip.core.files.model_files import write_model
from treemip.core.files.mps import columns
from treemip.core.files.names import Style
from treemip.core.files.profiles import profiles
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import TreemipError

FEW = settings(max_examples=settings().max_examples // 3, deadline=None)
"""Each example is a run of a solver's reader."""

SHORT = st.integers(-9999, 9999).map(lambda k: k / 8)
PROGRAMS = {"glpk", "lp_solve"}
"""They write the model out again, in some ten digits."""

LAST_BIT = {"cplex"}
"""CPLEX's own conversion of decimals is off by the last bit now and then."""

WITHOUT_PRODUCTS = {"scip", "glpk", "lp_solve"}
"""SCIP makes a column and a row of a quadratic objective; the others have none."""


def file_sign(model: Model) -> float:
    """MPS and LP files minimize."""
    return model.objective.sign


@given(model=odd_models(EXACT), style=st.sampled_from(["spec", "short"]))
@MANY
def test_a_strict_reader_of_mps(model: Model, style: Style) -> None:
    """Which also sees that columns and rows keep the model's order."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mps"
        write_model(model, path, names=style)
        content = mps_reader.read(path.read_text())
    assert_same(model, content, file_sign(model), style=style)
    named, rows = names_of(model, style)
    assert list(content.columns)[: len(named)] == named
    assert list(content.rows) == [row for row in rows if row in content.rows]


@pytest.mark.parametrize("form", ["mps", "lp"])
@given(model=models())
@settings(MANY, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_into_chunks_gives_the_same_file(
    form: str, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TemporaryDirectory() as folder, monkeypatch.context() as patch:
        path = Path(folder) / f"m.{form}"
        write_model(model, path, profile=profiles()["scip"])
        whole = path.read_bytes()
        for module, name, least in CHUNKS:
            patch.setattr(module, name, least)
        write_model(model, path, profile=profiles()["scip"])
        assert path.read_bytes() == whole
        assert form == "mps" or max(map(len, whole.splitlines())) <= 250


CHUNKS = (
    (columns, "_AT_ONCE", 2),
    (columns, "_SORTED_AT_ONCE", 3),
    (columns, "_READ_AT_ONCE", 4),
    (linear_forms, "AT_ONCE", 2),
    (lines, "_AT_ONCE", 100),
)


def test_random_models_have_every_kind_of_row() -> None:
    """The generator behind these tests reaches ranges and free rows."""
    seen = set()

    @given(model=models())
    @settings(MANY, derandomize=True)
    def look(model: Model) -> None:
        for low, high in row_limits(model):
            seen.add((np.isfinite(low), np.isfinite(high), low == high))

    look()
    assert seen >= {(True, True, False), (True, True, True), (False, False, False)}


@given(model=odd_models(EXACT))
@MANY
def test_a_strict_reader_of_mathoptformat(model: Model) -> None:
    assume(model.column_count)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mof.json"
        told = write_model(model, path)
        content = read_mof(path.read_text())
    assert content.name == model.name
    assert_same(model, content, 1.0, ranges=False)
    assert (told.rows, told.columns) == (len(content.rows), model.column_count)


@pytest.mark.hypothesis
@pytest.mark.parametrize("form", ["mps", "lp"])
@pytest.mark.parametrize("solver", READERS)
def test_a_solver_s_reader(solver: str, form: str) -> None:
    read = content_reader(solver)
    profile = profiles()[solver]
    reads = profile.caps.mps if form == "mps" else profile.caps.lp
    if reads is None:
        pytest.skip(f"{profile.title} does not read CPLEX's LP format")

    again = solver in PROGRAMS
    drawn = odd_models(
        SHORT if again else TAME,
        products=reads.objective and solver not in WITHOUT_PRODUCTS,
        solved=solver == "xpress",
        touched=again,
    )

    @given(model=drawn)
    @FEW
    def found_again(model: Model) -> None:
        assume(model.column_count)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"m.{form}"
            write_model(model, path, profile=profile)
            content = read(path)
        assert_same(
            model, content, file_sign(model), ranges=form == "mps", last_bit=solver in LAST_BIT
        )

    found_again()


@pytest.mark.hypothesis
@pytest.mark.parametrize("form", ["mps", "lp", "nl"])
@pytest.mark.parametrize("solver", ["cbc", "scip"])
def test_the_optimum_is_found_under_any_names(solver: str, form: str) -> None:
    """CBC shows no model; of NL files SCIP takes the names from the files beside them."""
    if form == "nl" and solver == "cbc":
        pytest.skip("a build of CBC with AMPL's library reads NL files, and few are")
    if form == "nl":
        pytest.importorskip("pyomo")
    solve = reader(solver)

    @given(model=odd_models(WHOLE, products=False, free=False))
    @FEW
    def agree(model: Model) -> None:
        assume(model.column_count and model.row_count)
        expected = optimum(model)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"m.{form}"
            try:
                told = write_model(model, path)
            except TreemipError as error:  # a row without variables in an NL file
                assert form == "nl" and expected is None
                assert {d.code for d in error.diagnostics} == {"E403"}
                return
            assume(told.columns)  # SCIP refuses an NL file of a model in which nothing is mentioned
            found = solve(path)
        if expected is None or found is None:
            assert found is None and expected is None
        else:
            sign = -1.0 if told.negated else 1.0
            assert sign * found == pytest.approx(expected, abs=1e-6)

    agree()


@given(model=odd_models(TAME, products=False))
@FEW
def test_names_beside_an_nl_file(model: Model) -> None:
    pytest.importorskip("pyomo")
    assume(model.column_count and (model.costs.any() or model.nonzeros))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.nl"
        try:
            write_model(model, path)
        except TreemipError as error:
            assert {d.code for d in error.diagnostics} == {"E403"}
            return
        columns, rows = (path.with_suffix(s).read_text().split() for s in (".col", ".row"))
        head = path.read_text().splitlines()[1].split()
    named = names_of(model)
    assert [len(columns), len(rows) - 1] == [int(n) for n in head[:2]]
    assert len(set(columns)) == len(columns) and set(columns) <= set(named[0])
    assert len(set(rows)) == len(rows) and set(rows[:-1]) <= set(named[1])


IN_FIXED = st.integers(-99999, 99999).map(lambda k: k / 8)
"""At most ten characters."""


@pytest.mark.hypothesis
@pytest.mark.parametrize("solver", [name for name in READERS if name not in PROGRAMS])
def test_fixed_mps(solver: str) -> None:
    read = content_reader(solver)

    @given(model=odd_models(IN_FIXED, products=False, solved=True))
    @FEW
    def found_again(model: Model) -> None:
        assume(model.column_count and not model.objective.constant)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "m.mps"
            write_model(model, path, fixed=True, names="short")
            content = read(path)
        assert_same(model, content, file_sign(model), style="short", last_bit=solver in LAST_BIT)

    found_again()


@pytest.mark.hypothesis
def test_ortools_reads_mps() -> None:
    """In a process of its own: its library and HiGHS's have symbols of the same names."""
    if find_spec("ortools") is None:
        pytest.skip("ortools is not installed")
    drawn: list[Model] = []

    @given(model=odd_models(TAME, products=False, solved=True))
    @FEW
    def gather(model: Model) -> None:
        assume(model.column_count)
        drawn.append(model)

    gather()
    with TemporaryDirectory() as folder:
        for k, model in enumerate(drawn):
            write_model(model, Path(folder) / f"{k}.mps")
        script = Path(__file__).parent / "ortools_reader.py"
        files = [str(Path(folder) / f"{k}.mps") for k in range(len(drawn))]
        command = [sys.executable, str(script), *files]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    for model, line in zip(drawn, done.stdout.splitlines(), strict=True):
        assert_same(model, told_by_ortools(json.loads(line)), file_sign(model))


def told_by_ortools(said: dict) -> mps_reader.Content:
    content = mps_reader.Content()
    for name, low, high, cost, integer in said["columns"]:
        content.columns[name], content.costs[name] = (low, high), cost
        if integer:
            content.integer.add(name)
    for name, low, high, entries in said["rows"]:
        content.rows[name] = (low, high)
        content.entries |= {(name, column): value for column, value in entries}
    return content
