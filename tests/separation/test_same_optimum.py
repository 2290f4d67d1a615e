"""Whatever is separated, the optimum is that of the stated model, and so is the solution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from driven_models import exact_in_memory
from random_tree_specs import OF_ANY_NORM, compiled, table
from renamed import renamed
from suite import one_in

import treemip

LAZY = "separate go_left, go_right by shattering"
STRATEGIES = (
    f"{LAZY};",
    f"{LAZY}(per_node = 1);",
    f"{LAZY}(at = last_branches);",
    f"{LAZY}(at = root); separate shattering;",
    "separate shattering(per_node = 2);",
    "separate shattering(eps = 0);",
    "cuts shattering(rounds = 3);",
    f"cuts shattering; {LAZY};",
    "separate hit_reach, one_label by enumeration;",
    f"separate flow by enumeration(most = 2); {LAZY};",
)


def _check(seed: int) -> None:
    depth, eps = 1 + seed % 9 % 2, (0.02, 0.3)[seed // 2 % 2]
    plain = compiled(seed, "", depth, eps).solve()
    for strategy in (STRATEGIES[seed % 10], STRATEGIES[(seed // 10 + 3) % 10]):
        result = compiled(seed, strategy, depth, eps).solve()
        assert result.status == plain.status == "optimal", (seed, strategy)
        assert result.objective == pytest.approx(plain.objective), (seed, strategy)
        assert result.verdict == "verified", (seed, strategy, result.problems)
        assert result.answer.separated is not None


@pytest.mark.parametrize("seed", one_in(3, range(20)))
def test_same_optimum(seed: int) -> None:
    _check(seed)


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(20, 220))
def test_same_optimum_of_many(seed: int) -> None:
    _check(seed)


OF_ANY = (LAZY + ";", "separate shattering;", "separate both by enumeration(most = 3);")


@pytest.mark.parametrize("strategy", OF_ANY)
def test_hyperplanes_of_any_norm(strategy: str) -> None:
    """A spec of one's own, without eps and without a norm, and with cuts of its own."""

    def solve(strategy: str) -> treemip.Result:
        text = OF_ANY_NORM.format(depth=1, strategy=strategy)
        return treemip.loads(text, data=table(4)).compile().solve()

    plain, result = solve(""), solve(strategy)
    assert (result.status, result.objective) == ("optimal", pytest.approx(plain.objective))
    assert result.verdict == "verified"
    assert result.answer.separated is not None


def test_a_file_has_the_stated_rows(tmp_path: Path) -> None:
    """A strategy says how to solve, so a model file is the same with it and without."""
    for name, strategy in (("plain.mps", ""), ("lazy.mps", f"cuts shattering; {LAZY};")):
        compiled(0, strategy).write(tmp_path / name)
    assert (tmp_path / "plain.mps").read_bytes() == (tmp_path / "lazy.mps").read_bytes()


def test_the_time_limit_keeps_bound_and_start() -> None:
    """Without time for a solve that breaks nothing, the status says so."""
    of = compiled(3, LAZY + ";", depth=2)
    result = of.solve(time_limit=0.0)
    assert result.status in ("time_limit", "optimal")
    assert result.to_json()["status"] == result.status


def test_what_was_separated_is_in_the_file_of_the_tree() -> None:
    result = compiled(1, LAZY + ";").solve()
    separated = result.to_json()["separated"]
    assert separated["rows"] > 0 and separated["calls"] > 0 and separated["seconds"] > 0


RIGHT = """
data "t" {{ label c; scale minmax; }}
topology complete(depth = 2);
split univariate by oct;
minimize splits;
subject to right {{i in points : ord(i) <= {some}}}: correct[i] >= 1;
{strategy}
"""


@exact_in_memory
def test_rows_with_products_of_binaries(solver: str) -> None:
    """`correct` is a sum of products reach * label, for which the solver's model has columns."""
    columns = {"a": [0, 1, 2, 3, 4, 5], "b": [2, 0, 1, 2, 0, 1], "c": list("nynyyn")}
    objectives = []
    for strategy in ("", "strategy { separate right by enumeration; }"):
        text = RIGHT.format(some=4, strategy=strategy)
        result = treemip.loads(text, data=columns).compile().solve(solver, start="none")
        assert result.status == "optimal" and result.verified
        objectives.append(result.objective)
    assert objectives == [pytest.approx(2), pytest.approx(2)]
    assert result.answer.separated is not None and result.answer.separated.rows > 0


@pytest.mark.parametrize(
    ("name", "split", "asked"),
    [
        ("soct", "oblique", "shattering"),
        ("octh", "oblique", "shattering"),
        ("flow_oct", "univariate", "point_flow"),
    ],
)
def test_cuts_of_renamed_formulations_leave_the_optimum(
    name: str, split: str, asked: str, tmp_path: Path
) -> None:
    """Their variables and rows have other names than the library's."""
    rng = np.random.default_rng(3)
    rows = [",".join(map(str, [*rng.integers(0, 2, 3), rng.integers(0, 2)])) for _ in range(10)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,d,c", "0,0,0,0", "1,1,1,1", *rows]) + "\n")
    (tmp_path / "mine.tree").write_text(renamed(name, "mine"))
    found = []
    for by in (name, "mine"):
        (tmp_path / "spec.tree").write_text(
            'data "t.csv" { label c; } topology complete(depth = 1);\n'
            f"split {split} by {by};\nstrategy {{ solver highs; start none; separate {asked}; }}\n"
        )
        found.append(treemip.load(tmp_path / "spec.tree").compile().solve(time_limit=60))
    one, other = found
    assert (one.status, other.status, other.verdict) == ("optimal", "optimal", "verified")
    assert other.objective == pytest.approx(one.objective)
