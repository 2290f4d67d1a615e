"""A solver's package that is not installed is asked for where the solver is needed, and not before
an exact engine has had its say."""

from __future__ import annotations

import sys

import pytest

import treemip
from treemip.answers.search.tree_search import TreeSearch
from treemip.api.compiled import Compiled
from treemip.core.source.diagnostic import TreemipError

COLUMNS = {"f": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "c": list("aabbab")}


def compiled(rest: str = "", split: str = "univariate by oct") -> Compiled:
    text = (
        'data "t.csv" { label c; scale minmax; } topology complete(depth = 2);'
        f"split {split}; minimize misclassified + log(1 + splits); {rest}"
    )
    return treemip.loads(text, data=COLUMNS).compile()


@pytest.fixture
def _without_scip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)


@pytest.mark.usefixtures("_without_scip")
@pytest.mark.parametrize("start", [None, "cart"])
def test_a_proof_of_an_engine_needs_no_solver(start: str | None) -> None:
    result = compiled().solve(start=start)
    assert (result.status, result.answer.solver) == ("optimal", "engine")
    assert result.verdict == "verified"


@pytest.mark.usefixtures("_without_scip")
def test_that_no_tree_keeps_the_rows_needs_no_solver() -> None:
    rows = "subject to none: misclassified <= 0; few: splits <= 1;"
    assert compiled(rows).solve().status == "infeasible"


@pytest.mark.usefixtures("_without_scip")
@pytest.mark.parametrize("asked", [{"solver": "scip"}, {"solver": "mip"}, {"start": "none"}])
def test_a_solver_that_is_asked_for_is_missed_at_once(asked: dict[str, str]) -> None:
    with pytest.raises(TreemipError, match="E602"):
        compiled().solve(**asked)  # type: ignore[arg-type]


@pytest.mark.usefixtures("_without_scip")
def test_without_a_proof_the_solver_is_missed_before_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(TreeSearch, "run")
    with pytest.raises(TreemipError, match="E602"):
        compiled(split="oblique by soct").solve()
