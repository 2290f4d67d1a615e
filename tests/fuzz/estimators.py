"""Campaign `estimators`: fits of estimators in threads, cloned, pickled, interrupted.

* In threads, all at once, each fit ends as it does alone.
* A clone has the parameters and is not fitted; a pickle predicts what the estimator does, and a
  fit of it ends in the same way.
* What a signal's handler raises during a fit is raised by the fit; the estimator is not fitted
  then, and a later fit is not disturbed.
* Handlers of signals are afterwards what they were.
"""

from __future__ import annotations

import pickle
import random
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from treemip.sklearn import OptimalTreeClassifier, OptimalTreeRegressor

from .cases import LOST, WRONG_VERDICT, Campaign, Case, Fault

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LIMIT = 20.0  # seconds of a fit that is over long before
LONG = 15.0  # seconds of a fit that is interrupted
FIRST, LAST = 0.0, 1.2  # seconds until a signal comes
AT_ONCE = 4
NEAR = 1e-9

Rows = tuple[np.ndarray, np.ndarray]
Estimator = OptimalTreeClassifier | OptimalTreeRegressor


class Called(BaseException):
    """What a handler raises here."""


def run(case: Case, folder: Path, files: dict[str, str | bytes]) -> Mapping[str, int]:
    dice = case.dice()
    name = dice.choice(list(CHECKS))
    files["what.txt"] = f"{name}\n"
    before = [signal.getsignal(s) for s in SIGNALS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as of a limit that was reached
        counts = CHECKS[name](dice)
    if [signal.getsignal(s) for s in SIGNALS] != before:
        raise Fault(LOST, f"{name}: handlers of signals were changed", f"{name}: handlers")
    return counts


def _task(dice: random.Random) -> tuple[Estimator, Rows]:
    """An estimator, and a table that it has done with in a moment."""
    rng = np.random.default_rng(dice.randrange(1 << 30))
    x = rng.integers(0, 5, (int(rng.integers(8, 25)), 2)).astype(float)
    depth = int(rng.integers(1, 3))
    if rng.random() < 0.3:
        return OptimalTreeRegressor(depth=depth, time_limit=LIMIT), (x, x[:, 0] + x[:, 1] ** 2)
    formulation = str(rng.choice(["binoct", "oct"]))
    y = np.where(rng.random(len(x)) < 0.2, 1 - (x[:, 0] > 2), x[:, 0] > 2).astype(int)
    y[:2] = 0, 1
    return OptimalTreeClassifier(formulation=formulation, depth=depth, time_limit=LIMIT), (x, y)


def _told(model: Estimator, rows: Rows) -> tuple[str, float | None, float]:
    """How a fit ended: status, objective, score on its own rows."""
    result = model.result_
    return result.status, result.objective, float(model.score(*rows))


def _require(what: str, found: tuple[Any, ...], alone: tuple[Any, ...]) -> None:
    same = found[0] == alone[0] and np.allclose(found[1:], alone[1:], rtol=NEAR, atol=NEAR)
    if not same:
        raise Fault(WRONG_VERDICT, f"{what}: {found}; alone: {alone}", what)


def _threads(dice: random.Random) -> Mapping[str, int]:
    tasks = [_task(dice) for _ in range(AT_ONCE)]
    alone = [_told(clone(model).fit(*rows), rows) for model, rows in tasks]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        fitted = list(pool.map(lambda task: task[0].fit(*task[1]), tasks))
    for model, (_, rows), expected in zip(fitted, tasks, alone, strict=True):
        _require("in threads", _told(model, rows), expected)
    return {"fits in threads": AT_ONCE}


def _cloned(dice: random.Random) -> Mapping[str, int]:
    model, rows = _task(dice)
    model.fit(*rows)
    again = clone(model)
    if again.get_params() != model.get_params() or hasattr(again, "tree_"):
        raise Fault(WRONG_VERDICT, f"{again.get_params()}", "a clone is not one")
    _require("a clone", _told(again.fit(*rows), rows), _told(model, rows))
    return {"clones": 1}


def _pickled(dice: random.Random) -> Mapping[str, int]:
    model, rows = _task(dice)
    unfitted = pickle.loads(pickle.dumps(model))
    model.fit(*rows)
    again = pickle.loads(pickle.dumps(model))
    if not np.array_equal(again.predict(rows[0]), model.predict(rows[0])):
        raise Fault(WRONG_VERDICT, "a pickle predicts otherwise", "a pickle predicts otherwise")
    if isinstance(model, OptimalTreeClassifier) and not np.array_equal(
        again.predict_proba(rows[0]), model.predict_proba(rows[0])
    ):
        raise Fault(WRONG_VERDICT, "a pickle has other shares", "a pickle has other shares")
    for other in (unfitted, clone(again)):
        _require("fitted from a pickle", _told(other.fit(*rows), rows), _told(model, rows))
    return {"pickles": 1}


def _interrupted(dice: random.Random) -> Mapping[str, int]:
    number = dice.choice(SIGNALS[:2])
    rng = np.random.default_rng(dice.randrange(1 << 30))
    x, y = rng.random((60, 4)), rng.integers(0, 2, 60)
    solver = dice.choice(["auto", "highs", "scip"])
    model = OptimalTreeClassifier(formulation="soct", depth=3, solver=solver, time_limit=LONG)
    ended = ""
    with _raising(number), _later(number, dice.uniform(FIRST, LAST)) as sent:
        try:
            model.fit(x, y)
        except Called:
            ended = "raised"
        sent.wait(LAST + 1)
    if not ended:
        text = f"the fit went on in spite of {number.name}: {model.result_.status}"
        raise Fault(LOST, text, f"{number.name} does not end a fit")
    try:
        model.predict(x)
    except NotFittedError:
        pass
    else:
        raise Fault(LOST, "an interrupted fit predicts", "an interrupted fit predicts")
    other, rows = _task(dice)
    _require("after an interrupted fit", _told(clone(other).fit(*rows), rows),
             _told(other.fit(*rows), rows))  # fmt: skip
    return {f"interrupted by {number.name}": 1}


@contextmanager
def _raising(number: signal.Signals) -> Iterator[None]:
    def handler(*_: object) -> None:
        raise Called

    before = signal.signal(number, handler)
    try:
        yield
        if signal.getsignal(number) is not handler:
            raise Fault(LOST, f"{number.name}: another handler", "handlers after a signal")
    finally:
        signal.signal(number, before)


@contextmanager
def _later(number: signal.Signals, seconds: float) -> Iterator[threading.Event]:
    """Sends this process a signal after some seconds; the event says that it is sent."""
    sent = threading.Event()

    def send() -> None:
        signal.raise_signal(number)
        sent.set()

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        yield sent
    finally:
        timer.cancel()
        timer.join()


CHECKS: dict[str, Callable[[random.Random], Mapping[str, int]]] = {
    "threads": _threads,
    "clone": _cloned,
    "pickle": _pickled,
    "interruption": _interrupted,
}

CAMPAIGN = Campaign("estimators", "fits", 200, run, cpu=60.0, wall=120.0)
