"""Which column is label, weight or feature, and whether a feature is read as numbers or as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from treemip.core.instance.columns import Column, is_numeric
from treemip.core.instance.decimals import is_too_large
from treemip.core.instance.row_location import RowLocation
from treemip.core.instance.written_numbers import odd_numbers, unread
from treemip.core.resolve.settings.data_spec import DataSpec, Ref, Treatment, as_column, as_text
from treemip.core.source.diagnostic import Report
from treemip.core.source.suggest import did_you_mean, listed


@dataclass(frozen=True)
class Roles:
    """Features in the order of the file, or of `use` where the spec has one.

    `label` is None where the spec has none; `numbers` are those of points. `aliases`: of
    groups and numbers that the spec calls otherwise than their column, the name by column.
    """

    label: str | None
    features: tuple[str, ...]
    groups: tuple[str, ...] = ()
    weight: str | None = None
    id: str | None = None
    numbers: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def all(self) -> tuple[str, ...]:
        singles = [name for name in (self.label, self.weight, self.id) if name is not None]
        return (*singles, *self.groups, *self.numbers, *self.features)

    def name(self, column: str) -> str:
        """What the spec calls a group's or a number's column."""
        return self.aliases.get(column, column)


def assign(spec: DataSpec, names: tuple[str, ...]) -> Roles:
    """Roles for the columns `names`. Raises TreemipError: E302, E306."""
    report = Report()
    _known(spec, names, report)
    taken = {ref.text for ref in _others(spec)}
    features = [ref.text for ref in spec.use] if spec.use is not None else list(names)
    features = [name for name in features if name not in taken]
    if not features:
        report.error("E306", "no column is left as a feature", spec.span)
    report.raise_errors()
    return roles_of(spec, features)


def roles_of(spec: DataSpec, features: Iterable[str]) -> Roles:
    """Roles for columns that are known to be there."""
    return Roles(
        label=spec.label.text if spec.label_kind != "none" else None,
        features=tuple(features),
        groups=tuple(ref.text for ref in spec.group),
        numbers=tuple(ref.text for ref in spec.number),
        weight=spec.weight.text if spec.weight else None,
        id=spec.id.text if spec.id else None,
        aliases={ref.text: ref.alias for ref in (*spec.group, *spec.number) if ref.alias},
    )


def _others(spec: DataSpec) -> list[Ref]:
    label = spec.label if spec.label_kind != "none" else None
    singles = [ref for ref in (label, spec.weight, spec.id) if ref is not None]
    return [*singles, *spec.group, *spec.number, *spec.drop]


def _known(spec: DataSpec, names: tuple[str, ...], report: Report) -> None:
    columns = frozenset(names)
    parts: tuple[Treatment, ...] = (*spec.encode, *spec.scale, *spec.bin, *spec.missing)
    treated = (ref for part in parts for ref in part.columns)
    for ref in (*_others(spec), *(spec.use or ()), *treated):
        if ref.text not in columns:
            message = f"'{spec.path}' has no column '{ref.text}'"
            remedy = f"its columns are {listed(names, 40)}"
            report.error("E302", message, ref.span, remedy, did_you_mean(ref.text, names))


# -------------------------------------------------------------------------------- numbers or text


MISSING_WORDS = frozenset(
    ["?", "-", "--", ".", "*", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing"]
)
"""Words that often stand for a missing value among numbers."""

MOST_DATES = 12
"""Dates of a column that may be meant as categories, such as months of a year."""

INFINITE = frozenset(["inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"])


def is_infinite(word: str) -> bool:
    """Whether a cell stands for no finite double: a word for infinity, or a number as 1e400 is."""
    return word.lower() in INFINITE or is_too_large(word)


def read_as_numbers(
    spec: DataSpec,
    features: Iterable[str],
    columns: Mapping[str, Column],
    place: RowLocation,
    report: Report,
) -> dict[str, bool]:
    """For each feature, whether every cell that is there is a finite number.

    A column of numbers spoilt by words for a missing value (E303) or for infinity (E304) is
    refused rather than taken as text: as text it would become one 0/1 column per number. Where
    other texts stand among a majority of numbers, or all cells are numbers that are written with
    commas, `report` is given a warning. An `encode` that names the column settles the matter.
    """
    settled = {ref.text for part in spec.encode for ref in part.columns}
    numeric = {}
    for name in features:
        numeric[name] = is_numeric(columns[name])
        if not numeric[name] and name not in settled:
            _odd(spec, name, columns[name], place, report)
    return numeric


def _with_mark(spec: DataSpec, mark: str) -> str:
    """The first setting of missing values with one mark more; marks count for all columns."""
    if not spec.missing:
        return f"missing drop marks {as_text(mark)};"
    setting = spec.missing[0].span.text.rstrip("; ")
    marks = "," if spec.marks and " marks " in setting else " marks"
    return f"{setting}{marks} {as_text(mark)};"


def _odd(spec: DataSpec, name: str, column: Column, place: RowLocation, report: Report) -> None:
    texts = ~column.missing & np.isnan(column.numbers)
    numbers = int((~np.isnan(column.numbers)).sum())
    if not texts.any():
        return
    settle = f"write  encode onehot {as_column(name)};  if the column is meant as text"
    if odd := odd_numbers(name, column.texts.levels):
        message, remedy = f"{odd.message}, so it is read as text", f"{odd.remedy}, or {settle}"
        report.warn("W302", message, place.spans.get(name, place.span), remedy)
        return
    if len(column.texts.levels) > MOST_DATES and unread(column.texts.levels) == "dates":
        message, remedy = _of_dates(name, column)
        report.warn("W302", message, place.spans.get(name, place.span), remedy)
        return
    words = column.take(np.flatnonzero(texts)).texts.levels
    finite = {word.lower() for word in words if not is_infinite(word)}
    if numbers == 0 and finite:
        return
    k = int(np.flatnonzero(texts)[0])
    row, mark = place.row(k), column.text(k)
    what = f"{row} has '{mark}' in column '{name}'"
    if not finite:
        why = "a number too large for a double" if is_too_large(mark) else "which is not finite"
        place.fail("E304", f"{what}, {why}", settle, column=name)
    if finite <= MISSING_WORDS:
        message = f"{what}, which otherwise holds numbers"
        remedy = f"write  {_with_mark(spec, mark)}  if it stands for a missing value, or {settle}"
        place.fail("E303", message, remedy, column=name)
    if 2 * numbers >= int(texts.sum()) + numbers:
        message = f"column '{name}' is read as text, because {row} has '{mark}'"
        report.warn("W302", message, place.spans.get(name, place.span), settle)


def _of_dates(name: str, column: Column) -> tuple[str, str]:
    """The warning about dates that are read as text, and its remedy."""
    levels = column.texts.levels
    message = (
        f"column '{name}' has {len(levels)} dates, such as {levels[0]}, which are read as text"
    )
    column_name = as_column(name)
    remedy = (
        "give numbers taken from it, such as its year, month or weekday, or days since the first "
        f'(pandas: pd.to_datetime(df["{name}"]).dt.month), or write  drop {column_name};  or  '
        f"encode onehot {column_name};  if each date is a category"
    )
    return message, remedy
