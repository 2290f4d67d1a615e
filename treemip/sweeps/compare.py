"""Studies of formulations on the same tables, depths and folds, and what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treemip.solving.optional import is_installed
from treemip.source.diagnostic import refused
from treemip.sweeps.comparison import Case, cases_of, record
from treemip.sweeps.comparison_text import (
    cells,
    csv_of,
    heads_of,
    latex,
    markdown,
    notes,
    write_comparison,
)
from treemip.sweeps.plan import Plan
from treemip.sweeps.profiles import Profile, profiles_of, write_profiles
from treemip.sweeps.study import Study, study_plan, write_specs
from treemip.sweeps.sweep import OnRow, carry_out
from treemip.sweeps.table import Sweep


@dataclass(frozen=True)
class Comparison:
    """The results of a study: a case for each table, depth and formulation, a run for each fold.

    A mean is missing (None, nan in `table`) where one of its runs has none.
    """

    cases: tuple[Case, ...]
    runs: Sweep = field(repr=False)

    @classmethod
    def of(cls, runs: Sweep, study: Study) -> Comparison:
        return cls(tuple(cases_of(runs, study)), runs)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """Arrays with an entry for each case: float64 (cases,) for numbers, nan where there is
        none, int64 for `depth`, `runs` and `trees`, else objects."""
        records = [record(case) for case in self.cases]
        return {name: _array(name, [each[name] for each in records]) for name in records[0]}

    @property
    def table(self) -> Any:
        """A line for each case: a pandas.DataFrame, or `columns` without pandas."""
        if not is_installed("pandas"):
            return self.columns
        import pandas

        return pandas.DataFrame(self.columns)

    @property
    def notes(self) -> list[str]:
        """Why formulations have no tree in some runs, a line each."""
        return notes(self.cases)

    @property
    def profiles(self) -> dict[str, Profile]:
        """The performance profile of each formulation."""
        return {each.formulation: each for each in profiles_of(self.runs)}

    def to_csv(self) -> str:
        return csv_of(self.cases)

    def to_markdown(self) -> str:
        return markdown(self.cases)

    def to_latex(self) -> str:
        """A tabular, which needs \\usepackage{booktabs}."""
        return latex(self.cases)

    def write(self, plan: Plan, folder: Path) -> None:
        """The specs, tables and profiles of the study in a folder. Raises E603."""
        write_specs(plan, folder)
        write_comparison(self.cases, folder)
        write_profiles(list(self.profiles.values()), folder)

    def _repr_html_(self) -> str:
        """What a notebook shows: the table and its notes."""
        from html import escape

        from treemip.api.pages.displays import table

        remarks = "".join(f"<p>{escape(line)}</p>" for line in self.notes)
        return table([heads_of(self.cases), *cells(self.cases)], head=True) + remarks


INTEGERS = ("depth", "runs", "trees")
TEXTS = ("data", "formulation", "measure", "solver", "message")


def _array(name: str, values: list[Any]) -> np.ndarray:
    if name in TEXTS:
        return np.array(values, dtype=object)
    return np.array(values, dtype=np.int64 if name in INTEGERS else np.float64)


def compare(
    formulations: str | Iterable[str],
    data: str | PathLike[str] | Iterable[str | PathLike[str]],
    depth: int | Iterable[int] = 2,
    *,
    folds: int = 5,
    seed: int = 0,
    label: str | None = None,
    objective: str | None = None,
    time_limit: float = 60,
    folder: str | Path | None = None,
    jobs: int = 1,
    backend: str | None = None,
    on_row: OnRow | None = None,
    **settings: Any,
) -> Comparison:
    """Solve formulations of the library on tables, depths and folds, as `treemip compare` does.

    data: paths of tables. depth: 1 to 10, one or several. folds, seed: number of stratified folds
    and their seed. label: the column with the classes, guessed for each table where it is None.
    objective: in place of each formulation's own. time_limit: of each run, in seconds of wall
    clock. folder: keeps each run as soon as it is done, and gets the specs, tables and profiles;
    what is there is not run again. jobs, backend, on_row: as for `sweep`. settings: further
    arguments of `Compiled.solve` for all runs, such as solver and threads.
    Raises TreemipError before the first run for an unknown formulation, a table that cannot be
    read, a label that is not there or a faulty setting. What fails in one run is that run's status.
    """
    study = Study(
        formulations=_several(formulations, "formulation"),
        data=_several(data, "table"),
        depths=[str(each) for each in _several(depth, "depth")],
        folds=folds,
        seed=seed,
        label=label,
        objective=objective,
        settings={"time_limit": time_limit, **settings},
    )
    plan = study_plan(study)
    comparison = Comparison.of(carry_out(plan, folder, jobs, backend, on_row), study)
    if folder is not None:
        comparison.write(plan, Path(folder))
    return comparison


def _several(given: Any, what: str) -> Sequence[str]:
    """One value or several as texts. Raises E902 for none, and for a table in memory."""
    single = isinstance(given, str | PathLike | int | np.integer)
    if not single and (hasattr(given, "columns") or not isinstance(given, Iterable)):
        raise refused(f"a {type(given).__name__} is no {what}", _HOW[what])
    values = [given] if single else list(given)
    for value in values:
        if not isinstance(value, str | PathLike | int | np.integer):
            raise refused(f"a {type(value).__name__} is no {what}", _HOW[what])
    if not values:
        raise refused(f"no {what} is named", _HOW[what])
    return [str(value) for value in values]


_HOW = {
    "formulation": "such as ['oct', 'binoct']",
    "table": "give paths, such as ['iris.csv']; save a table in memory as a file first",
    "depth": "such as 2, or [2, 3]",
}
