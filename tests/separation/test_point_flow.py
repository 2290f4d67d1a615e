"""FlowOCT by Benders' decomposition: the optimum and the tree are those of the stated model."""

from __future__ import annotations

import numpy as np
import pytest
from driven_models import exact_in_memory
from random_flow_specs import LAZY, ROWS, compiled
from suite import one_in

from treemip.core.model.values import violation
from treemip.core.source.diagnostic import TreemipError
from treemip.methods.separation.separated_model import SeparatedModel

STRATEGIES = (
    f"{LAZY};",
    f"{LAZY}(solutions = integral);",
    f"{LAZY}(most = 1);",
    f"cuts point_flow(rounds = 2); {LAZY};",
    "separate point_flow;",
)
MORE = (
    "",
    "subject to some: sum {i in points} correct[i] >= 2;",
    "minimize splits; subject to most: sum {i in points} correct[i] >= 4;",
    "subject to first: correct[point(1)] >= 1;",
)


def _check(seed: int) -> None:
    strategy, more = STRATEGIES[seed % 5], MORE[seed // 5 % 4]
    depth, price = 1 + seed % 3 % 2, (0.0, 0.1)[seed // 3 % 2]
    solver = ("highs", "scip")[seed // 4 % 2]
    plain = compiled(seed, "", depth, price, more=more).solve()
    result = compiled(seed, strategy, depth, price, solver, more).solve()
    assert result.status == plain.status, (seed, strategy)
    if plain.status == "optimal":
        assert result.objective == pytest.approx(plain.objective), (seed, strategy)
        assert result.verdict == "verified", (seed, strategy, result.problems)
        assert result.answer.separated is not None


@pytest.mark.parametrize("seed", one_in(4, range(20)))
def test_same_optimum(seed: int) -> None:
    _check(seed)


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(20, 120))
def test_same_optimum_of_many(seed: int) -> None:
    _check(seed)


REFUSED = (
    "'point_flow' does not fit this spec: the rows 'hit_least' do more than conserve flow or limit"
    " it from above"
)


def test_rows_that_keep_flow_from_being_withheld() -> None:
    """A limit on what is right brings in rows that hold only with the flows themselves."""
    with pytest.raises(TreemipError) as caught:
        compiled(0, LAZY + ";", more="subject to few: sum {i in points} correct[i] <= 3;")
    (refused,) = caught.value.diagnostics
    assert (refused.code, refused.message) == ("E504", REFUSED)


TOO_WEAK = (
    "'point_flow' does not fit this spec: the cut 'min_cut' allows a solution that the rows left"
    " out for it forbid"
)


@exact_in_memory
@pytest.mark.parametrize("most", ["0", 'given[left(root),"c0"]'])
def test_capacities_that_the_cut_does_not_state(solver: str, most: str) -> None:
    """No way to the left but for one label: the cut knows nothing of that, and no answer may."""
    more = f"subject to blocked {{i in points}}: enter[i,left(root)] <= {most};"
    strategy = f"separate {ROWS}, blocked by point_flow;"
    with pytest.raises(TreemipError) as caught:
        compiled(1, strategy, 1, solver=solver, more=more).solve()
    (refused,) = caught.value.diagnostics
    assert (refused.code, refused.message) == ("E504", TOO_WEAK)


def test_one_column_of_each_point_is_left() -> None:
    """All rows of the flows are gone, and of each point's flow columns one is free."""
    of = compiled(1, LAZY + ";")
    model = SeparatedModel(of.instance, of.stated, of.model).model
    assert not {block.name for block in model.rows} & set(ROWS.split(", "))
    free = model.upper > model.lower
    blocks = [model.block(name) for name in ("enter", "hit")]
    assert sum(free[b.start : b.stop].sum() for b in blocks) == len(of.instance.table.y)


@pytest.mark.parametrize("seed", range(2))
def test_a_solution_is_a_start(seed: int) -> None:
    """A solution of the stated model is one of the model without rows, with the same objective."""
    from treemip.core.model.values import objective_value

    of = compiled(seed, LAZY + ";")
    plain = compiled(seed).solve()
    assert plain.answer.values is not None
    separation = SeparatedModel(of.instance, of.stated, of.model)
    start = separation.as_start(plain.answer.values)
    assert violation(separation.model, start) < 1e-6
    assert separation.violated(start, True) is None
    assert objective_value(separation.model, start) == pytest.approx(plain.objective)
    assert separation.completed(start) == pytest.approx(plain.answer.values, abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_repaired_solutions_break_nothing(seed: int) -> None:
    """Where too much flow arrives, the rest of the solution stays: what arrives becomes less."""
    of = compiled(seed, LAZY + ";")
    plain = compiled(seed).solve()
    assert plain.answer.values is not None
    separation = SeparatedModel(of.instance, of.stated, of.model)
    x = separation.as_start(plain.answer.values)
    hit = of.stated.block("hit")
    wrong = x.copy()
    at = hit.start + np.flatnonzero(hit.index.columns[1] == 1)
    wrong[at] = 1.0
    repaired = separation.repaired(wrong)
    assert repaired is not None
    assert separation.violated(repaired, True) is None
    assert repaired == pytest.approx(x, abs=1e-6)
