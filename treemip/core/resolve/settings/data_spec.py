"""What a `data` block asks for, before any data is read, and which settings exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from treemip.core.resolve.settings.encodings import CODES
from treemip.core.source.diagnostic import Diagnostic, Related, Report
from treemip.core.source.span import Span, Spanned
from treemip.core.syntax.printing.expressions import quoted


class Part(Spanned):
    """Anything a data block says, with the place where it says it."""


class Ref(Part):
    """A column or a class as the author wrote it, without its quotes.

    alias: what the spec calls the column, as in `group treatment from drug;`.
    """

    text: str
    alias: str = ""

    @property
    def name(self) -> str:
        """What expressions call the column."""
        return self.alias or self.text


class Encoding(Part):
    """`encode onehot|ordinal|keep …`.

    kind is a word of `encodings.CODES`. Without columns it applies to all text features, with
    `every` to all features. `orders` stands beside `columns`: the levels in the order given,
    or None for sorted ones.
    """

    kind: str
    columns: tuple[Ref, ...] = ()
    every: bool = False
    drop_binary: bool = False
    unseen_zero: bool = False
    orders: tuple[tuple[str, ...] | None, ...] = ()


class Scaling(Part):
    """`scale minmax(lower, upper)|standard|rank|none …`; without columns, all numeric features.

    kind, arguments: a word of `encodings.SCALES`, and its numbers with their defaults.
    """

    kind: str
    arguments: tuple[float, ...] = ()
    columns: tuple[Ref, ...] = ()


class Binning(Part):
    """`bin quantile(count)|thresholds(values) …`; thresholds without values are all midpoints.

    kind, arguments: a word of `encodings.BINS`, and its numbers.
    """

    kind: str
    arguments: tuple[float, ...] = ()
    columns: tuple[Ref, ...] = ()


class MissingRule(Part):
    """`missing refuse|drop|impute(how)|indicator(how)|side …`; how is "mean", "median", "mode" or
    empty.

    `value` is that of `impute(0) …` or `impute("none") …`, which names its columns.
    """

    kind: str
    how: str = ""
    value: float | str | None = None
    columns: tuple[Ref, ...] = ()


FILLING = ("impute", "indicator")
"""The kinds of rules that fill missing values in."""


class Share(Part):
    """`train 0.75 seed 1;`"""

    share: float
    seed: int = 0


class Fold(Part):
    """`train fold 2 of 5 seed 1;`: fold 2 is the test part, the other four the training part."""

    number: int
    count: int
    seed: int = 0


class Rows(Part):
    """No text says this: a program that made its own folds gives it.

    parts: a byte for each row of the table, LEFT_OUT, TRAINING or TESTED. fold: what messages call
    the fold; empty where it has no name.
    """

    parts: bytes
    fold: str = ""


LEFT_OUT, TRAINING, TESTED = 0, 1, 2

Treatment = Encoding | Scaling | Binning | MissingRule

# ----------------------------------------------------------------------------------------- clashes


def one_role_each(spec: DataSpec, report: Report) -> None:
    """A column is a label, a weight, an id, a group, a feature or dropped: one of these."""
    label = spec.label if spec.label.text else None
    singles = [("the label", label), ("the weight", spec.weight), ("the id", spec.id)]
    roles: list[tuple[str, Ref]] = [(role, ref) for role, ref in singles if ref is not None]
    roles += [("a group", ref) for ref in spec.group]
    roles += [("kept as a number", ref) for ref in spec.number]
    roles += [("used as a feature", ref) for ref in spec.use or ()]
    roles += [("dropped", ref) for ref in spec.drop]
    first: dict[str, tuple[str, Ref]] = {}
    for role, ref in roles:
        before = first.setdefault(ref.text, (role, ref))
        if before[1] is not ref and ref.text:
            related = (Related(before[1].span, f"{before[0]} here"),)
            message = f"column '{ref.text}' is {before[0]} and also {role}"
            if before[0] == role:
                message = f"column '{ref.text}' is named twice"
            report.error("E209", message, ref.span, related=related)


def one_column_each(spec: DataSpec, report: Report) -> None:
    """A name that expressions use belongs to one column only (E202)."""
    first: dict[str, Ref] = {}
    for ref in (*spec.group, *spec.number):
        before = first.setdefault(ref.name, ref)
        if before.text != ref.text:
            related = (Related(before.span, f"column '{before.text}' is called so here"),)
            message = f"two columns are called '{ref.name}'"
            remedy = "give one of them another name:  name from column"
            report.error("E202", message, ref.span, remedy, related=related)


def only_features_treated(spec: DataSpec, report: Report) -> None:
    """Only features are encoded, scaled, binned or filled in (E209).

    The label and known numbers are filled in too, by a value that the spec gives.
    """
    singles = (ref for ref in (spec.label, spec.weight, spec.id) if ref is not None)
    read = {ref.text for ref in (*singles, *spec.group, *spec.number)}
    others = read | {ref.text for ref in spec.drop}
    given = {ref.text for ref in (spec.label, *spec.number)}
    used = None if spec.use is None else {ref.text for ref in spec.use}
    for done, part in _treatments(spec):
        filled = isinstance(part, MissingRule) and part.kind == "impute"
        constant = isinstance(part, MissingRule) and filled and part.value is not None
        for ref in part.columns:
            if constant and ref.text in given:
                continue
            if ref.text and (ref.text in others or (used is not None and ref.text not in used)):
                message = f"column '{ref.text}' is not among the features, so it cannot be {done}"
                rule = isinstance(part, MissingRule)
                remedy = _leave_out(ref.text) if rule and ref.text in read else ""
                if isinstance(part, MissingRule) and filled and ref.text in given:
                    message += f" by its {part.how}"
                    remedy = f"give the value:  missing impute(0) {as_column(ref.text)};"
                report.error("E209", message, ref.span, remedy)


def _leave_out(name: str) -> str:
    """The remedy for missing values in a column that is not a feature."""
    return f"write  missing drop {as_column(name)};  to leave rows without its value out"


def _treatments(spec: DataSpec) -> Iterator[tuple[str, Treatment]]:
    """The settings that apply to features, with what each does to them."""
    yield from (("encoded", part) for part in spec.encode)
    yield from (("scaled", part) for part in spec.scale)
    yield from (("binned", part) for part in spec.bin)
    yield from (("filled in", part) for part in spec.missing if part.kind in FILLING)
    yield from (("given a side", part) for part in spec.missing if part.kind == "side")


def one_treatment_each(spec: DataSpec, report: Report) -> None:
    """No column is encoded, binned or scaled twice; only ordinal codes may be binned or scaled."""
    _named_once("encode", spec.encode, report)
    _named_once("scale", spec.scale, report)
    _named_once("bin", spec.bin, report)
    _named_once("missing", spec.missing, report)
    every = [part for part in spec.encode if part.every]
    for part in (part for part in spec.bin if every and not part.columns):
        related = (Related(every[0].span, "and so does this"),)
        message = "'bin' without columns speaks for every number"
        report.error("E209", message, part.span, "name the columns of one of them", related=related)
    coded = {
        ref.text: ref for part in spec.encode if not CODES[part.kind].orders for ref in part.columns
    }
    binned = {ref.text: ref for part in spec.bin for ref in part.columns}
    scaled = [ref for part in spec.scale if part.kind != "none" for ref in part.columns]
    for refs, others in ((binned.values(), coded), (scaled, {**binned, **coded})):
        for ref in refs:
            other = others.get(ref.text)
            if other is not None:
                message = f"column '{ref.text}' becomes 0/1 columns or is kept as it is elsewhere"
                remedy = "numbers and ordinal codes can be binned or scaled, and only one of these"
                related = (Related(other.span, "here"),)
                report.error("E209", message, ref.span, remedy, related=related)


def _named_once(key: str, parts: Iterable[Treatment], report: Report) -> None:
    first: dict[str, Ref | Treatment] = {}
    for name, place in _subjects(parts):
        before = first.setdefault(name, place)
        if before is not place:
            what = f"column '{name}'" if name else "every other column"
            related = (Related(before.span, "first set here"),)
            report.error("E209", f"'{key}' is set twice for {what}", place.span, related=related)


def _subjects(parts: Iterable[Treatment]) -> Iterator[tuple[str, Ref | Treatment]]:
    """What each part applies to: its columns, or the empty name for all others."""
    for part in parts:
        if part.columns:
            yield from ((ref.text, ref) for ref in part.columns)
        else:
            yield "", part


class SavedTree(Part):
    """A tree.json whose answers to the points are asked for. name: of the table that has them;
    path: from the folder of the spec."""

    name: str
    path: str


class DataSpec(Part):
    """A `data` block, read. `use` is None if the block does not set it: then every column is used.

    label_kind: "class", or "number" for `label price number;`, or "none" for `label none;`, whose
    `label` has no text. `number`: the columns that are known numbers of
    points. saved_trees: those whose answers expressions ask for.
    """

    path: str
    label: Ref
    label_kind: str = "class"
    positive: Ref | None = None
    use: tuple[Ref, ...] | None = None
    drop: tuple[Ref, ...] = ()
    group: tuple[Ref, ...] = ()
    number: tuple[Ref, ...] = ()
    weight: Ref | None = None
    id: Ref | None = None
    encode: tuple[Encoding, ...] = ()
    scale: tuple[Scaling, ...] = ()
    bin: tuple[Binning, ...] = ()
    missing: tuple[MissingRule, ...] = ()
    marks: tuple[str, ...] = ()
    train: Share | Fold | Rows | None = None
    separator: str | None = None
    saved_trees: tuple[SavedTree, ...] = ()

    @cached_property
    def naming(self) -> Naming:
        """By column, which encoding, scaling, binning and rule for missing values names it."""
        return Naming(*map(_by_column, (self.encode, self.scale, self.bin, self.missing)))


class Naming(NamedTuple):
    """For each kind of setting and each column that one names, the first that does."""

    encode: dict[str, Encoding]
    scale: dict[str, Scaling]
    bin: dict[str, Binning]
    missing: dict[str, MissingRule]


def _by_column(parts: tuple[Any, ...]) -> dict[str, Any]:
    return {ref.text: part for part in reversed(parts) for ref in part.columns}


@dataclass(frozen=True)
class DataNames:
    """The names that a data block introduces: groups, known numbers, and what the label is.

    `label` is the setting's column, None for a text without data. `places`: where groups and
    numbers are named.
    """

    groups: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    label_kind: str = "class"
    label: Ref | None = None
    places: Mapping[str, Span] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, data: DataSpec | None) -> DataNames:
        if data is None:
            return cls()
        groups, numbers = (tuple(ref.name for ref in refs) for refs in (data.group, data.number))
        places = {ref.name: ref.span for ref in (*data.group, *data.number)}
        return cls(groups, numbers, data.label_kind, data.label, places)

    def without_classes(self, name: str, span: Span, numbers: bool = False) -> Diagnostic:
        """The error for a name that needs classes, or a label, where the data have none.

        numbers: whether a numeric label would do.
        """
        assert self.label is not None
        if self.label_kind == "none":
            related = (Related(self.label.span, "there is no label"),)
            remedy = f"name the label's column: label {'price number' if numbers else 'class'};"
            return Diagnostic("E208", f"'{name}' needs a label", span, remedy, related=related)
        column = as_column(self.label.text)
        message = f"'{name}' needs a label of classes, but '{self.label.text}' is read as numbers"
        remedy = (
            f"write  label {column};  to make a class of each number, or state the model with "
            "y[i], which is a number"
        )
        related = (Related(self.label.span, "read as numbers here"),)
        return Diagnostic("E206", message, span, remedy, related=related)

    def without_numbers(self, name: str, span: Span) -> Diagnostic:
        """The error of a formulation that predicts numbers, where the label is read as classes."""
        assert self.label is not None
        message = f"'{name}' predicts numbers, but the label '{self.label.text}' is read as classes"
        remedy = f"write in the data block:  label {as_column(self.label.text)} number;"
        related = (Related(self.label.span, "read as classes here"),)
        return Diagnostic("E206", message, span, remedy, related=related)


def number_text(value: float) -> str:
    """A number as a class, level or feature name shows it: 3 rather than 3.0, else shortest."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(float(value))


def is_parquet(path: str) -> bool:
    """Whether a data file is read as Parquet, which its name alone tells."""
    return path.lower().endswith((".parquet", ".pq"))


def as_column(name: str) -> str:
    """A column's name as a setting takes it: in quotes unless it is a plain word."""
    plain = name.isidentifier() and name.isascii() and name not in ("marks", "none")
    return name if plain else as_text(name)


def as_text(text: str) -> str:
    """A text of the data in quotes, for messages; "…" where it has line breaks, which no text of
    the language can hold."""
    return '"…"' if "\n" in text or "\r" in text else quoted(text)
