"""Workers are for runs that are long enough to pay for their start; none are started here."""

from __future__ import annotations

import pytest
from small_sweep import small_spec

import treemip
from treemip.study.sweeps import workers


@pytest.mark.parametrize(("begin", "count", "apart"), [(1e9, 12, 0), (-1.0, 12, 11), (1e9, 3, 3)])
def test_who_does_the_runs(tmp_path, monkeypatch, begin, count, apart):
    """None but short ones: this process; the first one alone and long: workers do the others; few
    runs: workers, since the first might be as long as all."""
    pytest.importorskip("joblib", reason="joblib does parallel runs")
    handed = []

    def parallel(runs, *how):
        handed.append(len(runs))
        return map(workers.execute, runs)

    monkeypatch.setattr(workers, "parallel", parallel)
    monkeypatch.setattr(workers, "BEGIN", begin)
    spec = small_spec(tmp_path)
    table = treemip.sweep(spec, {"s": range(1, count + 1)}, jobs=2)
    assert sum(handed) == apart
    assert [row["s"] for row in table.rows] == [str(k) for k in range(1, count + 1)]
    assert {row["verdict"] for row in table.rows} == {"verified"}
