"""Oblique trees of formulations that are not the library's: what decides is what a spec means.

Copies of the library's formulations under other names are proven like these, and own variables,
rows and objectives are held against every way to part the points.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reference.oblique_trees import least_loss
from renamed import renamed
from suite import one_in

import treemip

ROUTED = """formulation mine splits oblique "own leaves";
use oblique_routing;
var says {l in leaves, k in classes} binary means given_label[l,k];
let label {l in leaves, k in classes} = says[l,k];
var far {i in points} >= 0
  means sum {l in leaves, k in classes} abs(ord(k) - ord(y[i])) * routed[i,l] * given_label[l,k];
minimize distance: sum {i in points} far[i];
subject to
  one_answer {l in leaves}: sum {k in classes} says[l,k] = 1;
  missed {i in points, l in leaves}:
    reach[i,l] = 1
    ==> far[i] >= sum {k in classes} abs(ord(k) - ord(y[i])) * says[l,k] by big_m(card(classes));
"""

BY_HAND = """formulation mine splits oblique "no name of the library, big-M written out";
param apart = 0.1;
var steep  {t in branches, j in features} >= -2, <= 2;
var below  {t in branches} >= -2, <= 2;
var extent {t in branches, j in features} >= 0 means abs(steep[t,j]);
var passes {i in points, l in leaves} binary means routed[i,l];
var turns  {i in points, t in branches} binary means routed[i,right(t)];
var says   {l in leaves, k in classes} binary means given_label[l,k];
var far    {i in points} >= 0
  means sum {l in leaves, k in classes} abs(ord(k) - ord(y[i])) * routed[i,l] * given_label[l,k];
let coef  {t in branches, j in features} = 0.5 * steep[t,j];
let bias  {t in branches} = -0.5 * below[t];
let reach {i in points, l in leaves} = passes[i,l];
let label {l in leaves, k in classes} = says[l,k];
minimize distance: sum {i in points} far[i];
subject to
  wide      {t in branches, j in features}: steep[t,j] <= extent[t,j];
  wide_too  {t in branches, j in features}: -steep[t,j] <= extent[t,j];
  again     {t in branches, j in features}: extent[t,j] >= steep[t,j];
  small     {t in branches}: 1 >= sum {j in features} 0.5 * extent[t,j];
  ends      {i in points}: sum {l in leaves} passes[i,l] = 1;
  turning   {i in points, t in branches}:
    turns[i,t] = sum {l in leaves : t in right_ancestors(l)} passes[i,l];
  leftward  {i in points, l in leaves, t in left_ancestors(l)}:
    0.5 * dot(steep[t,*], x[i,*]) + 0.5 * below[t] <= 2 * (1 - passes[i,l]);
  leftward2 {i in points, l in leaves, t in left_ancestors(l)}:
    passes[i,l] = 1 ==> dot(steep[t,*], x[i,*]) <= -below[t] by big_m(4);
  rightward {i in points, t in branches}:
    dot(steep[t,*], x[i,*]) + below[t] >= 2 * apart - (4 + 2 * apart) * (1 - turns[i,t]);
  one       {l in leaves}: sum {k in classes} says[l,k] = 1;
  missed    {i in points, l in leaves}:
    passes[i,l] = 1
    ==> far[i] >= sum {k in classes} abs(ord(k) - ord(y[i])) * says[l,k] by big_m(card(classes));
route left when dot(coef[t,*], x[i,*]) <= bias[t];
"""

OWN = {"leaves of its own": (ROUTED, "mu"), "by hand": (BY_HAND, "apart")}


@pytest.mark.parametrize(("name", "depth"), [("soct", 2), ("octh", 1)])
def test_a_renamed_copy_is_proven_like_the_librarys(name: str, depth: int, tmp_path: Path) -> None:
    pytest.importorskip("pysat")
    (tmp_path / "mine.tree").write_text(renamed(name, "mine"))
    rows = [
        f"{a},{b},{k}" for (a, b), k in zip(*(each.tolist() for each in points(5)), strict=True)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    found = []
    for by in (name, "mine"):
        spec = tmp_path / "spec.tree"
        spec.write_text(
            f'data "t.csv" {{ label c; }} topology complete(depth = {depth});\n'
            f"split oblique by {by};\n"
        )
        found.append(treemip.load(spec).compile().solve(time_limit=60))
    one, other = found
    assert one.optimality is not None and other.optimality is not None
    assert (one.verdict, one.answer.solver) == (other.verdict, other.answer.solver)
    assert other.optimality.proven and other.optimality.by == one.optimality.by
    assert other.objective == pytest.approx(one.objective)


def points(seed: int, count: int = 9) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 5, (count, 2)) / 4
    x[:2] = [[0, 1], [1, 0]]
    y = rng.integers(0, 3, count)
    y[:3] = np.arange(3)
    return x, y


def solved(
    folder: Path,
    name: str,
    at: tuple[np.ndarray, np.ndarray],
    size: tuple[int, float],
    rest: str = "",
    **how: object,
) -> treemip.Result:
    """size: the depth and the gap."""
    (text, parameter), (x, y), (depth, gap) = OWN[name], at, size
    (folder / "mine.tree").write_text(text)
    rows = [f"{a},{b},{k}" for (a, b), k in zip(x.tolist(), y.tolist(), strict=True)]
    (folder / "t.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    spec = folder / "spec.tree"
    spec.write_text(
        f'data "t.csv" {{ label c; }} topology complete(depth = {depth});\n'
        f"split oblique by mine({parameter} = {gap});\n{rest}"
    )
    return treemip.load(spec).compile().solve(time_limit=60, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "name"),
    one_in(3, [((1, 0.1), 0), ((1, 0.1), 1), ((2, 0.4), 2), ((2, 0.4), 6)], OWN),
)
def test_own_formulations_against_every_routing(
    name: str, at: tuple[tuple[int, float], int], tmp_path: Path
) -> None:
    size, seed = at
    pytest.importorskip("pysat")
    x, y = points(seed, 11 - 2 * size[0])
    result = solved(tmp_path, name, (x, y), size, start="search")
    loss = np.abs(y[:, None] - np.arange(3)).astype(float)
    assert result.verdict == "verified"
    assert result.optimality is not None and result.optimality.by == "an exact engine"
    assert result.objective == pytest.approx(least_loss(x, loss, *size))


ASKED = {
    "recall": 'subject to all: recall["0"] >= 1;',
    "own variable": "var more binary; subject to few: splits <= 0 + more;",
    "place": "subject to low: bias[root] <= 0.2;",
    "sizes": "subject to half: points_in[left(root)] <= 3;",
}


@pytest.mark.parametrize("rest", ASKED)
def test_own_rows_prove_nothing_false(rest: str, tmp_path: Path) -> None:
    """The answer is that of a solver without start and engine."""
    what = "leaves of its own", points(4), (1, 0.1), ASKED[rest]
    own, alone = solved(tmp_path, *what), solved(tmp_path, *what, solver="scip", start="none")
    assert alone.status == "optimal"
    assert own.objective == pytest.approx(alone.objective, abs=1e-6)
    assert own.bound is not None and own.bound <= alone.objective + 1e-6


def test_an_objective_of_a_variable_without_a_meaning_is_not_the_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What solutions say of it may be beyond what any tree is worth."""
    start = BY_HAND.index("\n  means sum {l in leaves, k")
    silent = BY_HAND[:start] + BY_HAND[BY_HAND.index(";", start) :]
    monkeypatch.setitem(OWN, "silent", (silent, "apart"))
    result = solved(tmp_path, "silent", points(0), (1, 0.1))
    assert result.optimality is None or result.optimality.by != "an exact engine"
