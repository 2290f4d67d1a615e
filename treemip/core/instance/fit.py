"""Fitting: what the settings make of each feature, from the training part alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from treemip.core.instance.categories import Levels, category_names
from treemip.core.instance.columns import Column
from treemip.core.instance.decimals import number_of
from treemip.core.instance.encodings import AS_IS, FITTING, Finish, fit_bins, fit_scale
from treemip.core.instance.feature import Feature
from treemip.core.instance.missing import fill_value, rule_for
from treemip.core.instance.missing_columns import (
    MISSING,
    Apart,
    bins_with_sides,
    levels_with_missing,
    numbers_with_sides,
    with_indicator,
)
from treemip.core.instance.row_location import RowLocation
from treemip.core.resolve.settings.data_spec import (
    FILLING,
    Binning,
    DataSpec,
    Encoding,
    MissingRule,
    Scaling,
    as_column,
    number_text,
)
from treemip.core.resolve.settings.encodings import CODES
from treemip.core.source.span import Span
from treemip.core.source.suggest import listed

Setting = TypeVar("Setting", Encoding, Scaling, Binning)


def fit_features(
    spec: DataSpec, training: Mapping[str, Column], numeric: Mapping[str, bool], place: RowLocation
) -> tuple[Feature, ...]:
    """Every feature, in the order of `numeric`, which says how each is read.

    Raises TreemipError: E202 two encoded columns of one name, E213, E303, E304, E306 nothing left.
    """
    _require_mode(spec, training, numeric)
    features = tuple(
        fit_feature(spec, name, training[name], numeric[name], place) for name in numeric
    )
    counts = Counter(name for feature in features for name in feature.names)
    kept = Counter(
        name
        for feature in features
        if feature.finish is None
        for name in category_names([(feature.column, feature.categories)])
    )
    for name, times in (*counts.items(), *kept.items()):
        if times > 1:
            remedy = "rename a column"
            if name.endswith(f"={MISSING}"):
                remedy = f'write  missing … marks "{MISSING}";  if such cells have no value'
            place.fail("E202", f"two encoded features would be called '{name}'", remedy)
    if not counts and all(feature.finish is not None for feature in features):
        place.fail("E306", "encoding and binning leave no feature")
    return features


def fit_feature(
    spec: DataSpec, name: str, column: Column, numeric: bool, place: RowLocation
) -> Feature:
    """One feature from its training rows."""
    encoding = encoding_for(spec, name, numeric)
    binning = _binning_for(spec, name, encoding)
    scaling = spec.naming.scale.get(name) or _default(spec.scale)
    levels = _levels(encoding, name, column, numeric) if encoding else None
    rule = rule_for(spec, name, feature=True)
    fill = _fill(spec, rule, name, column, levels, place)
    # A column without missing values in training is encoded as if they were filled in.
    gaps, asked = bool(column.missing.any()), rule.kind if rule is not None else ""
    sides, without_side = asked == "side" and gaps, asked == "side" and not gaps
    if encoding is not None and encoding.kind == "keep":
        _no_indicator(rule, name)
        return Feature(name, levels, fill, None, encoding.unseen_zero, sides, without_side)
    finish: Finish
    if encoding is not None and (code := CODES[encoding.kind].encoding):
        _cannot(name, binning, _rescaled(spec, name))
        assert levels is not None
        finish = FITTING[code](encoding, len(levels.names), sides)
        finish = levels_with_missing(finish) if sides else finish
    elif not sides and binning is None and (scaling is None or scaling.kind == "none"):
        finish = AS_IS
    else:
        present = column.take(np.flatnonzero(~column.missing)) if sides else column
        values = Feature(name, levels, fill, None).read(present, place)
        finish = _finish(name, binning, scaling, values, sides, place)
    if asked == "indicator" and gaps:
        assert fill is not None and not isinstance(finish, Apart)
        return Feature(name, levels, None, with_indicator(finish, fill))
    return Feature(name, levels, fill, finish, without_side=without_side)


def _finish(
    name: str,
    binning: Binning | None,
    scaling: Scaling | None,
    values: np.ndarray,
    sides: bool,
    place: RowLocation,
) -> Finish:
    try:
        if binning is not None:
            bins = fit_bins(binning, values)
            return bins_with_sides(bins, values) if sides else bins
        return numbers_with_sides(scaling, values) if sides else fit_scale(scaling, values)
    except OverflowError:
        message = f"the values of '{name}' span too wide or too narrow a range"
        place.fail(
            "E304",
            message,
            f"write  scale none {as_column(name)};  or drop the column",
            column=name,
        )


# ---------------------------------------------------------- which setting speaks for it


def encoding_for(spec: DataSpec, name: str, numeric: bool) -> Encoding | None:
    """The encoding that names the column; else a general one; else one-hot for texts."""
    named = spec.naming.encode.get(name)
    if named is not None:
        return named
    general = _default(spec.encode)
    if numeric and (spec.naming.bin.get(name) or _rescaled(spec, name)):
        return None
    if general is not None and (general.every or not numeric):
        return general
    return None if numeric else Encoding(kind="onehot", span=spec.span)


def _binning_for(spec: DataSpec, name: str, encoding: Encoding | None) -> Binning | None:
    """Likewise: a general binning gives way to an encoding or scaling that names the column."""
    general = None if encoding or _rescaled(spec, name) else _default(spec.bin)
    return spec.naming.bin.get(name) or general


def _rescaled(spec: DataSpec, name: str) -> Scaling | None:
    scaling = spec.naming.scale.get(name)
    return scaling if scaling and scaling.kind != "none" else None


def _default(parts: tuple[Setting, ...]) -> Setting | None:
    for part in parts:
        if not part.columns:
            return part
    return None


def _cannot(name: str, binning: Binning | None, scaling: Scaling | None) -> None:
    part = binning or scaling
    if part is not None:
        done = "binned" if part is binning else "scaled"
        message = f"column '{name}' is text and one-hot encoded, so it cannot be {done}"
        span = next(ref.span for ref in part.columns if ref.text == name)
        RowLocation(span=span).fail(
            "E304", message, f"write  encode ordinal {as_column(name)};  to number its values"
        )


# ------------------------------------------------------------------ levels and fill-ins


def _levels(encoding: Encoding, name: str, column: Column, numeric: bool) -> Levels:
    order = next(
        (
            order
            for ref, order in zip(encoding.columns, encoding.orders, strict=True)
            if ref.text == name
        ),
        None,
    )
    if order is None:
        return Levels.of(column, numeric)
    numeric = numeric and all(number_of(level) is not None for level in order)
    names = tuple(Levels((), numeric).name_of(level) for level in order)
    if len(set(names)) < len(names):
        RowLocation(span=encoding.span).fail("E213", f"a level of '{name}' is given twice")
    return Levels(names, numeric)


def _fill(
    spec: DataSpec,
    rule: MissingRule | None,
    name: str,
    column: Column,
    levels: Levels | None,
    place: RowLocation,
) -> float | None:
    if rule is not None and rule.kind == "side":
        return _default_fill(spec, name, column, levels, place)
    if rule is None or rule.kind not in FILLING:
        return None
    if rule.value is not None:
        return given_value(rule.value, name, levels, place)
    present = ~column.missing
    if not present.any():
        message = f"column '{name}' has no values to compute the fill-in from"
        place.fail("E303", message, _without(spec, name), column=name)
    if levels is None:
        return fill_value(rule.how, column.numbers[present])
    if rule.how == "mode":
        return fill_value("mode", levels.codes(column)[present].astype(np.float64))
    return None  # nothing is missing here, see _require_mode


def _default_fill(
    spec: DataSpec, name: str, column: Column, levels: Levels | None, place: RowLocation
) -> float | None:
    """Median or mode of a feature that has no missing value to learn a side from; else None."""
    if column.missing.all():
        message = f"column '{name}' has no value in the training part"
        place.fail("E303", message, _without(spec, name), column=name)
    if column.missing.any():
        return None
    if levels is None:
        return fill_value("median", column.numbers)
    return fill_value("mode", levels.codes(column).astype(np.float64))


def _without(spec: DataSpec, name: str) -> str:
    """How a column ceases to be a feature."""
    if spec.use is not None and any(ref.text == name for ref in spec.use):
        return f"take '{name}' out of  use"
    return f"drop it:  drop {as_column(name)};"


def _no_indicator(rule: MissingRule | None, name: str) -> None:
    """Raise E304 for an indicator beside a kept column, which has no place in x."""
    if rule is not None and rule.kind == "indicator":
        message = f"column '{name}' is kept out of x, so it can have no indicator"
        remedy = f"write  missing side {as_column(name)};  which makes missing values a category"
        RowLocation(span=rule.span).fail("E304", message, remedy)


def given_value(value: float | str, name: str, levels: Levels | None, place: RowLocation) -> float:
    """The fill-in that a spec gives: the number, or the position of the level.

    Raises TreemipError: E304 a text among numbers, E309 no such level.
    """
    if levels is not None:
        text = levels.name_of(value if isinstance(value, str) else number_text(value))
        if text not in levels.names:
            message = f"column '{name}' has no value '{text}' in the training part to fill in"
            place.fail("E309", message, f"its values are {listed(levels.names)}", column=name)
        return float(levels.names.index(text))
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        message = f"column '{name}' holds numbers, so it cannot be filled in with '{value}'"
        place.fail("E304", message, f"give a number:  missing impute(0) {name};", column=name)
    return number


def _require_mode(
    spec: DataSpec, training: Mapping[str, Column], numeric: Mapping[str, bool]
) -> None:
    """Raise E304 with all encoded columns that are to be filled in by a mean or median."""
    if all(rule.how in ("", "mode") for rule in spec.missing):  # "": refused, dropped or given
        return
    wrong: dict[Span, list[str]] = {}
    for name, is_number in numeric.items():
        rule = rule_for(spec, name, feature=True)
        if rule is None or rule.kind not in FILLING or rule.how in ("", "mode"):
            continue
        missing = training[name].missing
        used = (bool(rule.columns) or missing.any()) and not missing.all()
        if used and encoding_for(spec, name, is_number) is not None:
            wrong.setdefault(rule.span, []).append(name)
    for rule in (r for r in spec.missing if r.span in wrong):
        names = wrong[rule.span]
        message = f"column {listed(names)} is encoded, so it has no {rule.how}"
        if len(names) > 1:
            message = f"columns {listed(names)} are encoded, so they have no {rule.how}"
        written = f"missing {rule.kind}(mode) {', '.join(map(as_column, names))};"
        apart = "remove them here and add" if rule.columns else "add"
        remedy = f"{'write' if len(names) == len(rule.columns) else apart}  {written}"
        RowLocation(span=rule.span).fail("E304", message, remedy)
