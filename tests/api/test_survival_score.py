"""Scores of survival trees on other rows, against scikit-survival and by hand."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treemip
from treemip.api.store import load_tree
from treemip.api.survival import TIMES, brier_times
from treemip.cli.main import main
from treemip.core.tree.survival_curves import Observed, curves_by_leaf
from treemip.core.tree.survival_score import harrell_c

SPEC = """data "train.csv" { label none; number time, event; scale minmax; }
topology complete(depth = 1);
split univariate by ost_grid(steps = 6);
"""


def patients(seed: int, size: int, digits: int = 1) -> pd.DataFrame:
    """Of two risks, told apart by `age`; rounded times have ties."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, size)
    dies, leaves = rng.exponential(np.where(age > 60, 2, 8)), rng.exponential(6, size)
    time = np.round(np.minimum(dies, leaves), digits) + 0.1
    return pd.DataFrame({"age": age, "time": time, "event": (dies <= leaves).astype(int)})


def structured(frame: pd.DataFrame) -> np.ndarray:
    found = np.empty(len(frame), [("event", bool), ("time", float)])
    found["event"], found["time"] = frame["event"] == 1, frame["time"]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a spec, its training part and its tree."""
    folder = tmp_path_factory.mktemp("survival")
    patients(1, 150).to_csv(folder / "train.csv", index=False)
    (folder / "s.tree").write_text(SPEC)
    result = treemip.load(folder / "s.tree").compile().solve(time_limit=30)
    result.save(folder / "s.json")
    return folder


def reference(train: pd.DataFrame, rows: pd.DataFrame, tree: Any) -> dict[str, float]:
    """The numbers by calls of scikit-survival. Rows have no time after the last of the training."""
    metrics = pytest.importorskip("sksurv.metrics")
    risk, last = tree.predict(rows), train["time"].max()
    before, after = structured(train), structured(rows)
    observed = [
        Observed(f["time"].to_numpy(), f["event"].to_numpy() == 1, np.ones(len(f)))
        for f in (train, rows)
    ]
    curves = curves_by_leaf(tree.route(tree.encode(train)), observed[0])
    times = brier_times(*observed)
    chances = np.array([curves[n].survival_at(times) for n in tree.route(tree.encode(rows))])
    return {
        "harrell_c": metrics.concordance_index_censored(after["event"], after["time"], risk)[0],
        "ipcw_c": metrics.concordance_index_ipcw(before, after, risk, tau=last)[0],
        "integrated_brier": metrics.integrated_brier_score(before, after, chances, times),
    }


@pytest.mark.parametrize("size", [40, 10_000])
def test_scores_are_those_of_scikit_survival(folder: Path, size: int) -> None:
    tree, train = load_tree(folder / "s.json"), pd.read_csv(folder / "train.csv")
    rows = patients(2, size, digits=3)
    rows = rows[rows["time"] < train["time"].max()]
    found = tree.score(rows).survival
    assert found is not None and found.left_out == {}
    assert found.to_json() == pytest.approx(reference(train, rows, tree), rel=1e-9)


def test_a_solved_tree_scores_as_the_saved_one(folder: Path) -> None:
    pytest.importorskip("sksurv")
    result = treemip.load(folder / "s.tree").compile().solve(time_limit=30)
    assert result.tree is not None
    rows = patients(3, 50)
    assert result.tree.score(rows).survival == load_tree(folder / "s.json").score(rows).survival


def test_times_after_the_training_part_are_censored(folder: Path) -> None:
    """Nothing says how many are censored then, and the Brier score ends before."""
    pytest.importorskip("sksurv")
    tree, last = load_tree(folder / "s.json"), pd.read_csv(folder / "train.csv")["time"].max()
    rows = patients(4, 200)
    late = rows.assign(time=np.where(rows.index < 20, last + 1 + rows.index, rows["time"]))
    cut = late.assign(
        event=np.where(late["time"] > last, 0, late["event"]), time=late["time"].clip(upper=last)
    )
    found, expected = (tree.score(each).survival for each in (late, cut))
    assert found.ipcw_c == pytest.approx(expected.ipcw_c)
    assert found.integrated_brier == pytest.approx(expected.integrated_brier, rel=1e-3)


def test_at_most_a_hundred_times_have_a_brier_score() -> None:
    observed = Observed(np.arange(1.0, 1001), np.ones(1000, bool), np.ones(1000))
    times = brier_times(observed, observed)
    assert (len(times), times[0], times[-1]) == (TIMES, 1, 999)


@pytest.mark.parametrize("seed", range(8))
def test_harrells_c_pair_by_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time, event = rng.integers(1, 6, 25), rng.random(25) < 0.6
    risk = rng.integers(0, 4, 25) / 3
    won = pairs = 0.0
    for i in np.flatnonzero(event):
        for k in range(25):
            if time[i] < time[k] or (time[i] == time[k] and not event[k]):
                pairs += 1
                won += 1 if risk[i] > risk[k] else 0.5 * (risk[i] == risk[k])
    assert harrell_c(time.astype(float), event, risk) == pytest.approx(won / pairs)


def test_no_pair_can_be_compared() -> None:
    assert harrell_c(np.array([1.0, 2]), np.array([False, False]), np.ones(2)) is None


def test_without_scikit_survival(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sksurv", None)
    patients(5, 30).to_csv(folder / "new.csv", index=False)
    assert main(["score", str(folder / "s.json"), str(folder / "new.csv")]) == 0
    said = re.sub(" +", " ", capsys.readouterr().out)
    assert "Harrell's C, as in scikit-survival 0.5" in said
    assert "IPCW C left out: it needs scikit-survival: pip install" in said
    assert "integrated Brier score left out: it needs scikit-survival: pip install" in said


def test_a_measure_of_the_spec_is_told_from_that_of_scikit_survival(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The two count pairs in another way."""
    monkeypatch.chdir(tmp_path)
    patients(1, 40).to_csv("p.csv", index=False)
    spec = """data "p.csv" { label none; number time, event; scale minmax; }
    topology complete(depth = 1); split univariate by ost; let harrell_c = concordance;
    """
    Path("p.tree").write_text(spec)
    assert main(["solve", "p.tree", "-o", "p.json", "--time-limit", "5"]) == 0
    capsys.readouterr()
    assert main(["score", "p.json", "p.csv"]) == 0
    names = [re.split("  +", line)[0] for line in capsys.readouterr().out.splitlines()]
    assert [name for name in names if "arrell" in name] == [
        "Harrell's C, as in scikit-survival",
        "harrell_c, as in the spec",
    ]


def test_without_the_training_part(folder: Path, tmp_path: Path) -> None:
    """Only Harrell's C needs none."""
    saved = tmp_path / "s.json"
    saved.write_text((folder / "s.json").read_text())
    found = load_tree(saved).score(patients(6, 30)).to_json()["survival"]
    assert found["harrell_c"] > 0.5
    assert found["ipcw_c"] is None and found["integrated_brier"] is None
    assert found["left_out"]["ipcw_c"].startswith("it needs the training part")


def test_scores_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sksurv")
    patients(7, 60).to_csv(folder / "new.csv", index=False)
    assert main(["score", str(folder / "s.json"), str(folder / "new.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["survival"]
    assert set(found) == {"harrell_c", "ipcw_c", "integrated_brier"}
    assert 0.5 < found["harrell_c"] < 1 and 0 < found["integrated_brier"] < 0.3
