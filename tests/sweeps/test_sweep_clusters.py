"""Sweeps on local clusters of two workers, by Dask and by Ray, where these are installed."""

from __future__ import annotations

import os

import pytest
from small_sweep import small_spec
from test_killed_sweeps import killed_and_finished

import treemip
from treemip.core.source.diagnostic import TreemipError


def test_dask(tmp_path, monkeypatch):
    pytest.importorskip("joblib", reason="joblib hands runs to Dask")
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    spec = small_spec(tmp_path)
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    with pytest.raises(TreemipError, match="there is no Dask cluster"):
        treemip.sweep(spec, {"s": [1]}, backend="dask")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster:
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", cluster.scheduler_address)
        runs = treemip.sweep(spec, {"s": range(1, 7)}, backend="dask", folder=tmp_path / "runs")
    _as_here(runs, spec, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_sweep_continues_on_its_cluster(tmp_path, monkeypatch):
    pytest.importorskip("joblib", reason="joblib hands runs to Dask")
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster:
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", cluster.scheduler_address)
        killed_and_finished(tmp_path, 20, [4, 10], 1, "--backend", "dask")


def test_ray(tmp_path):
    pytest.importorskip("joblib", reason="joblib hands runs to Ray")
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    spec = small_spec(tmp_path)
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        runs = treemip.sweep(spec, {"s": range(1, 7)}, backend="ray", folder=tmp_path / "runs")
    finally:
        ray.shutdown()
    _as_here(runs, spec, tmp_path)


def _as_here(runs, spec, folder):
    here = treemip.sweep(spec, {"s": range(1, 7)})
    assert [row["key"] for row in runs.rows] == [row["key"] for row in here.rows]
    assert [row["objective"] for row in runs.rows] == [row["objective"] for row in here.rows]
    assert len(list((folder / "runs" / "rows").iterdir())) == 6
