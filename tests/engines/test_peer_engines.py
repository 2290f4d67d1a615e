"""What pytrees claims, against all trees: random tables with ties and duplicates, in all classes of
specs for which its bound is believed; and that its faults cost a line."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest
from reference.leaf_sums import least_errors, thresholds
from suite import one_in

import treemip
from treemip.answers.engines import own_rows, peer_process, peers
from treemip.answers.engines.engine import Case, Effort, Engine
from treemip.answers.engines.obstacle import prepared
from treemip.answers.engines.refusal import Refusal
from treemip.api.compiled import Compiled
from treemip.core.solving.optional import is_installed

needs_package = pytest.mark.skipif(not is_installed(peers.PACKAGE), reason="it is not installed")
CASES = 6


def compiled(
    x: np.ndarray,
    y: np.ndarray,
    depth: int,
    formulation: str,
    objective: str = "minimize misclassified;",
) -> Compiled:
    columns: dict[str, list[object]] = {f"a{j}": c.tolist() for j, c in enumerate(x.T)}
    columns["c"] = [str(k) for k in y]
    scale = "scale minmax;" if formulation == "oct" else ""
    text = (
        f'data "t" {{ label c; {scale} }} topology complete(depth = {depth});\n'
        f"split univariate by {formulation};\n{objective}"
    )
    return treemip.loads(text, data=columns).compile()


def random_table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    count, values, classes = rng.integers([6, 2, 2], [30, 5, 4])
    while True:
        x = rng.integers(0, values, (count, 2)).astype(float)
        y = rng.integers(0, classes, count)
        if len(set(y.tolist())) == classes and (np.ptp(x, axis=0) > 0).all():
            return x, y


def ready(spec: Compiled) -> Engine:
    engine = prepared(peers.ENGINE, Case(spec.instance, spec.stated))
    assert isinstance(engine, Engine), str(engine)
    return engine


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package in this process, which starts a hundred times as fast, on small trees too, with
    rows of formulations left to completion as at greater depths."""
    monkeypatch.setattr(own_rows, "has_shape", lambda _: False)
    monkeypatch.setattr(peers, "DEPTHS", (2, 3, 4, 5))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(peers, "run_child", lambda command, *_: peer_process.main(*command[3:]))


@needs_package
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("seed", "depth", "formulation", "name"),
    one_in(3, range(3), [2, 3], ["binoct", "oct"], ["ConTreeClassifier", "DL85Classifier"]),
)
def test_what_is_believed_is_the_optimum(
    seed: int, depth: int, formulation: str, name: str
) -> None:
    rng, proven = np.random.default_rng([seed, depth]), 0
    for _ in range(CASES):
        x, y = random_table(rng)
        spec = compiled(x, y, depth, formulation)
        engine = ready(spec)
        engine.names = [name]
        found, best = engine.run(Effort(30.0)), least_errors(thresholds(x), y, depth)
        assert found.bound <= best + 1e-9
        if found.values is not None:
            assert found.objective >= best - 1e-9
        if found.proven:
            assert found.objective == pytest.approx(best)
            proven += 1
    assert proven > 0.6 * CASES


@needs_package
def test_a_tree_of_depth_4_is_proven_in_a_process_of_its_own() -> None:
    x, y = random_table(np.random.default_rng(5))
    result = compiled(x, y, 4, "oct").solve(time_limit=60)
    assert result.objective == pytest.approx(least_errors(thresholds(x), y, 4))
    assert result.status == "optimal"


@pytest.mark.parametrize(
    "objective",
    [
        "minimize misclassified + 0.1 * splits;",
        "minimize balanced_error;",
        "minimize misclassified; subject to few: splits <= 3;",
        'minimize misclassified; subject to seen: recall["1"] >= 0.5;',
    ],
)
def test_other_objectives_and_rows_are_refused(objective: str) -> None:
    x = np.array([[0.0, 1], [1, 0], [2, 1], [2, 0], [0, 0]])
    y = np.array([0, 1, 1, 1, 0])
    spec = compiled(x, y, 4, "oct", objective)
    assert isinstance(prepared(peers.ENGINE, Case(spec.instance, spec.stated)), Refusal)


@pytest.mark.parametrize("errors", [None, 0.0])
def test_a_fault_of_the_package_is_survived(
    errors: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash is a line; fewer errors claimed than the tree has are not believed."""
    monkeypatch.setattr(peers, "is_installed", lambda _: True)

    def child(command: list[str], folder: Path, *_: object) -> None:
        (folder / "log.txt").write_text("thread panicked\nRuntimeError: an invalid tree\n")
        if errors is not None:
            leaf = np.array([[-1, -1, -1, np.nan]])
            np.savez(folder / "answer.npz", nodes=leaf, errors=errors, optimal=True)

    monkeypatch.setattr(peers, "run_child", child)
    x = np.array([[0.0, 1], [1, 0], [2, 1], [2, 0], [0, 0]])
    engine = ready(compiled(x, np.array([0, 1, 1, 1, 0]), 4, "oct"))
    if errors is None:
        with pytest.raises(Refusal, match="an invalid tree"):
            engine.run(Effort(10.0))
    else:
        found = engine.run(Effort(10.0))
        assert not found.proven and found.bound == 0 and found.objective == 2
