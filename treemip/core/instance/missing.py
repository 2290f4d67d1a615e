"""Missing values: which rows go, which cells are filled with what, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treemip.core.instance.columns import Column
from treemip.core.instance.row_location import RowLocation
from treemip.core.resolve.settings.data_spec import DataSpec, MissingRule, as_column
from treemip.core.source.suggest import listed

REMEDY = (
    "write  missing drop;  to leave such rows out,  missing side;  to let each split choose the "
    "side of missing values, or fill features in:  missing impute(median) a, b;  for numbers (or "
    "mean, mode),  missing impute(mode) c;  for text"
)
GIVEN = (
    "write  missing drop {0};  to leave such rows out, or  missing impute(0) {0};  if a missing "
    "value means 0, or another number"
)
CLASS = (
    'write  missing drop {0};  to leave such rows out, or  missing impute("none") {0};  if they '
    "are a class of their own"
)
NO_FEATURE = "write  missing drop {0};  to leave such rows out"
NEW_ROWS = (
    "leave such rows out, or solve the spec with  missing side;  or  missing impute(…);  so that "
    "its tree has an answer for them"
)


def rule_for(spec: DataSpec, name: str, feature: bool) -> MissingRule | None:
    """The rule that speaks for a column; None is to refuse. Only features are filled in."""
    general = next((rule for rule in spec.missing if not rule.columns), None)
    rule = spec.naming.missing.get(name, general)
    if rule is None or rule.kind == "refuse":
        return None
    if rule.kind in ("side", "indicator") and not feature:
        return None
    if rule.kind == "impute" and rule.value is None and not feature:
        return None
    return rule


def rows_left(
    spec: DataSpec, columns: Mapping[str, Column], features: Iterable[str], place: RowLocation
) -> np.ndarray:
    """bool (N,): the rows that stay. Raises TreemipError: E303 refused, E306 none left."""
    kept_features = set(features)
    rules = {name: rule_for(spec, name, name in kept_features) for name in columns}
    left = np.ones(len(next(iter(columns.values()))), bool)
    for name, column in columns.items():
        rule = rules[name]
        if rule is not None and rule.kind == "drop":
            left &= ~column.missing
    gaps = {name: column.missing & left for name, column in columns.items() if rules[name] is None}
    with_gaps = [name for name, gap in gaps.items() if gap.any()]
    if with_gaps:
        first, *others = with_gaps
        remedy = _remedy(spec, first, first in kept_features)
        refuse(first, gaps[first], place, remedy, others)
    if not left.any():
        place.fail("E306", "every row has a missing value, so no row is left")
    return left


def _remedy(spec: DataSpec, name: str, feature: bool) -> str:
    """What applies to the column: only features have sides, medians and modes."""
    if feature:
        return REMEDY
    numbers = {ref.text for ref in spec.number}
    is_label = spec.label_kind != "none" and name == spec.label.text
    if name in numbers or (is_label and spec.label_kind == "number"):
        return GIVEN.format(as_column(name))
    return (CLASS if is_label else NO_FEATURE).format(as_column(name))


def refuse(
    name: str,
    missing: np.ndarray,
    place: RowLocation,
    remedy: str = "",
    others: Sequence[str] = (),
) -> None:
    """Raise E303 for a column with `missing` rows, bool (N,), and `others` that have such too."""
    rows = np.flatnonzero(missing)
    such = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
    message = f"{place.row(int(rows[0]))} has no value in column '{name}'{such}"
    if others:
        message += f"; values are missing in {listed(others)} too"
    place.fail("E303", message, remedy, column=name)


def fill_value(how: str, values: np.ndarray) -> float:
    """The fill-in for a missing value, from training values float64 (N,), N >= 1.

    The mode is the most frequent value, the least of them where several are.
    """
    if how == "mode":
        distinct, counts = np.unique(values, return_counts=True)
        return float(distinct[np.argmax(counts)])
    return float(np.median(values) if how == "median" else np.mean(values))
