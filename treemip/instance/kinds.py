"""Whether a feature is read as numbers or as text, and what is odd about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from treemip.instance.column import Column, is_numeric
from treemip.instance.place import Place
from treemip.resolve.settings.data_spec import DataSpec
from treemip.source.diagnostic import Report

# Words that stand for a missing value in many a file of numbers.
MISSING_WORDS = frozenset(
    ["?", "-", "--", ".", "*", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing"]
)
INFINITE = frozenset(["inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"])


def read_as_numbers(
    spec: DataSpec,
    features: Iterable[str],
    columns: Mapping[str, Column],
    place: Place,
    report: Report,
) -> dict[str, bool]:
    """For each feature, whether every cell that is there is a finite number.

    A column of numbers spoilt by words for a missing value (E303) or for infinity (E304) is
    refused rather than taken as text: as text it would become one 0/1 column per number. Where
    other texts stand among a majority of numbers, `report` is given a warning. An `encode` that
    names the column settles the matter.
    """
    settled = {ref.text for part in spec.encode for ref in part.columns}
    found = {}
    for name in features:
        found[name] = is_numeric(columns[name])
        if not found[name] and name not in settled:
            _odd(name, columns[name], place, report)
    return found


def _odd(name: str, column: Column, place: Place, report: Report) -> None:
    texts = ~column.missing & np.isnan(column.numbers)
    numbers = int((~np.isnan(column.numbers)).sum())
    if not texts.any():
        return
    words = {level.lower() for level in column.take(np.flatnonzero(texts)).texts.levels}
    if numbers == 0 and not words <= INFINITE:
        return
    k = int(np.flatnonzero(texts)[0])
    row, mark = place.row(k), column.text(k)
    what = f"{row} has '{mark}' in column '{name}'"
    settle = f"say  encode onehot {name};  if the column is meant as text"
    if words <= INFINITE:
        place.fail("E304", f"{what}, which is not finite", settle, column=name)
    if words <= MISSING_WORDS | INFINITE:
        message = f"{what}, which otherwise holds numbers"
        remedy = f'say  missing drop marks "{mark}";  if it stands for a missing value, or {settle}'
        place.fail("E303", message, remedy, column=name)
    if 2 * numbers >= int(texts.sum()) + numbers:
        message = f"column '{name}' is read as text, for {row} has '{mark}'"
        report.warn("W302", message, place.spans.get(name, place.span), settle)
