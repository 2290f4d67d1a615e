"""One proof by several processes: the same tree as by one, whatever happens to them."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from test_compiled import FORMS, demand_same, random_task, task_of

import treemip
from treemip.answers.engines import on_workers
from treemip.answers.engines.plans import Side
from treemip.answers.engines.questions import Answer, read_answer, write_answer
from treemip.answers.engines.separable import Separable
from treemip.core.solving.backends import Hands, Workers
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("joblib", reason="loky comes with joblib")


class Threads(Workers):
    """Of this process; every `dies`-th task is lost with its worker, after it was done, but `most`
    times."""

    def __init__(self, count: int = 2, dies: int = 0, most: int = 3) -> None:
        self.count, self.dies, self.most, self.begun = count, dies, most, 0
        self.pool = ThreadPoolExecutor(count)

    def share(self, content: bytes) -> bytes:
        return content

    def submit(self, function, *arguments) -> Future:
        self.begun += 1
        lost = self.most > 0 and self.dies and self.begun % self.dies == 0
        self.most -= bool(lost)
        arguments = pickle.loads(pickle.dumps(arguments))
        return self.pool.submit(self.run, lost, function, *arguments)

    @staticmethod
    def run(lost, function, *arguments):
        found = function(*arguments)
        if lost:
            raise BrokenExecutor("killed")
        return pickle.loads(pickle.dumps(found))

    def close(self) -> None:
        self.pool.shutdown()


def shared(task: Separable, below: float, workers: Workers, folder: Path | None = None) -> Side:
    hands = Hands(lambda: workers, folder)
    try:
        return on_workers.solve(task, task.problem.depth, below, hands)
    finally:
        hands.close()


@pytest.mark.parametrize("form", FORMS)
def test_random_specs_have_the_tree_of_one_process(form):
    rng = np.random.default_rng(list(FORMS).index(form))
    for _ in range(2):
        task = random_task(rng, form, int(rng.choice([3, 4])))
        task.until, size = time.perf_counter() + 100, 1e-7 * max(1.0, float(task.most.sum()))
        every = np.arange(len(task.costs))
        goal = float(rng.choice([np.inf, rng.random() * len(every)]))
        found = shared(task, goal, Threads(int(rng.integers(1, 4)), dies=3))
        again = shared(task, goal, Threads(5))
        demand_same(found, again, size)
        assert task.complete
        usual = task.solve(0, task.top, every, goal)
        assert found.exact == pytest.approx(usual.exact, abs=size)
        task.known_bytes = 0.0  # workers do not know the sets that others have solved
        demand_same(found, task.solve(0, task.top, every, goal), size)
        task.compiled = None
        numpy = task.solve(0, task.top, every, goal)
        demand_same(found, numpy, size)


def least_errors(x: np.ndarray, y: np.ndarray) -> int:
    """Of all trees of depth 3 that split binary features everywhere; x bool (N, p), y (N,)."""
    least = len(y)
    for splits in product(range(x.shape[1]), repeat=7):
        node = np.zeros(len(y), int)
        for _ in range(3):
            node = 2 * node + 1 + x[np.arange(len(y)), np.array(splits)[node]]
        ones = np.bincount(node - 7, y, 8)
        least = min(least, int(np.minimum(ones, np.bincount(node - 7, minlength=8) - ones).sum()))
    return least


@pytest.mark.parametrize("seed", range(2))
def test_the_best_of_all_trees(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.random((30, 4)) < 0.5, np.arange(30) % 2
    data: dict = {f"a{j}": column.astype(int) for j, column in enumerate(x.T)}
    data["c"] = [str(k) for k in y]
    text = 'data "t" { label c; } topology complete(depth = 3); split univariate by binoct;'
    task = task_of(text, data)
    assert shared(task, np.inf, Threads()).exact + task.constant == least_errors(x, y)


def test_a_task_that_kills_its_workers_is_given_up():
    task = random_task(np.random.default_rng(0), "flow_oct", 3)
    workers = Threads(dies=1, most=100)
    with pytest.raises(TreemipError, match="4 workers died at the same task: killed") as raised:
        shared(task, np.inf, workers)
    assert raised.value.diagnostics[0].code == "E604"


def test_answers_are_read_as_they_were_written(tmp_path):
    below = Side(1.0, 2.0, 3), Side(0.5, np.inf)
    left = Side(-1.5, 2.25, 7, np.array([1.0, -np.inf]), below)
    write_answer(tmp_path / "a.npz", Answer(left, None, evaluated=12))
    read = read_answer(tmp_path / "a.npz")
    assert read is not None
    assert (read.right, read.evaluated, read.complete) == (None, 12, True)
    demand_same(read.left, left, 0.0)
    assert np.array_equal(read.left.bound, left.bound)
    (tmp_path / "a.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:100])
    assert read_answer(tmp_path / "a.npz") is None
    assert read_answer(tmp_path / "b.npz") is None


# ------------------------------------------------------------------ whole solves


def table(points: int = 150, features: int = 6, values: int = 30) -> dict:
    rng = np.random.default_rng(1)
    x = rng.integers(0, values, (points, features)).astype(float)
    data: dict = {f"a{j}": column for j, column in enumerate(x.T)}
    noise = rng.random(points) < 0.15
    data["c"] = [str(k) for k in ((x[:, 0] > 12) ^ (x[:, 1] > x[:, 2]) ^ noise).astype(int)]
    return data


def spec(depth: int = 3, data: dict | None = None):
    text = 'data "t" { label c; } topology complete(depth = %d); split univariate by binoct;'
    return treemip.loads(text % depth, data=data or table()).compile()


@cache
def by_one_process() -> treemip.Result:
    return spec().solve(time_limit=100)


def demand_as_usual(result) -> None:
    usual = by_one_process()
    assert result.optimality.proven and usual.optimality.proven
    assert result.objective == usual.objective
    assert str(result.tree) == str(usual.tree)
    assert not [one for one in result.warnings if "backend" in one.message]


def test_two_processes():
    demand_as_usual(spec().solve(backend="loky", threads=2, time_limit=100))
    result, usual = (
        spec(4, table(40, 3, 8)).solve(backend=backend, threads=2, time_limit=100)
        for backend in ("loky", None)
    )
    assert result.optimality.proven and usual.optimality.proven
    assert result.objective == usual.objective


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_process_loses_its_task_alone(monkeypatch):
    killed, send = [], on_workers.Proof._send

    def kill(proof: on_workers.Proof) -> None:
        send(proof)
        if proof.flight and len(killed) < 2 and proof.seconds < np.inf:
            processes = [p for one in proof.workers._all for p in (one._processes or {})]
            killed.append(processes[-1])
            os.kill(killed[-1], signal.SIGKILL)

    monkeypatch.setattr(on_workers.Proof, "_send", kill)
    demand_as_usual(spec().solve(backend="loky", threads=2, time_limit=100))
    assert len(killed) == 2


def test_what_was_proven_is_not_proven_again(tmp_path, monkeypatch):
    demand_as_usual(spec().solve(backend="loky", threads=2, time_limit=90, resume=tmp_path / "f"))

    def send(proof: on_workers.Proof) -> None:
        assert not proof.queue

    monkeypatch.setattr(on_workers.Proof, "_send", send)
    demand_as_usual(spec().solve(backend="loky", threads=1, time_limit=90, resume=tmp_path / "f"))


def test_a_folder_of_another_problem_is_refused(tmp_path):
    spec(3, table(30)).solve(backend="loky", threads=1, resume=tmp_path)
    with pytest.raises(TreemipError, match="has the proof of another problem"):
        spec(3, table(31)).solve(backend="loky", threads=1, resume=tmp_path)
    (tmp_path / "problem.json").unlink()
    with pytest.raises(TreemipError, match="has files of others"):
        spec(3, table(30)).solve(backend="loky", threads=1, resume=tmp_path)


def test_arguments():
    with pytest.raises(TreemipError, match="unknown backend 'spark'"):
        spec().solve(backend="spark")
    with pytest.raises(TreemipError, match="needs a backend"):
        spec().solve(resume="folder")


def test_other_proofs_stay_here():
    result = spec(2).solve(backend="loky", threads=2)
    assert result.optimality.proven
    (note,) = [one for one in result.warnings if "backend" in one.message]
    assert "had nothing to do" in note.message


def test_a_time_limit_keeps_the_best_tree():
    began = time.perf_counter()
    data = table(600, 12, 500)
    result = spec(4, data).solve(backend="loky", threads=2, time_limit=4, solver="auto")
    assert time.perf_counter() - began < 8
    assert result.tree is not None and not result.optimality.proven
    assert result.bound <= result.objective


@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
def test_an_interrupted_proof_keeps_its_tree_and_goes_on(tmp_path):
    data = table(250, 6, 100)
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    text = 'data "t.csv" { label c; } topology complete(depth = 3); split univariate by binoct;'
    (tmp_path / "s.tree").write_text(text)
    command = [sys.executable, "-m", "treemip", "solve", "s.tree", "--backend", "loky"]
    command += ["--threads", "2", "--resume", "f", "--time-limit", "200"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while len(answers(tmp_path)) < 5 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert "interrupted" in out, err
    assert "verified" in out
    before = answers(tmp_path)
    assert len(before) >= 5
    again = subprocess.run(
        command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=250
    )
    assert "proven optimal by an exact engine" in again.stdout, again.stderr
    assert before.items() <= answers(tmp_path).items()
    usual = treemip.load(tmp_path / "s.tree").compile().solve(threads=1, time_limit=200)
    assert str(usual.tree) in again.stdout


def answers(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "f").glob("*.npz")}


# ------------------------------------------------------------------ a cluster


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    made = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with made, distributed.Client(made):
        yield made


def test_dask(cluster):
    demand_as_usual(spec().solve(backend="dask", time_limit=100))


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_worker_of_dask_loses_its_task_alone(cluster, monkeypatch):
    killed, send = [], on_workers.Proof._send

    def kill(proof: on_workers.Proof) -> None:
        send(proof)
        if proof.flight and not killed and proof.seconds < np.inf:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[-1], signal.SIGKILL)

    monkeypatch.setattr(on_workers.Proof, "_send", kill)
    demand_as_usual(spec().solve(backend="dask", time_limit=100))
    assert killed


def test_without_a_cluster_of_dask(monkeypatch):
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    with pytest.raises(TreemipError, match="there is no Dask cluster"):
        spec().solve(backend="dask")
