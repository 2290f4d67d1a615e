"""The table of a sweep: its runs, their means over repetitions, and which configuration to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any

from treemip.model.tolerances import ROUNDING
from treemip.sweeps.axes import DATA
from treemip.sweeps.folder import csv_text
from treemip.sweeps.run import MEASURED, Row

WITHIN = 0.975
"""Of the best mean accuracy: D'Onofrio et al. (2023), section 5.3, on feature selection."""


@dataclass(frozen=True)
class Configuration:
    """Runs with the same values but for repetitions, as means over those that have a tree.

    accuracy: on test parts where `tested`, else on training parts; None where a run has no tree,
    since a mean over the others would flatter, and for trees that predict no classes.
    deviation: of the sample; None for one run.
    """

    values: dict[str, str]
    runs: int
    trees: int
    tested: bool
    train_accuracy: float | None
    accuracy: float | None
    deviation: float | None
    features: float | None
    seconds: float


@dataclass(frozen=True)
class Sweep:
    """All runs of a sweep, in the order of their values.

    rows: by column. names: of the columns that vary. repeats: those that only repeat. kept: how
    many rows were there from an earlier start of the same sweep.
    """

    rows: tuple[Row, ...] = field(repr=False)
    names: tuple[str, ...]
    repeats: frozenset[str] = frozenset()
    kept: int = 0

    @property
    def columns(self) -> dict[str, list[Any]]:
        """Lists of equal length by column: pandas.DataFrame(sweep.columns)."""
        return {name: [row.get(name) for row in self.rows] for name in self._all}

    def to_frame(self) -> Any:
        """A pandas.DataFrame. Raises E602 without pandas."""
        from treemip.solving.optional import needed

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
    def configurations(self) -> tuple[Configuration, ...]:
        groups: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(tuple(row[name] for name in self.settled), []).append(row)
        tested = any(row["test_accuracy"] is not None for row in self.rows)
        return tuple(
            _mean(dict(zip(self.settled, values, strict=True)), rows, tested)
            for values, rows in groups.items()
        )

    def best(self) -> dict[str, Configuration]:
        """By data set the configuration of the best mean accuracy, then of the fewest features.

        The one data set of a sweep in which the data do not vary is "".
        """
        return {
            data: max(candidates, key=lambda c: (_accuracy(c), -_features(c)))
            for data, candidates in self._candidates().items()
        }

    def sparsest(self, within: float = WITHIN) -> dict[str, Configuration]:
        """By data set the configuration of the fewest features, on the mean, among those whose
        mean accuracy is at least `within` times the best; then of the best accuracy."""
        chosen = {}
        for data, candidates in self._candidates().items():
            least = within * max(map(_accuracy, candidates)) - ROUNDING
            good = [c for c in candidates if _accuracy(c) >= least]
            chosen[data] = min(good, key=lambda c: (_features(c), -_accuracy(c)))
        return chosen

    def _candidates(self) -> dict[str, list[Configuration]]:
        by_data: dict[str, list[Configuration]] = {}
        for each in self.configurations:
            if each.accuracy is not None:
                by_data.setdefault(each.values.get(DATA, ""), []).append(each)
        return by_data


def _accuracy(configuration: Configuration) -> float:
    assert configuration.accuracy is not None
    return configuration.accuracy


def _features(configuration: Configuration) -> float:
    assert configuration.features is not None
    return configuration.features


def _mean(values: dict[str, str], rows: Sequence[Row], tested: bool) -> Configuration:
    trees = [row for row in rows if row["features"] is not None]
    of = [row["test_accuracy" if tested else "train_accuracy"] for row in rows]
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
        train_accuracy=_mean_of([a for row in trees if (a := row["train_accuracy"]) is not None]),
        accuracy=mean,
        deviation=deviation,
        features=_mean_of([row["features"] for row in trees]),
        seconds=sum(row["seconds"] for row in rows) / len(rows),
    )


def _mean_of(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
