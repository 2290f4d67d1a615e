"""Blocks: families of variables and rows, each in arrays, each with name, indices and span."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from treemip.core.model.arrays import joined
from treemip.core.source.span import Span


class Kind(Enum):
    CONTINUOUS = "continuous"
    INTEGER = "integer"
    BINARY = "binary"


@dataclass(frozen=True)
class Index:
    """The index tuples of a block.

    `names` are the bound names (``("i", "t")``), `sorts` what they range over (``("point",
    "node")``), `columns` one array per name, all of the block's length, holding the label
    an index is printed with: a point's row number in the data file, a node's heap number
    (root 1, children 2t and 2t+1), a feature's or class's 1-based position, a number itself.
    Labels are int64, or float64 where numbers are not all whole, as thresholds are.
    A block without indices has no columns and length 1.
    """

    names: tuple[str, ...] = ()
    sorts: tuple[str, ...] = ()
    columns: tuple[np.ndarray, ...] = ()
    length: int = 1

    def take(self, rows: np.ndarray) -> Index:
        """Some of the tuples: those at `rows`, int64 (rows,)."""
        return Index(self.names, self.sorts, tuple(c[rows] for c in self.columns), len(rows))


@dataclass(frozen=True)
class SparseRows:
    """Linear rows in CSR: row r has columns indices[indptr[r]:indptr[r+1]], ascending, once each.

    indptr int64 (rows+1,), indices int32 (nonzeros,) model-wide variable ids, data float64.
    No stored zeros. There is no column count: passes may append variables.
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray

    @property
    def count(self) -> int:
        return len(self.indptr) - 1

    @property
    def nonzeros(self) -> int:
        return len(self.indices)

    @property
    def row_of(self) -> np.ndarray:
        """Row number of each nonzero, int64."""
        return np.repeat(np.arange(self.count), np.diff(self.indptr))


@dataclass(frozen=True)
class Quadratic:
    """Products in rows: sum of coef * x[first] * x[second], first <= second, once per row and pair.

    row int64, first int32, second int32, coef float64, all of one length, sorted by row.
    For an objective all `row` are 0. A square counts as it stands: coef * x^2, no half.
    """

    row: np.ndarray
    first: np.ndarray
    second: np.ndarray
    coef: np.ndarray

    @property
    def count(self) -> int:
        return len(self.coef)

    def take(self, which: np.ndarray | slice) -> Quadratic:
        """Some of the products: those at `which`, places or bool (products,)."""
        return Quadratic(self.row[which], self.first[which], self.second[which], self.coef[which])


NO_QUADRATIC = Quadratic(
    np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0)
)


@dataclass(frozen=True)
class Variables:
    """Columns start .. start+length-1 of the model. lower, upper: float64 (length,), may be inf.

    `priority` int64 (length,): the greater, the earlier a solver should branch; None for 0.
    """

    name: str
    index: Index
    start: int
    lower: np.ndarray
    upper: np.ndarray
    kind: Kind
    span: Span | None = None
    made_by: str = ""  # the pass that added the block, empty for the spec's own
    priority: np.ndarray | None = None

    @property
    def length(self) -> int:
        return self.index.length

    @property
    def stop(self) -> int:
        return self.start + self.index.length

    @property
    def domain(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds with what the kind implies: a binary is never outside 0 and 1."""
        if self.kind is Kind.BINARY:
            return np.maximum(self.lower, 0.0), np.minimum(self.upper, 1.0)
        return self.lower, self.upper


def declared_bounds(blocks: Iterable[Variables]) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of the columns of these blocks, float64 (columns,)."""
    return joined([b.lower for b in blocks]), joined([b.upper for b in blocks])


def binary_columns(blocks: Iterable[Variables]) -> np.ndarray:
    """Which columns of these blocks are binary, bool (columns,)."""
    return joined([np.full(b.length, b.kind is Kind.BINARY) for b in blocks], bool)


def family(name: str) -> str:
    """The family that a block belongs to: a row with two sides becomes two blocks."""
    return name.removesuffix("_first").removesuffix("_second")


@dataclass(frozen=True)
class Rows:
    """lower <= matrix x + quadratic(x) + slots <= upper, row by row; float64, may be inf.

    `slots`: coefficients of the model's tape (model/tape.py), None where there are none.
    `cut`: the rows cut off no solution in integers, so a target may hand them over as cuts.
    """

    name: str
    index: Index
    matrix: SparseRows
    lower: np.ndarray
    upper: np.ndarray
    span: Span | None = None
    quadratic: Quadratic = field(default=NO_QUADRATIC)
    made_by: str = ""
    slots: SparseRows | None = None
    cut: bool = False

    @property
    def length(self) -> int:
        return self.index.length

    @property
    def is_affine(self) -> bool:
        return not self.quadratic.count and self.slots is None


class Method(Enum):
    """How the source asks an implication to be made linear."""

    AUTO = "auto"
    BIG_M = "big_m"
    INDICATOR = "indicator"
    SOS1 = "sos1"

    def __reduce__(self) -> tuple[type[Method], tuple[str]]:
        """For skops, which asks nothing else of an Enum; pickle does by itself."""
        return type(self), (self.value,)


@dataclass(frozen=True)
class Literals:
    """An affine expression for each row that is 0 or 1 always: matrix x + constant (length,)."""

    matrix: SparseRows
    constant: np.ndarray


@dataclass(frozen=True)
class Implications:
    """guard(x) = value ==> body, row by row.

    `guard` has `guard_constant` (length,) added to it; `value` float64 (length,) is 0 or 1.
    `big_m` float64 (length,) where the source gives it.

    Without `conjuncts` the guard takes the values 0 and 1 only. With n of them, which must all be 1
    for the body to hold, the guard is their sum less n - 1 and the value 1: a whole number that is
    1 where all of them are, and 0 or less elsewhere.
    """

    body: Rows
    guard: SparseRows
    guard_constant: np.ndarray
    value: np.ndarray
    method: Method = Method.AUTO
    big_m: np.ndarray | None = None
    conjuncts: tuple[Literals, ...] = ()

    @property
    def name(self) -> str:
        return self.body.name

    @property
    def length(self) -> int:
        return self.body.length


@dataclass(frozen=True)
class SpecialSets:
    """Special ordered sets of type 1: of the columns of a set, one at most is not 0.

    Set r has the columns members[offsets[r]:offsets[r+1]], which are at least 0; their weights in
    files are 1, 2, ... in this order. offsets int64 (sets+1,), members int32.
    """

    name: str
    index: Index
    offsets: np.ndarray
    members: np.ndarray
    span: Span | None = None
    made_by: str = ""

    @property
    def length(self) -> int:
        return self.index.length


class Function(Enum):
    ABS = "abs"
    MAX = "max"
    MIN = "min"
    NORMINF = "norminf"


@dataclass(frozen=True)
class Functions:
    """result[r] = function of its argument rows, for r in 0 .. length-1.

    Argument rows of result r are rows offsets[r] .. offsets[r+1]-1 of `arguments`, each with
    `constants`, `quadratic` and `slots` (as in `Rows`) added. The results are the variables
    `result` .. `result`+length-1 of the model.
    """

    name: str
    function: Function
    index: Index
    result: int
    offsets: np.ndarray
    arguments: SparseRows
    constants: np.ndarray
    span: Span | None = None
    used_from: Span | None = None  # the constraint or objective that it stands in
    quadratic: Quadratic = field(default=NO_QUADRATIC)
    slots: SparseRows | None = None

    @property
    def length(self) -> int:
        return self.index.length

    @property
    def is_affine(self) -> bool:
        """Whether all arguments are affine."""
        return not self.quadratic.count and self.slots is None

    @property
    def owner(self) -> np.ndarray:
        """The result that each argument row belongs to, int64 (arguments,)."""
        return np.repeat(np.arange(self.length), np.diff(self.offsets))
