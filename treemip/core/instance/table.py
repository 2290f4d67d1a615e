"""The tables a spec speaks of: read, checked, split into parts and encoded."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NoReturn

import numpy as np

from treemip.core.instance import categories as kept
from treemip.core.instance import missing
from treemip.core.instance.categories import Coded, Levels
from treemip.core.instance.columns import (
    CellColumn,
    Column,
    Unreadable,
    read_together,
    without_text,
)
from treemip.core.instance.encoder import Encoder
from treemip.core.instance.fit import fit_features
from treemip.core.instance.labels import known_number, positive_class, read_label
from treemip.core.instance.raw_table import RawTable, read_table, table_of_arrays
from treemip.core.instance.roles import Roles, assign, read_as_numbers, roles_of
from treemip.core.instance.row_location import RowLocation
from treemip.core.instance.saved_answers import SavedAnswers, answered, saved_answers
from treemip.core.instance.selected import Selected
from treemip.core.instance.train_test import point_weights, rows_in_parts, training_part
from treemip.core.model.arrays import Ragged, distinct_rows
from treemip.core.resolve.settings.data_spec import DataSpec, Ref
from treemip.core.source.deadline import TimeEnded
from treemip.core.source.diagnostic import Diagnostic, Report, TreemipError
from treemip.core.source.memory import give_back
from treemip.core.source.span import Span
from treemip.core.source.suggest import listed
from treemip.core.syntax.scan import string_span

BITS = 4_000_000
"""Entries of x from which on 0 and 1 are bytes."""

LARGE = 100_000
"""Points of a table from which on the memory that a step took is given back at its end."""

SORTED = 20_000
"""Points up to which the distinct ones are in order."""

WITHOUT_CLASSES = {
    "class": "",
    "number": "the label is read as numbers",
    "none": "there is no label",
}
"""Why a label of each kind has no classes, in words."""


_inputs: dict[int, weakref.ref[np.ndarray]] = {}  # those of all tables, by id


def is_of_table(x: np.ndarray) -> bool:
    """Whether x is the `inputs` of a table, which nobody writes to."""
    known = _inputs.get(id(x))
    return known is not None and known() is x


@dataclass(frozen=True)
class Table:
    """N points with p encoded features and K classes.

    x float64 (N, p), C-contiguous and finite; uint8 where there are many of 0 and 1 (`BITS`).
    `label_kind` "class": y int64 (N,), class numbers
    from 0, and `classes` sorted (as numbers where all are); "number": y float64 (N,), finite, and
    no classes; "none": y int64 (N,) zeros, and no classes. weight float64 (N,), positive. `groups`
    and `categorical` have codes int64 (N,) and the values they number, `numbers` float64 (N,) each,
    finite and never scaled. `row_numbers` int64 (N,) count the data rows of the file from 1; `ids`
    are the texts of the `id` column, where there is one. `missing`: of raw columns of features that
    have missing values, by name, in which rows, bool (N,).
    """

    features: tuple[str, ...]
    x: np.ndarray
    y: np.ndarray
    classes: tuple[str, ...]
    weight: np.ndarray
    groups: Mapping[str, Coded]
    categorical: Mapping[str, Coded]
    row_numbers: np.ndarray
    ids: tuple[str, ...] | None = None
    label_kind: str = "class"
    numbers: Mapping[str, np.ndarray] = field(default_factory=dict)
    missing: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def without_classes(self) -> str:
        """Why there are no classes, in words; empty where there are."""
        return WITHOUT_CLASSES[self.label_kind]

    @cached_property
    def categories(self) -> Ragged:
        """The numbers of each kept column's categories, which run through all of them."""
        return kept.categories(self.categorical)

    @property
    def category_names(self) -> tuple[str, ...]:
        """`column=value` by the number of the category."""
        return kept.category_names((c, names) for c, (_, names) in self.categorical.items())

    @property
    def category_numbers(self) -> np.ndarray:
        """Each point's category in each kept column, int64 (N, kept columns); -1 for none."""
        return kept.category_numbers(self.categorical, len(self.y))

    def take(self, rows: np.ndarray) -> Table:
        """The points at these positions, int64 (n,), as a table of its own."""
        return replace(
            self,
            x=np.ascontiguousarray(self.x[rows]),
            y=self.y[rows],
            weight=self.weight[rows],
            groups={name: (codes[rows], names) for name, (codes, names) in self.groups.items()},
            categorical={
                name: (codes[rows], names) for name, (codes, names) in self.categorical.items()
            },
            row_numbers=self.row_numbers[rows],
            ids=None if self.ids is None else tuple(self.ids[row] for row in rows.tolist()),
            numbers={name: values[rows] for name, values in self.numbers.items()},
            missing={name: gaps[rows] for name, gaps in self.missing.items()},
        )

    def renumbered(self, groups: Mapping[str, tuple[str, ...]]) -> Table:
        """The same points with the numbers that values of groups have elsewhere, by the group's
        name; values that are not there have numbers behind those that are."""

        def coded(codes: np.ndarray, own: tuple[str, ...], known: tuple[str, ...]) -> Coded:
            names = tuple(dict.fromkeys((*known, *own)))
            number = np.array([*map(names.index, own), -1], np.int64)
            return number[codes], names

        return replace(
            self, groups={k: coded(*one, groups.get(k, one[1])) for k, one in self.groups.items()}
        )

    def followed_by(self, other: Table) -> Table:
        """These points and then those of another table, which has the same columns and numbers
        classes, categories and the values of groups alike; `other` may have more of the last."""

        def coded(own: Mapping[str, Coded], more: Mapping[str, Coded]) -> dict[str, Coded]:
            return {k: (np.append(own[k][0], codes), names) for k, (codes, names) in more.items()}

        none = (np.zeros(len(self.y), bool), np.zeros(len(other.y), bool))
        ids = None if self.ids is None or other.ids is None else (*self.ids, *other.ids)
        return replace(
            self,
            x=np.concatenate([self.x, other.x]),
            y=np.append(self.y, other.y),
            weight=np.append(self.weight, other.weight),
            groups=coded(self.groups, other.groups),
            categorical=coded(self.categorical, other.categorical),
            row_numbers=np.append(self.row_numbers, other.row_numbers),
            ids=ids,
            numbers={k: np.append(own, other.numbers[k]) for k, own in self.numbers.items()},
            missing={
                k: np.append(self.missing.get(k, none[0]), other.missing.get(k, none[1]))
                for k in {**self.missing, **other.missing}
            },
        )

    @cached_property
    def inputs(self) -> np.ndarray:
        """What a tree routes, float64 (N, p + categories), read-only; x where no column is kept."""
        inputs = kept.with_categories(self.x, self.categorical).view()
        inputs.flags.writeable = False
        number = id(inputs)
        _inputs[number] = weakref.ref(inputs, lambda _: _inputs.pop(number, None))
        return inputs

    def order(self, feature: int) -> np.ndarray:
        """The points in ascending order of an encoded feature, equal ones by number, int32 (N,)."""
        if feature not in self._orders:
            order = np.argsort(self.x[:, feature], kind="stable")
            self._orders[feature] = order.astype(np.int32)
        return self._orders[feature]

    @cached_property
    def _orders(self) -> dict[int, np.ndarray]:
        return {}

    @cached_property
    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """The distinct rows of `inputs`, float64 (M, p + categories), and which of them each point
        is, int64 (N,); in order, and where there are many points by their first appearance."""
        if len(self.y) > SORTED:
            first, of_point = distinct_rows(self.inputs)
            return self.inputs[first] if len(first) < len(self.y) else self.inputs, of_point
        x, of_point = np.unique(self.inputs, axis=0, return_inverse=True)
        return x, of_point.ravel()


@dataclass(frozen=True)
class Data:
    """The training part, the rest, and what was fitted on the first.

    `positive` is the number of the positive class, `digest` the SHA-256 of the file's bytes or of
    the arrays, `warnings` what the reader should hear about (W302). `selected`: of which points
    `train` is a part, where the strategy selects some. `filled`: those warnings that tell of
    missing values of the test part that no split has a side for. `tables`: files beside the data,
    by path and separator, from which parameters take their values. `answers`: saved trees whose
    answers are among the numbers of points.
    """

    train: Table
    test: Table | None
    encoder: Encoder
    positive: int | None
    digest: str
    warnings: tuple[Diagnostic, ...] = ()
    filled: tuple[Diagnostic, ...] = ()
    selected: Selected | None = None
    tables: Mapping[tuple[str, str | None], RawTable] = field(default_factory=dict)
    answers: tuple[SavedAnswers, ...] = ()

    @property
    def whole(self) -> Table:
        """All points of the training part, selected or not."""
        return self.train if self.selected is None else self.selected.whole


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
