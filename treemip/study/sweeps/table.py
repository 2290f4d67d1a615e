"""The table of a sweep: its runs, their means over repetitions, and which configuration to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any

from treemip.core.source.diagnostic import Diagnostic
from treemip.study.sweeps.axes import DATA, FOLD
from treemip.study.sweeps.folder import csv_text
from treemip.study.sweeps.measures import ACCURACY, Measure, measure_of
from treemip.study.sweeps.run import MEASURED, Row

WITHIN = 0.975
"""Of the best mean accuracy: D'Onofrio et al. (2023), section 5.3, on feature selection."""


@dataclass(frozen=True)
class Configuration:
    """Runs with the same values but for repetitions, as means over those that have a tree.

    score: of `measure`, on test parts where `tested`, else on training parts; None where a run has
    no tree, since a mean over the others would flatter. beside: other measures on the same parts,
    by title. deviation: of the sample; None for one run.
    """

    values: dict[str, str]
    runs: int
    trees: int
    tested: bool
    measure: Measure
    train_score: float | None
    score: float | None
    deviation: float | None
    beside: dict[str, float | None]
    features: float | None
    seconds: float
    splits: float | None = None

    @property
    def train_accuracy(self) -> float | None:
        """None where the measure is another one."""
        return self.train_score if self.measure == ACCURACY else None

    @property
    def accuracy(self) -> float | None:
        """None where the measure is another one."""
        return self.score if self.measure == ACCURACY else None


@dataclass(frozen=True)
class Sweep:
    """All runs of a sweep, in the order of their values.

    rows: by column. names: of the columns that vary. repeats: those that only repeat. kept: how
    many rows were there from an earlier start of the same sweep. warnings: of all runs together.
    """

    rows: tuple[Row, ...] = field(repr=False)
    names: tuple[str, ...]
    repeats: frozenset[str] = frozenset()
    kept: int = 0
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def columns(self) -> dict[str, list[Any]]:
        """Lists of equal length by column: pandas.DataFrame(sweep.columns)."""
        return {name: [row.get(name) for row in self.rows] for name in self._all}

    def to_frame(self) -> Any:
        """A pandas.DataFrame. Raises E602 without pandas."""
        from treemip.core.solving.optional import needed

        return needed("pandas", "all").DataFrame(self.columns)

    def to_csv(self) -> str:
        return csv_text(self._all, self.rows)

    @property
    def _all(self) -> tuple[str, ...]:
        return (*self.names, *(name for name in MEASURED if name not in self.names))

    @property
    def settled(self) -> tuple[str, ...]:
        """The names that vary and do not only repeat."""
        return tuple(name for name in self.names if name not in self.repeats)

    @cached_property
    def measure(self) -> Measure:
        """What the runs are compared by."""
        return measure_of(self.rows)

    @cached_property
    def unscored(self) -> tuple[str, ...]:
        """The folds on whose rows no tree has a score though trees of others have, as where a
        likelihood is infinite: means are without them, for all configurations alike."""
        if FOLD not in self.repeats:
            return ()
        scores: dict[str, list[Any]] = {}
        for row in self.rows:
            if row["verdict"]:
                scores.setdefault(row[FOLD], []).append(row[f"test_{self.measure.column}"])
        without = [fold for fold, each in scores.items() if not any(s is not None for s in each)]
        return tuple(without) if len(without) < len(scores) else ()

    @cached_property
    def configurations(self) -> tuple[Configuration, ...]:
        groups: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            if self.unscored and row[FOLD] in self.unscored:
                continue
            groups.setdefault(tuple(row[name] for name in self.settled), []).append(row)
        tested = any(row[f"test_{self.measure.column}"] is not None for row in self.rows)
        return tuple(
            _mean(dict(zip(self.settled, values, strict=True)), rows, self.measure, tested)
            for values, rows in groups.items()
        )

    def best(self) -> dict[str, Configuration]:
        """By data set the configuration of the best mean score, then of the fewest features.

        The one data set of a sweep in which the data do not vary is "".
        """
        return {
            data: max(candidates, key=lambda c: (_goodness(c), -_features(c)))
            for data, candidates in self._candidates().items()
        }

    def sparsest(self, within: float = WITHIN) -> dict[str, Configuration]:
        """By data set the configuration of the fewest features, on the mean, among those whose
        mean accuracy is at least `within` times the best; then of the best accuracy.

        Other measures may differ from the best by a share 1 - within of its size.
        """
        chosen = {}
        for data, candidates in self._candidates().items():
            best = _score(max(candidates, key=_goodness))
            good = [c for c in candidates if c.measure.good(_score(c), best, within)]
            chosen[data] = min(good, key=lambda c: (_features(c), -_goodness(c)))
        return chosen

    def _candidates(self) -> dict[str, list[Configuration]]:
        by_data: dict[str, list[Configuration]] = {}
        for each in self.configurations:
            if each.score is not None:
                by_data.setdefault(each.values.get(DATA, ""), []).append(each)
        return by_data


def _score(configuration: Configuration) -> float:
    assert configuration.score is not None
    return configuration.score


def _goodness(configuration: Configuration) -> float:
    return configuration.measure.sign * _score(configuration)


def _features(configuration: Configuration) -> float:
    assert configuration.features is not None
    return configuration.features


def _mean(
    values: dict[str, str], rows: Sequence[Row], measure: Measure, tested: bool
) -> Configuration:
    trees = [row for row in rows if row[f"train_{measure.column}"] is not None]
    part = "test" if tested else "train"
    of = [row[f"{part}_{measure.column}"] for row in rows]
    known = [each for each in of if each is not None]
    mean = _mean_of(known) if len(known) == len(rows) else None
    deviation = None
    if mean is not None and len(known) > 1:
        deviation = sqrt(sum((each - mean) ** 2 for each in known) / (len(known) - 1))
    return Configuration(
        values=values,
        runs=len(rows),
        trees=len(trees),
        tested=tested,
        measure=measure,
        train_score=_mean_of([row[f"train_{measure.column}"] for row in trees]),
        score=mean,
        deviation=deviation,
        beside={
            title: _mean_of_all([row[f"{part}_{column}"] for row in rows])
            for title, column in measure.beside
        },
        features=_mean_of([row["features"] for row in trees]),
        seconds=sum(row["seconds"] for row in rows) / len(rows),
        splits=_mean_of([row["splits"] for row in trees if row["splits"] is not None]),
    )


def _mean_of_all(values: Sequence[float | None]) -> float | None:
    """None where one is not known."""
    known = [value for value in values if value is not None]
    return _mean_of(known) if len(known) == len(values) else None


def _mean_of(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
