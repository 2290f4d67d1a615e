"""Equal rows of tables of any size as one, with their number: in two passes over the files, the
first for bins, the second to count.

The spec beside the counted table has the bins' edges, so its trees are those of the rows
themselves: a row goes where its kind goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treemip.api.statement_text import columns, number, quoted
from treemip.core.instance.row_batches import row_batches
from treemip.core.instance.survey import MOST_CLASSES, guess_positive
from treemip.core.resolve.settings.data_spec import is_parquet, number_text
from treemip.core.solving.backends import leave_signals_to
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.span import Source
from treemip.core.source.suggest import did_you_mean, listed
from treemip.core.syntax.format import format_text
from treemip.study.counting.held import Held, Reading, held_by, joined
from treemip.study.counting.kinds import Coding, Kinds, kinds_of, together
from treemip.study.init.first_spec import USUAL, USUAL_OF_NUMBERS
from treemip.study.sweeps.workers import demand_workers, parallel

TEXTS = (".csv", ".tsv", ".tab")
SQUARES = "sum {i in points} weight[i] * (y[i] - predicted[i])^2"
"""What is minimized where the label is a number."""

ROWS = "rows"
"""Name of the column that says how many rows a kind has."""


@dataclass(frozen=True)
class Asked:
    """What is counted. use: the features, all columns where it is empty, but those of `drop`.
    bins: of a number that has more values."""

    label: str
    use: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    weight: str | None = None
    bins: int = 8
    separator: str | None = None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counted:
    """columns: the counted table by its heads, the label first; `count` is the last. rows,
    unlabelled: of the files, those that are counted and those without a label. codings, missing: of
    each column, and whether it has missing values. dropped: columns with one value, or nearly so.
    """

    asked: Asked
    columns: dict[str, list[object]]
    rows: int
    unlabelled: int
    codings: dict[str, Coding]
    missing: dict[str, bool]
    dropped: tuple[str, ...]
    count: str

    def text(self, data: str, source: str) -> str:
        """A first spec for the table. data: its path as the spec writes it."""
        lines = [
            f"# {self.rows:,} rows of {source}, counted by treemip count. Points are kinds of",
            "# equal rows: weight[i] is how many, and the objective counts them all.",
            f"data {quoted(data)} {{",
            *self._data_lines(),
            "}",
            "topology complete(depth = 2);",
            f"split univariate by {(USUAL_OF_NUMBERS if self.is_number else USUAL)[0]};",
            f"minimize {SQUARES if self.is_number else 'misclassified'};",
            "strategy {",
            "time_limit 60;  # seconds",
            "seed 1;",
            "}",
        ]
        return format_text(Source("<text>", "\n".join(lines) + "\n"))

    @property
    def kinds(self) -> int:
        return len(self.columns[self.count])

    @property
    def is_number(self) -> bool:
        """Whether the label is a number and not a class."""
        values = self.codings[self.asked.label].values
        return values is not None and len(values) > MOST_CLASSES

    def _positive(self) -> str:
        """Of two classes the positive one."""
        sizes: dict[str, int] = {}
        for cell, rows in zip(
            self.columns[self.asked.label], self.columns[self.count], strict=True
        ):
            name = number_text(float(cell)) if isinstance(cell, int | float) else str(cell)
            sizes[name] = sizes.get(name, 0) + round(float(str(rows)))
        return f" positive {quoted(guess_positive(sizes)[0])}" if len(sizes) == 2 else ""

    def _data_lines(self) -> Iterator[str]:
        label = self.asked.label
        yield f"label {columns(label)}{' number' if self.is_number else self._positive()};"
        yield f"weight {columns(self.count)};  # how many rows are equal"
        features = {name: each for name, each in self.codings.items() if name != label}
        if any(coding.levels is not None for coding in features.values()):
            yield "encode onehot(drop = if_binary, unseen = zero);"
        for name, coding in features.items():
            if coding.edges is not None:
                yield f"bin thresholds({', '.join(map(number, coding.edges))}) {columns(name)};"
            elif coding.values is not None:
                yield f"bin thresholds {columns(name)};"
        marks = f" marks {', '.join(map(quoted, self.asked.marks))}" if self.asked.marks else ""
        if any(self.missing[name] for name in features):
            yield f"missing side{marks};"
        elif marks:
            yield f"missing{marks};"


def counted(
    sources: Sequence[Path], asked: Asked, jobs: int = 1, backend: str | None = None
) -> Counted:
    """The kinds of all rows of the files, and of the tables in folders.

    jobs, backend: who reads the files, as of `rows_of`. Raises TreemipError: E301, E302, E311 for
    files; E902 for what is asked, and for rows that hardly repeat; E602, E604 as `rows_of`.
    """
    demand_workers(jobs, backend)
    if not 2 <= asked.bins <= 1000:
        raise refused(f"the number of bins is {asked.bins}", "give 2 to 1000")
    paths = files_of(sources)
    reading = _reading(paths, asked)
    if backend is not None or jobs != 1:  # workers may be in another folder
        paths = [path.absolute() for path in paths]
    held = _held(paths, reading, jobs, backend)
    mixed = {name for name, each in held.columns.items() if each.mixed}
    if mixed:
        reading = replace(reading, as_text=frozenset(mixed))
        held = _held(paths, reading, jobs, backend)
    if not held.rows:
        raise refused(f"no row has a label in '{asked.label}'", "name another column: --label")
    codings = _codings(held, reading, asked)
    missing = {name: held.columns[name].missing for name in codings}
    parts = {n for n, each in codings.items() if missing[n] or not each.is_constant} | {asked.label}
    dropped = tuple(name for name in codings if name not in parts)
    codings = {name: each for name, each in codings.items() if name in parts}
    _demand_two(codings, asked)
    calls = [(path, reading, codings) for path in paths]
    kinds = together(_each(kinds_of, calls, jobs, backend))
    count = _free(ROWS, codings)
    table = {**_cells(kinds, codings), count: [*_plain(kinds.counts.tolist())]}
    rows = held.rows, held.unlabelled
    return Counted(asked, table, *rows, codings, missing, dropped, count)


def files_of(sources: Sequence[Path]) -> list[Path]:
    """Files as they are, and the tables in folders, at any depth, by their names. Raises E301."""
    found: list[Path] = []
    for source in sources:
        if not source.is_dir():
            found.append(source)
            continue
        inside = sorted(path for path in source.rglob("*") if _is_table(path.relative_to(source)))
        if not inside:
            message = f"'{source}' has no CSV or Parquet files"
            raise TreemipError(Diagnostic.outside("E301", message, "name the files"))
        found += inside
    return found


def _is_table(path: Path) -> bool:
    """Not files that other programs keep beside tables, such as _SUCCESS and .part.crc."""
    if any(part.startswith((".", "_")) for part in path.parts):
        return False
    name = path.name.lower().removesuffix(".gz")
    return is_parquet(path.name) or name.endswith(TEXTS)


def _reading(paths: Sequence[Path], asked: Asked) -> Reading:
    """Raises E301 for the first file, and E902 for columns that it does not have."""
    first = (row_batches(path, asked.separator, asked.marks, may_be_empty=True) for path in paths)
    raw = next((batch[0] for batches in first for batch in batches), None)
    if raw is None:
        raise TreemipError(Diagnostic.outside("E301", f"'{paths[0]}' has no row of data"))
    names = raw.names
    weight = [] if asked.weight is None else [asked.weight]
    for name in (asked.label, *asked.use, *weight, *(asked.drop if len(paths) == 1 else ())):
        if name not in names:
            message = f"there is no column '{name}'"
            raise refused(message, did_you_mean(name, names) or f"there are {listed(names, 40)}")
    apart = {asked.label, *asked.drop, *weight}
    features = [name for name in dict.fromkeys(asked.use or names) if name not in apart]
    if not features:
        raise refused("no column is left to split on", "name columns with --use")
    how = asked.label, asked.weight, asked.separator, asked.marks
    known = None if asked.use else frozenset([*names, *asked.drop])
    return Reading((asked.label, *features), *how, known=known)


def _held(paths: Sequence[Path], reading: Reading, jobs: int, backend: str | None) -> Held:
    calls = [(path, reading, seed) for seed, path in enumerate(paths)]
    return joined(_each(held_by, calls, jobs, backend), reading)


def _codings(held: Held, reading: Reading, asked: Asked) -> dict[str, Coding]:
    found = {}
    for j, name in enumerate(reading.columns):
        column = held.columns[name]
        if name == asked.label:
            found[name] = Coding.as_they_are(column)
        else:
            found[name] = Coding.of(column, held.sample[:, j], asked.bins)
    return found


def _demand_two(codings: dict[str, Coding], asked: Asked) -> None:
    """Raises E902 without two labels, or without a feature."""
    if codings[asked.label].is_constant:
        message = f"the label '{asked.label}' has a single value"
        raise refused(message, "a tree needs two classes or more: name another column with --label")
    if len(codings) == 1:
        raise refused("no column has two values to split on", "name other columns with --use")


def _each(
    function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], jobs: int, backend: str | None
) -> list[Any]:
    """What the function returns for each of the calls, in their order."""
    if backend is None and (jobs == 1 or len(calls) == 1):
        return [function(*call) for call in calls]
    numbered = [(k, function, call) for k, call in enumerate(calls)]
    found = dict(parallel(numbered, jobs, backend or "loky", _apart))
    return [found[k] for k in range(len(calls))]


def _apart(call: tuple[int, Callable[..., Any], tuple[Any, ...]], parent: int) -> tuple[int, Any]:
    """A call in a worker, which leaves Ctrl-C to its parent."""
    leave_signals_to(parent)
    k, function, arguments = call
    return k, function(*arguments)


def _cells(kinds: Kinds, codings: dict[str, Coding]) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for j, (name, coding) in enumerate(codings.items()):
        cells = _plain(coding.cells)
        found[name] = [cells[code] for code in kinds.codes[:, j].tolist()]
    return found


def _plain(cells: Sequence[float | str | None]) -> list[object]:
    """Numbers as integers where all of them are whole."""
    whole = all(float(one).is_integer() for one in cells if isinstance(one, float))
    return [int(one) if whole and isinstance(one, float) else one for one in cells]


def _free(name: str, taken: dict[str, Coding]) -> str:
    return name if name not in taken else _free(f"{name}_", taken)
