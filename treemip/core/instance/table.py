"""The tables a spec speaks of: read, checked, split into parts and encoded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from treemip.core.instance import missing
from treemip.core.instance.categories import Coded, Levels
from treemip.core.instance.columns import (
    CellColumn,
    Column,
    Unreadable,
    read_together,
    without_text,
)
from treemip.core.instance.encoded_table import LARGE, Data, Table
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.fit import fit_features
from treemip.core.instance.labels import known_number, positive_class, read_label
from treemip.core.instance.raw_table import RawTable, read_table, table_of_arrays
from treemip.core.instance.roles import Roles, assign, read_as_numbers, roles_of
from treemip.core.instance.row_location import RowLocation
from treemip.core.instance.saved_answers import SavedAnswers, answered, saved_answers
from treemip.core.instance.train_test import point_weights, rows_in_parts, training_part
from treemip.core.resolve.settings.data_spec import DataSpec, Ref
from treemip.core.source.deadline import TimeEnded
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.core.source.memory import give_back
from treemip.core.source.span import Span
from treemip.core.source.suggest import listed
from treemip.core.syntax.scan import string_span

BITS = 4_000_000
"""Entries of x from which on 0 and 1 are bytes."""


def load_table(spec: DataSpec, base: Path, bits: bool = False, raw: RawTable | None = None) -> Data:
    """The data file of a spec; its path is taken from the folder `base`. bits: whether features of
    0 and 1 may be bytes. raw: the file, if it was read before.

    Raises TreemipError (E2xx and E3xx), at the setting of the data block that is concerned; E301
    too where the time of `deadline.until` ends first.
    """
    try:
        data = _bind(
            spec,
            read_table(base / spec.path, spec.separator, spec.marks) if raw is None else raw,
            bits,
            saved_answers(spec, base),
        )
        if len(data.train.x) > LARGE:
            give_back()
        return data
    except Unreadable as fault:
        _unreadable(spec, fault)
    except TimeEnded:
        _unreadable(spec, Unreadable("the time limit ended while it was read", "raise the limit"))


def other_rows(
    spec: DataSpec,
    raw: RawTable,
    encoder: Encoder,
    file: str,
    answers: tuple[SavedAnswers, ...] = (),
) -> Table:
    """Rows as points of a tree that exists, all in one table.

    encoder: the tree's, by which all is read; nothing is fitted to these rows. file: what they are
    called in messages. answers: of the saved trees that the spec asks.

    Raises TreemipError (E3xx) for what they lack.
    """
    roles = roles_of(spec, [feature.column for feature in (*encoder.features, *encoder.kept)])
    roles = replace(roles, id=roles.id if roles.id in raw.names else None)
    place = RowLocation(file, np.arange(1, raw.count + 1))
    absent = [name for name in roles.all if name not in raw.names]
    if absent:
        lack = "lack" if file == RowLocation().file else "lacks"
        message = f"{file} {lack} the column{'s' * (len(absent) > 1)} {listed(absent)}"
        place.fail("E302", message, f"there are {listed(raw.names)}")
    columns: Mapping[str, Column] = {name: raw[name] for name in roles.all}
    left = np.flatnonzero(missing.rows_left(spec, columns, roles.features, place))
    columns, place = _taken(columns, left), replace(place, rows=left + 1)
    y = encoder.labels(columns, place)
    weight = point_weights(columns.get(roles.weight or ""), len(left), roles.weight or "", place)
    more = _answered(answers, raw, left, encoder.classes.names, place)
    return _Tables(roles, columns, y, weight, encoder, place, answers=more).part(
        np.arange(len(left))
    )


def from_frame(
    spec: DataSpec, columns: Mapping[str, np.ndarray], bits: bool = False, base: Path | None = None
) -> Data:
    """Columns (N,) in memory in place of the spec's file; see `data_frames.columns_of`. bits, base:
    as of `load_table`.

    Raises as `load_table`.
    """
    try:
        answers = saved_answers(spec, Path() if base is None else base)
        return _bind(spec, table_of_arrays(columns, spec.marks), bits, answers)
    except Unreadable as fault:
        _unreadable(spec, fault)


def load_rows(
    path: Path, encoder: Encoder, separator: str | None = None
) -> tuple[RawTable, RowLocation]:
    """New rows from a file, as `Encoder.encode` takes them: encoder.encode(*load_rows(…)).

    Raises TreemipError E301.
    """
    try:
        return read_table(path, separator, encoder.marks), RowLocation(path.name)
    except Unreadable as fault:
        message = f"'{path}': {fault.message}"
        raise TreemipError(Diagnostic.outside("E301", message, fault.remedy)) from None


def _unreadable(spec: DataSpec, fault: Unreadable) -> NoReturn:
    message = f"'{spec.path}': {fault.message}"
    raise TreemipError(Diagnostic("E301", message, string_span(spec.span), fault.remedy)) from None


def _answered(
    answers: tuple[SavedAnswers, ...],
    raw: RawTable,
    rows: np.ndarray,
    classes: tuple[str, ...],
    place: RowLocation,
) -> dict[str, np.ndarray]:
    """What saved trees answer to the rows at positions int64 (n,)."""
    needed = {name for each in answers for name in each.columns if name in raw}
    columns = _taken({name: raw[name] for name in raw if name in needed}, rows)
    return answered(answers, columns, classes, place)


def _bind(
    spec: DataSpec, raw: RawTable, bits: bool, answers: tuple[SavedAnswers, ...] = ()
) -> Data:
    roles, digest = assign(spec, raw.names), raw.digest
    columns: Mapping[str, Column] = {name: raw[name] for name in roles.all}
    read_together([column for column in columns.values() if isinstance(column, CellColumn)])
    place = RowLocation(spec.path, np.arange(1, raw.count + 1), spec.span, _spans(spec))
    left = np.flatnonzero(missing.rows_left(spec, columns, roles.features, place))
    left = rows_in_parts(spec, left)
    if len(left) < raw.count:
        columns = _taken(columns, left)
        place = replace(place, rows=left + 1)
    report = Report()
    label = read_label(spec, columns, len(left), place, report)
    more = _answered(answers, raw, left, label.classes.names, place)
    del raw  # the file's text, where the columns need it no more
    y = label.y
    training = training_part(spec, label, report, left)
    positive = positive_class(spec, label.classes)
    numeric = read_as_numbers(spec, roles.features, columns, place, report)
    here = np.flatnonzero(training)
    features = fit_features(
        spec, _taken(columns, here), numeric, replace(place, rows=place.row_at(here))
    )
    for feature in features:
        if feature.finish is not None and not feature.names:
            message = f"binning drops '{feature.column}', which has too few values"
            report.warn("W302", message, place.spans.get(feature.column, spec.span))
    encoder = Encoder(
        tuple(feature for feature in features if feature.finish is not None),
        tuple(feature for feature in features if feature.finish is None),
        roles.label or "",
        label.classes,
        spec.marks,
        spec.label_kind,
        label.fill,
        tuple(known_number(spec, name, place) for name in roles.numbers),
    )
    weight = point_weights(columns.get(roles.weight or ""), len(y), roles.weight or "", place)
    bits = bits and encoder.is_binary and len(y) * len(encoder.names) > BITS
    kind = np.uint8 if bits else np.float64
    columns = _needed(columns, roles, encoder, numeric)
    tables = _Tables(roles, columns, y, weight, encoder, place, kind, more)
    train = tables.part(here)
    rest = np.flatnonzero(~training)
    test = tables.part(rest) if len(rest) else None
    side = next((rule.span for rule in spec.missing if rule.kind == "side"), spec.span)
    filled = encoder.fill_warnings(_taken(columns, rest), "test part", side)
    report.diagnostics += filled
    found = Data(train, test, encoder, positive, digest, tuple(report.warnings), filled)
    return replace(found, answers=answers) if answers else found


def _needed(
    columns: Mapping[str, Column], roles: Roles, encoder: Encoder, numeric: Mapping[str, bool]
) -> Mapping[str, Column]:
    """What a table takes, features of numbers without the text that they were read from."""
    texts = {*roles.groups, *roles.numbers, *([roles.id] if roles.id is not None else [])}
    levels = {each.column for each in (*encoder.features, *encoder.kept) if each.levels is not None}
    return {
        name: without_text(columns[name])
        if numeric.get(name) and name not in texts | levels
        else columns[name]
        for name in dict.fromkeys((*roles.features, *texts))
    }


@dataclass(frozen=True)
class _Tables:
    """All rows, of which each part takes its own. answers: more numbers of points."""

    roles: Roles
    columns: Mapping[str, Column]
    y: np.ndarray
    weight: np.ndarray
    encoder: Encoder
    place: RowLocation
    kind: type = np.float64
    answers: Mapping[str, np.ndarray] = field(default_factory=dict)

    def part(self, rows: np.ndarray) -> Table:
        columns, name = _taken(self.columns, rows), self.roles.name
        place = replace(self.place, rows=self.place.row_at(rows))
        known = self.encoder.point_numbers(columns, place)
        return Table(
            features=self.encoder.names,
            x=self.encoder.encode(columns, place, self.kind),
            y=self.y[rows],
            classes=self.encoder.classes.names,
            weight=self.weight[rows],
            groups={name(column): self._group(column, columns) for column in self.roles.groups},
            categorical=self.encoder.encode_kept(columns, place),
            row_numbers=place.row_at(np.arange(len(rows))),
            ids=self._ids(columns),
            label_kind=self.encoder.label_kind,
            numbers={
                **{name(column): numbers for column, numbers in known.items()},
                **{table: numbers[rows] for table, numbers in self.answers.items()},
            },
            missing={
                name: columns[name].missing
                for name in self.roles.features
                if columns[name].missing.any()
            },
        )

    def _group(self, name: str, columns: Mapping[str, Column]) -> Coded:
        """Group values are those of the whole file, so that both parts number them alike."""
        levels = Levels.of(self.columns[name])
        return levels.codes(columns[name]), levels.names

    def _ids(self, columns: Mapping[str, Column]) -> tuple[str, ...] | None:
        if self.roles.id is None:
            return None
        texts = columns[self.roles.id].texts
        return tuple(texts.levels[code] for code in texts.codes.tolist())


def _taken(columns: Mapping[str, Column], rows: np.ndarray) -> Mapping[str, Column]:
    """The rows (ascending, each once) of every column, which are often all there are."""
    return {
        name: column if len(column) == len(rows) else column.take(rows)
        for name, column in columns.items()
    }


def _spans(spec: DataSpec) -> dict[str, Span]:
    """For each column, the setting that says most about it."""
    named: list[Ref] = []
    for parts in (spec.missing, spec.scale, spec.bin, spec.encode):
        named += [ref for part in parts for ref in part.columns]
    others = (spec.label, spec.weight, spec.id, *spec.group, *spec.number)
    named += [ref for ref in others if ref is not None]
    return {ref.text: ref.span for ref in named}
