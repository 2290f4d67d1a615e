"""What a strategy separates from a compiled spec: the model without these rows, and what brings
them back.

Rows that a strategy names are left out of the solver's model; where they are broken, they or rows
that stand in for them come back (lazy rows); inequalities beside the rows cut off fractional points
(user cuts); those found on the relaxation are in the model from the beginning (initial cuts). The
stated model is the same in all cases, and it is what an answer is verified by.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

import numpy as np

from treemip.answers.engines.refusal import Refusal
from treemip.core.instance.instance import Instance
from treemip.core.instance.separated import FlowCuts, Supports
from treemip.core.lower.lower import more_rows
from treemip.core.model.answer import Separated
from treemip.core.model.blocks import Index, Rows, family
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows, take_rows
from treemip.core.model.tolerances import FEASIBILITY, SEPARATED
from treemip.core.model.values import row_sums, violation
from treemip.core.reform.products import becomes_linear
from treemip.core.registry import separators
from treemip.core.resolve.checks import separated_set
from treemip.core.resolve.modules import own_cuts
from treemip.core.resolve.settings.separation import Separate
from treemip.core.resolve.spec import Constraint
from treemip.core.solving.lazy_rows import ViolatedRows, joined
from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.suggest import listed
from treemip.core.tree.residuals import Violation, model_violations
from treemip.methods.separation.relaxation import rounds_of_cuts
from treemip.methods.separation.separator import Find, Job, LeftOut, Unfit

HALF = 0.5
"""Of the tolerance: by how much a row must be missed at least that a separator finds broken."""

PIECES = 32
"""Of a pool, before they are joined: each is one call in numpy."""


@dataclass
class _Part:
    """One `separate` of the strategy, ready: its search, and the families that its members are of.

    `of`: where the strategy states it. `over`: the spec's cuts over the separator's set. `blocks`:
    families that are stated in full, by name. `lazy`: rows were left out of the model for it.
    `pool`: rows found so far, where these are kept: those of a support hold at every branch, so
    they may be broken elsewhere than where they were found.
    """

    of: Separate
    find: Find
    lazy: bool
    over: tuple[Constraint, ...] = ()
    pooled: bool = False
    blocks: dict[str, Rows] = field(default_factory=dict)
    pool: list[ViolatedRows] = field(default_factory=list)


class SeparatedModel:
    """The lazy rows of a spec (see `LazyRows`), and the reformed model without them.

    `model`: what the solver gets. `seconds`, `rows`: what separating has taken and given so far.
    """

    def __init__(self, instance: Instance, stated: Model, reformed: Model) -> None:
        """Raises TreemipError: E504 where a separator does not fit the spec, E502 for cuts that
        are not linear."""
        self.instance, self.stated, self.model = instance, stated, reformed
        self.parts: list[_Part] = []
        self.left_out: list[LeftOut] = []
        self.rows, self.calls, self.seconds = 0, 0, 0.0
        strategy = instance.spec.strategy
        for separate in strategy.separate:
            self.parts.append(self._part(separate))
        self.initial = [self._part(separate) for separate in strategy.initial]

    @property
    def lazy(self) -> bool:
        """Whether rows were left out of the model."""
        return any(part.lazy for part in self.parts)

    @property
    def counted(self) -> Separated:
        return Separated(self.calls, self.rows, self.seconds)

    def cut_off(self, x: np.ndarray) -> list[Violation]:
        """The worst row of each of the spec's cuts that a solution of the reformed model, float64
        (columns,), violates; of those that a strategy brings in one by one."""
        own = own_cuts(self.instance.spec)
        blocks = {
            name: block
            for part in (*self.parts, *self.initial)
            for name, block in part.blocks.items()
            if family(name) in own
        }
        values = self.stated.by_name(x)
        model = self.stated.with_(rows=tuple(blocks.values()), implications=())
        return [row for row in model_violations(model, values) if row.name in blocks]

    # ------------------------------------------------------------------ while solving

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        """See `LazyRows`."""
        began = time.perf_counter()
        parts = [part for part in self.parts if part.lazy or not integral]
        broken = joined([rows for part in parts for rows in self._broken(part, x, integral)])
        self.calls += 1
        self.seconds += time.perf_counter() - began
        self.rows += 0 if broken is None else broken.count
        return broken

    def as_start(self, x: np.ndarray) -> np.ndarray:
        """A solution of the reformed model, float64 (columns,), as one of `model`."""
        for one in self.left_out:
            x = one.as_start(x)
        return x

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        """See `LazyRows`."""
        if len(self.left_out) < sum(part.lazy for part in self.parts):
            return None
        for one in self.left_out:
            other = one.repaired(x)
            if other is None:
                return None
            x = other
        return None if violation(self.model, x) > FEASIBILITY else x

    def completed(self, x: np.ndarray) -> np.ndarray:
        """x, integral and without broken rows, with the columns that are open without the rows.

        x float64 (columns of the reformed model,).
        """
        values = x.copy()
        for one in self.left_out:
            of_stated = values[: self.stated.column_count]
            values[: self.stated.column_count] = one.completed(of_stated)
        return values

    def _broken(self, part: _Part, x: np.ndarray, integral: bool) -> list[ViolatedRows]:
        known = [some for rows in part.pool for some in broken_rows(rows, x)]
        if known:
            return known
        values = self.model.by_name(x)
        members = part.find(values, integral)
        if members is None:
            return []
        if isinstance(members, Supports | FlowCuts):
            blocks = more_rows(_with(self.instance, members), self.stated, part.over)
            some = [block for block in blocks if block.length]
            rows = _rows(some) if some else None
            if part.lazy and integral and (rows is None or not broken_rows(rows, x, HALF)):
                raise refused(part.of, _too_weak(part))
            if rows is None:
                return []
            if part.pooled:
                part.pool.append(rows)
            if len(part.pool) > PIECES:
                part.pool = [_stacked(part.pool)]
            return [rows]
        return [_rows([some_rows(part.blocks[name], rows) for name, rows in members.items()])]

    # ------------------------------------------------------------------------ set-up

    def _part(self, separate: Separate) -> _Part:
        separator = separators()[separate.separator]
        names = tuple(word.name or "" for word in separate.names)
        try:
            if separator.of_families:
                return self._of_families(separate, names)
            job = Job(self.instance, self.stated, names, (), _settings(separate))
            find = separator.prepare(job)
            part = _Part(separate, find, bool(names), self._over(separator.over), separator.pooled)
            if names and separator.leave_out is not None:
                self.left_out.append(separator.leave_out(job))
                self.model = self.left_out[-1].reduced(self.model)
            return part
        except Refusal as error:
            raise refused(separate, error) from None

    def _over(self, members: str) -> tuple[Constraint, ...]:
        """The spec's cuts over a set that separators fill. Raises Refusal where it has none."""
        over = tuple(c for c in self.instance.spec.cuts if separated_set(c) == members)
        if not over:
            raise Refusal(
                f"it has no cut over {members.replace('_', ' ')} that states the inequalities"
            )
        return over

    def _of_families(self, separate: Separate, names: tuple[str, ...]) -> _Part:
        """A part that evaluates families: cuts are brought in, rows of the model are left out."""
        spec = self.instance.spec
        cuts = [c for c in spec.cuts if c.name in names]
        lazy = [name for name in names if name not in {c.name for c in cuts}]
        for block in self.stated.implications:
            if block.name in lazy:
                why = (
                    f"'{block.name}' has implications, which become rows only in the solver's model"
                )
                raise Unfit(why, "name rows without '==>'; shattering is for those of hyperplanes")
        own = more_rows(self.instance, self.stated, cuts)
        there = [b for b in self.stated.rows if family(b.name) in lazy or b.name in lazy]
        for rows in there:
            if not becomes_linear(self.stated, rows):
                why = f"'{rows.name}' has products or functions that are not made linear"
                raise Unfit(why, "keep the rows: leave it out")
        out = {block.name for block in there}
        # As the solver has them, with columns for products.
        there = [block for block in self.model.rows if block.name in out]
        blocks = {block.name: block for block in (*there, *own)}
        full = self.model.with_(rows=(*self.model.rows, *own))
        kept = tuple(block for block in self.model.rows if block.name not in out)
        self.model = self.model.with_(rows=kept)
        job = Job(self.instance, full, tuple(lazy), tuple(blocks), _settings(separate))
        find = separators()[separate.separator].prepare(job)
        return _Part(separate, find, bool(there), blocks=blocks)

    # ------------------------------------------------------------------- initial cuts

    def add_initial(self, until: float = inf) -> None:
        """Rounds on the relaxation until `until` of time.perf_counter(): what its solutions break
        is added to `model`."""
        began = time.perf_counter()
        for part in self.initial:
            broken = partial(self._broken_together, part)
            for rows in rounds_of_cuts(self.model, broken, part.of.rounds, until):
                self.model = with_rows(self.model, rows, "initial_cuts", cut=True)
                self.rows += rows.count
                self.calls += 1
        self.seconds += time.perf_counter() - began

    def _broken_together(self, part: _Part, x: np.ndarray) -> ViolatedRows | None:
        return joined(self._broken(part, x, False))


def require_fits(instance: Instance, stated: Model) -> None:
    """Raises E502 and E504 for what the spec's strategy separates and cannot."""
    SeparatedModel(instance, stated, stated)


def with_rows(model: Model, broken: ViolatedRows, name: str, cut: bool = False) -> Model:
    """The model with rows at its end, as a block without spec names of their own."""
    numbers = np.arange(1, broken.count + 1)
    index = Index(("row",), ("number",), (numbers,), broken.count)
    block = Rows(name, index, broken.matrix, broken.lower, broken.upper, cut=cut)
    return model.with_(rows=(*model.rows, block))


def _settings(separate: Separate) -> dict[str, float | str | None]:
    """The separator's parameters by name: as given, or by default."""
    parameters = separators()[separate.separator].parameters
    return {p.name: p.default for p in parameters} | dict(separate.given)


def _with(instance: Instance, members: Supports | FlowCuts) -> Instance:
    if isinstance(members, Supports):
        return replace(instance, supports=members)
    return replace(instance, flow_cuts=members)


def _rows(blocks: Iterable[Rows]) -> ViolatedRows:
    return _stacked([ViolatedRows(b.matrix, b.lower, b.upper) for b in blocks])


def _stacked(parts: list[ViolatedRows]) -> ViolatedRows:
    rows = joined(parts)
    assert rows is not None
    return rows


def broken_rows(rows: ViolatedRows, x: np.ndarray, scale: float = 1.0) -> list[ViolatedRows]:
    """Those that x breaks by more than `scale` times the tolerance, if any."""
    body = row_sums(rows.matrix, x)
    off = np.maximum(rows.lower - body, body - rows.upper)
    at = np.flatnonzero(off > scale * SEPARATED * FEASIBILITY * np.maximum(1.0, np.abs(body)))
    if not len(at):
        return []
    return [ViolatedRows(take_rows(rows.matrix, at), rows.lower[at], rows.upper[at])]


def _too_weak(part: _Part) -> Unfit:
    """The cuts that stand in for rows allow a solution that breaks these."""
    cuts = listed([str(c.name) for c in part.over])
    why = f"the cut {cuts} allows a solution that the rows left out for it forbid"
    if len(part.over) > 1:
        why = f"the cuts {cuts} allow a solution that the rows left out for them forbid"
    remedy = f"state in the cut all that the rows say, or keep them:  separate {part.of.separator};"
    return Unfit(why, remedy)


def refused(separate: Separate, why: Refusal) -> TreemipError:
    """E504: the separator does not fit the spec."""
    name, separator = separate.separator, separators()[separate.separator]
    remedy = separator.keep if separate.names and separator.keep else separator.instead
    if isinstance(why, Unfit):
        remedy = why.remedy
    message = f"'{name}' does not fit this spec: {why}"
    return TreemipError(Diagnostic("E504", message, separate.span, remedy))
