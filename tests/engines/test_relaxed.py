"""Bounds of specs that no engine takes, from as many of their constraints as one takes."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.engines import registry
from treemip.answers.engines.engine import Case, Effort
from treemip.answers.engines.obstacle import prepared
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.relaxed import ENGINE

ROWS = {
    "fair": "fair: parity(g, 0.2);",
    "longer": "longer: monotone(a, up);",
    "few": "few: at_most_features(1);",
    "found": 'found: recall["yes"] >= 0.6;',
}


def table(seed: int, rows: int, values: int) -> dict:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, values, (2, rows)) * 5 / values
    c = rng.choice(["x", "y", "z"], rows)  # a column of several features, which no engine counts
    answer = np.where(a + b + 2 * (c == "x") + rng.normal(size=rows) > 4.5, "yes", "no")
    return {"a": a, "b": b, "c": c, "g": np.where(rng.random(rows) < 0.5, "u", "v"), "y": answer}


def case(
    names: str, seed: int, rows: int = 16, values: int = 5, depth: int = 2
) -> treemip.Compiled:
    required = "\n  ".join(ROWS[name] for name in names.split())
    text = f"""data "t.csv" {{ label y positive "yes"; group g; scale minmax; }}
topology complete(depth = {depth});
split univariate by oct;
minimize misclassified;
subject to
  {required}
"""
    return treemip.loads(text, data=table(seed, rows, values)).compile()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("names", ["few", "fair longer few found"])
def test_no_tree_that_keeps_all_is_better_than_the_bound(names: str, seed: int) -> None:
    compiled = case(names, seed)
    engine = prepared(ENGINE, Case(compiled.instance, compiled.stated))
    assert not isinstance(engine, Refusal)
    found = engine.run(Effort(20.0))
    assert np.isfinite(found.bound)
    result = compiled.solve(time_limit=60, start="none", solver="highs")
    if result.status == "infeasible":
        assert not found.proven or found.values is None
        return
    assert result.status == "optimal"
    assert found.bound <= result.objective + 1e-6
    if found.proven:
        assert found.objective == pytest.approx(result.objective)
    else:
        assert "'few'" in found.without


def test_it_is_not_asked_where_an_engine_takes_all() -> None:
    compiled = case("found", 0)
    why = prepared(ENGINE, Case(compiled.instance, compiled.stated))
    assert str(why) == "it is for specs with constraints that no other engine takes"


def test_the_note_says_what_the_bound_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treemip.api.solving.SETTLED", ())
    some = [e for e in registry.ENGINES if e.name in ("univariate", "relaxed")]
    monkeypatch.setattr(registry, "ENGINES", some)
    result = case("fair longer few found", 1, 300, 100, 3).solve(time_limit=16)
    (note,) = [w for w in result.warnings if w.code == "W609"]
    before, after = note.message.split("; the bound is of trees that need not keep ")
    assert before == (
        "no exact engine takes this spec: it rewards or requires splits, features or leaves, in "
        "'few'"
    )
    assert after.startswith("'few', ") and after.endswith(
        "'longer'; the tree is from a search, the bound from the solver"
    )
    assert result.bound is not None and result.bound <= result.objective
