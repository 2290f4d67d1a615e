"""A fit that is interrupted is no fit: it leaves nothing behind and enters no scores."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from treemip.api import starting
from treemip.core.files.undo import SIGNALS
from treemip.sklearn import OptimalTreeClassifier, OptimalTreeRegressor

posix = pytest.mark.skipif(os.name != "posix", reason="sends signals")


def noise(seed: int = 0, points: int = 40) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw.random((points, 3)).round(1), draw.integers(0, 2, points)


@pytest.fixture
def ctrl_c(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Presses Ctrl-C in every solve that follows."""

    def begin() -> None:
        real = starting.chosen

        def interrupted(*arguments: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            return real(*arguments)

        monkeypatch.setattr(starting, "chosen", interrupted)

    return begin


@pytest.mark.parametrize("kind", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_a_first_fit_leaves_nothing(kind: type[Any], ctrl_c: Callable[[], None]) -> None:
    tree = kind(depth=1)
    before = dict(vars(tree))
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        tree.fit(*noise())
    assert vars(tree) == before
    with pytest.raises(NotFittedError):
        tree.predict(noise()[0])


def test_a_second_fit_leaves_the_first(ctrl_c: Callable[[], None]) -> None:
    x, y = noise()
    tree = OptimalTreeClassifier(depth=1).fit(x, y)
    before = dict(vars(tree))
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        tree.fit(x[:, :2], np.where(y == 1, "a", "b"))
    assert vars(tree) == before
    assert set(tree.predict(x)) <= {0, 1}


def test_so_does_one_that_fails() -> None:
    x, y = noise()
    tree = OptimalTreeClassifier(depth=1).fit(x, y)
    before = dict(vars(tree))
    with pytest.raises(ValueError, match="y has one class"):
        tree.fit(x[:, :2], np.zeros(len(y)))
    assert vars(tree) == before


def test_an_interrupted_grid_has_no_scores(ctrl_c: Callable[[], None]) -> None:
    x, y = noise()
    grid = GridSearchCV(OptimalTreeClassifier(), {"depth": [1, 2]}, cv=2, error_score=0.0)
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        grid.fit(x, y)
    assert not hasattr(grid, "cv_results_")
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(OptimalTreeClassifier(depth=1), x, y, cv=2, error_score=0.0)


# ----------------------------------------------------------------- workers and threads

GRID = """
import os, sys
import numpy as np
from sklearn.model_selection import cross_val_score
from treemip.sklearn import OptimalTreeClassifier

class Told(OptimalTreeClassifier):
    def _solve(self, program):
        os.write(1, f"running {os.getpid()}\\n".encode())
        return super()._solve(program)

draw = np.random.default_rng(0)
x, y = draw.random((120, 5)), draw.integers(0, 2, 120)
tree = Told(formulation="soct", depth=3, time_limit=60, solver="highs", start="none")
print("scores", cross_val_score(tree, x, y, cv=2, n_jobs=2), flush=True)
"""


def scored(*at: Callable[[subprocess.Popen[str], int], None]) -> tuple[int, str, str]:
    """Exit code and what is printed by a validation in two workers, once one of them solves."""
    pytest.importorskip("highspy")
    running = subprocess.Popen(
        [sys.executable, "-c", GRID],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    told = re.fullmatch(r"running (\d+)\n", running.stdout.readline())
    assert told is not None
    for act in at:
        act(running, int(told[1]))
    out, err = running.communicate(timeout=60)
    return running.returncode, out, err


@posix
def test_ctrl_c_at_the_terminal_reaches_workers_too() -> None:
    """A terminal sends it to all processes of a command."""
    code, out, err = scored(lambda running, _: os.killpg(running.pid, signal.SIGINT))
    assert (code, "scores" in out) == (-signal.SIGINT, False)
    assert "KeyboardInterrupt" in err


@posix
@pytest.mark.truth
def test_a_worker_that_is_ended_gives_no_score() -> None:
    code, out, err = scored(lambda _, worker: os.kill(worker, signal.SIGTERM))
    assert (code, "scores" in out) == (1, False)
    assert "TerminatedWorkerError" in err


def fitted(seed: int) -> str:
    return OptimalTreeClassifier(depth=2, time_limit=60).fit(*noise(seed)).to_text()


@pytest.mark.filterwarnings("ignore")
def test_fits_at_the_same_time_are_those_of_one_after_another() -> None:
    seeds = range(4)
    alone = [fitted(seed) for seed in seeds]
    before = [signal.getsignal(number) for number in SIGNALS]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fitted, seeds)) == alone
    assert [signal.getsignal(number) for number in SIGNALS] == before


@pytest.mark.filterwarnings("ignore")
def test_scores_of_threads_are_those_of_one_after_another() -> None:
    joblib = pytest.importorskip("joblib")
    x, y = noise(3)
    tree = OptimalTreeClassifier(depth=2, time_limit=60)
    alone = cross_val_score(tree, x, y, cv=2)
    with joblib.parallel_config(backend="threading"):
        assert cross_val_score(tree, x, y, cv=2, n_jobs=2).tolist() == alone.tolist()
