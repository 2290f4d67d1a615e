"""Nonlinear scripts: the same functions as the model, at random points, and the same optimum."""

from __future__ import annotations

import runpy

import numpy as np
import pytest
from exported import NONLINEAR, compiled, run

import treemip
from treemip.core.model.values import objective_value, row_values

pyo = pytest.importorskip("pyomo.environ")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """name -> (treemip's model as the spec states it, what the Pyomo script defines)."""
    folder = tmp_path_factory.mktemp("nonlinear")
    found = {}
    for name, text in NONLINEAR.items():
        model = compiled(text)
        script, data = model.to_script("pyomo", f"{name}.py")
        (folder / f"{name}.py").write_text(script, encoding="utf-8")
        (folder / f"{name}_data.json").write_text(data, encoding="utf-8")
        found[name] = model, runpy.run_path(str(folder / f"{name}.py"))
    return found


@pytest.mark.parametrize("name", NONLINEAR)
def test_values_of_objective_and_rows_are_those_of_the_model(name, loaded):
    compiled_model, script = loaded[name]
    model = compiled_model.reformed.original
    random = np.random.default_rng(1)
    low = np.maximum(model.lower, -2.0)
    high = np.minimum(model.upper, 2.0)
    for _ in range(5):
        x = random.uniform(low, high)
        _set_functions(model, x)
        _assign(model, script, x)
        assert pyo.value(script["objective"]) == pytest.approx(objective_value(model, x), rel=1e-9)
        stated, start = row_values(model, x), 0
        for rows in model.rows:
            own = slice(start, start + rows.length)
            start += rows.length
            ours = _slacks(stated[own], rows.lower, rows.upper)
            theirs = [v for row in script["lines"][rows.name].values() for v in _row_slacks(row)]
            assert theirs == pytest.approx(ours, rel=1e-8, abs=1e-8), rows.name


def _set_functions(model, x):
    """Results of abs and norms are what they are of, as in any solution where they are pressed."""
    for f in model.functions:
        sums = np.bincount(
            f.arguments.row_of, f.arguments.data * x[f.arguments.indices], f.arguments.count
        )
        groups = [
            np.abs(sums[a:b] + f.constants[a:b]).max()
            for a, b in zip(f.offsets, f.offsets[1:], strict=False)
        ]
        x[f.result : f.result + f.length] = groups


def _assign(model, script, x):
    """Values for the script's variables: its families have the model's order."""
    families = {k: [v for _, v in members] for k, members in script["families"].items()}
    for block in model.variables:
        if not block.made_by:
            for variable, value in zip(
                families.get(block.name, []), x[block.start : block.stop], strict=True
            ):
                variable.set_value(value, skip_validation=True)
    functions = [b for b in model.variables if b.made_by]
    made = [v for k, members in families.items() if k.split("_")[0] in KINDS for v in members]
    assert len(made) == sum(b.length for b in functions)
    results = {frozenset(_key(b, k)): x[b.start + k] for b in functions for k in range(b.length)}
    for kind, members in script["families"].items():
        if kind.split("_")[0] in KINDS:
            for index, variable in members:
                variable.set_value(results[frozenset((kind.split("_")[0], *index))])


KINDS = ("abs", "norminf")


def _key(block, k):
    names = ("age", "amount")
    labels = [
        names[int(c[k]) - 1] if sort == "feature" else int(c[k])
        for c, sort in zip(block.index.columns, block.index.sorts, strict=True)
    ]
    return block.made_by, *labels


def _slacks(values, lower, upper):
    found = []
    for value, low, high in zip(values, lower, upper, strict=True):
        found += [abs(value - low)] if low == high else []
        found += [value - low] if np.isfinite(low) and low != high else []
        found += [high - value] if np.isfinite(high) and low != high else []
    return found


def _row_slacks(row):
    value = pyo.value(row.body)
    if row.equality:
        return [abs(value - pyo.value(row.upper))]
    low = [] if row.lower is None else [value - pyo.value(row.lower)]
    return low + ([] if row.upper is None else [pyo.value(row.upper) - value])


def test_ipopt_finds_the_optimum_of_the_exported_script(loaded, tmp_path):
    """CasADi reads the NL file that Pyomo writes of the script, and its Ipopt solves it."""
    casadi = pytest.importorskip("casadi")
    compiled_model, script = loaded["mrct"]
    path = tmp_path / "mrct.nl"
    script["model"].add_component("goal", pyo.Objective(expr=script["objective"]))
    script["model"].write(str(path), format="nl")
    script["model"].del_component("goal")
    read = casadi.NlpBuilder()
    read.import_nl(str(path), {})
    quiet = {
        "ipopt.print_level": 0,
        "print_time": False,
        "ipopt.sb": "yes",
        "ipopt.max_cpu_time": 20,
    }
    problem = {"x": casadi.vertcat(*read.x), "f": read.f, "g": casadi.vertcat(*read.g)}
    ipopt = casadi.nlpsol("ipopt", "ipopt", problem, quiet)
    random = np.random.default_rng(3)
    best = np.inf
    for _ in range(6):
        start = random.uniform(np.maximum(read.x_lb, -1), np.minimum(read.x_ub, 1))
        found = ipopt(x0=start, lbx=read.x_lb, ubx=read.x_ub, lbg=read.g_lb, ubg=read.g_ub)
        if ipopt.stats()["success"]:
            best = min(best, float(found["f"]))
    here = compiled_model.solve(starts=6, seed=3, time_limit=60)
    assert best == pytest.approx(here.objective, rel=1e-4)


def test_scip_proves_the_optimum_of_the_exported_script(tmp_path):
    pytest.importorskip("pyscipopt")
    random = np.random.default_rng(0)
    x = random.random(6)
    frame = {"x": x.tolist(), "class": ["ab"[int(v > 0.5)] for v in x + random.normal(0, 0.2, 6)]}
    text = """data "memory" { label class; scale minmax; }
topology complete(depth = 1);
split randomized by mrct(gamma = 4);
"""
    model = treemip.loads(text, data=frame).compile()
    said = run(tmp_path, "pyscipopt", {"mrct": model})["mrct"]
    assert said["status"] == "optimal"
    proven = model.solve("scip", time_limit=60)
    assert said["objective"] == pytest.approx(proven.objective, abs=1e-6)
