"""What a profile promises, its solver's reader keeps: files whose optimum tells how they are read.

Every probe has another optimum when the part that it is about is dropped, halved or turned.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from file_readers import reader
from probes import PROBES, core, special

from treemip.api.program import loads
from treemip.core.files.model_files import write_model
from treemip.core.files.profiles import Profile, Reads, profile_named, profiles
from treemip.core.source.diagnostic import TreemipError

FORMATS = ("mps", "lp")


def reads(profile: Profile, form: str) -> Reads:
    found = profile.caps.mps if form == "mps" else profile.caps.lp
    if found is None:
        pytest.skip(f"{profile.title} has no reader of {form}")
    return found


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", profiles())
def test_every_reader_takes_the_core(name: str, form: str, tmp_path: Path) -> None:
    reads(profiles()[name], form)
    if name == "portable":
        pytest.skip("what the core is, every other reader shows")
    solve = reader(name)
    model, optimum = core()
    path = tmp_path / f"core.{form}"
    for profile in (profiles()["portable"], profiles()[name]):
        told = write_model(model, path, profile=profile)
        found = solve(path)
        assert found is not None
        assert (-found if told.negated else found) == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("feature", PROBES)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", profiles())
def test_a_reader_takes_what_its_profile_has(
    name: str, form: str, feature: str, tmp_path: Path
) -> None:
    """The optimum is right, or the file is refused and not there."""
    profile = profiles()[name]
    probe, cuts = PROBES[feature]
    model, optimum = probe()
    path = tmp_path / f"probe.{form}"
    if not getattr(reads(profile, form), feature.removeprefix("ranged ")):
        with pytest.raises(TreemipError) as caught:
            write_model(model, path, profile=profile, cuts=cuts)  # type: ignore[arg-type]
        assert {d.code for d in caught.value.diagnostics} == {"E601"}
        assert list(tmp_path.iterdir()) == []
        return
    told = write_model(model, path, profile=profile, cuts=cuts)  # type: ignore[arg-type]
    assert (told.cuts > 0) == (cuts != "rows")
    if name == "portable":
        pytest.skip("every reader of the core shows it")
    if feature == "ranged rows" and name in ("cplex", "mosek"):
        pytest.skip(f"{name} solves convex rows only")
    found = reader(name)(path)
    assert found is not None
    assert (-found if told.negated else found) == pytest.approx(optimum, abs=1e-5)


UNRELIABLE = """
var b {k in 1..4} binary; var u; var v integer >= 0; var w >= -3, <= 4;
minimize 4*b[1] - 4*b[2] - b[3] - 4*b[4] + 3*u + 5*w;
subject to
  low: -6 <= u + 2*b[1] <= 8;
  high: -6 <= v + 2*b[1] <= 8;
  p: b[3] = 0 ==> 3*u - 3*v + w <= 3;
  q: b[1] = 1 ==> 2*u - 2*v + w >= 1;
  r: b[1] = 0 ==> u - 3*v + w = -1;
  s: 1 - b[4] = 1 ==> -3*u + 3*v + w = -4;
  t: b[1] = 1 ==> 3*u + w >= 2;
"""


def test_why_cbc_gets_no_special_sets(tmp_path: Path) -> None:
    """It reads them, and calls optimal what is not: of the probe 13, of a model of slacks -14.

    When this test fails for a newer CBC, look whether its profile can have them.
    """
    slacks = loads(UNRELIABLE).compile(implications="sos1").model
    for model, optimum in ((special()[0], -16), (slacks, -18)):
        path = tmp_path / "m.mps"
        write_model(model, path, profile=profiles()["gurobi"])
        assert reader("gurobi")(path) == pytest.approx(optimum)
        found = reader("cbc")(path)
        assert found is None or found > optimum + 1e-3


@pytest.mark.parametrize("name", ["highs", "glpk", "lp_solve"])
def test_readers_without_special_sets_refuse_the_section(name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.mps"
    write_model(special()[0], path, profile=profiles()["gurobi"])
    with pytest.raises((AssertionError, subprocess.CalledProcessError)):
        reader(name)(path)


def test_lp_solve_has_no_cplex_lp(tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match="its own is another language"):
        write_model(core()[0], tmp_path / "m.lp", profile=profiles()["lp_solve"])


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(TreemipError, match="did you mean 'gurobi'") as caught:
        profile_named("guroby")
    assert caught.value.diagnostics[0].code == "E902"
