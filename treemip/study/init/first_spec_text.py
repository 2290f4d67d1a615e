"""The text of a first spec: every line that a table gives a reason for, with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from treemip.api.statement_text import columns, quoted
from treemip.core.instance.survey import ColumnSurvey, guess_positive
from treemip.core.source.span import Source
from treemip.core.syntax.format import format_text
from treemip.study.init.first_spec_survival import Survival
from treemip.study.init.first_spec_treatments import Treatments, sizes_text

PLAIN, SCALED, BINARY = "plain", "scaled", "binary"
"""What becomes of numbers: nothing; between 0 and 1; columns that are 0 or 1."""

ENOUGH_ROWS = 100
"""From here on a quarter of the rows is kept for a test."""

MOST_POINTS = 2000
"""Training points: more of them make a first solve long."""

MOST_OF_SHALLOW = 50_000
"""Training points of univariate trees of SHALLOW, for which exact engines need seconds only."""

SHALLOW = 2

RARE = 0.05
"""Share of rows with missing values up to which they are left out and not filled in."""

FEW_VALUES = 5
"""Maximum number of values of a column of numbers that counts as codes where all must be 0 or 1."""

SENSITIVE = (
    r"sex|gender|race|ethnicity|ethnic|age|nationality|religion|marital|disability|foreign"
    r"|citizenship|origin|personal status"
)
"""Words, in small letters, in the names of columns that may be groups."""

MOST_GROUPS = 10
"""Maximum number of values of a column that is proposed as a group."""


@dataclass(frozen=True)
class Draft:
    """What the spec of a table says, whatever its formulation.

    data: the path as the spec writes it. why: what speaks for the label; empty where it was given.
    number: whether the label is one. classes: rows of each class, or of each number. quantity:
    whether they look like a measurement. dropped: columns by
    the reason. missing, label_missing: bool (N,), the cells without a value, of each feature and of
    the label. separator: where it has to be named. roles: the columns in place of the label;
    `classes` are then the treatments that points received, or whether they had the event. whole:
    nothing is said of a training part.
    """

    data: str
    label: str
    why: str
    classes: dict[str, int]
    number: bool
    quantity: bool
    features: list[ColumnSurvey]
    dropped: dict[str, list[str]]
    marks: tuple[str, ...]
    missing: dict[str, np.ndarray]
    label_missing: np.ndarray
    separator: str | None
    depth: int
    roles: Treatments | Survival | None = None
    whole: bool = False

    def text(
        self, formulation: str, splits: str, numbers: str, constraint: str, commented: bool = True
    ) -> str:
        """The spec in its layout.

        splits: the kind of the formulation's splits. numbers: PLAIN, SCALED or BINARY. constraint:
        one of `constraints`. commented: whether the constraint is a comment.
        """
        mark = "# " if commented else ""
        name = PurePath(self.data).name
        lines = [
            f"# A first spec for {name}, by treemip init.",
            f"data {quoted(self.data)} {{",
            *self._data_lines(formulation, splits, numbers),
            "}",
            f"topology complete(depth = {self.depth});",
            f"split {splits} by {formulation};",
            *(self.roles.statements if self.roles else ()),
            "",
            '# A constraint to try: remove the "# " before the next two lines.',
            f"{mark}subject to",
            f"{mark}  {constraint}",
            "",
            "strategy {",
            "time_limit 60;  # seconds",
            "seed 1;",
            "}",
        ]
        return format_text(Source("<text>", "\n".join(lines) + "\n"))

    def constraints(self) -> Iterator[str]:
        """Side constraints to try; not every formulation has the concepts of each."""
        if self.roles is not None:
            yield self.roles.constraint(self.classes)
            return
        if self.number:
            yield "least {l in leaves}: points_in[l] >= 5 * occupied[l];"
            return
        rarest = self.positive[0] or min(self.classes, key=lambda name: self.classes[name])
        yield f"found: recall[{quoted(rarest)}] >= 0.7;"
        yield "least {l in leaves}: points_in[l] >= 5 * occupied[l];"

    @property
    def positive(self) -> tuple[str, str]:
        """Of two classes the positive one, and why; else nothing."""
        two_classes = len(self.classes) == 2 and not self.number
        return guess_positive(self.classes) if two_classes else ("", "")

    # -------------------------------------------------------------------------- the data block

    def _data_lines(self, formulation: str, splits: str, numbers: str) -> Iterator[str]:
        yield from self._label_lines()
        if self.separator:
            yield f"separator {'tab' if self.separator == chr(9) else quoted(self.separator)};"
        for reason, names in self.dropped.items():
            yield f"drop {columns(names)};  # {reason}"
        for one in self.features:
            if self._is_group(one):
                yield f"# group {columns(one.name)};  # for fairness constraints, not for splits"
        yield from self._encode_lines(formulation, numbers)
        yield from self._missing_lines()
        if not self.whole:
            yield self._train_line(splits)

    def _label_lines(self) -> Iterator[str]:
        name, reason = self.positive
        sizes = sizes_text(self.classes)
        if self.roles is not None:
            yield from self.roles.data_lines(self.classes)
            return
        if self.why:
            yield f"# label: {self.why}"
        if self.number:
            yield f"# numbers: {self._range()}"
            yield f"label {columns(self.label)} number;"
            return
        if name:
            yield f"# positive class: {reason}"
        yield f"# classes: {sizes if len(sizes) <= 80 else len(self.classes)}"
        if self.quantity:
            number = f"label {columns(self.label)} number;"
            yield f"# {number}  # for a formulation that predicts numbers, such as ort"
        positive = f" positive {quoted(name)}" if name else ""
        yield f"label {columns(self.label)}{positive};"

    def _range(self) -> str:
        numbers = sorted(map(float, self.classes))
        return f"{numbers[0]:g} to {numbers[-1]:g}, {len(numbers)} different ones"

    def _encode_lines(self, formulation: str, numbers: str) -> Iterator[str]:
        onehot = "encode onehot(drop = if_binary, unseen = zero)"
        texts = [one for one in self.features if not one.numeric]
        if texts:
            yield f"{onehot};  # text: a 0/1 column for each value"
        named = [one.name for one in self._named(numbers)]
        if named:
            yield f"{onehot} {columns(named)};"
        if numbers == SCALED and any(one.numeric for one in self.features):
            yield f"scale minmax;  # for {formulation}; trees are shown in the table's own units"
        if numbers == BINARY and any(
            one.numeric and one.name not in named for one in self.features
        ):
            yield f"bin quantile(4);  # {formulation} wants features that are 0 or 1"

    def _named(self, numbers: str) -> list[ColumnSurvey]:
        """Columns that the line on encoding has to name."""
        codes = FEW_VALUES if numbers == BINARY else 0
        return [one for one in self.features if one.mixed or (one.numeric and one.levels <= codes)]

    def _missing_lines(self) -> Iterator[str]:
        marks = f" marks {', '.join(map(quoted, self.marks))}" if self.marks else ""
        gaps = {name: cells for name, cells in self.missing.items() if cells.any()}
        rows = np.zeros(len(self.label_missing), bool)
        for cells in gaps.values():
            rows |= cells
        if not gaps and not self.label_missing.any():
            return
        if rows.mean() <= RARE:
            count = int((rows | self.label_missing).sum())
            yield f"missing drop{marks};  # {count} of {len(rows)} rows have missing values"
            return
        other = "  # or  missing side;  then each split chooses the side of missing values"
        for method, numeric in (("median", True), ("mode", False)):
            names = [one.name for one in self.features if one.numeric is numeric]
            filled = [name for name in names if name in gaps]
            if filled and len(names) == len(self.features):
                yield f"missing impute({method});{other}"
            elif filled:
                yield f"missing impute({method}) {columns(filled)};{other}"
            other = "" if filled else other
        if self.label_missing.any():
            given = [self.label] if self.roles is None else [*self.roles.columns]
            what = "no label" if self.roles is None else "gaps there"
            left_out = f"{int(self.label_missing.sum())} of {len(rows)} rows have {what}"
            yield f"missing drop {columns(given)};  # {left_out}"
        if marks:
            yield f"missing{marks};"

    def _train_line(self, splits: str) -> str:
        rows = sum(self.classes.values())
        if rows < ENOUGH_ROWS:
            return "# train 0.75 seed 1;  # keeps a quarter of the rows for a test"
        shallow = splits == "univariate" and self.depth <= SHALLOW and self.roles is None
        most = MOST_OF_SHALLOW if shallow else MOST_POINTS
        share = min(0.75, float(f"{most / rows:.1g}"))
        return f"train {share:g} seed 1;  # learn from {round(share * rows)} of {rows} rows"

    def _is_group(self, one: ColumnSurvey) -> bool:
        """Whether a column is proposed as a group; not where another line speaks of it."""
        words = re.sub(r"[^a-z]+", " ", re.sub(r"([a-z])([A-Z])", r"\1 \2", one.name).lower())
        usual = re.search(rf"\b({SENSITIVE})\b", words) is not None
        free = not one.mixed and not self.missing[one.name].any()
        return usual and free and one.levels <= MOST_GROUPS and len(self.features) > 1
