"""The compiled kernel finds what numpy finds: the same values, bounds and splits."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from suite import one_in

import treemip
from treemip.answers.engines.bins import are_few
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.plans import Side
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.separable import Separable
from treemip.answers.engines.univariate import separable
from treemip.core.compiled import build, library
from treemip.core.compiled.library import kernel, unbuilt

needs_kernel = pytest.mark.skipif(kernel() is None, reason="the kernel is not built")

FORMS = {
    "binoct": "",
    "oct": "scale minmax;",
    "flow_oct": "bin thresholds;",
    "ort": "scale minmax;",
    "ost": "",
    "share_trees": "scale minmax;",
}
SIZES = ("", "size {l in leaves}: points_in[l] >= 3 * occupied[l];")


def random_task(rng: np.random.Generator, form: str, depth: int) -> Separable:
    """Ties, weights that are whole or not, prices of splits, features and leaves, sizes of leaves,
    prices by branch."""
    points, features = int(rng.integers(4, 60)), int(rng.integers(1, 5))
    if depth > 3:  # numpy takes long for many
        most = 20 if depth == 4 else 9
        points, features = min(points, most), min(features, most // 7 + 1)
    values = 2 if form == "flow_oct" else int(rng.integers(2, 12))
    x = rng.integers(0, values, (points, features)).astype(float)
    data: dict = {f"a{j}": column for j, column in enumerate(x.T)}
    if form == "ost":
        return task_of(likelihood_of_times(rng, data, points, depth), data)
    classes = int(rng.choice([2, 2, 3, 4, 12]))
    answers = rng.integers(0, classes, points)
    answers[:classes] = np.arange(min(classes, points))
    data["c"] = rng.integers(0, 9, points) / 2.0 if form == "ort" else [str(k) for k in answers]
    data["w"] = rng.integers(1, 4, points) if rng.random() < 0.5 else rng.random(points) + 0.1
    weight = "weight w;" if rng.random() < 0.5 else "drop w;"
    number = "label c number;" if form == "ort" else "label c;"
    base = {"ort": "squared_error", "share_trees": str(rng.choice(["brier", "log_loss"]))}
    base = base.get(form, "misclassified")
    objective = f"{base} + {rng.choice([0, 0.5, 1, 0.3])} * splits"
    if rng.random() < 0.3 and form != "binoct":
        objective += f" + {rng.choice([0.5, 0.25])} * leaves_used"
    if rng.random() < 0.4 and form == "binoct":
        objective += f' + {rng.integers(1, 4)} * uses[left(root),"a0"]'
    rows = "subject to " + SIZES[1] if rng.random() < 0.3 and form != "binoct" else ""
    text = (
        f'data "t.csv" {{ {number} {weight} {FORMS[form]} }} topology complete(depth = {depth}); '
        f"split univariate by {form}; minimize {objective}; {rows}"
    )
    return task_of(text, data)


def likelihood_of_times(rng: np.random.Generator, data: dict, points: int, depth: int) -> str:
    data["time"] = rng.integers(1, 2 + points // 2, points).astype(float)
    data["event"] = rng.integers(0, 2, points)
    data["event"][0] = 1
    return (
        f'data "t" {{ label none; number time, event; scale minmax; }} topology '
        f"complete(depth = {depth}); split univariate by ost(alpha = {rng.choice([0.01, 0.1])});"
    )


def task_of(text: str, data: dict) -> Separable:
    instance = treemip.loads(text, data=data).compile().instance
    spec = summed(instance)
    return separable(problem_of(instance, spec.sums), np.inf)


def demand_same(one: Side, other: Side, size: float) -> None:
    assert one.relaxed == pytest.approx(other.relaxed, abs=size)
    assert one.exact == pytest.approx(other.exact, abs=size)
    assert one.cut == other.cut
    if one.below is not None and other.below is not None:
        for a, b in zip(one.below, other.below, strict=True):
            demand_same(a, b, size)


def demand_agreement(rng: np.random.Generator, form: str) -> None:
    """Of kernel and numpy, for all and some points of a random spec, with and without a goal."""
    depth = int(rng.choice([2, 2, 3, 3, 4, 5], p=[0.2, 0.2, 0.2, 0.2, 0.18, 0.02]))
    task = random_task(rng, form, depth)
    task.threads = int(rng.integers(1, 4))
    if rng.random() < 0.5:  # what only large tables meet
        task.window, task.few, task.kept = int(rng.integers(1, 9)), int(rng.integers(1, 4)), 4
        task.patience = float(rng.choice([0, np.inf]))
        task.known_bytes = float(rng.choice([0, 4000, 40000]))
        task.per_pair, task.per_bin = (
            float(rng.choice([0, 1, np.inf])),
            float(rng.choice([0, np.inf])),
        )
    points = len(task.problem.x)
    for share in (1.0, 0.7):
        rows = np.flatnonzero(rng.random(points) < share)
        goal = float(rng.choice([np.inf, np.inf, rng.random() * points]))
        compiled = task.solve(0, depth, rows, goal)
        kept = task.compiled
        task.compiled = None
        plain = task.solve(0, depth, rows, goal)
        task.compiled = kept
        demand_same(compiled, plain, 1e-7 * max(1.0, float(task.most.sum())))


@needs_kernel
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(12))
def test_the_kernel_finds_what_numpy_finds(form: str, seed: int) -> None:
    demand_agreement(np.random.default_rng([seed, len(form)]), form)


@needs_kernel
@pytest.mark.parametrize("sizes", ["", SIZES[1]])
@pytest.mark.parametrize("label", ["label c;", "label c number;"])
@pytest.mark.parametrize("depth", [2, 3])
def test_many_points_of_few_values(depth: int, label: str, sizes: str) -> None:
    """What is summed by each two features, and by bins alone, as large tables are."""
    rng = np.random.default_rng([depth, len(label), len(sizes)])
    x = rng.integers(0, 5, (3000, 6))
    data = {f"a{j}": column.astype(float) for j, column in enumerate(x.T)}
    worth = (x[:, 0] > 2) ^ (x[:, 1] > 1) + (x[:, 2] > rng.integers(0, 5, 3000))
    data["c"] = worth.astype(float) if "number" in label else [str(int(k)) for k in worth]
    form, objective = ("ort", "squared_error") if "number" in label else ("oct", "misclassified")
    text = (
        f'data "t.csv" {{ {label} scale minmax; }} topology complete(depth = {depth}); split '
        f"univariate by {form}; minimize {objective} + 0.3 * splits; "
        f"{'subject to ' + sizes if sizes else ''}"
    )
    task = task_of(text, data)
    every = np.arange(len(task.problem.x))  # without points that are equal
    assert are_few(task.bins.count, 6, len(every))
    compiled, task.compiled = task.solve(0, depth, every, np.inf), None
    demand_same(compiled, task.solve(0, depth, every, np.inf), 1e-7 * float(task.most.sum()))


@needs_kernel
@pytest.mark.truth
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("hundred", range(20))
def test_it_does_on_10_000_random_specs(form: str, hundred: int) -> None:
    for seed in range(100):
        demand_agreement(np.random.default_rng([hundred, seed, len(form)]), form)


@needs_kernel
@pytest.mark.parametrize(("seed", "depth", "form"), one_in(5, range(4), (2, 3, 4), FORMS))
def test_any_number_of_threads_finds_the_same_tree(form: str, depth: int, seed: int) -> None:
    """Small whole numbers make many trees worth the same."""
    task = random_task(np.random.default_rng([seed, depth, len(form), 7]), form, depth)
    task.few = 1
    found = []
    for threads in (1, 2, 3, 3):
        task.threads, task.evaluated = threads, 0
        side = task.solve(0, depth, np.arange(len(task.problem.x)), np.inf)
        found.append((side, task.evaluated))
    assert all(one == found[0] for one in found)


@needs_kernel
@pytest.mark.parametrize("threads", [1, 3])
def test_the_kernel_heeds_its_time_limit(threads: int) -> None:
    rng = np.random.default_rng(1)
    data: dict = {f"a{j}": rng.random(4000) for j in range(20)}
    data["c"] = [str(k) for k in rng.integers(0, 2, 4000)]
    text = 'data "t" { label c; } topology complete(depth = 3); split univariate by binoct;'
    instance = treemip.loads(text, data=data).instance
    spec = summed(instance)
    problem = problem_of(instance, spec.sums)
    task = separable(problem, time.perf_counter() + 0.3)
    task.threads = threads
    side = task.solve(0, 3, np.arange(4000), np.inf)
    assert not task.complete
    assert side.relaxed < side.exact < np.inf


@needs_kernel
def test_a_library_of_another_source_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "source_hash", lambda: "0" * 16)
    kernel.cache_clear()
    assert kernel() is None
    assert unbuilt().startswith("; the compiled kernel is several times as fast: python ")
    monkeypatch.undo()
    kernel.cache_clear()
    assert unbuilt() == ""


@pytest.mark.parametrize(
    ("compiler", "why"),
    [("", "no C++ compiler is here"), ("false", "false failed: without a message")],
)
def test_without_a_compiler_there_is_a_reason(
    compiler: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The installation goes on without the kernel then."""
    made = tmp_path / "kernel.so"
    monkeypatch.setattr(build, "built_library", lambda: made)
    if not compiler:
        monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CXX", compiler)
    assert build.build() == why
    assert not made.exists()
