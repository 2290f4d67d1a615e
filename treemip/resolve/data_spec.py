"""What a `data` block asks for, before any data is read."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Any, NamedTuple

from treemip.frozen import dataclass
from treemip.source.span import Span


@dataclass(frozen=True, kw_only=True)
class Part:
    """Anything a data block says, with the place where it says it."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Ref(Part):
    """A column or a class as the author wrote it, without its quotes."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Encoding(Part):
    """`encode onehot|ordinal|keep …`.

    kind is "onehot", "ordinal" or "keep". Without columns it speaks for every text feature, with
    `every` for every feature. `orders` stands beside `columns`: the levels in the order given,
    or None for sorted ones.
    """

    kind: str
    columns: tuple[Ref, ...] = ()
    every: bool = False
    drop_binary: bool = False
    unseen_zero: bool = False
    orders: tuple[tuple[str, ...] | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scaling(Part):
    """`scale minmax(lower, upper)|standard|none …`; without columns, for every number."""

    kind: str
    lower: float = 0.0
    upper: float = 1.0
    columns: tuple[Ref, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Binning(Part):
    """`bin quantile(count)|thresholds(values) …`; thresholds without values are all midpoints."""

    kind: str
    count: int = 0
    values: tuple[float, ...] = ()
    columns: tuple[Ref, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MissingRule(Part):
    """`missing refuse|drop|impute(how) …`; how is "mean", "median", "mode" or empty."""

    kind: str
    how: str = ""
    columns: tuple[Ref, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Share(Part):
    """`train 0.75 seed 1;`"""

    share: float
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Fold(Part):
    """`train fold 2 of 5 seed 1;`: fold 2 is the test part, the other four the training part."""

    number: int
    count: int
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class DataSpec(Part):
    """A `data` block, read. `use` is None where the block does not say it: every column then."""

    path: str
    label: Ref
    positive: Ref | None = None
    use: tuple[Ref, ...] | None = None
    drop: tuple[Ref, ...] = ()
    group: tuple[Ref, ...] = ()
    weight: Ref | None = None
    id: Ref | None = None
    encode: tuple[Encoding, ...] = ()
    scale: tuple[Scaling, ...] = ()
    bin: tuple[Binning, ...] = ()
    missing: tuple[MissingRule, ...] = ()
    marks: tuple[str, ...] = ()
    train: Share | Fold | None = None
    separator: str | None = None

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


def number_text(value: float) -> str:
    """A number as a class, level or feature name shows it: 3 rather than 3.0, else shortest."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(float(value))


def is_parquet(path: str) -> bool:
    """Whether a data file is read as Parquet, which its name alone tells."""
    return path.lower().endswith((".parquet", ".pq"))


def as_column(name: str) -> str:
    """A column's name as a setting takes it: in quotes unless it is a plain word."""
    plain = name.isidentifier() and name.isascii() and name != "marks"
    return name if plain else f'"{name}"'
