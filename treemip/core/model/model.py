"""The model: blocks, an objective, and nothing of solvers or data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treemip.core.model.arrays import joined
from treemip.core.model.blocks import (
    NO_QUADRATIC,
    Functions,
    Implications,
    Kind,
    Quadratic,
    Rows,
    SparseRows,
    SpecialSets,
    Variables,
    binary_columns,
)
from treemip.core.model.on_demand import OnDemand
from treemip.core.model.tape import NO_TAPE, Tape
from treemip.core.source.diagnostic import Diagnostic
from treemip.core.source.span import Span


@dataclass(frozen=True)
class Objective:
    """sense ("minimize" or "maximize"), constant + linear + quadratic + slots of the tape.

    `linear` float64 (columns known when it was made,); later columns have coefficient 0.
    `slots`: one row of coefficients of the model's tape, None where there are none.
    """

    sense: str = "minimize"
    name: str = "obj"
    constant: float = 0.0
    linear: np.ndarray = field(default_factory=lambda: np.zeros(0))
    quadratic: Quadratic = NO_QUADRATIC
    span: Span | None = None
    slots: SparseRows | None = None

    @property
    def sign(self) -> float:
        """1 where it is minimized, else -1: multiplied by it, less is better."""
        return 1.0 if self.sense == "minimize" else -1.0

    @property
    def alike(self) -> Objective:
        """An objective that is convex where this is and has the same sorts of terms, for those who
        do not ask for its coefficients: over very many points one with a few of them."""
        return self

    @property
    def no_bound(self) -> float:
        """A bound of its values that says nothing."""
        return -self.sign * np.inf

    def tighter(self, bound: float, other: float | None) -> float:
        """The tighter of two bounds, of which the other may be unknown."""
        if other is None:
            return bound
        return max(bound, other) if self.sense == "minimize" else min(bound, other)


@dataclass(frozen=True)
class Model:
    """Columns are numbered through all `variables` blocks in order, rows through `rows`.

    `implications` and `functions` are what reform passes turn into rows and variables; a model
    without them is ready for a linear or quadratic target. `special_sets` stay as they are. Rows
    that would take too much memory are made on demand; see `is_kept`. `warnings` are of `lower`.
    """

    name: str
    variables: tuple[Variables, ...]
    rows: Sequence[Rows]
    implications: Sequence[Implications] = ()
    functions: tuple[Functions, ...] = ()
    objective: Objective = Objective()
    tape: Tape = NO_TAPE
    special_sets: tuple[SpecialSets, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        rows, columns = self.row_count, self.column_count
        return f"<Model {self.name}: {rows} rows, {columns} columns, {self.nonzeros} nonzeros>"

    @property
    def column_count(self) -> int:
        return self.variables[-1].stop if self.variables else 0

    @property
    def row_count(self) -> int:
        if isinstance(self.rows, OnDemand):
            return self.rows.length
        return sum(block.length for block in self.rows)

    @property
    def nonzeros(self) -> int:
        if isinstance(self.rows, OnDemand):
            return self.rows.entries
        return sum(block.matrix.nonzeros for block in self.rows)

    @property
    def is_kept(self) -> bool:
        """Whether its rows are there, rather than made when they are gone through: then a block is
        a slice of a family, and numbers of rows and nonzeros are estimates."""
        return not isinstance(self.rows, OnDemand)

    @property
    def lower(self) -> np.ndarray:
        """Lower bounds of all columns, float64 (column_count,)."""
        return joined([block.lower for block in self.variables])

    @property
    def upper(self) -> np.ndarray:
        return joined([block.upper for block in self.variables])

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """`lower` and `upper` with what kinds imply: a binary is never outside 0 and 1."""
        domains = [block.domain for block in self.variables]
        return joined([low for low, _ in domains]), joined([high for _, high in domains])

    @property
    def integer(self) -> np.ndarray:
        """True where a column must be integral (binaries too), bool (column_count,)."""
        parts = [np.full(b.length, b.kind is not Kind.CONTINUOUS) for b in self.variables]
        return joined(parts, bool)

    @property
    def binary(self) -> np.ndarray:
        """True for binaries, bool (column_count,)."""
        return binary_columns(self.variables)

    @property
    def row_lower(self) -> np.ndarray:
        """Lower bounds of all rows, float64 (row_count,)."""
        return joined([block.lower for block in self.rows])

    @property
    def row_upper(self) -> np.ndarray:
        return joined([block.upper for block in self.rows])

    @property
    def bodies(self) -> tuple[Rows, ...]:
        """All rows, and those that hold where a guard does."""
        return (*self.rows, *(block.body for block in self.implications))

    @property
    def costs(self) -> np.ndarray:
        """Linear objective coefficients, padded to (column_count,)."""
        full = np.zeros(self.column_count)
        full[: len(self.objective.linear)] = self.objective.linear
        return full

    @property
    def is_linear(self) -> bool:
        """True when nothing is left but linear rows and a linear objective."""
        return not (
            self.implications
            or self.functions
            or self.special_sets
            or self.tape.steps
            or self.objective.quadratic.count
            or (self.is_kept and any(block.quadratic.count for block in self.rows))
        )

    def block(self, name: str) -> Variables:
        """The variables block of that name; KeyError when there is none."""
        for block in self.variables:
            if block.name == name:
                return block
        raise KeyError(name)

    def family_of(self, column: int) -> Variables:
        """The variables block that a column is in."""
        return next(block for block in self.variables if block.start <= column < block.stop)

    def by_name(self, columns: np.ndarray) -> dict[str, np.ndarray]:
        """The parts of columns (column_count or more,) that are its blocks of variables."""
        return {b.name: columns[b.start : b.stop] for b in self.variables}

    def with_fixed(self, fixed: np.ndarray, values: np.ndarray) -> Model:
        """The model with the columns `fixed`, bool (columns,), bounded to their one value.

        Where that is all of a block it becomes continuous, unless it guards implications: solvers
        take binaries alone for that.
        """
        guards = np.zeros(self.column_count, bool)
        for implication in self.implications:
            guards[implication.guard.indices] = True
        blocks = []
        for block in self.variables:
            at = slice(block.start, block.stop)
            lower = np.where(fixed[at], values[at], block.lower)
            upper = np.where(fixed[at], values[at], block.upper)
            settled = fixed[at].all() and not guards[at].any()
            kind = Kind.CONTINUOUS if settled else block.kind
            blocks.append(replace(block, lower=lower, upper=upper, kind=kind))
        return replace(self, variables=tuple(blocks))

    def with_(self, **changes: object) -> Model:
        return replace(self, **changes)  # type: ignore[arg-type]
