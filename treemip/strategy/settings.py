"""What is asked of a solve: the caller's words before the spec's; what a solver has no use for."""

from __future__ import annotations

from dataclasses import asdict, fields

from treemip.emit.solve import SOLVERS, choose
from treemip.frozen import dataclass
from treemip.model.answer import Limits
from treemip.model.model import Model
from treemip.resolve.strategy_settings import StrategySpec
from treemip.source.diagnostic import Diagnostic, Severity, TreemipError
from treemip.source.suggest import listed
from treemip.strategy.calling import called
from treemip.strategy.drive import is_driven
from treemip.strategy.installed import INSTALLED


@dataclass(frozen=True)
class Settings:
    """Arguments of `Compiled.solve`, by their names in a strategy; None where nothing is said."""

    solver: str | None = None
    time_limit: float | None = None
    gap: float | None = None
    absolute_gap: float | None = None
    threads: int | None = None
    feasibility: float | None = None
    seed: int | None = None
    start: str | None = None
    starts: int | None = None

    def limits(self, log: bool) -> Limits:
        """Raises E902 for a value outside its range."""
        return Limits(
            self.time_limit,
            self.gap,
            self.absolute_gap,
            self.threads,
            self.feasibility,
            self.seed,
            log,
        )


def settled(
    model: Model, given: Settings, said: StrategySpec
) -> tuple[Settings, tuple[Diagnostic, ...]]:
    """`given`, and what `said` has where nothing is given; `solver` is a name in any case.

    A setting that means nothing to the solver is an error, E902, where it is given, since who gives
    it expects something of it. In the spec, which may be solved by many solvers, it is left aside
    with a warning, W602. Raises E602 and E902 as `called` does.
    """
    own = {k: v for k, v in asdict(given).items() if v is not None}
    spec = {f.name: getattr(said, f.name) for f in fields(Settings)}
    solver = own.get("solver", spec["solver"])
    solver = "auto" if solver is None else solver
    reasons = _useless(model, choose(model) if solver == "auto" else solver)
    notes = []
    for name, reason in reasons.items():
        message = f"'{name}' means nothing to {reason}"
        if own.get(name) not in (None, "none"):
            raise TreemipError(Diagnostic.outside("E902", message, _remedy(model, name)))
        if spec[name] is not None and name not in own:
            message += "; it is left aside"
            notes.append(Diagnostic("W602", message, None, severity=Severity.WARNING))
        spec[name] = None
    return Settings(**{**spec, **own, "solver": solver}), tuple(notes)


def _useless(model: Model, solver: str) -> dict[str, str]:
    """By setting: the solver, and why it has no use for it with this model."""
    if solver == "ipopt":
        return dict.fromkeys(("gap", "absolute_gap"), "ipopt, which proves no bound")
    found = {"starts": f"{solver}, which searches everywhere and not around a point"}
    if is_driven(solver):
        entry, call, _ = called(solver)
        found["starts"] = f"{entry.title}, which searches everywhere and not around a point"
        if call.start is None:
            found["start"] = f"{entry.title}, which takes none"
    elif solver not in SOLVERS:
        return {}  # it is refused where it is called
    elif solver == "highs" and not model.integer.any():
        found["start"] = "highs where there are no integers"
    return found


def _remedy(model: Model, name: str) -> str:
    if name == "start":
        calls = [(e.name, c) for e in INSTALLED.values() for c in (e.program, e.package_call)]
        takers = dict.fromkeys(name for name, call in calls if call and call.start)
        return f"leave it out, or choose one of {listed(['scip', *takers], len(takers) + 1)}"
    if name == "starts" and not model.integer.any():
        return "leave it out, or choose ipopt"
    return "leave it out"
