"""Whatever is separated, the optimum is that of the stated model, and so is the solution."""

from __future__ import annotations

import pytest
from random_tree_specs import compiled

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
    depth, eps = 1 + seed % 2, (0.02, 0.3)[seed // 2 % 2]
    plain = compiled(seed, "", depth, eps).solve()
    for strategy in (STRATEGIES[seed % 10], STRATEGIES[(seed // 10 + 3) % 10]):
        result = compiled(seed, strategy, depth, eps).solve()
        assert result.status == plain.status == "optimal", (seed, strategy)
        assert result.objective == pytest.approx(plain.objective), (seed, strategy)
        assert result.verdict == "verified", (seed, strategy, result.problems)
        assert result.answer.separated is not None


@pytest.mark.parametrize("seed", range(20))
def test_same_optimum(seed: int) -> None:
    _check(seed)


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(20, 220))
def test_same_optimum_of_many(seed: int) -> None:
    _check(seed)
