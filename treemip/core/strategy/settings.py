"""What is asked of a solve: options of the caller before those of the spec's strategy.

A setting that the solver ignores is an error if the caller gives it, a warning if the spec does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treemip.core.model.answer import Limits, limit_of
from treemip.core.model.blocks import Variables
from treemip.core.model.model import Model
from treemip.core.registry import solvers
from treemip.core.resolve.settings.decompose import DecomposeSpec
from treemip.core.resolve.settings.solve_options import NUMBERS, OPTIONS, SolveOptions
from treemip.core.resolve.settings.strategy import StrategySpec
from treemip.core.solving.command import called, lacking, runs_as_process, takers
from treemip.core.solving.solve import choose
from treemip.core.source.diagnostic import Diagnostic, Severity, TreemipError, fail
from treemip.core.source.suggest import listed

AUTOMATIC = ("auto", "mip")
"""Solvers that are chosen by the model. With "auto" an exact engine may answer in their place."""


@dataclass(frozen=True)
class Settings(SolveOptions):
    """Arguments of `Compiled.solve`, by their names in a strategy; None where nothing is said. The
    start may also be one of the user's own."""

    def limits(self, log: bool) -> Limits:
        """Raises E902 for a value outside its range."""
        return Limits(**{limit_of(name): getattr(self, name) for name in NUMBERS}, log=log)


def settled(
    model: Model, given: Settings, strategy: StrategySpec
) -> tuple[Settings, tuple[Diagnostic, ...]]:
    """`given`, completed by the spec's `strategy`; `solver` is a name in any case.

    A setting that the solver ignores, or a limit that it cannot be told, is an error, E902, if the
    caller gives it. In the spec, which may be solved by many solvers, it is ignored with a warning,
    W602. Raises E601 where the spec decomposes and the solver is another than Ipopt, E602 and E902
    as `called` does.
    """
    own = {name: value for name in OPTIONS if (value := getattr(given, name)) is not None}
    spec = {name: getattr(strategy, name) for name in OPTIONS}
    solver = own.get("solver", spec["solver"])
    solver = "auto" if solver is None else solver
    _require_in_range(strategy, own)
    if strategy.decompose is not None:
        _require_ipopt(model, solver, strategy.decompose)
    notes = []
    for name, what in _useless(model, choose(model) if solver in AUTOMATIC else solver).items():
        if own.get(name) not in (None, "none"):
            fail("E902", what.given, remedy=what.remedy)
        if spec[name] is not None and name not in own:
            notes.append(Diagnostic("W602", what.in_spec, None, severity=Severity.WARNING))
        spec[name] = None
    return Settings(**{**spec, **own, "solver": solver}), tuple(notes)


def _require_in_range(strategy: StrategySpec, own: dict[str, Any]) -> None:
    """Raises E902, at its place, for a number of the spec's strategy out of range."""
    for name in NUMBERS:
        value = getattr(strategy, name)
        if value is None or name in own:
            continue
        try:
            Limits(**{limit_of(name): value})
        except TreemipError as error:
            (one,) = error.diagnostics
            raise TreemipError(replace(one, span=strategy.places.get(name))) from None


def _require_ipopt(model: Model, solver: str, plan: DecomposeSpec) -> None:
    """Raises E601 where a decomposition's subproblems cannot go to Ipopt."""
    if solver in AUTOMATIC and choose(model) == "ipopt":
        return
    if model.integer.any():
        why, remedy = "this model has integers", "leave out decompose"
    elif solver in AUTOMATIC:
        why, remedy = "this model is for other solvers", "leave out decompose, or take solver ipopt"
    elif solver != "ipopt":
        why, remedy = f"the solver is {solver}", "choose ipopt, or leave out decompose"
    else:
        return
    message = f"'decompose' solves smooth subproblems by Ipopt, and {why}"
    fail("E601", message, plan.span, remedy=remedy)


@dataclass(frozen=True)
class _Useless:
    """That a solver ignores a setting: the message where the caller gives it, and where the spec
    does; what to do about it."""

    given: str
    in_spec: str
    remedy: str = "leave it out"


def _ignored(title: str, name: str, why: str, remedy: str = "leave it out") -> _Useless:
    given, in_spec = (f"{title} ignores {whose}'{name}'{why}" for whose in ("", "the spec's "))
    return _Useless(given, in_spec, remedy)


def _useless(model: Model, solver: str) -> dict[str, _Useless]:
    """The settings that the solver ignores for this model."""
    if runs_as_process(solver):
        return _useless_outside(model, solver)
    one = solvers().get(solver)
    if one is None:
        return {}  # it is refused where it is called
    if one.local:
        return {
            name: _ignored(one.title, name, ", since it proves no bound")
            for name in ("gap", "absolute_gap")
        }
    useless = {"starts": _starts(model, one.title)}
    if one.start_needs_integers and not model.integer.any():
        why = " on models without integers"
        useless["start"] = _ignored(one.title, "start", why, _start_remedy())
    return useless


def _useless_outside(model: Model, solver: str) -> dict[str, _Useless]:
    """Of a solver outside this process: also the limits that it cannot be told."""
    entry, call, _ = called(solver)
    useless = {
        "time_limit" if name == "time" else name: _Useless(
            message, f"{message}, so the spec's is ignored", takers(call)
        )
        for name, message in lacking(entry, call).items()
    }
    useless["starts"] = _starts(model, entry.title)
    return useless


def _starts(model: Model, title: str) -> _Useless:
    whole = model.integer.any()
    remedy = "leave it out" if whole else "leave it out, or choose ipopt"
    return _ignored(title, "starts", ": it searches globally, not from points", remedy)


def _start_remedy() -> str:
    able = [one for one in solvers().values() if one.takes_start and not one.local]
    names = [one.name for one in able if not one.start_needs_integers]
    return f"leave it out, or choose one of {listed(names, len(names))}"


def with_priorities(model: Model, strategy: StrategySpec) -> Model:
    """The model with the strategy's priorities on its variables; what it means is unchanged.

    Families named first come first. With `root_first` the node counts before the family: all
    named variables of the root, then those of its children, and so on down (Verwer and Zhang,
    2019, branch on the root's decision first).
    """
    if not strategy.priority:
        return model
    rank = {name: len(strategy.priority) - k for k, name in enumerate(strategy.priority)}
    return replace(
        model,
        variables=tuple(
            replace(b, priority=_priority(b, rank[b.name], len(rank), strategy.root_first))
            if b.name in rank
            else b
            for b in model.variables
        ),
    )


def _priority(block: Variables, rank: int, families: int, root_first: bool) -> np.ndarray:
    """int64 (length,), at least 1; 0 is the priority of everything else."""
    priority = np.full(block.length, rank, np.int64)
    if root_first and "node" in block.index.sorts:
        heap = block.index.columns[block.index.sorts.index("node")]
        depth = np.floor(np.log2(heap)).astype(np.int64)
        priority += families * (64 - depth)
    return priority
