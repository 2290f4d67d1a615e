"""Who does the runs of a sweep: this process, joblib's workers, or a cluster that exists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from math import inf
from typing import Any

from treemip.core.files.undo import unwinding
from treemip.core.solving.backends import EXTRA, begin_apart, connect_to_dask
from treemip.core.solving.optional import needed
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.study.sweeps.along import Path, rows_along, rows_apart
from treemip.study.sweeps.run import Row, Run, execute, execute_apart

BACKENDS = ("loky", "dask", "ray")
BEGIN = 3.0
"""CPU seconds of work below which workers, which import treemip first, gain nothing."""

WARM = 0.5
"""CPU seconds that the first run of a process takes longer than others."""

FEW = 10
"""Runs for each worker beside the first, from which on the first run, whose length is not known, is
done alone: that costs no more than a tenth of the time of all."""


def rows_of(runs: Sequence[Run], jobs: int = 1, backend: str | None = None) -> Iterator[Row]:
    """The rows of the runs, each as soon as it is there, in any order.

    jobs: runs at the same time, -1 for as many as there are cores. backend: one of BACKENDS; dask
    and ray take the cluster that is connected, or that DASK_SCHEDULER_ADDRESS or RAY_ADDRESS
    names. Raises E902 for other values and without a cluster, E602 for a missing package, E604
    where a worker died.
    """
    demand_workers(jobs, backend)
    if not runs or (backend is None and jobs == 1):
        return (execute(run) for run in runs)
    if backend is None and len(runs) >= FEW * (_workers(jobs) - 1):
        return _after_short_ones(runs, jobs)
    return parallel(runs, jobs, backend or "loky")


def rows_of_paths(
    paths: Sequence[Path], jobs: int = 1, backend: str | None = None
) -> Iterator[Row]:
    """The rows of all runs of the paths, which are done as `rows_of` does single runs."""
    demand_workers(jobs, backend)
    if backend is None and (jobs == 1 or len(paths) == 1):
        yield from rows_along(paths)
        return
    for rows in parallel(paths, jobs, backend or "loky", rows_apart):
        yield from rows


def _workers(jobs: int) -> int:
    return jobs if jobs > 0 else os.cpu_count() or 1


def _after_short_ones(runs: Sequence[Run], jobs: int) -> Iterator[Row]:
    """Runs here, one by one, for as long as all that are left should take less time than workers
    need to begin, and the others by workers."""
    least, gone = inf, _seconds() + WARM
    for done, run in enumerate(runs, start=1):
        yield execute(run)
        least, gone = min(least, max(0.0, _seconds() - gone)), _seconds()
        if (len(runs) - done) * least > BEGIN:
            yield from parallel(runs[done:], jobs, "loky")
            return


def _seconds() -> float:
    """CPU seconds of this process and of solvers that it has called: others may keep it waiting."""
    return sum(os.times()[:4])


def demand_workers(jobs: int, backend: str | None) -> None:
    """E902 for numbers and names that there are not, E602 where a package is missing."""
    if jobs < 1 and jobs != -1:
        raise refused(f"the number of jobs is {jobs}", "give 1 or more, or -1 for one on each core")
    if backend is not None and backend not in BACKENDS:
        raise refused(f"unknown backend '{backend}'", f"one of {', '.join(BACKENDS)}")
    if backend is not None or jobs != 1:
        needed("joblib", EXTRA)


def parallel(
    runs: Sequence[Any], jobs: int, backend: str, done: Callable[..., Any] = execute_apart
) -> Iterator[Any]:
    """What `done` returns for each run and the number of this process, in any order. Raises as
    `rows_of`."""
    import joblib

    with ExitStack() as stack:
        if backend == "dask":
            connect_to_dask(stack)
        elif backend == "ray":
            _connect_to_ray()
        # On a cluster all its workers work, whatever their number.
        count = jobs if backend == "loky" or jobs != 1 else -1
        # joblib ends its workers and removes its files on the way out.
        stack.enter_context(unwinding())
        own = {"initializer": begin_apart, "initargs": (os.getpid(),)} if backend == "loky" else {}
        stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=count, **own))
        calls = [joblib.delayed(done)(run, os.getpid()) for run in runs]
        try:
            yield from _as_they_come(joblib, calls)
        except TreemipError:
            raise
        except RuntimeError as error:  # TerminatedWorkerError is one, as is a lost cluster
            message = f"a worker died: {error}".split("\n", 1)[0]
            remedy = "perhaps for lack of memory; the same command with fewer jobs does the rest"
            raise TreemipError(Diagnostic.outside("E604", message, remedy)) from error


def _as_they_come(joblib: Any, calls: list[Any]) -> Iterator[Any]:
    """What the calls return, one by one; of a backend that gives lists only, as many at a time as
    it has workers."""
    try:
        rows = joblib.Parallel(return_as="generator_unordered", batch_size=1)(calls)
    except (ValueError, NotImplementedError):
        workers = joblib.effective_n_jobs()
        for first in range(0, len(calls), workers):
            yield from joblib.Parallel(batch_size=1)(calls[first : first + workers])
        return
    yield from rows


def _connect_to_ray() -> None:
    ray = needed("ray", "ray")
    if not ray.is_initialized():
        try:
            ray.init(address=os.environ.get("RAY_ADDRESS", "auto"))
        except ConnectionError as error:
            remedy = "set RAY_ADDRESS, or start one: ray start --head"
            raise refused("there is no Ray cluster", remedy) from error
    needed("ray.util.joblib", "ray").register_ray()
