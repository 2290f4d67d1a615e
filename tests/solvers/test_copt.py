"""coptpy's model is the model: names, limits, parts, optimum."""

from __future__ import annotations

import numpy as np
import pytest
from live_models import TOLD, empty_row
from probes import indicators, ranged_square, valid_cut, with_cut
from small_models import knapsack, rows, small

from treemip.core.solvers.copt import to_copt

cp = pytest.importorskip("coptpy", reason="coptpy is an optional target")


@pytest.fixture(scope="module")
def env():
    config = cp.EnvrConfig()
    config.set("nobanner", "1")
    return cp.Envr(config)


@pytest.mark.parametrize("name", TOLD)
def test_the_optimum_is_the_same(env, name):
    model, best, cuts = TOLD[name]
    made = to_copt(model, env, cuts)
    made.solve()
    assert made.objval == pytest.approx(best, abs=1e-5)


def test_a_product_between_two_limits(env):
    model, best = ranged_square()
    made = to_copt(model, env)
    made.solve()
    assert made.objval == pytest.approx(best, abs=1e-5)


def test_names_and_limits_are_those_of_files(env):
    block = rows([[1.0, 2.0], [0.0, 1.0]], [-1.0, 1.0], [3.0, 1.0], name="low")
    made = to_copt(small("cb", [0.0, 0.0], (block,), [-np.inf, 0], [5, 1]), env)
    columns = [(v.name, v.lb, v.ub, v.vtype) for v in made.getVars()]
    assert columns == [("v0", -cp.COPT.INFINITY, 5.0, "C"), ("v1", 0.0, 1.0, "B")]
    found = [(c.name, c.lb, c.ub) for c in made.getConstrs()]
    assert found == [("low(1)", -1.0, 3.0), ("low(2)", 1.0, 1.0)]


def written(made, folder):
    made.write(str(folder / "m.lp"))
    return (folder / "m.lp").read_text()


def test_indicators_keep_their_names(env, tmp_path):
    text = written(to_copt(indicators()[0], env), tmp_path)
    for name in ("one: b = 1", "two: b = 0", "three: c = 1", "four: c = 0"):
        assert f" {name} ->" in text


@pytest.mark.parametrize(("cuts", "head"), [("lazy", "lazy constraints"), ("user", "user cuts")])
def test_cuts_are_what_was_asked_for(env, tmp_path, cuts, head):
    model, _ = with_cut() if cuts == "lazy" else valid_cut()
    made = to_copt(model, env, cuts)
    assert [c.name for c in made.getConstrs()] == ["cap"]
    assert f"\n{head}\n late:" in written(made, tmp_path).lower()


def test_a_start_is_found_again(env):
    made = to_copt(knapsack(30, 2), env, start=np.zeros(30))
    found = []

    class Watch(cp.CallbackBase):
        def callback(self):
            found.append(self.getInfo(cp.COPT.CBInfo.MipCandObj))

    made.setCallback(Watch(), cp.COPT.CBCONTEXT_MIPSOL)
    made.solve()
    assert found[0] == 0


@pytest.mark.parametrize(("lower", "status"), [(1.0, 2), (0.0, 1)])
def test_a_row_without_entries_counts(env, lower, status):
    made = to_copt(empty_row(lower), env)
    made.solve()
    assert made.status == status
